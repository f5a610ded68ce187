package accept

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/outlast-dev/outlast/task"
)

// Release checks the name of a release, which may be any text that is short.
func (c *Complaints) Release(path, name string) {
	if len(name) > task.MaxRelease || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
		c.Add(path, task.Quote(name)+" is not a text of at most "+strconv.Itoa(task.MaxRelease)+" bytes without control characters",
			"a version or a commit is enough")
	}
}
