package config

import (
	"maps"
	"slices"

	"github.com/outlast-dev/outlast/internal/policy"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
)

// checkCanaries checks that what stands before each canary of the file can hold for
// the tasks outside its share.
func (f *File) checkCanaries(objects []store.Object) (wrong []Problem) {
	kept := map[string]*store.Object{}
	for i := range objects {
		if objects[i].Kind == policy.Kind {
			kept[objects[i].Name] = &objects[i]
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.Policies)) {
		_, err := f.Policies[name].Over(kept[name])
		for _, field := range retry.FieldErrors(err) {
			wrong = append(wrong, Problem{Path: join("policies", name) + "." + field.Field, Message: field.Message, Hint: field.Hint})
		}
	}
	return wrong
}

// written is what an earlier file or put has said of an object.
func written(o *store.Object) []byte {
	if o.Kind == policy.Kind {
		return policy.Written(o)
	}
	return o.Body
}

// over is the body of an object of the file over what is kept. Canaries were checked
// before: see [File.checkCanaries].
func (f *File) over(before, wanted *store.Object) []byte {
	if wanted.Kind == policy.Kind {
		if body, err := f.Policies[wanted.Name].Over(before); err == nil {
			return body
		}
	}
	return wanted.Body
}
