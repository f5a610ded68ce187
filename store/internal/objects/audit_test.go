package objects

import (
	"strings"
	"testing"

	"github.com/outlast-dev/outlast/store"
)

// Rows of older versions have headers whole; they are not shown either.
func TestOldRowsAreShownWithoutCredentials(t *testing.T) {
	asked := Request{Limit: 5}
	body := []byte(`{"task":{"target":{"headers":{"Authorization":"Bearer secret"}}}}`)
	page, _ := asked.Answer([]Row{{Audit: store.Audit{Before: body, After: body}}})
	for _, text := range []string{string(page[0].Before), string(page[0].After)} {
		if strings.Contains(text, "secret") || !strings.Contains(text, "[hidden]") {
			t.Errorf("shown as %s", text)
		}
	}
}
