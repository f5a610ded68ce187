package archtest

import (
	"flag"
	"fmt"
	gotypes "go/types"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write api.txt anew")

// apiFile lists what other modules can name.
const apiFile = "api.txt"

// What is public changes only with the file that lists it, so that a change is seen.
func TestPublicAPI(t *testing.T) {
	now := publicAPI(t)
	if *update {
		if err := os.WriteFile(apiFile, []byte(strings.Join(now, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(apiFile)
	if err != nil {
		t.Fatal(err)
	}
	listed := strings.Split(strings.TrimSpace(string(text)), "\n")
	for _, d := range []struct {
		verb  string
		lines []string
	}{{"not listed", without(now, listed)}, {"gone", without(listed, now)}} {
		if len(d.lines) > 0 {
			t.Errorf("%s:\n%s\nIf that is meant: go test ./internal/archtest -run TestPublicAPI -update", d.verb, strings.Join(d.lines, "\n"))
		}
	}
}

// Each package that others can import says what they can rely on.
func TestStabilityIsSaid(t *testing.T) {
	for _, p := range packages(t) {
		said, source := false, false
		for _, f := range p.files {
			source = source || !f.test
			said = said || !f.test && f.ast.Doc != nil && strings.Contains(f.ast.Doc.Text(), "\nStability: ")
		}
		if source && !said && importable(p.path) && !isProgram(p.path) && p.path != "examples" && !strings.HasPrefix(p.path, "bench") {
			t.Errorf("%s does not say how stable it is: end the comment of the package with a line Stability: …", show(p.path))
		}
	}
}

// without are the lines that others do not have.
func without(lines, others []string) (missing []string) {
	there := map[string]bool{}
	for _, line := range others {
		there[line] = true
	}
	for _, line := range lines {
		if !there[line] {
			missing = append(missing, line)
		}
	}
	return missing
}

// publicAPI lists what is exported by packages that other modules can import, and fails
// for what mentions a package that they cannot.
func publicAPI(t *testing.T) (lines []string) {
	t.Helper()
	all, err := meanings()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		if p.types.Name() == "main" || !importable(p.path) || strings.HasPrefix(p.path, "examples") {
			continue
		}
		for _, line := range surface(p.types) {
			if mentionsInternal.MatchString(line) {
				t.Errorf("%s mentions a package that nobody else can import", line)
			}
			lines = append(lines, show(p.path)+": "+line)
		}
	}
	return lines
}

// mentionsInternal finds the path of a package that other modules cannot import.
var mentionsInternal = regexp.MustCompile(`\binternal/`)

func importable(path string) bool { return !strings.Contains("/"+path+"/", "/internal/") }

// surface is what a package exports, a line each.
func surface(p *gotypes.Package) (lines []string) {
	q := func(other *gotypes.Package) string {
		if other == p {
			return ""
		}
		return strings.TrimPrefix(other.Path(), module+"/")
	}
	for _, name := range p.Scope().Names() {
		o := p.Scope().Lookup(name)
		if !o.Exported() {
			continue
		}
		if t, ok := o.(*gotypes.TypeName); ok {
			lines = append(lines, surfaceOf(t, q)...)
			continue
		}
		lines = append(lines, strings.TrimSuffix(gotypes.ObjectString(o, q), " "))
	}
	return lines
}

// surfaceOf is a type with its exported fields and methods, also those of what it embeds.
// A type that has its only public name here is listed as one of this package.
func surfaceOf(t *gotypes.TypeName, q gotypes.Qualifier) []string {
	if t.IsAlias() && !hidden(gotypes.Unalias(t.Type())) {
		return []string{"type " + t.Name() + " = " + gotypes.TypeString(gotypes.Unalias(t.Type()), q)}
	}
	found := map[string]bool{}
	if s, ok := t.Type().Underlying().(*gotypes.Struct); ok {
		found["type "+t.Name()+" struct"] = true
		addFields(found, t.Name(), s, q)
	} else {
		found["type "+t.Name()+" "+gotypes.TypeString(t.Type().Underlying(), q)] = true
	}
	if !gotypes.IsInterface(t.Type()) {
		for m := range gotypes.NewMethodSet(gotypes.NewPointer(t.Type())).Methods() {
			if m.Obj().Exported() {
				found[fmt.Sprintf("method %s.%s%s", t.Name(), m.Obj().Name(), strings.TrimPrefix(gotypes.TypeString(m.Type(), q), "func"))] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// hidden reports whether a type is of a package that other modules cannot import.
func hidden(t gotypes.Type) bool {
	named, ok := t.(*gotypes.Named)
	return ok && named.Obj().Pkg() != nil && !importable(named.Obj().Pkg().Path())
}

// addFields adds the exported fields of a struct, also those of what it embeds under a name
// that is not exported.
func addFields(found map[string]bool, owner string, s *gotypes.Struct, q gotypes.Qualifier) {
	for f := range s.Fields() {
		if f.Exported() {
			found[fmt.Sprintf("field %s.%s %s", owner, f.Name(), gotypes.TypeString(f.Type(), q))] = true
		} else if inner, ok := f.Type().Underlying().(*gotypes.Struct); ok && f.Embedded() {
			addFields(found, owner, inner, q)
		}
	}
}
