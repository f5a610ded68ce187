package client

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/outlast-dev/outlast/task"
)

// Marshal encodes the types of this package. It differs from
// [encoding/json.Marshal] in one point that matters: a [json.RawMessage] is
// copied byte for byte, where the standard library re-formats it, so that
// payloads arrive as they were sent.
func Marshal(value any) ([]byte, error) { return Append(nil, value) }

// Append appends the encoding of value, see [Marshal].
func Append(out []byte, value any) ([]byte, error) {
	v := reflect.ValueOf(value)
	if !v.IsValid() {
		return append(out, "null"...), nil
	}
	return encoderOf(v.Type())(out, v)
}

type encoder func(out []byte, v reflect.Value) ([]byte, error)

var encoders sync.Map // reflect.Type → encoder

func encoderOf(t reflect.Type) encoder {
	if known, ok := encoders.Load(t); ok {
		return known.(encoder)
	}
	made := makeEncoder(t)
	encoders.Store(t, made)
	return made
}

var (
	rawType  = reflect.TypeFor[json.RawMessage]()
	textType = reflect.TypeFor[encoding.TextMarshaler]()
)

func makeEncoder(t reflect.Type) encoder {
	switch {
	case t == rawType:
		return encodeRaw
	case t == reflect.TypeFor[Time]():
		return encodeTime
	case t.Implements(textType) && t.Kind() != reflect.Pointer:
		return encodeText
	}
	switch t.Kind() {
	case reflect.String:
		return func(out []byte, v reflect.Value) ([]byte, error) { return appendString(out, v.String()), nil }
	case reflect.Bool:
		return func(out []byte, v reflect.Value) ([]byte, error) { return strconv.AppendBool(out, v.Bool()), nil }
	case reflect.Int, reflect.Int64:
		return func(out []byte, v reflect.Value) ([]byte, error) { return strconv.AppendInt(out, v.Int(), 10), nil }
	case reflect.Uint64:
		return func(out []byte, v reflect.Value) ([]byte, error) { return strconv.AppendUint(out, v.Uint(), 10), nil }
	case reflect.Float64:
		return func(out []byte, v reflect.Value) ([]byte, error) {
			if math.IsNaN(v.Float()) || math.IsInf(v.Float(), 0) {
				return nil, fmt.Errorf("client: JSON has no number %v", v.Float())
			}
			return strconv.AppendFloat(out, v.Float(), 'g', -1, 64), nil
		}
	case reflect.Pointer:
		return encodePointer
	case reflect.Slice:
		return encodeSlice
	case reflect.Map:
		return encodeMap
	case reflect.Struct:
		return structEncoder(t)
	}
	return func([]byte, reflect.Value) ([]byte, error) {
		return nil, fmt.Errorf("client: cannot encode %s", t)
	}
}

func encodeRaw(out []byte, v reflect.Value) ([]byte, error) {
	if v.Len() == 0 {
		return append(out, "null"...), nil
	}
	return append(out, v.Bytes()...), nil
}

func encodeTime(out []byte, v reflect.Value) ([]byte, error) {
	return v.Interface().(Time).UTC().AppendFormat(out, `"`+timeLayout+`"`), nil
}

func encodeText(out []byte, v reflect.Value) ([]byte, error) {
	text, err := v.Interface().(encoding.TextMarshaler).MarshalText()
	return appendString(out, string(text)), err
}

func encodePointer(out []byte, v reflect.Value) ([]byte, error) {
	if v.IsNil() {
		return append(out, "null"...), nil
	}
	return encoderOf(v.Type().Elem())(out, v.Elem())
}

func encodeSlice(out []byte, v reflect.Value) (_ []byte, err error) {
	out = append(out, '[')
	element := encoderOf(v.Type().Elem())
	for i := range v.Len() {
		if i > 0 {
			out = append(out, ',')
		}
		if out, err = element(out, v.Index(i)); err != nil {
			return nil, err
		}
	}
	return append(out, ']'), nil
}

