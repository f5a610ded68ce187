package strictjson

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// scanner reads JSON by RFC 8259 and nothing more. What is no JSON, or nested too
// deeply, ends the reading: it is broken, and nothing is left to read.
type scanner struct {
	data    []byte
	pos     int
	depth   int
	deepest int
	broken  *Complaint
}

func (s *scanner) fail(what string) {
	s.end(fmt.Sprintf("is not JSON: %s at byte %d", what, s.pos), "write one JSON value by RFC 8259, in UTF-8 without a byte order mark")
}

// end stops the reading. The first reason counts: others follow from it.
func (s *scanner) end(message, hint string) {
	if s.broken == nil {
		s.broken = &Complaint{Message: message, Hint: hint, Whole: true}
	}
	s.pos = len(s.data)
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

func isNumber(c byte) bool { return c == '-' || c >= '0' && c <= '9' }

// skip passes over one value and checks its form.
func (s *scanner) skip() {
	s.space()
	switch c := s.peek(); {
	case c == '{':
		s.walk('}', func(int) {
			s.name()
			s.skip()
		})
	case c == '[':
		s.walk(']', func(int) { s.skip() })
	case c == '"':
		s.text()
	case c == 't':
		s.literal("true")
	case c == 'f':
		s.literal("false")
	case c == 'n':
		s.literal("null")
	case isNumber(c):
		s.number()
	case s.pos >= len(s.data):
		s.fail("the end")
	default:
		s.fail("unexpected " + strconv.QuoteToASCII(string(rune(c))))
	}
}

// walk passes over an object or a list; item must pass over one member of it.
func (s *scanner) walk(end byte, item func(i int)) {
	s.pos++
	if s.depth++; s.depth > s.deepest {
		s.end(fmt.Sprintf("is nested deeper than %d levels", s.deepest), "write what is nested deeper as a text")
		return
	}
	for i := 0; ; i++ {
		if s.space(); s.peek() == end && i == 0 {
			break
		}
		item(i)
		if s.space(); s.peek() == end {
			break
		}
		if s.peek() != ',' {
			s.fail("no comma between values")
			return
		}
		s.pos++
	}
	s.pos++
	s.depth--
}

// name passes over the name of a member and returns what is between its quotes.
func (s *scanner) name() []byte {
	if s.peek() != '"' {
		s.fail("no name in an object")
		return nil
	}
	name := s.text()
	if s.space(); s.peek() != ':' {
		s.fail("no colon after a name")
		return nil
	}
	s.pos++
	return name
}

func (s *scanner) literal(word string) {
	if len(s.data)-s.pos < len(word) || string(s.data[s.pos:s.pos+len(word)]) != word {
		s.fail("unexpected word")
		return
	}
	s.pos += len(word)
}

func (s *scanner) number() {
	if s.peek() == '-' {
		s.pos++
	}
	whole := s.peek() == '0'
	if whole {
		s.pos++
	} else {
		whole = s.digits()
	}
	fraction, exponent := true, true
	if s.peek() == '.' {
		s.pos++
		fraction = s.digits()
	}
	if c := s.peek(); c == 'e' || c == 'E' {
		s.pos++
		if c := s.peek(); c == '+' || c == '-' {
			s.pos++
		}
		exponent = s.digits()
	}
	if !whole || !fraction || !exponent {
		s.fail("a bad number")
	}
}

func (s *scanner) digits() bool {
	start := s.pos
	for s.pos < len(s.data) && s.data[s.pos] >= '0' && s.data[s.pos] <= '9' {
		s.pos++
	}
	return s.pos > start
}

// text passes over a text and returns what is between its quotes.
func (s *scanner) text() []byte {
	s.pos++
	start := s.pos
	for s.pos < len(s.data) {
		switch c := s.data[s.pos]; {
		case c == '"':
			s.pos++
			return s.data[start : s.pos-1]
		case c == '\\':
			s.escape()
		case c < ' ':
			s.fail("a control character in a string")
		case c < utf8.RuneSelf:
			s.pos++
		default:
			r, size := utf8.DecodeRune(s.data[s.pos:])
			if r == utf8.RuneError && size == 1 {
				s.fail("invalid UTF-8")
				return nil
			}
			s.pos += size
		}
	}
	s.fail("the end inside a string")
	return nil
}

func (s *scanner) escape() {
	s.pos++
	switch s.peek() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.pos++
		return
	case 'u':
		if _, ok := hex4(s.data, s.pos+1); ok {
			s.pos += 5
			return
		}
	}
	s.fail("a bad escape")
}

func hex4(data []byte, at int) (rune, bool) {
	if at+4 > len(data) {
		return 0, false
	}
	n, err := strconv.ParseUint(string(data[at:at+4]), 16, 16)
	return rune(n), err == nil
}
