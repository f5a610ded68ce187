package archtest

import (
	"go/ast"
	"strings"
	"testing"
)

// A test that runs without the race detector says so itself, and in no helper: .ci/unraced
// reads its name in the code, or it would be run by nobody.
func TestUnracedTestsSaySoThemselves(t *testing.T) {
	asked := 0
	for _, p := range packages(t) {
		if p.path == "internal/racetest" {
			continue
		}
		for _, f := range p.files {
			for _, declaration := range f.ast.Decls {
				function, is := declaration.(*ast.FuncDecl)
				ast.Inspect(declaration, func(node ast.Node) bool {
					selector, ok := node.(*ast.SelectorExpr)
					if !ok || selector.Sel.Name != "WithoutDetector" && selector.Sel.Name != "OneCaller" {
						return true
					}
					asked++
					if !is || function.Recv != nil || !strings.HasPrefix(function.Name.Name, "Test") || !strings.HasSuffix(f.path, "_test.go") {
						t.Errorf("%s: only a function Test… asks for a run without the race detector", f.at(selector.Pos()))
					}
					return true
				})
			}
		}
	}
	if asked == 0 {
		t.Error("no test asks, or the question has another name")
	}
}
