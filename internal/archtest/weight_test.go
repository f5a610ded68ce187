package archtest

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// A program that calls functions again under a policy links nothing of HTTP, TLS or SQL.
func TestWeightOfRetry(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", module+"/retry").Output()
	if err != nil {
		t.Fatal(err)
	}
	linked := strings.Fields(string(out))
	for _, heavy := range []string{"net/http", "crypto/tls", "crypto/x509", "database/sql", "log/slog", "text/template"} {
		if slices.Contains(linked, heavy) {
			t.Errorf("retry links %s; recognize its errors by an interface or the name of their type, or in an adapter", heavy)
		}
	}
}
