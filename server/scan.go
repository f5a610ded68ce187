package server

import (
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/outlast-dev/outlast/task"
)

// scanner reads JSON by RFC 8259 and nothing more. Its errors mean that the
// text is not JSON, or is nested too deeply, and end the reading.
type scanner struct {
	data  []byte
	pos   int
	depth int
}

func (s *scanner) malformed(what string) error {
	return task.Invalid(bodyPath, fmt.Sprintf("the request body is not JSON: %s at byte %d", what, s.pos), "send one JSON value by RFC 8259, in UTF-8 without a byte order mark")
}

func (s *scanner) space() {
	for s.pos < len(s.data) {
		switch s.data[s.pos] {
		case ' ', '\n', '\t', '\r':
			s.pos++
		default:
			return
		}
	}
}

// peek is the next byte, 0 at the end.
func (s *scanner) peek() byte {
	if s.pos < len(s.data) {
		return s.data[s.pos]
	}
	return 0
}

// kind names the kind of the value that begins here.
func (s *scanner) kind() string {
	switch c := s.peek(); {
	case c == '{':
		return "an object"
	case c == '[':
		return "a list"
	case c == '"':
		return "a string"
	case c == 't' || c == 'f':
		return "true or false"
	case c == '-' || c >= '0' && c <= '9':
		return "a number"
	case c == 'n':
		return "null"
	}
	return "this"
}

// skip passes over one value. With a decoder it also complains of names that
// are given twice and texts that not every reader understands.
func (s *scanner) skip(strict *decoder, path string) error {
	s.space()
	switch c := s.peek(); {
	case c == '{':
		return s.skipObject(strict, path)
	case c == '[':
		return s.elements(func(i int) error {
			if strict == nil {
				return s.skip(nil, "")
			}
			return s.skip(strict, path+"["+strconv.Itoa(i)+"]")
		})
	case c == '"':
		if strict == nil {
			return s.skipString()
		}
		_, flaw, err := s.str()
		if flaw != "" {
			strict.complain(path, "%s", flaw)
		}
		return err
	case c == 't':
		return s.literal("true")
	case c == 'f':
		return s.literal("false")
	case c == 'n':
		return s.literal("null")
	case c == '-' || c >= '0' && c <= '9':
		return s.skipNumber()
	}
	if s.pos >= len(s.data) {
		return s.malformed("the end")
	}
	return s.malformed("unexpected " + strconv.QuoteToASCII(string(rune(s.data[s.pos]))))
}

func (s *scanner) skipObject(strict *decoder, path string) error {
	if strict == nil {
		return s.rawMembers(func() error { return s.skip(nil, "") })
	}
	seen := make(map[string]bool)
	return s.members(func(name, flaw string) error {
		below := printable(join(path, name))
		if flaw != "" {
			strict.complain(path, "a name in it %s", flaw)
		}
		if seen[name] {
			strict.complain(below, "is given twice")
		}
		seen[name] = true
		return s.skip(strict, below)
	})
}

func (s *scanner) literal(word string) error {
	if len(s.data)-s.pos < len(word) || string(s.data[s.pos:s.pos+len(word)]) != word {
		return s.malformed("unexpected word")
	}
	s.pos += len(word)
	return nil
}

func (s *scanner) digits() bool {
	start := s.pos
	for s.pos < len(s.data) && s.data[s.pos] >= '0' && s.data[s.pos] <= '9' {
		s.pos++
	}
	return s.pos > start
}

func (s *scanner) skipNumber() error {
	if s.peek() == '-' {
		s.pos++
	}
	if s.peek() == '0' {
		s.pos++
	} else if !s.digits() {
		return s.malformed("a bad number")
	}
	if s.peek() == '.' {
		if s.pos++; !s.digits() {
			return s.malformed("a bad number")
		}
	}
	if c := s.peek(); c == 'e' || c == 'E' {
		s.pos++
		if c := s.peek(); c == '+' || c == '-' {
			s.pos++
		}
		if !s.digits() {
			return s.malformed("a bad number")
		}
	}
	return nil
}

func (s *scanner) enter() error {
	s.pos++
	if s.depth++; s.depth > maxDepth {
		return task.Invalid(bodyPath, fmt.Sprintf("the request body is nested deeper than %d levels", maxDepth), "send what is nested deeper as a text")
	}
	return nil
}

