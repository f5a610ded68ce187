package retry

import (
	"slices"
	"strings"
)

// alsoOutOfRange adds what is wrong with the values that could be read of a
// document of which others could not, so that its author learns everything at
// once. What may follow from a value that is missing now is left out.
func (f *findings) alsoOutOfRange(spec *Spec) {
	unread := f.fields()
	_, err := spec.Policy()
	for _, wrong := range FieldErrors(err) {
		if !slices.ContainsFunc(unread, func(field string) bool { return decidesOn(field, wrong.Field) }) {
			f.errs = append(f.errs, wrong)
		}
	}
}

func (f *findings) fields() (paths []string) {
	for _, e := range FieldErrors(f.err()) {
		paths = append(paths, e.Field)
	}
	return paths
}

// decidesOn reports whether a finding on another field may come from not having
// read the first one: they are the same, one is inside the other, or the ranges
// of the second depend on the first.
func decidesOn(unread, other string) bool {
	if inside(unread, other) || inside(other, unread) || unread == "preset" && inside("backoff", other) {
		return true
	}
	object, key := splitPath(unread)
	key, _, _ = strings.Cut(key, "[") // of a list
	within, of := splitPath(other)
	switch key {
	case "kind":
		return inside(object, other)
	case "initial", "steps":
		return object == within && of == "max"
	case "from", "to":
		return object == within && (of == "from" || of == "to")
	case "open_for":
		return other == "breaker.open_max"
	case "count":
		return other == "breaker.min_calls"
	}
	return false
}

// inside reports whether a path is another or leads below it. Everything is
// inside the whole document.
func inside(outer, path string) bool {
	rest, found := strings.CutPrefix(path, outer)
	return found && (outer == "" || rest == "" || rest[0] == '.' || rest[0] == '[')
}

// splitPath splits a path into that of the object and the key.
func splitPath(path string) (object, key string) {
	i := strings.LastIndexByte(path, '.')
	if i < 0 {
		return "", path
	}
	return path[:i], path[i+1:]
}
