package push

import (
	"errors"
	"net"
	"os"
	"syscall"
	"testing"

	"github.com/outlast-dev/outlast/retry"
)

// What this machine lacks is told from what a receiver does, by types; a text counts
// only where nothing can have been sent.
func TestExhausted(t *testing.T) {
	dial := func(errno syscall.Errno) error {
		return &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("socket", errno)}
	}
	for _, one := range []struct {
		name   string
		err    error
		status int
		want   string
	}{
		{"descriptors", dial(syscall.EMFILE), 0, "EMFILE"},
		{"ports", dial(syscall.EADDRNOTAVAIL), 0, "EADDRNOTAVAIL"},
		{"a lookup", &net.DNSError{Err: "dial udp 127.0.0.1:53: socket: " + syscall.EMFILE.Error(), Name: "a"}, 0, "EMFILE"},
		{"refused", dial(syscall.ECONNREFUSED), 0, ""},
		{"a text", errors.New("socket: " + syscall.EMFILE.Error()), 0, ""},
		{"while reading", &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}, 0, ""},
		{"an answer", dial(syscall.EMFILE), 500, ""},
	} {
		failed := &Error{Status: one.status, Verdict: retry.Classify(one.err), Err: one.err}
		if got := failed.Exhausted(); got != one.want {
			t.Errorf("%s: %q, want %q (%+v)", one.name, got, one.want, failed.Verdict)
		}
	}
}
