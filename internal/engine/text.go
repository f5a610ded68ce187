package engine

import (
	"strings"
	"unicode/utf8"

	"github.com/outlast-dev/outlast/task"
)

// errorText is an error's message as every store can keep it: valid UTF-8,
// without NUL, at most task.MaxErrorText bytes. A panicking Error method is
// survived.
func errorText(err error) (text string) {
	defer func() {
		if recover() != nil {
			text = "an error whose Error method panics"
		}
	}()
	return storable(err.Error(), task.MaxErrorText)
}

// name is the class or code of an error as every store can keep it.
func name(text string) string { return storable(text, task.MaxName) }

// storable cuts a text to so many bytes and makes it valid UTF-8 without NUL.
func storable(text string, limit int) string {
	if len(text) > limit {
		text = text[:limit]
		for len(text) > 0 && !utf8.RuneStart(text[len(text)-1]) {
			text = text[:len(text)-1]
		}
		// The last rune may have been cut short; ToValidUTF8 sees to it.
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	return strings.ReplaceAll(text, "\x00", "\uFFFD")
}
