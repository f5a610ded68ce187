package archtest

import (
	gotypes "go/types"
	"maps"
	"testing"
)

const (
	typeMethods      = 40
	structFields     = 25
	interfaceMethods = 12
)

// A type does not do everything.
func TestMethodBudget(t *testing.T) {
	measured := make(map[string]sizes)
	for _, p := range resolvedPackages(t) {
		maps.Copy(measured, methodCounts(p))
	}
	complain(t, "methods", measured, typeMethods, methodOffenders, func(string) string {
		return "methods: one of its concerns is a type of its own, with its own fields and file"
	})
}

// A struct that does something does not know everything.
func TestFieldBudget(t *testing.T) {
	measured := make(map[string]sizes)
	for _, p := range resolvedPackages(t) {
		maps.Copy(measured, fieldCounts(p))
	}
	complain(t, "fields", measured, structFields, fieldOffenders, func(string) string {
		return "fields: those that only some of its methods use are a type of their own, with these methods"
	})
}

// An interface asks for little. Those of package store are what a database
// must do; interfaceBudgets has their bounds.
func TestWideInterfaces(t *testing.T) {
	measured := make(map[string]sizes)
	for _, p := range resolvedPackages(t) {
		if p.path != "store" {
			maps.Copy(measured, interfaceCounts(p))
		}
	}
	complain(t, "interface methods", measured, interfaceMethods, interfaceOffenders, func(string) string {
		return "methods that whoever implements it must have: who uses it says what it needs, in an interface of its own"
	})
}

// methodCounts counts the methods that each type of a package declares.
func methodCounts(p *checked) map[string]sizes {
	return eachType(p, func(named *gotypes.Named) int { return named.NumMethods() })
}

// fieldCounts counts the fields of each struct of a package that is no plain
// record, those of structs without a name inside it too. A plain record has no
// method, or no field that only its own package sees: it carries values, and
// its methods have nothing to guard.
func fieldCounts(p *checked) map[string]sizes {
	return eachType(p, func(named *gotypes.Named) int {
		body, ok := named.Underlying().(*gotypes.Struct)
		if !ok || named.NumMethods() == 0 || exportsAll(body) {
			return 0
		}
		return fields(body)
	})
}

func exportsAll(body *gotypes.Struct) bool {
	for field := range body.Fields() {
		if !field.Exported() {
			return false
		}
	}
	return true
}

func fields(body *gotypes.Struct) int {
	n := body.NumFields()
	for field := range body.Fields() {
		if inner, ok := field.Type().(*gotypes.Struct); ok {
			n += fields(inner)
		}
	}
	return n
}

// interfaceCounts counts the methods of each interface of a package, those of
// embedded ones too.
func interfaceCounts(p *checked) map[string]sizes {
	return eachType(p, func(named *gotypes.Named) int {
		if body, ok := named.Underlying().(*gotypes.Interface); ok {
			return body.NumMethods()
		}
		return 0
	})
}

// eachType measures the types that a package declares, as folder.Type.
func eachType(p *checked, measure func(*gotypes.Named) int) map[string]sizes {
	found := make(map[string]sizes)
	scope := p.types.Scope()
	for _, name := range scope.Names() {
		declared, ok := scope.Lookup(name).(*gotypes.TypeName)
		if !ok || declared.IsAlias() {
			continue
		}
		if named, ok := declared.Type().(*gotypes.Named); ok {
			if n := measure(named); n > 0 {
				found[folder(p.path)+"."+name] = sizes{n}
			}
		}
	}
	return found
}

// What the counts of a type's members take in.
func TestMembersAreCounted(t *testing.T) {
	p := plant(t, map[string]string{
		"a.go": `package p
			type engine struct { a, b int; inner struct { c, d int }; record }
			func (*engine) one() {}
			func (engine) two() {}
			type record struct { a, b, c int }
			type Open struct { A, B int }
			func (*Open) Change() {}
			type list[T any] struct { items []T }
			func (*list[T]) add(T) {}
			type alias = engine
			type small interface { one() }
			type wide interface { small; two(); interface { three() } }`,
		"b.go": `package p
			func (*engine) three() {}`,
	})
	for _, c := range []struct {
		name        string
		found, want map[string]sizes
	}{
		{"methods", methodCounts(p), map[string]sizes{"outlast.engine": {3}, "outlast.Open": {1}, "outlast.list": {1}}},
		{"fields", fieldCounts(p), map[string]sizes{"outlast.engine": {6}, "outlast.list": {1}}},
		{"interfaces", interfaceCounts(p), map[string]sizes{"outlast.small": {1}, "outlast.wide": {3}}},
	} {
		if !maps.EqualFunc(c.found, c.want, sizes.equal) {
			t.Errorf("%s: counted %v, not %v", c.name, c.found, c.want)
		}
	}
}
