package archtest

import (
	"path"
	"slices"
	"strings"
	"testing"
)

const table = "internal/archtest/table_test.go"

// matches says whether a package is meant by a path of the table.
func matches(pattern, path string) bool {
	folder, ok := strings.CutSuffix(pattern, "/*")
	if !ok {
		return pattern == path
	}
	rest, ok := strings.CutPrefix(path, folder+"/")
	return ok && !strings.Contains(rest, "/")
}

// ruleOf returns the rule of a package; an exact path precedes a pattern.
func ruleOf(path string) (rule, bool) {
	for _, exact := range []bool{true, false} {
		for _, r := range rules {
			if (r.path == path) == exact && matches(r.path, path) {
				return r, true
			}
		}
	}
	// Programs keep packages of their own below their folder.
	for _, programs := range []string{"cmd/", "examples/", "internal/tools/"} {
		if strings.HasPrefix(path, programs) {
			return ruleOf(strings.TrimSuffix(programs, "/") + "/x")
		}
	}
	return rule{}, false
}

// allowed says whether the rule has an arrow to the package.
func (r rule) allowed(to string) bool {
	for _, a := range r.imports {
		if a.to == "..." && !isTestPackage(to) && !isProgram(to) || matches(a.to, to) {
			return true
		}
	}
	return isProgram(r.path) && !isPart(r.path) && isProgram(to) && strings.HasPrefix(to, path.Dir(r.path)+"/")
}

// isPart says whether a rule is about packages of one program, which keep to its arrows;
// the program itself may import all of them.
func isPart(path string) bool { return strings.Contains(path, "/internal/") }

func isProgram(path string) bool {
	return strings.HasPrefix(path, "cmd/") || strings.HasPrefix(path, "examples/") || strings.HasPrefix(path, "internal/tools") || path == "clients/conformance"
}

// Every package is known, and imports of ours go along the arrows of the table.
func TestImportArrows(t *testing.T) {
	for _, p := range packages(t) {
		r, known := ruleOf(p.path)
		if !known {
			t.Errorf("package %s is not in the table: add what it is, what it may import and why to rules in %s", show(p.path), table)
			continue
		}
		for _, f := range p.files {
			if f.test {
				continue
			}
			for imported, pos := range f.imports() {
				to, ours := internalPath(imported)
				switch {
				case ours && !r.allowed(to):
					t.Errorf("%s: %s (%s) must not import %s. Imports go downwards: cmd → app → server → outlast → engine → store → task → retry. "+
						"Let the upper package hand in what is needed through a small interface, or, if the arrow is right, add it with its reason to rules in %s",
						f.at(pos), show(p.path), r.is, show(to), table)
				case !ours && r.stdOnly && !isStandard(imported):
					t.Errorf("%s: %s (%s) keeps to the standard library and packages of ours, so it must not import %s: see stdOnly in %s",
						f.at(pos), show(p.path), r.is, imported, table)
				}
			}
		}
	}
}

// isStandard says whether an import path is of the standard library: its
// first element has no dot.
func isStandard(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return !strings.Contains(first, ".")
}

// Drivers, test libraries, processes and heavy frameworks stay where they belong.
func TestForeignImports(t *testing.T) {
	for _, p := range packages(t) {
		if isTestPackage(p.path) {
			continue
		}
		for _, f := range p.files {
			if f.test {
				continue
			}
			for imported, pos := range f.imports() {
				if why, ok := mayImport(p.path, imported); !ok {
					t.Errorf("%s: %s must not import %s: %s (foreign in %s)", f.at(pos), show(p.path), imported, why, table)
				}
			}
		}
	}
}

func mayImport(from, imported string) (why string, ok bool) {
	longest := -1
	for i, f := range foreign {
		if (imported == f.prefix || strings.HasPrefix(imported, f.prefix+"/")) && (longest < 0 || len(f.prefix) > len(foreign[longest].prefix)) {
			longest = i
		}
	}
	if longest < 0 {
		return "", true
	}
	for _, a := range foreign[longest].in {
		folder, below := strings.CutSuffix(a.to, "/*")
		if a.to == from || below && strings.HasPrefix(from, folder+"/") {
			return a.why, true
		}
	}
	return foreign[longest].rule, false
}

// Some packages must not meet even by detours.
func TestUnreachable(t *testing.T) {
	graph := make(map[string][]string)
	for _, p := range packages(t) {
		for _, f := range p.files {
			if f.test {
				continue
			}
			for imported := range f.imports() {
				if to, ours := internalPath(imported); ours && !slices.Contains(graph[p.path], to) {
					graph[p.path] = append(graph[p.path], to)
				}
			}
		}
	}
	for _, u := range unreachable {
		for _, p := range packages(t) {
			if !matches(u.from, p.path) {
				continue
			}
			if way := route(graph, p.path, u.to, nil); way != nil {
				t.Errorf("%s reaches %s: %s, by %s", show(p.path), show(u.to), u.why, strings.Join(way, " → "))
			}
		}
	}
}

// route returns a way from one package to another, or nil.
func route(graph map[string][]string, from, to string, seen map[string]bool) []string {
	if seen == nil {
		seen = make(map[string]bool)
	}
	seen[from] = true
	for _, next := range graph[from] {
		if next == to {
			return []string{show(from), show(to)}
		}
		if seen[next] {
			continue
		}
		if way := route(graph, next, to, seen); way != nil {
			return append([]string{show(from)}, way...)
		}
	}
	return nil
}

// The table itself goes upwards, has reasons, and names each package once.
func TestTable(t *testing.T) {
	position := make(map[string]int)
	for i, r := range rules {
		if _, twice := position[r.path]; twice {
			t.Errorf("%s has two rules in %s", show(r.path), table)
		}
		position[r.path] = i
		if r.is == "" {
			t.Errorf("%s has a rule but no description in %s", show(r.path), table)
		}
	}
	for i, r := range rules {
		for _, a := range r.imports {
			if a.why == "" {
				t.Errorf("the arrow %s → %s has no reason in %s", show(r.path), show(a.to), table)
			}
			if a.to == "..." {
				continue
			}
			target, known := ruleOf(a.to)
			if !known {
				t.Errorf("the arrow %s → %s in %s leads to a package without a rule", show(r.path), show(a.to), table)
			} else if position[target.path] > i {
				t.Errorf("the arrow %s → %s in %s goes upwards: rules are listed from the bottom up", show(r.path), show(a.to), table)
			}
		}
	}
}
