// Package planttest plants defects in the source of a package, so that tests can show
// that they find them. The package itself knows nothing of it: what is built has other
// text in some places (go build -overlay), and a defect is switched on when it runs.
package planttest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Switch is the environment variable that names the defect which is switched on.
const Switch = "OUTLAST_MUTANT"

// Defect is a piece of text that a file of the package has once, and the text that
// stands there instead. It can ask whether it is switched on: mutant("name").
type Defect struct{ File, Was, Is string }

// Overlay writes the file for the flag -overlay of the go command, by which the package
// in a folder is built with defects. Besides it gets the functions that helpers declare;
// imports are what these need. A defect whose text is not found fails the test.
func Overlay(t testing.TB, folder string, defects []Defect, imports []string, helpers string) string {
	t.Helper()
	folder, err := filepath.Abs(folder)
	if err != nil {
		t.Fatal(err)
	}
	texts := make(map[string]string)
	for _, d := range defects {
		if texts[d.File] == "" {
			texts[d.File] = read(t, filepath.Join(folder, d.File))
		}
		if n := strings.Count(texts[d.File], d.Was); n != 1 {
			t.Fatalf("%s has %d times, not once, what a defect is to stand for: %s", d.File, n, d.Was)
		}
		texts[d.File] = strings.Replace(texts[d.File], d.Was, d.Is, 1)
	}
	texts["planted_defects.go"] = "package " + filepath.Base(folder) + "\n\nimport (\n\t\"" + strings.Join(append(imports, "os"), "\"\n\t\"") + "\"\n)\n\n" +
		"var planted = os.Getenv(\"" + Switch + "\")\n\nfunc mutant(name string) bool { return planted == name }\n" + helpers
	written := t.TempDir()
	replace := make(map[string]string, len(texts))
	for name, text := range texts {
		replace[filepath.Join(folder, name)] = filepath.Join(written, name)
		write(t, filepath.Join(written, name), []byte(text))
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(written, "overlay.json"), overlay)
	return filepath.Join(written, "overlay.json")
}

// Place finds the one place in a folder's files, other than tests, that a pattern
// matches, and makes a defect of it: what stands there instead is a template as of
// [regexp.Regexp.Expand]. So a defect outlives moves from file to file and new names of
// receivers. A pattern that matches nowhere, or at two places, fails the test.
func Place(t testing.TB, folder, pattern, is string) Defect {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	was := regexp.MustCompile(pattern)
	var found []Defect
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text := read(t, file)
		for _, at := range was.FindAllStringSubmatchIndex(text, -1) {
			found = append(found, Defect{filepath.Base(file), text[at[0]:at[1]], string(was.ExpandString(nil, is, text, at))})
		}
	}
	if len(found) != 1 {
		t.Fatalf("%s has %d times, not once, what a defect is to stand for: %s", folder, len(found), pattern)
	}
	return found[0]
}

// Merge makes one overlay of those of several packages.
func Merge(t testing.TB, overlays ...string) string {
	t.Helper()
	var all struct{ Replace map[string]string }
	for _, name := range overlays {
		if err := json.Unmarshal([]byte(read(t, name)), &all); err != nil {
			t.Fatal(err)
		}
	}
	merged, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "overlay.json")
	write(t, name, merged)
	return name
}

func read(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t testing.TB, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
}
