// Package accept checks what callers hand in, and gives what is accepted its place: its
// id, its lane and the target that guards watch.
package accept

import (
	"net/netip"
	"strconv"

	"github.com/outlast-dev/outlast/internal/hints"
	"github.com/outlast-dev/outlast/internal/policy"
	"github.com/outlast-dev/outlast/internal/safehttp"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

// Complaints collects all that is wrong with a request, so that its author
// learns it at once. The zero value is ready. It is not safe for concurrent use.
type Complaints struct {
	Prefix   string // "tasks[3]." in a batch
	Fields   []task.Field
	Hints    hints.List
	tooLarge bool         // one of the complaints is about size
	Policies *policy.Set  // that names of policies may mean; nil for presets only
	Channel  ChannelCheck // nil where any may be named
	Calls    CallCheck    // nil where any address may be called
}

// ChannelCheck says whether there is no channel of a name, and which one may be meant.
type ChannelCheck func(name string) (hint string, unknown bool)

// MostComplaints bounds the answer to a request that is wrong all over.
const MostComplaints = 20

// Add records what is wrong at a path. The path, message and hint must not
// contain text from outside, unless quoted by [task.Quote].
func (c *Complaints) Add(path, message, hint string) {
	if len(c.Fields) >= MostComplaints {
		return
	}
	c.Fields = append(c.Fields, task.Field{Path: c.Prefix + path, Message: message})
	c.Hints.Add(c.Prefix+path, hint)
}

// Large records that something is over its limit in bytes.
func (c *Complaints) Large(path, what string, size, limit int) {
	c.Add(path, what+" has "+strconv.Itoa(size)+" bytes; the limit is "+strconv.Itoa(limit), "keep large data elsewhere and send a reference")
	c.tooLarge = true
}

// Err is nil if there are no complaints. The code is "too_large" if size is
// the only one, else "invalid".
func (c *Complaints) Err(message string) error {
	if len(c.Fields) == 0 {
		return nil
	}
	e := &task.Error{Code: task.CodeInvalid, Message: message, Fields: c.Fields, Hint: c.Hints.Text()}
	if e.Hint == "" {
		e.Hint = "leave it out for its default"
	}
	if len(c.Fields) == 1 {
		e.Message = c.Fields[0].Message
		if c.tooLarge {
			e.Code = task.CodeTooLarge
		}
	}
	return e
}

// CallCheck returns what a dial to an address would be refused with by every living node
// that makes requests of a queue, nil if one may make it, and if there is none: whoever
// comes may.
type CallCheck func(queue string, address netip.Addr) *safehttp.RefusedError

// Collect takes over the complaints of an error; false if it is none about
// the request.
func (c *Complaints) Collect(err error) bool {
	e, ok := err.(*task.Error) //nolint:errorlint // made by Complaints.Err, never wrapped
	if !ok || e.Code != task.CodeInvalid && e.Code != task.CodeTooLarge {
		return false
	}
	c.Fields = append(c.Fields, e.Fields[:min(len(e.Fields), MostComplaints-min(MostComplaints, len(c.Fields)))]...)
	c.tooLarge = c.tooLarge || e.Code == task.CodeTooLarge
	path := "" // a hint for several fields names them
	if len(e.Fields) == 1 {
		path = e.Fields[0].Path
	}
	c.Hints.Add(path, e.Hint)
	return true
}

// FieldErrs records the field errors of package retry under their own paths, nothing for
// nil.
func (c *Complaints) FieldErrs(err error) {
	for _, field := range retry.FieldErrors(err) {
		c.Add(field.Field, field.Message, field.Hint)
	}
}
