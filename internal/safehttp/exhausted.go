package safehttp

import (
	"errors"
	"net"
	"strings"
	"syscall"

	"github.com/outlast-dev/outlast/retry"
)

// lacking are the errors of a system that has not the means to make a connection, by
// their names.
var lacking = []struct {
	errno syscall.Errno
	code  string
}{
	{syscall.EMFILE, "EMFILE"}, {syscall.ENFILE, "ENFILE"}, {syscall.ENOBUFS, "ENOBUFS"},
	{syscall.ENOMEM, "ENOMEM"}, {syscall.EADDRNOTAVAIL, "EADDRNOTAVAIL"},
}

// Exhausted is the code of what this machine lacked to make a call, such as "EMFILE", ""
// where that was not what failed: descriptors, memory or ports. Nothing was sent then, and
// the receiver has nothing to do with it. The verdict is that of the error of a call
// without an answer.
func Exhausted(verdict retry.Verdict, err error) string {
	// A lookup that fails has sent nothing, but keeps only the text of its cause.
	lookup, looksUp := errors.AsType[*net.DNSError](err)
	for _, one := range lacking {
		if verdict.Effect == retry.NotSent && verdict.Category == retry.Local && errors.Is(err, one.errno) ||
			looksUp && strings.Contains(lookup.Err, one.errno.Error()) {
			return one.code
		}
	}
	return ""
}
