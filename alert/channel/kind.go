package channel

import (
	"slices"
	"strings"

	"github.com/outlast-dev/outlast/alert"
)

// Kind says how a channel reaches people.
type Kind string

// kind is all that there is to know of one: the check of channels, the console's form and
// the table of docs/alerts.md come from it.
type kind struct {
	name     Kind
	title    string        // how people call it
	titleZH  string        // and in Chinese
	fields   []field       // beside those of every kind, in the order of a form
	limits   []alert.Limit // what the vendor lets through
	text     int           // bytes of a text that are sent; 0 for no bound
	escaping string        // what keeps a text from being more than that
	// check adds what is wrong with the fields that only this kind has; nil for nothing.
	check func(s *Spec, refuse func(field, hint, format string, args ...any))
	open  func(s *Spec, o *Options) (alert.Channel, error)
}

// field is one of a kind, by its name in JSON. One that ends in _env is the variable that
// holds a secret; it may be a file instead, by the same name with _file.
type field struct {
	name     string
	required bool
	about    string
}

// everywhere are the fields of every kind.
var everywhere = []string{"name", "kind", "fallback", "default", "rate", "timeout"}

func (k *kind) field(name string) *field {
	if what, file := strings.CutSuffix(name, "_file"); file {
		name = what + "_env"
	}
	if i := slices.IndexFunc(k.fields, func(f field) bool { return f.name == name }); i >= 0 {
		return &k.fields[i]
	}
	return nil
}

func (k *kind) has(name string) bool { return k.field(name) != nil }

func (k *kind) needs(name string) bool {
	f := k.field(name)
	return f != nil && f.required
}
