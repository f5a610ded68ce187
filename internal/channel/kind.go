package channel

import (
	"slices"
	"strings"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/alerts"
)

// kind is all that there is to know of one: the check of channels, the console's form and
// the table of docs/how-to/alerts.md come from it.
type kind struct {
	name     alert.ChannelKind
	title    string         // how people call it
	titleZH  string         // and in Chinese
	fields   []field        // beside those of every kind, in the order of a form
	limits   []alerts.Limit // what the vendor lets through
	url      string         // where it is, unless its channel says otherwise; "" where that is its own
	text     int            // bytes of a text that are sent; 0 for no bound
	stateful bool           // it keeps what goes on until that is over
	escaping string         // what keeps a text from being more than that
	// check adds what is wrong with the fields that only this kind has; nil for nothing.
	check func(s *alert.ChannelSpec, refuse func(field, hint, format string, args ...any))
	open  func(s *alert.ChannelSpec, o *Options) (alert.Channel, error)
}

// field is one of a kind, by its name in JSON, with what the form of the console calls it.
// One that ends in _env is the variable that holds a secret; it may be a file instead, by
// the same name with _file.
type field struct {
	name, label, labelZH string
	required             bool
	about                string
}

// The fields that several kinds have.
var (
	urlEnv    = field{name: "url_env", label: "Variable that holds the URL", labelZH: "保存 URL 的环境变量", required: true}
	secretEnv = field{name: "secret_env", label: "Variable that holds the signing secret", labelZH: "保存签名密钥的环境变量"}
	mentions  = field{name: "mentions", label: "Who is mentioned, separated by commas", labelZH: "提及谁，以逗号分隔"}
)

// named is the field as this kind calls it.
func (f field) named(label, labelZH string) field {
	f.label, f.labelZH = label, labelZH
	return f
}

// needed is the field where it has to be.
func (f field) needed() field {
	f.required = true
	return f
}

// saying is the field with what its values are.
func (f field) saying(about string) field {
	f.about = about
	return f
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
