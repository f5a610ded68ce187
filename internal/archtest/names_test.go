package archtest

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	gotypes "go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// checked is what of a package is compiled outside its tests, with the meaning
// of each name in it.
type checked struct {
	path  string
	files []*file
	fset  *token.FileSet
	types *gotypes.Package
	info  *gotypes.Info
}

// Systems compile different files, so what is measured is that of one, everywhere.
const measuredOS, measuredArch = "linux", "amd64"

// meanings checks the types of the module once for all tests.
var meanings = sync.OnceValues(func() ([]*checked, error) {
	parsed, err := tree()
	if err != nil {
		return nil, err
	}
	return resolve(parsed)
})

// resolvedPackages returns the packages that budgets hold for: all but those of
// tests, whose files share one harness and are read one at a time.
func resolvedPackages(t *testing.T) []*checked {
	t.Helper()
	all, err := meanings()
	if err != nil {
		t.Fatalf("checking the types of the source tree: %v", err)
	}
	var found []*checked
	for _, p := range all {
		if !isTestPackage(p.path) {
			found = append(found, p)
		}
	}
	return found
}

// folder names a package in the lists: the root package is "outlast".
func folder(pkg string) string {
	if pkg == "" {
		return path.Base(module)
	}
	return pkg
}

// resolve checks packages of the module from their source. The types of what
// they import from elsewhere come from what the go command has compiled.
func resolve(parsed []*pkg) ([]*checked, error) {
	ours := make(map[string]*checked, len(parsed))
	elsewhere := make(map[string]bool)
	for _, p := range parsed {
		files, err := compiled(p)
		if err != nil {
			return nil, err
		}
		if len(files) == 0 {
			continue
		}
		ours[path.Join(module, p.path)] = &checked{path: p.path, files: files, fset: files[0].fset}
		for _, f := range files {
			for imported := range f.imports() {
				if _, inside := internalPath(imported); !inside && imported != "unsafe" {
					elsewhere[imported] = true
				}
			}
		}
	}
	places, err := exported(elsewhere)
	if err != nil {
		return nil, err
	}
	fset := parsed[0].files[0].fset
	c := checker{ours: ours, foreign: importer.ForCompiler(fset, "gc", func(name string) (io.ReadCloser, error) {
		return os.Open(places[name])
	})}
	var found []*checked
	for _, p := range parsed {
		name := path.Join(module, p.path)
		if ours[name] == nil {
			continue
		}
		if _, err := c.Import(name); err != nil {
			return nil, err
		}
		found = append(found, ours[name])
	}
	return found, nil
}

// compiled returns the files of a package that are no tests and that build
// tags let in.
func compiled(p *pkg) ([]*file, error) {
	context := build.Default
	context.GOOS, context.GOARCH = measuredOS, measuredArch
	var found []*file
	for _, f := range p.files {
		if f.test {
			continue
		}
		matched, err := context.MatchFile(filepath.Join(root, filepath.FromSlash(p.path)), path.Base(f.path))
		if err != nil {
			return nil, err
		}
		if matched {
			found = append(found, f)
		}
	}
	return found, nil
}

// exported asks the go command for the files that hold the types of packages.
func exported(imports map[string]bool) (map[string]string, error) {
	arguments := []string{"list", "-export", "-f", "{{.ImportPath}} {{.Export}}", "--"}
	for imported := range imports {
		arguments = append(arguments, imported)
	}
	command := exec.Command("go", arguments...)
	command.Dir = root
	command.Env = append(os.Environ(), "GOOS="+measuredOS, "GOARCH="+measuredArch)
	var complaints bytes.Buffer
	command.Stderr = &complaints
	output, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w: %s", err, &complaints)
	}
	places := make(map[string]string, len(imports))
	for line := range strings.Lines(string(output)) {
		name, place, _ := strings.Cut(strings.TrimSpace(line), " ")
		places[name] = place
	}
	return places, nil
}

// checker checks a package when it is first imported.
type checker struct {
	ours    map[string]*checked
	foreign gotypes.Importer
}

func (c *checker) Import(name string) (*gotypes.Package, error) {
	p := c.ours[name]
	if p == nil {
		return c.foreign.Import(name)
	}
	if p.types != nil {
		return p.types, nil
	}
	return p.types, p.check(name, c)
}

func (p *checked) check(name string, imports gotypes.Importer) (err error) {
	p.info = &gotypes.Info{Uses: make(map[*ast.Ident]gotypes.Object)}
	config := gotypes.Config{Importer: imports, Sizes: gotypes.SizesFor("gc", measuredArch)}
	parsed := make([]*ast.File, len(p.files))
	for i, f := range p.files {
		parsed[i] = f.ast
	}
	p.types, err = config.Check(name, p.fset, parsed, p.info)
	return err
}

// plant checks sources of a package that exists only in a test, in the place of the
// root package. They may import the standard library.
func plant(t *testing.T, sources map[string]string) *checked {
	t.Helper()
	fset := token.NewFileSet()
	p := &checked{fset: fset}
	for _, name := range sorted(sources) {
		parsed, err := parser.ParseFile(fset, name, sources[name], parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		p.files = append(p.files, &file{path: name, ast: parsed, fset: fset})
	}
	if err := p.check(module, importer.Default()); err != nil {
		t.Fatal(err)
	}
	return p
}
