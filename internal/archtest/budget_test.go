package archtest

import (
	"go/ast"
	"maps"
	"strings"
	"testing"
)

const (
	fileLines         = 600
	testFileLines     = 1000
	functionLines     = 80
	testFunctionLines = 160 // tables of cases are read row by row
	rootTypes         = 26
	folderFiles       = 30
)

// Files stay short enough to be read in one sitting.
func TestFileBudget(t *testing.T) {
	for _, p := range packages(t) {
		for _, f := range p.files {
			budget := fileLines
			if f.test || isTestPackage(p.path) {
				budget = testFileLines
			}
			if !f.generated && f.lines > budget {
				t.Errorf("%s has %d lines, the budget is %d: give one of its concerns a file of its own", f.path, f.lines, budget)
			}
		}
	}
}

// Functions stay short, unless listed with a reason.
func TestFunctionBudget(t *testing.T) {
	over := make(map[string]bool)
	for _, p := range packages(t) {
		for _, f := range p.files {
			budget := functionLines
			if f.test || isTestPackage(p.path) {
				budget = testFunctionLines
			}
			for _, declaration := range f.ast.Decls {
				function, ok := declaration.(*ast.FuncDecl)
				if !ok || f.generated {
					continue
				}
				lines := f.fset.Position(function.End()).Line - f.fset.Position(function.Pos()).Line + 1
				name := functionName(p.path, function)
				if lines <= budget {
					continue
				}
				over[name] = true
				if longFunctions[name] == "" {
					t.Errorf("%s: %s has %d lines, the budget is %d: name its steps as functions, or list %q with a reason in longFunctions in %s",
						f.at(function.Pos()), function.Name.Name, lines, budget, name, table)
				}
			}
		}
	}
	for name := range longFunctions {
		if !over[name] {
			t.Errorf("longFunctions in %s lists %q, which is short or gone: remove it", table, name)
		}
	}
}

// functionName is folder.Function or folder.Type.Method.
func functionName(pkg string, function *ast.FuncDecl) string {
	name := folder(pkg) + "."
	if function.Recv != nil && len(function.Recv.List) == 1 {
		receiver := function.Recv.List[0].Type
		if star, ok := receiver.(*ast.StarExpr); ok {
			receiver = star.X
		}
		switch generic := receiver.(type) {
		case *ast.IndexExpr:
			receiver = generic.X
		case *ast.IndexListExpr:
			receiver = generic.X
		}
		if identifier, ok := receiver.(*ast.Ident); ok {
			name += identifier.Name + "."
		}
	}
	return name + function.Name.Name
}

// A folder is small enough to be looked through. Test files do not count: there
// are as many as there are things to show.
func TestFolderBudget(t *testing.T) {
	complain(t, "files", fileCounts(packages(t)), folderFiles, folderOffenders, func(string) string {
		return "files besides tests: those of one noun are a package of their own"
	})
}

// fileCounts counts the files of each folder that are no tests.
func fileCounts(packages []*pkg) map[string]sizes {
	found := make(map[string]sizes)
	for _, p := range packages {
		n := 0
		for _, f := range p.files {
			if !f.test {
				n++
			}
		}
		if n > 0 && !isTestPackage(p.path) {
			found[folder(p.path)] = sizes{n}
		}
	}
	return found
}

// Neither test files nor packages of tests count.
func TestFilesAreCounted(t *testing.T) {
	source, test := &file{}, &file{test: true}
	found := fileCounts([]*pkg{
		{files: []*file{source, test}},
		{path: "engine", files: []*file{source, test, source}},
		{path: "store/storetest", files: []*file{source}},
		{path: "internal/badinput", files: []*file{test}},
	})
	if want := map[string]sizes{"outlast": {1}, "engine": {2}}; !maps.EqualFunc(found, want, sizes.equal) {
		t.Errorf("counted %v, not %v", found, want)
	}
}

// The root package stays small enough to be learnt in a day.
func TestRootTypes(t *testing.T) {
	var exported []string
	for _, p := range packages(t) {
		if p.path != "" {
			continue
		}
		for _, spec := range types(p) {
			if spec.Name.IsExported() {
				exported = append(exported, spec.Name.Name)
			}
		}
	}
	if len(exported) > rootTypes {
		t.Errorf("the root package exports %d types, the budget is %d: move what not every user needs to the package of its noun. Exported: %s",
			len(exported), rootTypes, strings.Join(exported, ", "))
	}
}

// Interfaces that others implement stay small.
func TestInterfaceBudget(t *testing.T) {
	for _, p := range packages(t) {
		declared := types(p)
		for _, budget := range interfaceBudgets {
			spec := declared[budget.name]
			if p.path != budget.pkg || spec == nil {
				continue
			}
			names, ok := methods(declared, spec)
			if !ok {
				t.Errorf("%s.%s must be an interface whose methods are all declared in %s", budget.pkg, budget.name, budget.pkg)
			}
			if len(names) > budget.methods {
				t.Errorf("%s.%s has %d methods, the budget is %d: every store and every wrapper must provide each. "+
					"Merge calls that always go together, or make a fast path an optional interface. Methods: %s",
					budget.pkg, budget.name, len(names), budget.methods, strings.Join(names, ", "))
			}
		}
	}
}

// types returns the types that a package declares outside its tests.
func types(p *pkg) map[string]*ast.TypeSpec {
	found := make(map[string]*ast.TypeSpec)
	for _, f := range p.files {
		if f.test {
			continue
		}
		for _, declaration := range f.ast.Decls {
			general, ok := declaration.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range general.Specs {
				if named, ok := spec.(*ast.TypeSpec); ok {
					found[named.Name.Name] = named
				}
			}
		}
	}
	return found
}

// methods lists the methods of an interface, those of embedded interfaces of
// the same package included; false if one is embedded from elsewhere.
func methods(declared map[string]*ast.TypeSpec, spec *ast.TypeSpec) ([]string, bool) {
	body, ok := spec.Type.(*ast.InterfaceType)
	if !ok {
		return nil, false
	}
	var names []string
	for _, field := range body.Methods.List {
		for _, name := range field.Names {
			names = append(names, name.Name)
		}
		if len(field.Names) > 0 {
			continue
		}
		identifier, ok := field.Type.(*ast.Ident)
		if !ok || declared[identifier.Name] == nil {
			return names, false
		}
		embedded, ok := methods(declared, declared[identifier.Name])
		if !ok {
			return names, false
		}
		names = append(names, embedded...)
	}
	return names, true
}
