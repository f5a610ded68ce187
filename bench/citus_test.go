package main

import (
	"bytes"
	"strings"
	"testing"

	own "github.com/outlast-dev/outlast/internal/servers"
)

// Without a Citus B16 says what it lacks, and measures nothing in its stead.
func TestCitusIsNotThere(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a server")
	}
	plain, err := own.Postgres(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	for url, want := range map[string]string{"": "--citus names no coordinator", plain.URL("postgres"): "has no Citus"} {
		var out, messages bytes.Buffer
		if code := run(t.Context(), []string{"run", "B16", "--n", "10", "--runs", "1", "--citus", url}, &out, &messages); code != 1 || !strings.Contains(messages.String(), want) {
			t.Errorf("%q: exit code %d, %s", url, code, messages.String())
		}
	}
}
