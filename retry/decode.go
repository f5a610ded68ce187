package retry

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ParseSpec reads a policy from one JSON object. It refuses unknown keys, with
// the path and the nearest known key, and values of the wrong form; all at once
// as joined [FieldError] values. Ranges are checked by [Spec.Policy], and here
// too when something else is refused, as far as values can be read. YAML is read
// by turning it into JSON first.
func ParseSpec(data []byte) (*Spec, error) {
	if !utf8.Valid(data) {
		return nil, &FieldError{Message: "is not valid UTF-8"}
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var document any
	if err := decoder.Decode(&document); err != nil {
		return nil, &FieldError{Message: "is no JSON: " + err.Error()}
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, &FieldError{Message: "something follows the policy"}
	}
	spec, f := new(Spec), new(findings)
	f.repeated(data)
	f.object("", document, spec.fields(f))
	if len(f.errs) > 0 {
		f.alsoOutOfRange(spec)
		return nil, f.err()
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

// maxDepth is how deeply a policy may be nested.
const maxDepth = 32

// repeated refuses keys that an object has twice, of which readers of JSON take
// one or the other, and nesting that nothing in a policy needs.
func (f *findings) repeated(data []byte) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	var walk func(path string, depth int) bool
	walk = func(path string, depth int) bool {
		token, err := decoder.Token()
		if err != nil {
			return false // reported before
		}
		if depth > maxDepth {
			f.refuse("", "", "is nested deeper than %d levels", maxDepth)
			return false
		}
		switch token {
		case json.Delim('{'):
			seen := map[string]bool{}
			for decoder.More() {
				token, _ := decoder.Token()
				key, _ := token.(string)
				at := strings.TrimPrefix(path+"."+key, ".")
				if seen[key] {
					f.refuse(at, "remove one of them", "is given twice")
				}
				if seen[key] = true; !walk(at, depth+1) {
					return false
				}
			}
		case json.Delim('['):
			for i := 0; decoder.More(); i++ {
				if !walk(path+"["+strconv.Itoa(i)+"]", depth+1) {
					return false
				}
			}
		default:
			return true
		}
		_, err = decoder.Token() // the end of it
		return err == nil
	}
	walk("", 0)
}

// read puts a decoded JSON value into a field.
type read func(path string, value any)

// fields is the table of the keys of a policy.
func (s *Spec) fields(f *findings) map[string]read {
	return map[string]read{
		"preset":       f.text(&s.Preset),
		"max_attempts": f.integer(&s.MaxAttempts),
		"unlimited":    f.boolean(&s.Unlimited),
		"backoff": func(path string, v any) {
			s.Backoff = new(BackoffSpec)
			f.object(path, v, s.Backoff.fields(f))
		},
		"timeout":         f.duration(&s.Timeout),
		"ttl":             f.duration(&s.TTL),
		"first_run_after": f.duration(&s.FirstRunAfter),
		"rules": func(path string, v any) {
			f.list(path, v, func(path string, v any) {
				s.Rules = append(s.Rules, RuleSpec{})
				f.object(path, v, s.Rules[len(s.Rules)-1].fields(f))
			})
		},
		"retry_on":      f.texts(&s.RetryOn),
		"never_on":      f.texts(&s.NeverOn),
		"max_crashes":   f.integer(&s.MaxCrashes),
		"order_on_dead": f.text(&s.OrderOnDead),
		"budget": func(path string, v any) {
			s.Budget = new(BudgetSpec)
			f.guard(path, v, &s.Budget.None, s.Budget.fields(f))
		},
		"breaker": func(path string, v any) {
			s.Breaker = new(BreakerSpec)
			f.guard(path, v, &s.Breaker.None, s.Breaker.fields(f))
		},
		"fallback": f.raw(&s.Fallback),
		"alert":    f.raw(&s.Alert),
		"canary":   f.raw(&s.Canary),
	}
}

func (s *BackoffSpec) fields(f *findings) map[string]read {
	return map[string]read{
		"kind":       f.text(&s.Kind),
		"initial":    f.duration(&s.Initial),
		"multiplier": f.number(&s.Multiplier),
		"max":        f.duration(&s.Max),
		"step":       f.duration(&s.Step),
		"steps": func(path string, v any) {
			s.Steps = []Duration{}
			f.list(path, v, func(path string, v any) {
				var d *Duration
				if f.duration(&d)(path, v); d != nil {
					s.Steps = append(s.Steps, *d)
				}
			})
		},
		"jitter": func(path string, v any) {
			s.Jitter = new(JitterSpec)
			if name, ok := v.(string); ok {
				s.Jitter.Kind = name
				return
			}
			f.object(path, v, s.Jitter.fields(f))
		},
	}
}

func (s *JitterSpec) fields(f *findings) map[string]read {
	return map[string]read{
		"kind": f.text(&s.Kind),
		"x":    f.number(&s.X),
		"from": f.number(&s.From),
		"to":   f.number(&s.To),
	}
}

func (s *RuleSpec) fields(f *findings) map[string]read {
	return map[string]read{
		"when": func(path string, v any) {
			if _, ok := v.(string); ok {
				f.text(&s.If)(path, v)
				return
			}
			f.list(path, v, func(path string, v any) {
				var name string
				f.text(&name)(path, v)
				s.When = append(s.When, Category(name))
			})
		},
		"backoff": func(path string, v any) {
			s.Backoff = new(BackoffSpec)
			f.object(path, v, s.Backoff.fields(f))
		},
		"max_attempts": f.integer(&s.MaxAttempts),
		"then": func(path string, v any) {
			f.text((*string)(&s.Then))(path, v)
		},
	}
}

// object reads the keys of an object in alphabetical order.
func (f *findings) object(path string, value any, fields map[string]read) {
	object, ok := value.(map[string]any)
	if !ok {
		f.refuse(path, "", "%s is wanted, not %s", "an object", shown(value))
		return
	}
	known := sortedKeys(fields)
	for _, key := range sortedKeys(object) {
		at := key
		if path != "" {
			at = path + "." + key
		}
		if read, ok := fields[key]; ok {
			read(at, object[key])
			continue
		}
		hint := didYouMean(key, known)
		if hint == "" {
			hint = "known keys are " + strings.Join(known, ", ")
		}
		f.refuse(at, hint, "unknown key")
	}
}

func sortedKeys[V any](object map[string]V) []string {
	keys := make([]string, 0, len(object))
	for key := range object {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func (f *findings) list(path string, value any, entry read) {
	entries, ok := value.([]any)
	if !ok {
		f.refuse(path, "", "a list is wanted, not %s", shown(value))
		return
	}
	for i, v := range entries {
		entry(fmt.Sprintf("%s[%d]", path, i), v)
	}
}

func (f *findings) text(to *string) read {
	return func(path string, value any) {
		text, ok := value.(string)
		if !ok || text == "" {
			f.refuse(path, "", "a text is wanted, not %s", shown(value))
			return
		}
		*to = text
	}
}

func (f *findings) texts(to *[]string) read {
	return func(path string, value any) {
		f.list(path, value, func(path string, value any) {
			text := ""
			// A code such as 409 needs no quotes.
			if number, ok := value.(json.Number); ok {
				text = number.String()
			} else {
				f.text(&text)(path, value)
			}
			*to = append(*to, text)
		})
	}
}

func (f *findings) boolean(to *bool) read {
	return func(path string, value any) {
		truth, ok := value.(bool)
		if !ok {
			f.refuse(path, "", "true or false is wanted, not %s", shown(value))
			return
		}
		*to = truth
	}
}

func (f *findings) integer(to **int) read {
	return func(path string, value any) {
		text, ok := value.(json.Number)
		n, err := strconv.Atoi(text.String())
		if !ok || err != nil {
			f.refuse(path, "", "a whole number is wanted, not %s", shown(value))
			return
		}
		*to = &n
	}
}

func (f *findings) number(to **float64) read {
	return func(path string, value any) {
		text, ok := value.(json.Number)
		x, err := strconv.ParseFloat(text.String(), 64)
		if !ok || err != nil {
			f.refuse(path, "", "a number is wanted, not %s", shown(value))
			return
		}
		*to = &x
	}
}

func (f *findings) duration(to **Duration) read {
	return func(path string, value any) {
		text, ok := value.(string)
		if !ok {
			f.refuse(path, "write it with units, such as 1.5s", "a duration is wanted, not %s", shown(value))
			return
		}
		d, err := ParseDuration(text)
		if err != nil {
			for _, e := range FieldErrors(err) {
				f.refuse(path, e.Hint, "%s", e.Message)
			}
			return
		}
		*to = duration(d)
	}
}

func (f *findings) raw(to *json.RawMessage) read {
	return func(path string, value any) {
		encoded, err := json.Marshal(value)
		if err != nil {
			f.refuse(path, "", "%v", err)
			return
		}
		*to = encoded
	}
}

// shown is a JSON value in a message.
func shown(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case string:
		return fmt.Sprintf("%.60q", v)
	case map[string]any:
		return "an object"
	case []any:
		return "a list"
	default:
		return fmt.Sprintf("%.60s", fmt.Sprint(v))
	}
}