func encodeMap(out []byte, v reflect.Value) (_ []byte, err error) {
	keys := make([]string, 0, v.Len())
	for _, key := range v.MapKeys() {
		keys = append(keys, key.String())
	}
	slices.Sort(keys)
	out = append(out, '{')
	element := encoderOf(v.Type().Elem())
	for i, key := range keys {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(appendString(out, key), ':')
		if out, err = element(out, v.MapIndex(reflect.ValueOf(key).Convert(v.Type().Key()))); err != nil {
			return nil, err
		}
	}
	return append(out, '}'), nil
}

type encodedField struct {
	index  []int
	prefix string // `"name":`
	omit   bool
	encode encoder
}

func structEncoder(t reflect.Type) encoder {
	var fields []encodedField
	for _, field := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		fields = append(fields, encodedField{field.Index, `"` + name + `":`, options != "", encoderOf(field.Type)})
	}
	return func(out []byte, v reflect.Value) (_ []byte, err error) {
		out = append(out, '{')
		start := len(out)
		for i := range fields {
			field := &fields[i]
			value := v.FieldByIndex(field.index)
			if field.omit && isEmpty(value) {
				continue
			}
			if len(out) > start {
				out = append(out, ',')
			}
			if out, err = field.encode(append(out, field.prefix...), value); err != nil {
				return nil, err
			}
		}
		return append(out, '}'), nil
	}
}

func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map:
		return v.Len() == 0
	case reflect.Struct:
		if t, ok := v.Interface().(Time); ok {
			return t.IsZero()
		}
	}
	return v.IsZero()
}

// checkTexts refuses to send a text that is not valid UTF-8: with U+FFFD in
// the place of its bytes, two keys could become one. Only such bytes, and raw
// JSON, are written as that escape.
func checkTexts(body []byte, value any) error {
	if !bytes.Contains(body, []byte(`\ufffd`)) {
		return nil
	}
	if at, found := badText(reflect.ValueOf(value), ""); found {
		return task.Invalid(at, "is not valid UTF-8", "send a hash or the hexadecimal form of bytes")
	}
	return nil
}

// badText finds the path of a text that is not valid UTF-8.
func badText(v reflect.Value, path string) (at string, found bool) {
	switch v.Kind() {
	case reflect.String:
		return path, !utf8.ValidString(v.String())
	case reflect.Pointer:
		if !v.IsNil() {
			return badText(v.Elem(), path)
		}
	case reflect.Slice:
		for i := range v.Len() {
			if at, found = badText(v.Index(i), path+"["+strconv.Itoa(i)+"]"); found {
				return at, true
			}
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			if !utf8.ValidString(key.String()) {
				return path, true
			}
			if at, found = badText(v.MapIndex(key), path+"."+key.String()); found {
				return at, true
			}
		}
	case reflect.Struct:
		for _, field := range reflect.VisibleFields(v.Type()) {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if name == "" || name == "-" {
				continue
			}
			if at, found = badText(v.FieldByIndex(field.Index), strings.TrimPrefix(path+"."+name, ".")); found {
				return at, true
			}
		}
	}
	return "", false
}

const hexDigits = "0123456789abcdef"

// appendString quotes text. Invalid UTF-8 becomes U+FFFD; U+2028 and U+2029,
// which are line ends in JavaScript, are escaped.
func appendString(out []byte, text string) []byte {
	out = append(out, '"')
	start := 0
	for i := 0; i < len(text); {
		c := text[i]
		if c >= ' ' && c != '"' && c != '\\' && c != 0x7f && c < utf8.RuneSelf {
			i++
			continue
		}
		r, size := rune(c), 1
		if c >= utf8.RuneSelf {
			if r, size = utf8.DecodeRuneInString(text[i:]); (r != utf8.RuneError || size > 1) && r != 0x2028 && r != 0x2029 {
				i += size
				continue
			}
		}
		out = append(out, text[start:i]...)
		switch r {
		case '"', '\\':
			out = append(out, '\\', c)
		case '\n':
			out = append(out, '\\', 'n')
		default:
			out = append(out, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
		}
		i += size
		start = i
	}
	return append(append(out, text[start:]...), '"')
}
