package outlast

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/outlast-dev/outlast/internal/hints"
	"github.com/outlast-dev/outlast/policy"
	"github.com/outlast-dev/outlast/task"
)

// complaints collects all that is wrong with a request, so that its author
// learns it at once. The zero value is ready.
type complaints struct {
	prefix   string // "tasks[3]." in a batch
	fields   []task.Field
	hints    hints.List
	tooLarge bool         // one of the complaints is about size
	policies *policy.Set  // that names of policies may mean; nil for presets only
	channel  channelCheck // nil where any may be named
	calls    callCheck    // nil where any address may be called
}

// channelCheck says what is wrong with the name of a channel.
type channelCheck func(name string) (hint string, unknown bool)

// mostComplaints bounds the answer to a request that is wrong all over.
const mostComplaints = 20

// add records what is wrong at a path. The path, message and hint must not
// contain text from outside, unless quoted by [task.Quote].
func (c *complaints) add(path, message, hint string) {
	if len(c.fields) >= mostComplaints {
		return
	}
	c.fields = append(c.fields, task.Field{Path: c.prefix + path, Message: message})
	c.hints.Add(c.prefix+path, hint)
}

// large records that something is over its limit in bytes.
func (c *complaints) large(path, what string, size, limit int) {
	c.add(path, what+" has "+strconv.Itoa(size)+" bytes; "+strconv.Itoa(limit)+" are the limit", "keep large data elsewhere and send a reference")
	c.tooLarge = true
}

// err is nil if there are no complaints. The code is "too_large" if size is
// the only one, else "invalid".
func (c *complaints) err(message string) error {
	if len(c.fields) == 0 {
		return nil
	}
	e := &Error{Code: task.CodeInvalid, Message: message, Fields: c.fields, Hint: c.hints.Text()}
	if e.Hint == "" {
		e.Hint = "leave it out for its default"
	}
	if len(c.fields) == 1 {
		e.Message = c.fields[0].Message
		if c.tooLarge {
			e.Code = task.CodeTooLarge
		}
	}
	return e
}

const nameHint = "names have 1 to 128 of the characters A-Z a-z 0-9 . _ : -"

// name checks the name of a type, queue or policy.
func (c *complaints) name(path, name string) bool {
	switch {
	case name == "":
		c.add(path, "is required", nameHint)
	case len(name) > task.MaxName:
		c.add(path, "has "+strconv.Itoa(len(name))+" characters; 128 are the limit", nameHint)
	case !isName(name):
		c.add(path, task.Quote(name)+" has a character that is not possible", nameHint)
	default:
		return true
	}
	return false
}

func isName(name string) bool {
	for i := range len(name) {
		if !isNameByte(name[i]) {
			return false
		}
	}
	return name != ""
}

func isNameByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' ||
		b == '.' || b == '_' || b == ':' || b == '-'
}

// key checks an ordering or dedupe key that is not empty.
func (c *complaints) key(path, key string) {
	if len(key) > task.MaxKey {
		c.add(path, "has "+strconv.Itoa(len(key))+" bytes; 512 are the limit", "send a hash of what is longer")
		return
	}
	c.text(path, key)
}

// text checks that stores can keep a text and people can read it.
func (c *complaints) text(path, text string) {
	if plain(text) {
		return
	}
	if !utf8.ValidString(text) {
		c.add(path, "is not valid UTF-8", "encode text as UTF-8; of bytes send a hash or their hexadecimal form")
		return
	}
	if strings.ContainsFunc(text, unicode.IsControl) {
		c.add(path, "contains a control character", "leave it out; of bytes send a hash or their hexadecimal form")
	}
}

// plain is the quick answer for printable ASCII.
func plain(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}
