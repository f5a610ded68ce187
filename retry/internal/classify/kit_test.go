package classify

import (
	"os"
	"syscall"
	"time"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

const ms = time.Millisecond

// of is the verdict of a classifier that knows of no errors that describe themselves.
func of(err error) Verdict {
	v, _ := New(Own{}).Of(err)
	return v
}

func call(no syscall.Errno) error { return os.NewSyscallError("connect", no) }
