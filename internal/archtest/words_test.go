package archtest

import (
	"go/ast"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every package says what it is, in the form that go doc shows.
func TestPackageDocs(t *testing.T) {
	for _, p := range packages(t) {
		var name, doc string
		for _, f := range p.files {
			if f.test {
				continue
			}
			name = f.ast.Name.Name
			if f.ast.Doc != nil && doc == "" {
				doc = f.ast.Doc.Text()
			}
		}
		switch {
		case name == "": // tests only
		case doc == "":
			t.Errorf("package %s has no package comment: say in doc.go, or above the package clause of its main file, what it is for", show(p.path))
		case name != "main" && !strings.HasPrefix(doc, "Package "+name+" "):
			t.Errorf("the comment of package %s must begin with \"Package %s \", not %q", show(p.path), name, firstWords(doc))
		}
	}
}

func firstWords(text string) string {
	words := strings.Fields(text)
	return strings.Join(words[:min(3, len(words))], " ")
}

// unfinished is built from halves so that this file does not match itself.
var unfinished = regexp.MustCompile(`\b(` + "TO" + `DO|` + "FIX" + `ME)\b`)

// What is not done is an issue, not a comment.
func TestNothingUnfinished(t *testing.T) {
	for _, p := range packages(t) {
		for _, f := range p.files {
			for _, group := range f.ast.Comments {
				for _, comment := range group.List {
					if word := unfinished.FindString(comment.Text); word != "" {
						t.Errorf("%s: a comment says %s: do it, or open an issue", f.at(comment.Pos()), word)
					}
				}
			}
		}
	}
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name != root && ignored(name, entry.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		switch filepath.Ext(name) {
		case ".sql", ".css", ".html", ".sh", ".yaml", ".yml", ".js", ".ts":
		default:
			return nil
		}
		if strings.Contains(entry.Name(), ".min.") {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if place := unfinished.FindIndex(text); place != nil {
			t.Errorf("%s:%d: says %s: do it, or open an issue", name, 1+strings.Count(string(text[:place[0]]), "\n"), text[place[0]:place[1]])
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// sleepReason marks the one legitimate use: waiting for a real server.
const sleepReason = "// sleep: "

// Tests wait for what happens, not for a while. Under testing/synctest a
// sleep takes no time, so files that use it are free.
func TestNoSleepInTests(t *testing.T) {
	for _, p := range packages(t) {
		for _, f := range p.files {
			if !f.test && !isTestPackage(p.path) {
				continue
			}
			if _, virtual := f.imports()["testing/synctest"]; virtual {
				continue
			}
			reasons := sleepReasons(f)
			for _, call := range sleeps(f.ast) {
				if line := f.fset.Position(call).Line; !reasons[line] && !reasons[line-1] {
					t.Errorf("%s: a test sleeps: wait for the event, or run under testing/synctest; where a real server must be waited for, "+
						"say so on the line or above it with %q", f.at(call), sleepReason+"why")
				}
			}
		}
	}
}

func sleepReasons(f *file) map[int]bool {
	found := make(map[int]bool)
	for _, group := range f.ast.Comments {
		for _, comment := range group.List {
			if strings.HasPrefix(comment.Text, sleepReason) {
				found[f.fset.Position(comment.Pos()).Line] = true
			}
		}
	}
	return found
}

func sleeps(root ast.Node) []token.Pos {
	var found []token.Pos
	ast.Inspect(root, func(node ast.Node) bool {
		if selector, ok := node.(*ast.SelectorExpr); ok && selector.Sel.Name == "Sleep" {
			if x, ok := selector.X.(*ast.Ident); ok && x.Name == "time" {
				found = append(found, selector.Pos())
			}
		}
		return true
	})
	return found
}
