// Package strictjson reads one JSON value into a Go value, and says all at once what is
// wrong with it. It is stricter than [encoding/json]: names are case-sensitive, unknown
// and repeated names, data after the value, NUL and lone surrogates in texts and deep
// nesting are refused, and every complaint has its path and says what to do.
//
// A [json.RawMessage] is kept byte for byte. Inside it only the form is checked, since
// it belongs to whoever reads it, unless its field has the tag strict:"true". A field with
// the tag given refuses a zero that somebody wrote, where it would read as absent; the
// tag is the hint. One with number:"true" takes a number in the place of a text.
package strictjson

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// Complaint is one thing that is wrong.
type Complaint struct {
	Path    string // such as rules[1].when; it may contain text from outside
	Message string
	Hint    string // what to do about it; may be empty
	Whole   bool   // it is no JSON, or nested too deeply: there is no other complaint
}

// mostComplaints bounds what is told of a document that is wrong all over.
const mostComplaints = 50

// mostEntries bounds a list: a long one of short entries would take far more memory than
// its text.
const mostEntries = 10_000

// Null is what a null is taken for.
type Null int

// What a null is taken for. Raw values have it as it is.
const (
	Refused Null = iota
	Empty        // an object without keys; nothing else
	Absent       // as if the key were not there
)

// Options say how strict a reading is.
type Options struct {
	Deepest int // levels of nesting
	Null    Null
	NoEmpty bool    // an empty list reads as an absent one
	Known   string  // hint for an unknown name that is near none, instead of the known ones
	Readers Readers // of types that are read in a way of their own
	// Explain takes apart the error of an UnmarshalText.
	Explain func(error) (message, hint string)
	// Check looks at a value that was read, with the tags of the field that it is in.
	Check func(d *Decoder, value reflect.Value, tag reflect.StructTag)
}

// Readers read values of types in a way of their own. Each must read exactly one value.
type Readers map[reflect.Type]func(out any, d *Decoder)

// Add adds the reader of a type.
func Add[T any](readers Readers, read func(out *T, d *Decoder)) {
	readers[reflect.TypeFor[T]()] = func(out any, d *Decoder) { read(out.(*T), d) }
}

// Read reads one JSON value into what out points to. Path is that of the value in a
// larger document.
func Read(data []byte, out any, path string, options *Options) []Complaint {
	d := &Decoder{scanner: scanner{data: data, deepest: options.Deepest}, Options: options, at: path, tags: &noTags}
	d.steps = d.room[:0]
	d.value(reflect.ValueOf(out).Elem())
	if d.space(); d.pos < len(d.data) {
		d.fail("something follows the value")
	}
	if d.broken != nil {
		return []Complaint{*d.broken}
	}
	return d.found
}

// Decoder is in the middle of a document. Its methods are for [Readers].
type Decoder struct {
	scanner
	*Options
	at    string // where the document is in a larger one
	steps []step // the path in it; only complaints take the time to write it
	room  [4]step
	tags  *field // those of the field that is being read
	found []Complaint
}

var noTags field

// step is a name in an object, or the number of an entry of a list.
type step struct {
	name  string
	entry int // -1 for a name
}

// longestName is how much of a name stands in a path: each complaint has the whole path,
// and a document may have a name as long as itself.
const longestName = 256

// Path is the path of the value that is being read.
func (d *Decoder) Path() string {
	path := []byte(d.at)
	for _, s := range d.steps {
		switch {
		case s.entry >= 0:
			path = append(strconv.AppendInt(append(path, '['), int64(s.entry), 10), ']')
		case len(path) > 0:
			path = append(append(path, '.'), short(s.name)...)
		default:
			path = append(path, short(s.name)...)
		}
	}
	return string(path)
}

// short is a name as it stands in a path.
func short(name string) string {
	if len(name) <= longestName {
		return name
	}
	return strings.ToValidUTF8(name[:longestName], "")
}

func (d *Decoder) into(name string) { d.steps = append(d.steps, step{name, -1}) }
func (d *Decoder) entry(i int)      { d.steps = append(d.steps, step{"", i}) }
func (d *Decoder) out()             { d.steps = d.steps[:len(d.steps)-1] }

// Refuse says what is wrong with the value that is being read.
func (d *Decoder) Refuse(hint, format string, args ...any) {
	if len(d.found) < mostComplaints {
		d.found = append(d.found, Complaint{Path: d.Path(), Message: fmt.Sprintf(format, args...), Hint: hint})
	}
}

// RefuseAt is Refuse for a path below the value that is being read.
func (d *Decoder) RefuseAt(name, hint, format string, args ...any) {
	d.into(name)
	d.Refuse(hint, format, args...)
	d.out()
}

// Wanted passes over a value and says that it should be another one. Where an object is
// wanted a text is not repeated: it may be a secret whose place was meant to be named.
func (d *Decoder) Wanted(what, hint string) {
	d.Refuse(hint, "%s is wanted, not %s", what, d.shown(what == "an object"))
}

func (d *Decoder) shown(hideText bool) string {
	start, kind := d.pos, d.peek()
	d.skip()
	if d.broken != nil {
		return ""
	}
	switch kind {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		if hideText {
			return "a text"
		}
		text, _ := unquote(d.data[start+1 : d.pos-1])
		return fmt.Sprintf("%.60q", text)
	}
	return fmt.Sprintf("%.60s", d.data[start:d.pos])
}
