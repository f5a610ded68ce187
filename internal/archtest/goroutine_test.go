package archtest

import (
	"go/ast"
	gotypes "go/types"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const goroutineTable = "docs/explanation/internals.md"

// spawners run each of their arguments in a goroutine of its own. sync.WaitGroup.Go is
// one besides.
var spawners = map[string]bool{
	"internal/background.Loops.Start": true,
}

// The tables of goroutines name each function that one begins with, and no other.
// Timers (time.AfterFunc) and those that the standard library starts are not in them.
func TestGoroutinesAreTold(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(goroutineTable)))
	if err != nil {
		t.Fatal(err)
	}
	told, bare := toldGoroutines(string(text))
	for _, row := range bare {
		t.Errorf("%s: the first cell of this row names no function: %s", goroutineTable, row)
	}
	started := make(map[string]string)
	for _, p := range resolvedPackages(t) {
		if isProgram(p.path) || p.path == "examples" || strings.HasPrefix(p.path, "internal/servers") || p.path == "internal/cost" {
			continue // programs and helpers of tests
		}
		maps.Copy(started, goroutines(p, spawners))
	}
	for _, name := range sorted(started) {
		if !told[name] {
			t.Errorf("%s: a goroutine begins with %s, which has no row in the tables of goroutines of %s: say what it owns and when it ends",
				started[name], name, goroutineTable)
		}
	}
	for _, name := range sorted(told) {
		if started[name] == "" {
			t.Errorf("%s has a row for %s, with which no goroutine begins: remove it, or name the function that it begins with now", goroutineTable, name)
		}
	}
}

// goroutines maps each function of a package's goroutines to a place that starts one.
// A goroutine is named by what it calls, if that is all it does, and else by the
// function that starts it.
func goroutines(p *checked, spawners map[string]bool) map[string]string {
	found := make(map[string]string)
	for _, f := range p.files {
		for _, declaration := range f.ast.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			if !ok || function.Body == nil {
				continue
			}
			starter := functionName(p.path, function)
			if spawners[starter] {
				continue // its callers say what runs
			}
			ast.Inspect(function.Body, func(node ast.Node) bool {
				for _, begin := range begun(p, node, spawners) {
					name := calledName(p, begin)
					if name == "" {
						name = starter
					}
					found[name] = f.at(begin.Pos())
				}
				return true
			})
		}
	}
	return found
}

// begun returns what a statement or call begins goroutines with.
func begun(p *checked, node ast.Node, spawners map[string]bool) []ast.Expr {
	switch n := node.(type) {
	case *ast.GoStmt:
		return []ast.Expr{n.Call.Fun}
	case *ast.CallExpr:
		called := functionOf(p, n.Fun)
		if called == nil {
			return nil
		}
		if called.FullName() == "(*sync.WaitGroup).Go" || spawners[objectName(called)] {
			return slices.DeleteFunc(slices.Clone(n.Args), func(argument ast.Expr) bool { return !isFunction(p, argument) })
		}
	}
	return nil
}

// isFunction reports whether an argument is a function, and no context or the like.
func isFunction(p *checked, e ast.Expr) bool {
	switch x := e.(type) {
	case *ast.CallExpr:
		return false
	case *ast.Ident:
		if variable, ok := p.info.Uses[x].(*gotypes.Var); ok {
			_, ok = variable.Type().Underlying().(*gotypes.Signature)
			return ok
		}
	}
	return true
}

// calledName is the function of this module that an expression is, or the only one that
// a function literal calls; else "".
func calledName(p *checked, e ast.Expr) string {
	if literal, ok := e.(*ast.FuncLit); ok {
		if len(literal.Body.List) != 1 {
			return ""
		}
		var call ast.Expr
		switch statement := literal.Body.List[0].(type) {
		case *ast.ExprStmt:
			call = statement.X
		case *ast.AssignStmt:
			call = statement.Rhs[0]
		}
		only, ok := call.(*ast.CallExpr)
		if !ok {
			return ""
		}
		e = only.Fun
	}
	if called := functionOf(p, e); called != nil {
		return objectName(called)
	}
	return ""
}

