package strictjson

import (
	"encoding"
	"reflect"
	"strconv"
)

func (d *Decoder) value(out reflect.Value) {
	d.space()
	if read := d.Readers[out.Type()]; read != nil {
		read(out.Addr().Interface(), d)
		return
	}
	d.read(out, shapeOf(out.Type()))
}

// Value reads a value as its type says, without the reader of the type itself.
func (d *Decoder) Value(out any) {
	v := reflect.ValueOf(out).Elem()
	d.read(v, shapeOf(v.Type()))
}

// Raw passes over one value and returns it as it is written.
func (d *Decoder) Raw() []byte {
	d.space()
	start := d.pos
	if d.tags.strict {
		d.check()
	} else {
		d.skip()
	}
	return d.data[start:d.pos:d.pos]
}

// Kind is the first byte of the value that is being read: one of { [ " t f n, or that of
// a number.
func (d *Decoder) Kind() byte {
	d.space()
	return d.peek()
}

func (d *Decoder) read(out reflect.Value, s *shape) {
	c := d.peek()
	switch {
	case s.form == formRaw:
		out.SetBytes(d.Raw())
	case c == 'n' && (d.Null == Absent || d.Null == Empty && s.fields != nil || d.Null == Empty && s.form == formMap):
		d.skip()
	case s.form == formPointer:
		out.Set(reflect.New(out.Type().Elem()))
		d.value(out.Elem())
	case s.form == formObject && c == '{':
		d.object(out, s)
	case s.form == formMap && c == '{':
		d.mapping(out)
	case s.form == formList && c == '[':
		d.list(out)
	case s.form <= formList:
		d.Wanted(s.wanted, "")
	default:
		d.scalar(out, s, c)
	}
}

// scalar reads a value that has no parts.
func (d *Decoder) scalar(out reflect.Value, s *shape, c byte) {
	read := true
	switch {
	case s.form == formText && c == '"':
		read = d.marshaled(out.Addr().Interface().(encoding.TextUnmarshaler))
	case s.form == formString && c == '"':
		var text string
		if text, read = d.Text(); read {
			out.SetString(text)
		}
	case s.form == formString && d.tags.number && isNumber(c):
		out.SetString(string(d.Raw()))
	case s.form == formBool && (c == 't' || c == 'f'):
		d.skip()
		out.SetBool(c == 't')
	case s.form >= formWhole && isNumber(c):
		read = d.numeral(out, s)
	default:
		d.Wanted(s.wanted, s.otherwise(c))
		return
	}
	if read && d.Check != nil && d.broken == nil {
		d.Check(d, out, d.tags.tag)
	}
}

// Text reads a text, which begins here; false if it is refused.
func (d *Decoder) Text() (string, bool) {
	raw := d.text()
	if d.broken != nil {
		return "", false
	}
	text, flaw := unquote(raw)
	if flaw != "" {
		d.Refuse("", "%s", flaw)
	}
	return text, flaw == ""
}

func (d *Decoder) marshaled(out encoding.TextUnmarshaler) bool {
	text, ok := d.Text()
	if !ok {
		return false
	}
	err := out.UnmarshalText([]byte(text))
	if err == nil {
		return true
	}
	message, hint := err.Error(), ""
	if d.Explain != nil {
		message, hint = d.Explain(err)
	}
	d.Refuse(hint, "%s", message)
	return false
}

func (d *Decoder) numeral(out reflect.Value, s *shape) bool {
	start := d.pos
	d.number()
	var err error
	if text := string(d.data[start:d.pos]); s.form == formWhole {
		var n int64
		n, err = strconv.ParseInt(text, 10, out.Type().Bits())
		out.SetInt(n)
	} else {
		var x float64
		x, err = strconv.ParseFloat(text, 64)
		out.SetFloat(x)
	}
	if err != nil {
		out.SetZero()
		d.Refuse("", "%s is wanted, not %.60s", s.wanted, d.data[start:d.pos])
	}
	return err == nil
}

