package push

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/outlast-dev/outlast/task"
)

// maxExcerpt is the length of an excerpt in bytes.
const maxExcerpt = 512

// clean makes text from outside fit for messages and logs: the caller's secrets
// blanked, runs of white space as one space, everything else that is not
// printable escaped, cut to [maxExcerpt].
func clean(text string, t *task.Task) string {
	text = redact(text, t)
	out := make([]byte, 0, min(len(text), maxExcerpt)+16)
	space := false
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		start := i
		i += size
		if r == ' ' || r == '\t' || r == '\r' || r == '\n' {
			space = len(out) > 0
			continue
		}
		if len(out) >= maxExcerpt {
			return string(out) + "…"
		}
		if space {
			out = append(out, ' ')
			space = false
		}
		switch {
		case r == utf8.RuneError && size == 1:
			out = append(append(out, `\x`...), hex(text[start]>>4), hex(text[start]&15))
		case !unicode.IsPrint(r):
			quoted := strconv.QuoteRune(r)
			out = append(out, quoted[1:len(quoted)-1]...)
		default:
			out = append(out, text[start:i]...)
		}
	}
	return string(out)
}

func hex(digit byte) byte { return "0123456789abcdef"[digit] }

// redact blanks the values of secret headers of the task, and each word of them,
// which a receiver may echo. Words of less than six characters stay: blanking
// them would hide ordinary text.
func redact(text string, t *task.Task) string {
	if t == nil || t.Spec.HTTP == nil {
		return text
	}
	for name, value := range t.Spec.HTTP.Headers {
		if !task.SecretHeader(name) {
			continue
		}
		for _, word := range strings.Fields(value) {
			if len(word) >= 6 && !strings.EqualFold(word, "bearer") && !strings.EqualFold(word, "digest") {
				text = strings.ReplaceAll(text, word, "[redacted]")
			}
		}
	}
	return text
}
