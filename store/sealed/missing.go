package sealed

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/task"
)

// MissingKey is the name of the key for want of which something did not open, as
// [Wrap] tells of it; "" for an error that is about no key.
func MissingKey(err error) string {
	var u *undecryptable
	if errors.As(err, &u) {
		return u.key
	}
	return ""
}

// clocksApart is what the clocks of node and database may differ by, for
// [WaitsForKey] to see what is so.
const clocksApart = 5 * time.Second

// WaitsForKey reports whether a pending task waits because it did not open when it
// was to run, and the name of the key; "" where it waits for being sealed at all.
func WaitsForKey(t *task.Task) (key string, waits bool) {
	if !handedBack(t, Undecryptable) {
		return "", false
	}
	_, rest, _ := strings.Cut(t.LastError.Message, sealedWith)
	if quoted, err := strconv.QuotedPrefix(rest); err == nil {
		key, _ = strconv.Unquote(quoted)
	}
	return key, true
}

// WaitsForProof reports whether a pending task waits because nobody vouches for an
// object that it goes by.
func WaitsForProof(t *task.Task) bool { return handedBack(t, Unproven) }

// handedBack reports whether a pending task waits since it was handed back for a reason.
func handedBack(t *task.Task, code string) bool {
	f := t.LastError
	if t.State != task.Pending || f == nil || f.Code != code {
		return false
	}
	// The failure stays on the task when that has run later and was put off by its
	// handler, or by people: its time is another then.
	return (t.RunAt.Sub(t.UpdatedAt) - f.Delay).Abs() <= clocksApart
}
