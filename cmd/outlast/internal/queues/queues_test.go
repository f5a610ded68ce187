package queues

import (
	"strings"
	"testing"

	"github.com/outlast-dev/outlast/client"
)

// Numbers that were counted to a bound say so.
func TestCountsThatMayBeLarger(t *testing.T) {
	var text strings.Builder
	queueRows([]client.Queue{{Name: "q", Counts: &client.QueueCounts{Pending: 10_000, Parked: 7, Running: 9_999, Dead: 10_000}}})(&text)
	if !strings.Contains(text.String(), "10000+\t7\t9999\t10000+") {
		t.Errorf("%s", text.String())
	}
}
