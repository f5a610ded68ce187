package channel

import (
	"errors"
	"net"
	"os"
	"syscall"
	"testing"
)

// Where this machine lacks the means to connect, a channel says so, whatever it speaks.
func TestExhausted(t *testing.T) {
	t.Parallel()
	dial := func(errno syscall.Errno) error {
		return &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("socket", errno)}
	}
	for _, one := range []struct {
		name string
		err  error
		want string
	}{
		{"descriptors", dial(syscall.EMFILE), "EMFILE"},
		{"ports", dial(syscall.EADDRNOTAVAIL), "EADDRNOTAVAIL"},
		{"refused", dial(syscall.ECONNREFUSED), ""},
		{"a text", errors.New("socket: " + syscall.EMFILE.Error()), ""},
	} {
		failed := (&poster{host: "hooks.example.com"}).failed(t.Context(), one.err)
		if failed.Exhausted() != one.want {
			t.Errorf("%s: %q, want %q (%v)", one.name, failed.Exhausted(), one.want, failed)
		}
	}
	if got := Refused("h", 45009, "throttled", 0, "").Exhausted(); got != "" {
		t.Errorf("an answer: %q", got)
	}
}