// members walks an object; value must pass over the value of the name.
func (s *scanner) members(value func(name, flaw string) error) error {
	return s.walk('}', func(int) error {
		name, flaw, err := s.str()
		if err != nil {
			return err
		}
		if err := s.colon(); err != nil {
			return err
		}
		return value(name, flaw)
	})
}

func (s *scanner) rawMembers(value func() error) error {
	return s.walk('}', func(int) error {
		if err := s.skipString(); err != nil {
			return err
		}
		if err := s.colon(); err != nil {
			return err
		}
		return value()
	})
}

func (s *scanner) colon() error {
	if s.space(); s.peek() != ':' {
		return s.malformed("no colon after a name")
	}
	s.pos++
	return nil
}

// elements walks a list; value must pass over one element.
func (s *scanner) elements(value func(i int) error) error { return s.walk(']', value) }

func (s *scanner) walk(end byte, item func(i int) error) error {
	if err := s.enter(); err != nil {
		return err
	}
	for i := 0; ; i++ {
		s.space()
		if s.peek() == end && i == 0 {
			break
		}
		if end == '}' && s.peek() != '"' {
			return s.malformed("no name in an object")
		}
		if err := item(i); err != nil {
			return err
		}
		s.space()
		if s.peek() == end {
			break
		}
		if s.peek() != ',' {
			return s.malformed("no comma between values")
		}
		s.pos++
	}
	s.pos++
	s.depth--
	return nil
}

// skipString passes over a text and checks its form, UTF-8 included.
func (s *scanner) skipString() error {
	s.pos++
	for s.pos < len(s.data) {
		switch c := s.data[s.pos]; {
		case c == '"':
			s.pos++
			return nil
		case c == '\\':
			if err := s.skipEscape(); err != nil {
				return err
			}
		case c < ' ':
			return s.malformed("a control character in a string")
		case c < utf8.RuneSelf:
			s.pos++
		default:
			r, size := utf8.DecodeRune(s.data[s.pos:])
			if r == utf8.RuneError && size == 1 {
				return s.malformed("invalid UTF-8")
			}
			s.pos += size
		}
	}
	return s.malformed("the end inside a string")
}

func (s *scanner) skipEscape() error {
	s.pos++
	switch s.peek() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.pos++
		return nil
	case 'u':
		if _, ok := s.hex4(s.pos + 1); ok {
			s.pos += 5
			return nil
		}
	}
	return s.malformed("a bad escape")
}

func (s *scanner) hex4(at int) (rune, bool) {
	if at+4 > len(s.data) {
		return 0, false
	}
	n, err := strconv.ParseUint(string(s.data[at:at+4]), 16, 16)
	return rune(n), err == nil
}

// str reads a text. Flaw says what is wrong with a text that is JSON but
// that not every reader would understand in the same way.
func (s *scanner) str() (text, flaw string, err error) {
	start := s.pos + 1
	if err := s.skipString(); err != nil {
		return "", "", err
	}
	raw := s.data[start : s.pos-1]
	plain := true
	for _, c := range raw {
		if c == '\\' {
			plain = false
			break
		}
	}
	if plain {
		return string(raw), "", nil
	}
	text, flaw = (&scanner{data: raw}).unescape()
	return text, flaw, nil
}

var escapes = map[byte]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

func (s *scanner) unescape() (text, flaw string) {
	out := make([]byte, 0, len(s.data))
	for i := 0; i < len(s.data); i++ {
		if s.data[i] != '\\' {
			out = append(out, s.data[i])
			continue
		}
		i++
		if s.data[i] != 'u' {
			out = append(out, escapes[s.data[i]])
			continue
		}
		r, _ := s.hex4(i + 1)
		i += 4
		if utf16.IsSurrogate(r) {
			low, ok := rune(0), i+2 < len(s.data) && s.data[i+1] == '\\' && s.data[i+2] == 'u'
			if ok {
				low, ok = s.hex4(i + 3)
			}
			if r = utf16.DecodeRune(r, low); !ok || r == utf8.RuneError {
				return "", "has half of a surrogate pair"
			}
			i += 6
		}
		if r == 0 {
			return "", "has a NUL character"
		}
		out = utf8.AppendRune(out, r)
	}
	return string(out), ""
}
