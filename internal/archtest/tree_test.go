package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const module = "github.com/outlast-dev/outlast"

// root is the module's folder as seen from this package.
const root = "../.."

// file is one parsed Go file, whatever its build tags are.
type file struct {
	path      string // slash-separated, from the module's root
	test      bool   // its name ends in _test.go
	generated bool
	lines     int
	ast       *ast.File
	fset      *token.FileSet
}

// at names a place in the file for a message.
func (f *file) at(pos token.Pos) string {
	return f.path + ":" + strconv.Itoa(f.fset.Position(pos).Line)
}

// imports maps each import path to its place.
func (f *file) imports() map[string]token.Pos {
	found := make(map[string]token.Pos, len(f.ast.Imports))
	for _, spec := range f.ast.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err == nil {
			found[name] = spec.Pos()
		}
	}
	return found
}

// pkg is one folder with Go files. Its path is relative to the module; the
// root package's is "".
type pkg struct {
	path  string
	files []*file
}

// isTestPackage says whether a package as a whole is test code: store/storetest,
// internal/faulttest and the like.
func isTestPackage(path string) bool { return strings.HasSuffix(path, "test") }

// internalPath returns the path inside the module of an import.
func internalPath(imported string) (string, bool) {
	if imported == module {
		return "", true
	}
	return strings.CutPrefix(imported, module+"/")
}

// show names a package in a message.
func show(path string) string {
	if path == "" {
		return "outlast (root)"
	}
	return path
}

// tree parses the module once for all tests.
var tree = sync.OnceValues(func() ([]*pkg, error) { return load(root) })

func packages(t *testing.T) []*pkg {
	t.Helper()
	found, err := tree()
	if err != nil {
		t.Fatalf("reading the source tree: %v", err)
	}
	return found
}

// load parses all Go files below dir, without nested modules and without
// folders that the go command ignores.
func load(dir string) ([]*pkg, error) {
	byPath := make(map[string]*pkg)
	fset := token.NewFileSet()
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name != dir && ignored(name, entry.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasPrefix(entry.Name(), ".") || strings.HasPrefix(entry.Name(), "_") {
			return nil
		}
		relative, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		parsed, err := parse(fset, name, filepath.ToSlash(relative))
		if err != nil {
			return err
		}
		folder := strings.TrimPrefix(path.Dir(parsed.path), ".")
		if byPath[folder] == nil {
			byPath[folder] = &pkg{path: folder}
		}
		byPath[folder].files = append(byPath[folder].files, parsed)
		return nil
	})
	if err != nil {
		return nil, err
	}
	found := make([]*pkg, 0, len(byPath))
	for _, p := range byPath {
		found = append(found, p)
	}
	sort.Slice(found, func(i, j int) bool { return found[i].path < found[j].path })
	return found, nil
}

func ignored(name, base string) bool {
	if base == "testdata" || base == "vendor" || base == "node_modules" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") {
		return true
	}
	_, err := os.Stat(filepath.Join(name, "go.mod"))
	return err == nil
}

func parse(fset *token.FileSet, name, relative string) (*file, error) {
	source, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	parsed, err := parser.ParseFile(fset, relative, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	return &file{
		path:      relative,
		test:      strings.HasSuffix(relative, "_test.go"),
		generated: ast.IsGenerated(parsed),
		lines:     strings.Count(string(source), "\n"),
		ast:       parsed,
		fset:      fset,
	}, nil
}
