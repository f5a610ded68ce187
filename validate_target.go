package outlast

import (
	"strconv"
	"strings"

	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/task"
)

// validateFollows checks the follow-up tasks; their payloads share the limit
// of one payload, since they are stored with the task.
func (d *Draft) validateFollows(c *accept.Complaints) {
	size := 0
	for path, follow := range d.follows {
		c.Follow(path, d.Queue, follow)
		if size += len(follow.Payload); size > task.MaxPayload {
			c.Large(path+".payload", "what follows the task", size, task.MaxPayload)
			return
		}
	}
}

// validTraceParent reports whether text is a traceparent of the W3C Trace
// Context recommendation, §3.2: version, trace id, parent id, flags, in lower
// case; of later versions only what version 00 has is looked at.
func validTraceParent(text string) bool {
	if len(text) < 55 || len(text) > 512 || !accept.Plain(text) {
		return false
	}
	version, trace, parent, flags := text[:2], text[3:35], text[36:52], text[53:55]
	if text[2] != '-' || text[35] != '-' || text[52] != '-' {
		return false
	}
	if len(text) > 55 && (version == "00" || text[55] != '-') {
		return false
	}
	return isHex(version) && version != "ff" && isHex(trace) && isHex(parent) && isHex(flags) &&
		trace != strings.Repeat("0", 32) && parent != strings.Repeat("0", 16)
}

func isHex(text string) bool {
	for i := range len(text) {
		if c := text[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// item is the prefix of the paths of one draft of a batch.
func item(i int) string { return "tasks[" + strconv.Itoa(i) + "]." }
