package archtest

import (
	"fmt"
	gotypes "go/types"
	"slices"
	"strings"
	"testing"
)

// circleFiles is how many files may use one another's names in a circle.
const circleFiles = 8

// Files can be read one after the other, except for small groups of them.
func TestCircleBudget(t *testing.T) {
	measured := make(map[string]sizes)
	files := make(map[string]string)
	for _, p := range resolvedPackages(t) {
		for _, circle := range circles(fileUses(p)) {
			measured[folder(p.path)] = append(measured[folder(p.path)], len(circle))
			if len(circle) > circleFiles {
				files[folder(p.path)] += fmt.Sprintf(" %d: %s.", len(circle), strings.Join(circle, ", "))
			}
		}
	}
	complain(t, "circles", measured, circleFiles, circleOffenders, func(name string) string {
		return "files that use one another's names in a circle: let the lower file not know the upper one, or hand in what it needs. Circles of" + files[name]
	})
}

// circles returns the groups of files that cannot be read one after the other,
// since each uses names of the next and the last one those of the first: the
// strongly connected components of the graph of files, the largest first.
func circles(uses map[string]map[string]bool) [][]string {
	w := walk{uses: uses, number: make(map[string]int), low: make(map[string]int), open: make(map[string]bool)}
	for _, name := range sorted(uses) {
		if w.number[name] == 0 {
			w.visit(name)
		}
	}
	slices.SortStableFunc(w.found, func(a, b []string) int { return len(b) - len(a) })
	return w.found
}

// walk is the algorithm of Tarjan, Depth-first search and linear graph
// algorithms, SIAM Journal on Computing 1(2), 1972.
type walk struct {
	uses        map[string]map[string]bool
	number, low map[string]int
	stack       []string
	open        map[string]bool // on the stack
	found       [][]string
}

func (w *walk) visit(name string) {
	w.number[name] = len(w.number) + 1
	w.low[name] = w.number[name]
	w.stack, w.open[name] = append(w.stack, name), true
	for next := range w.uses[name] {
		if w.number[next] == 0 {
			w.visit(next)
			w.low[name] = min(w.low[name], w.low[next])
		} else if w.open[next] {
			w.low[name] = min(w.low[name], w.number[next])
		}
	}
	if w.low[name] != w.number[name] {
		return
	}
	from := slices.Index(w.stack, name)
	circle := slices.Sorted(slices.Values(w.stack[from:]))
	w.stack = w.stack[:from]
	for _, member := range circle {
		w.open[member] = false
	}
	w.found = append(w.found, circle)
}

// fileUses says which files of a package use names that which others declare:
// names of the package, methods and fields.
func fileUses(p *checked) map[string]map[string]bool {
	uses := make(map[string]map[string]bool, len(p.files))
	for _, f := range p.files {
		uses[f.path] = make(map[string]bool)
	}
	for identifier, object := range p.info.Uses {
		if object.Pkg() != p.types || !leavesFile(object) {
			continue
		}
		from, to := p.fset.Position(identifier.Pos()).Filename, p.fset.Position(object.Pos()).Filename
		if from != to {
			uses[from][to] = true
		}
	}
	return uses
}

// leavesFile says whether other files can use a name: not if it is local to a
// function or names an import.
func leavesFile(object gotypes.Object) bool {
	switch o := object.(type) {
	case *gotypes.Func:
		return true
	case *gotypes.Var:
		if o.IsField() {
			return true
		}
	}
	return object.Parent() == object.Pkg().Scope()
}

// What makes one file a user of another.
func TestUsesAreFound(t *testing.T) {
	sources := map[string]string{
		"value.go":    "package p\nvar value holder",
		"function.go": "package p\nfunc function() int { return 0 }",
		"constant.go": "package p\nconst constant = 1",
		"holder.go":   "package p\ntype holder struct { *parts; seen func() }",
		"parts.go":    "package p\ntype parts struct { part struct { depth int } }",
		"method.go":   "package p\nfunc (holder) method() caller { return nil }",
		"caller.go":   "package p\ntype caller interface { call() }",
		"nothing.go":  "package p\nfunc nothing() { for local := range 3 { _ = local } }",
	}
	for use, want := range map[string][]string{
		"function()":                   {"function.go"},
		"_ = constant":                 {"constant.go"},
		"var _ caller":                 {"caller.go"},
		"value.method()":               {"method.go", "value.go"},
		"value.method().call()":        {"caller.go", "method.go", "value.go"},
		"value.seen()":                 {"holder.go", "value.go"},
		"value.part.depth = 1":         {"parts.go", "value.go"},
		"_ = holder{seen: nil}":        {"holder.go"},
		"local := 1; _ = local":        nil,
		"var nothing int; _ = nothing": nil,
	} {
		sources["user.go"] = "package p\nfunc user() { " + use + " }"
		if found := sorted(fileUses(plant(t, sources))["user.go"]); !slices.Equal(found, want) {
			t.Errorf("%s uses %v, not %v", use, found, want)
		}
	}
}

// Nine files in a circle are found, through every kind of name; eight are few
// enough, and what only uses the circle is no part of it.
func TestCirclesAreFound(t *testing.T) {
	ring := func(n int, extra ...string) map[string]string {
		sources := map[string]string{"top.go": "package p\nfunc top() { f0() }"}
		for i := range n {
			sources[fmt.Sprintf("f%d.go", i)] = fmt.Sprintf("package p\nfunc f%d() { f%d() }", i, (i+1)%n)
		}
		for i := 0; i < len(extra); i += 2 {
			sources[extra[i]] = extra[i+1]
		}
		return sources
	}
	for _, c := range []struct {
		name    string
		sources map[string]string
		want    sizes
	}{
		{"nine", ring(9), sizes{9}},
		{"eight", ring(8), nil},
		{"by a method", ring(8, "f7.go", "package p\nfunc f7() { var m method; m.call() }",
			"m.go", "package p\ntype method struct{}", "n.go", "package p\nfunc (method) call() { f0() }"), sizes{9}},
		{"by a method of a generic type", ring(8, "f7.go", "package p\nfunc f7() { g[int]{}.call() }",
			"g.go", "package p\ntype g[T any] struct{}\nfunc (g[T]) call() { f0() }"), sizes{9}},
		{"local names do not count", ring(8, "f7.go", "package p\nfunc f7() { apart := 1; _ = apart }",
			"apart.go", "package p\nvar apart = f0"), nil},
		{"two", func() map[string]string {
			sources := ring(9)
			for i := range 10 {
				sources[fmt.Sprintf("s%d.go", i)] = fmt.Sprintf("package p\nfunc s%d() { s%d() }", i, (i+1)%10)
			}
			return sources
		}(), sizes{10, 9}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var found sizes
			for _, circle := range circles(fileUses(plant(t, c.sources))) {
				if len(circle) > circleFiles {
					found = append(found, len(circle))
				}
			}
			if !slices.Equal(found, c.want) {
				t.Errorf("circles %v were found, not %v", found, c.want)
			}
		})
	}
}
