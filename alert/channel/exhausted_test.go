package channel

import (
	"context"
	"errors"
	"net"
	"os"
	"syscall"
	"testing"

	"github.com/wneessen/go-mail"
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
		for by, failed := range map[string]error{
			"a webhook": (&poster{host: "hooks.example.com"}).failed(t.Context(), one.err),
			"mail":      (&mailer{host: "mail.example.com"}).explain(t.Context(), mailError(t, one.err)),
		} {
			of, ok := errors.AsType[*Error](failed)
			if !ok || of.Exhausted() != one.want {
				t.Errorf("%s by %s: %q, want %q (%v)", one.name, by, of.Exhausted(), one.want, failed)
			}
		}
	}
	if got := refused("h", 45009, "throttled", 0, "").Exhausted(); got != "" {
		t.Errorf("an answer: %q", got)
	}
}

// mailError is what the library for mail makes of a connection that fails.
func mailError(t *testing.T, err error) error {
	t.Helper()
	client, failed := mail.NewClient("mail.example.com", mail.WithDialContextFunc(func(context.Context, string, string) (net.Conn, error) { return nil, err }))
	if failed != nil {
		t.Fatal(failed)
	}
	return client.DialWithContext(t.Context())
}
