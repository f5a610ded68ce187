package planttest_test

import (
	"encoding/json"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"testing"

	"github.com/outlast-dev/outlast/internal/planttest"
)

// What is built has the other text and the helpers; the folder stays as it is.
func TestOverlay(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "lamp")
	file, source := filepath.Join(folder, "lamp.go"), "package lamp\n\nfunc lit(on bool) bool { return on }\n"
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(planttest.Overlay(t, folder, []planttest.Defect{
		{File: "lamp.go", Was: `return on`, Is: `return on || mutant("always")`},
		{File: "lamp.go", Was: `func lit(`, Is: "func dark() {}\n\nfunc lit("},
	}, []string{"time"}, "\nvar pause time.Duration\n"))
	if err != nil {
		t.Fatal(err)
	}
	var overlay struct{ Replace map[string]string }
	if err := json.Unmarshal(text, &overlay); err != nil {
		t.Fatal(err)
	}
	planted, err := os.ReadFile(overlay.Replace[file])
	if want := "package lamp\n\nfunc dark() {}\n\nfunc lit(on bool) bool { return on || mutant(\"always\") }\n"; err != nil || string(planted) != want {
		t.Errorf("built is %v:\n%s", err, planted)
	}
	added, err := parser.ParseFile(token.NewFileSet(), overlay.Replace[filepath.Join(folder, "planted_defects.go")], nil, 0)
	if err != nil || added.Name.Name != "lamp" || len(added.Imports) != 2 || added.Scope.Lookup("mutant") == nil || added.Scope.Lookup("pause") == nil {
		t.Errorf("added is %v: %+v", err, added)
	}
	if now, err := os.ReadFile(file); err != nil || string(now) != source {
		t.Errorf("the source has changed: %v\n%s", err, now)
	}
}

// A defect is found by its pattern, in whatever file and under whatever receiver; two
// packages are built with defects at once.
func TestPlaceAndMerge(t *testing.T) {
	t.Parallel()
	var overlays []string
	for _, name := range []string{"lamp", "door"} {
		folder := filepath.Join(t.TempDir(), name)
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		for file, text := range map[string]string{
			"a.go": "package " + name + "\n\nfunc (l *T) on() bool { return l.is }\n", "b.go": "package " + name + "\n\ntype T struct{ is bool }\n",
			"a_test.go": "package " + name + "\n\nvar _ = new(T).is\n",
		} {
			if err := os.WriteFile(filepath.Join(folder, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		d := planttest.Place(t, folder, `return (\w+)\.is`, `return !${1}.is`)
		if want := (planttest.Defect{File: "a.go", Was: "return l.is", Is: "return !l.is"}); d != want {
			t.Errorf("%+v", d)
		}
		overlays = append(overlays, planttest.Overlay(t, folder, []planttest.Defect{d}, nil, ""))
	}
	text, err := os.ReadFile(planttest.Merge(t, overlays...))
	if err != nil {
		t.Fatal(err)
	}
	var merged struct{ Replace map[string]string }
	if err := json.Unmarshal(text, &merged); err != nil || len(merged.Replace) != 4 {
		t.Errorf("%v, %v", merged, err)
	}
}
