package server_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/store/sealed"
)

// How a server stands to the encryption of its store shows in /readyz?verbose, and
// makes no server unready.
func TestReadinessTellsOfKeys(t *testing.T) {
	backend := memory.New()
	a := startOn(t, backend)
	says := func(well bool, text string) {
		t.Helper()
		var health client.Health
		a.call("GET", "/readyz?verbose", "").is(200).into(&health)
		if got := health.Checks["encryption"]; got.OK != well || !strings.Contains(got.Detail, text) {
			t.Errorf("it says %+v, want %t, %q", got, well, text)
		}
	}
	says(true, "off")
	other, err := outlast.Open(t.Context(), backend, outlast.WithEncryption(sealed.Keys{Secrets: map[string][]byte{"k1": bytes.Repeat([]byte("ab"), 16)}}))
	must(t, err)
	must(t, other.Start(t.Context()))
	defer func() { must(t, other.Stop(t.Context())) }()
	says(false, "other nodes encrypt (key k1)")
}