// functionOf is the function that an expression names, or nil.
func functionOf(p *checked, e ast.Expr) *gotypes.Func {
	switch x := ast.Unparen(e).(type) {
	case *ast.Ident:
		function, _ := p.info.Uses[x].(*gotypes.Func)
		return function
	case *ast.SelectorExpr:
		return functionOf(p, x.Sel)
	case *ast.IndexExpr:
		return functionOf(p, x.X)
	}
	return nil
}

// objectName is what functionName says of the declaration of a function, "" for those
// of other modules.
func objectName(function *gotypes.Func) string {
	if function.Pkg() == nil {
		return ""
	}
	pkg, ours := internalPath(function.Pkg().Path())
	if !ours {
		return ""
	}
	name := folder(pkg) + "."
	if receiver := function.Signature().Recv(); receiver != nil {
		of := receiver.Type()
		if pointer, ok := of.(*gotypes.Pointer); ok {
			of = pointer.Elem()
		}
		if named, ok := of.(*gotypes.Named); ok {
			name += named.Obj().Name() + "."
		}
	}
	return name + function.Name()
}

var code = regexp.MustCompile("`([^`]+)`")

// toldGoroutines returns the functions that the tables of the section on goroutines
// name in their first cells, and rows without one.
func toldGoroutines(text string) (named map[string]bool, bare []string) {
	named = make(map[string]bool)
	_, section, _ := strings.Cut(text, "\n## Goroutines\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for row := range strings.Lines(section) {
		cells := strings.Split(row, "|")
		if len(cells) < 3 || strings.HasPrefix(cells[1], "---") || cells[1] == " goroutine " {
			continue
		}
		names := code.FindAllStringSubmatch(cells[1], -1)
		for _, name := range names {
			named[name[1]] = true
		}
		if len(names) == 0 {
			bare = append(bare, strings.TrimSpace(row))
		}
	}
	return named, bare
}

// Every way to begin a goroutine is seen.
func TestGoroutinesAreFound(t *testing.T) {
	p := plant(t, map[string]string{"p.go": `package p
		import "sync"
		type keeper struct { running sync.WaitGroup }
		func (k *keeper) keep() {}
		func (k *keeper) again() {}
		func (k *keeper) spawn(run func()) { go func() { run() }() }
		func look() {}
		func late[T any](T) {}
		func (k *keeper) start() {
			go k.keep()
			k.running.Go(k.again)
			k.running.Go(func() { look() })
			k.spawn(k.spawned)
			k.spawn(func() { _ = k.asked(1) })
		}
		func (k *keeper) spawned() {}
		func (k *keeper) asked(int) error { return nil }
		func (k *keeper) stop() {
			done := make(chan struct{})
			go func() { k.running.Wait(); close(done) }()
			<-done
		}
		func generic() { go late[int](1) }
		func foreign(k *keeper) { go k.running.Wait() }
		func quiet(k *keeper) { k.keep(); func() { k.again() }() }`})
	found := sorted(goroutines(p, map[string]bool{"outlast.keeper.spawn": true}))
	want := []string{
		"outlast.foreign", "outlast.keeper.again", "outlast.keeper.asked", "outlast.keeper.keep", "outlast.keeper.spawned",
		"outlast.keeper.stop", "outlast.late", "outlast.look",
	}
	if !slices.Equal(found, want) {
		t.Errorf("found %v, not %v", found, want)
	}
	named, bare := toldGoroutines("\n## Before\n| `x.x` | |\n## Goroutines\n\n| goroutine | owns |\n|---|---|\n| two: `a.b`, `c.d` | `no.cell` |\n| one | all |\n\n## After\n| `y.y` | |\n")
	if !slices.Equal(sorted(named), []string{"a.b", "c.d"}) || len(bare) != 1 {
		t.Errorf("read %v and %v", named, bare)
	}
}
