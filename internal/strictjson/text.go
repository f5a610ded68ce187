package strictjson

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// unquote reads what is between the quotes of a text. Flaw says what is wrong with one
// that is JSON but that not every reader would understand in the same way.
func unquote(raw []byte) (text, flaw string) {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw), ""
	}
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		switch {
		case raw[i] != '\\':
			out = append(out, raw[i])
			continue
		case raw[i+1] != 'u':
			i++
			out = append(out, escapes[raw[i]])
			continue
		}
		r, size := character(raw, i)
		if r == 0 {
			return "", "has a NUL character"
		}
		if size == 0 {
			return "", "has half of a surrogate pair"
		}
		out = utf8.AppendRune(out, r)
		i += size - 1
	}
	return string(out), ""
}

var escapes = map[byte]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// character reads a numbered character, of two numbers where it is a surrogate pair;
// size is 0 where it is half of one.
func character(raw []byte, at int) (r rune, size int) {
	r, _ = hex4(raw, at+2)
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if !bytes.HasPrefix(raw[at+6:], []byte(`\u`)) {
		return r, 0
	}
	low, _ := hex4(raw, at+8)
	if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
		return r, 0
	}
	return r, 12
}