// entries walks an object whose names are not known; each must read the value.
func (d *Decoder) entries(each func(name string)) {
	d.walk('}', func(int) {
		raw := d.name()
		if d.broken != nil {
			return
		}
		name, flaw := unquote(raw)
		if flaw != "" {
			d.Refuse("", "a name in it %s", flaw)
			d.skip()
			return
		}
		d.into(name)
		d.space()
		each(name)
		d.out()
	})
}

func (d *Decoder) twice() { d.Refuse("remove one of them", "is given twice") }

// check passes over a value of which nothing is kept, and refuses in it what is refused
// in any that is read.
func (d *Decoder) check() {
	d.space()
	switch d.peek() {
	case '{':
		seen := make(map[string]bool)
		d.entries(func(name string) {
			if seen[name] {
				d.twice()
			}
			seen[name] = true
			d.check()
		})
	case '[':
		d.walk(']', func(i int) {
			d.entry(i)
			d.check()
			d.out()
		})
	case '"':
		d.Text()
	default:
		d.skip()
	}
}

func (d *Decoder) object(out reflect.Value, s *shape) {
	var seen uint64
	tags := d.tags
	d.walk('}', func(int) {
		raw := d.name()
		if d.broken != nil {
			return
		}
		f := s.fields[string(raw)]
		if f == nil {
			if f = d.unusual(raw, s); f == nil {
				d.skip()
				return
			}
		}
		d.into(f.name)
		if seen&f.bit != 0 {
			d.twice()
			d.skip()
		} else {
			seen |= f.bit
			d.tags = f
			d.member(out.Field(f.index), f)
			d.tags = tags
		}
		d.out()
	})
}

// unusual is the field of a name that is written with escapes; nil for one that is not
// known, which is refused.
func (d *Decoder) unusual(raw []byte, s *shape) *field {
	name, flaw := unquote(raw)
	switch f := s.fields[name]; {
	case flaw != "":
		d.Refuse("", "a name in it %s", flaw)
		return nil
	case f != nil:
		return f
	}
	if len(d.found) < mostComplaints { // hints take time
		d.RefuseAt(name, s.hint(name, d.Known), "unknown key")
	}
	return nil
}

// member reads the value of a field. A zero that somebody wrote is refused where it would
// read as absent.
func (d *Decoder) member(out reflect.Value, f *field) {
	d.space()
	null, before := d.peek() == 'n', len(d.found)
	d.value(out)
	switch {
	case f.given == "" || null || len(d.found) > before:
	case out.Kind() == reflect.String && out.Len() == 0, out.Kind() == reflect.Slice && out.Len() == 0:
		d.Refuse(f.given, "is empty")
	case out.IsZero():
		d.Refuse(f.given, "must be more than 0")
	}
}

func (d *Decoder) mapping(out reflect.Value) {
	made := reflect.MakeMap(out.Type())
	out.Set(made)
	d.entries(func(name string) {
		key, element := reflect.ValueOf(name).Convert(out.Type().Key()), reflect.New(out.Type().Elem()).Elem()
		switch {
		case made.MapIndex(key).IsValid():
			d.twice()
			d.skip()
			return
		case d.peek() == 'n' && d.Null == Absent && element.Kind() == reflect.String:
			d.Wanted("a text", "") // or it would be an empty one
		default:
			d.value(element)
		}
		if element.Kind() != reflect.Pointer || !element.IsNil() {
			made.SetMapIndex(key, element)
		}
	})
}

func (d *Decoder) list(out reflect.Value) {
	if !d.NoEmpty {
		out.Set(reflect.MakeSlice(out.Type(), 0, 0))
	}
	d.walk(']', func(i int) {
		if i >= mostEntries {
			if i == mostEntries {
				d.Refuse("", "has more than %d entries", mostEntries)
			}
			d.skip()
			return
		}
		element := reflect.New(out.Type().Elem()).Elem()
		d.entry(i)
		d.value(element)
		d.out()
		out.Set(reflect.Append(out, element))
	})
}
