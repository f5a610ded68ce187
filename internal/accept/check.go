package accept

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/task"
)

// NameHint says which names are possible.
const NameHint = "names have 1 to 128 of the characters A-Z a-z 0-9 . _ : -"

// Name checks the name of a type, queue or policy, and reports whether it is one.
func (c *Complaints) Name(path, name string) bool {
	switch {
	case name == "":
		c.Add(path, "is required", NameHint)
	case len(name) > task.MaxName:
		c.Add(path, "has "+strconv.Itoa(len(name))+" characters; the limit is 128", NameHint)
	case !IsName(name):
		c.Add(path, task.Quote(name)+" has a character that is not possible", NameHint)
	default:
		return true
	}
	return false
}

// IsName reports whether a text can be the name of a type, queue or policy, but for its
// length.
func IsName(name string) bool {
	for i := range len(name) {
		if !IsNameByte(name[i]) {
			return false
		}
	}
	return name != ""
}

// IsNameByte reports whether a byte may stand in a name.
func IsNameByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' ||
		b == '.' || b == '_' || b == ':' || b == '-'
}

// Key checks an ordering or dedupe key that is not empty.
func (c *Complaints) Key(path, key string) {
	if len(key) > task.MaxKey {
		c.Add(path, "has "+strconv.Itoa(len(key))+" bytes; the limit is 512", "send a hash of what is longer")
		return
	}
	c.Text(path, key)
}

// Text checks that stores can keep a text and people can read it.
func (c *Complaints) Text(path, text string) {
	if Plain(text) {
		return
	}
	if !utf8.ValidString(text) {
		c.Add(path, "is not valid UTF-8", "encode text as UTF-8; of bytes send a hash or their hexadecimal form")
		return
	}
	if strings.ContainsFunc(text, unicode.IsControl) {
		c.Add(path, "contains a control character", "leave it out; of bytes send a hash or their hexadecimal form")
	}
}

// Plain reports whether a text is printable ASCII: the quick answer for most.
func Plain(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

// earliest is the first time that is taken for one: what lies before is a
// slip, such as a number of seconds read as milliseconds.
var earliest = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// MaxAhead is how far ahead a time may lie.
const MaxAhead = 10 * 365 * 24 * time.Hour

// Moment checks the time of a run against now.
func (c *Complaints) Moment(path string, at, now time.Time) {
	if at.Before(earliest) {
		c.Add(path, "lies before the year 2000", "write an RFC 3339 time with a zone")
	} else if at.Sub(now) > MaxAhead {
		c.Add(path, "lies more than ten years ahead", "enqueue it later, from a task that runs before")
	}
}

// maxAlert is the size of the alert of a task, in bytes.
const maxAlert = 4 << 10

// Alert checks the alert of a task, and reports whether it can be read.
func (c *Complaints) Alert(path string, text json.RawMessage) bool {
	if len(text) > maxAlert {
		c.Add(path, "has "+strconv.Itoa(len(text))+" bytes; the limit is 4096", "make the condition shorter")
		return false
	}
	rule, err := alerts.ParseTaskRule(text)
	if err != nil {
		c.RetryErr(path, err)
		return false
	}
	c.Channels(path+".channels", rule.Channels)
	return true
}

// Channels checks who is to be told.
func (c *Complaints) Channels(path string, names []string) {
	if c.Channel == nil {
		return
	}
	for n, name := range names {
		if hint, unknown := c.Channel(name); unknown {
			c.Add(path+"["+strconv.Itoa(n)+"]", "there is no channel "+task.Quote(name), hint)
		}
	}
}
