package retry

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/outlast-dev/outlast/internal/strictjson"
)

// ParseSpec reads a policy from one JSON object. It refuses unknown keys, with
// the path and the nearest known key, and values of the wrong form; all at once
// as joined [FieldError] values. Ranges are checked by [Spec.Policy], and here
// too when something else is refused, as far as values can be read. YAML is read
// by turning it into JSON first.
func ParseSpec(data []byte) (*Spec, error) {
	spec, f := new(Spec), new(findings)
	for _, c := range strictjson.Read(data, spec, "", strictly()) {
		f.refuse(c.Path, c.Hint, "%s", c.Message)
	}
	if len(f.errs) > 0 {
		f.alsoOutOfRange(spec)
		return nil, f.err()
	}
	for _, raw := range []*json.RawMessage{&spec.Fallback, &spec.Alert, &spec.Canary} {
		if *raw != nil {
			*raw = normal(*raw)
		}
	}
	return spec, nil
}

// UnmarshalJSON is [ParseSpec], for documents that contain a policy.
func (s *Spec) UnmarshalJSON(data []byte) error {
	parsed, err := ParseSpec(data)
	if err == nil {
		*s = *parsed
	}
	return err
}

// normal is the one form of a value that was read but is only kept.
func normal(raw json.RawMessage) json.RawMessage {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	_ = decoder.Decode(&value)        // it was read before
	encoded, _ := json.Marshal(value) // what was JSON can be written
	return encoded
}

func explain(err error) (message, hint string) {
	if known, ok := errors.AsType[*FieldError](err); ok {
		return known.Message, known.Hint
	}
	return err.Error(), ""
}

// specs is how strictly policies are read. It is made when the first is read, so that
// programs that read none do without all of this.
var specs struct {
	once    sync.Once
	options *strictjson.Options
}

func strictly() *strictjson.Options {
	specs.once.Do(func() {
		specs.options = &strictjson.Options{Deepest: 32, NoEmpty: true, Readers: readers(), Explain: explain}
	})
	return specs.options
}

// readers are those of what can be written in two ways.
func readers() strictjson.Readers {
	all := strictjson.Readers{}
	strictjson.Add(all, (*JitterSpec).read)
	strictjson.Add(all, (*RuleSpec).read)
	strictjson.Add(all, (*when).read)
	strictjson.Add(all, (*BudgetSpec).read)
	strictjson.Add(all, (*BreakerSpec).read)
	return all
}

// read takes the name of a jitter, or an object.
func (s *JitterSpec) read(d *strictjson.Decoder) {
	if d.Kind() == '"' {
		s.Kind, _ = d.Text()
		return
	}
	d.Value(s)
}

// when is what a rule is for: categories, or an expression.
type when struct {
	categories []Category
	expression string
}

func (w *when) read(d *strictjson.Decoder) {
	if d.Kind() != '"' {
		d.Value(&w.categories)
		return
	}
	var ok bool
	if w.expression, ok = d.Text(); ok && w.expression == "" {
		d.Refuse("", "is empty")
	}
}

func (s *RuleSpec) read(d *strictjson.Decoder) {
	var form struct {
		When        when         `json:"when"`
		Backoff     *BackoffSpec `json:"backoff"`
		MaxAttempts *int         `json:"max_attempts"`
		Then        Action       `json:"then" given:"leave it out for retry"`
	}
	d.Value(&form)
	*s = RuleSpec{form.When.categories, form.When.expression, form.Backoff, form.MaxAttempts, form.Then}
}

func (s *BudgetSpec) read(d *strictjson.Decoder)  { readGuard(d, s, &s.None) }
func (s *BreakerSpec) read(d *strictjson.Decoder) { readGuard(d, s, &s.None) }

// readGuard reads a guard: the name none, or an object.
func readGuard(d *strictjson.Decoder, guard any, unwanted *bool) {
	switch d.Kind() {
	case '{':
		d.Value(guard)
	case '"':
		text, ok := d.Text()
		if *unwanted = text == none; ok && !*unwanted {
			d.Refuse(didYouMean(text, []string{none}), "an object or none is wanted, not %.60q", text)
		}
	default:
		d.Wanted("an object or none", `"none" is none`)
	}
}

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
