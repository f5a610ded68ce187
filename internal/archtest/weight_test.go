package archtest

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// What a program links that uses a part of this module: the folder of the program, the
// most bytes of its binary, stripped, on linux/amd64, the most modules, and what must not
// be among its packages.
var weights = map[string]struct {
	bytes   int64
	modules int
	without []string
}{
	// A program that calls functions again under a policy.
	"retry": {2_200_000, 1, []string{"net", "net/http", "crypto/tls", "crypto/x509", "database/sql", "log/slog", "text/template"}},
	// A program with durable tasks on PostgreSQL.
	"library": {16_850_000, 11, []string{
		"github.com/google/cel-go/cel", "github.com/wneessen/go-mail", "github.com/prometheus/client_golang/prometheus", "google.golang.org/protobuf/proto",
		"go.opentelemetry.io/otel/sdk/trace", "go.yaml.in/yaml/v3", "github.com/danielgtaylor/huma/v2", "text/template", "net/http/pprof", "encoding/gob",
	}},
}

func TestWeights(t *testing.T) {
	for name, most := range weights {
		program := "./testdata/" + name
		packages := strings.Fields(run(t, "go", "list", "-deps", program))
		for _, heavy := range most.without {
			if slices.Contains(packages, heavy) {
				t.Errorf("a program with %s links %s; recognize its errors by an interface or the name of their type, or plug it in", name, heavy)
			}
		}
		modules := strings.Fields(run(t, "go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", program))
		slices.Sort(modules)
		if modules = slices.Compact(modules); len(modules) > most.modules {
			t.Errorf("a program with %s links %d modules, %d are the limit: %s", name, len(modules), most.modules, modules)
		}
		binary := filepath.Join(t.TempDir(), name)
		run(t, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", binary, program) // where the source lies does not count
		made, err := os.Stat(binary)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %.2f MB, %d modules, %d packages", name, float64(made.Size())/1e6, len(modules), len(packages))
		if made.Size() > most.bytes && runtime.GOOS+runtime.GOARCH == "linuxamd64" {
			t.Errorf("a program with %s has %d bytes, %d are the limit", name, made.Size(), most.bytes)
		}
	}
}

// run is what a command prints.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	command := exec.Command(name, args...)
	out, err := command.Output()
	if err != nil {
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, exit.Stderr)
		}
		t.Fatal(err)
	}
	return string(out)
}
