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
	text = err.Error()
	if len(text) > task.MaxErrorText {
		text = text[:task.MaxErrorText]
		for len(text) > 0 && !utf8.RuneStart(text[len(text)-1]) {
			text = text[:len(text)-1]
		}
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	return strings.ReplaceAll(text, "\x00", "\uFFFD")
}
