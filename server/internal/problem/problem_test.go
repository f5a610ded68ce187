package problem

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"testing"

	"github.com/outlast-dev/outlast/task"
)

func TestProblemsHaveAStatusAndATitle(t *testing.T) {
	for code := range titles {
		if statuses[code] == 0 {
			t.Errorf("code %s has no status", code)
		}
	}
	for code := range statuses {
		if titles[code] == "" {
			t.Errorf("code %s has no title", code)
		}
	}
	secret := errors.New("dial tcp 10.0.0.1: password=hunter2")
	if got := Of(secret); got.Status != 500 || got.Code != task.CodeInternal || got.Detail == "" || len(got.Errors) > 0 {
		t.Errorf("got %+v", got)
	}
	for _, err := range []error{
		&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, fmt.Errorf("claim: %w", io.ErrUnexpectedEOF), driver.ErrBadConn, stopped{},
	} {
		if got := Of(err); got.Status != 503 || got.Code != task.CodeUnavailable || got.RetryAfter == 0 {
			t.Errorf("%v: got %+v", err, got)
		}
	}
}

// stopped is what PostgreSQL says when it is shut down.
type stopped struct{}

func (stopped) Error() string    { return "FATAL: terminating connection due to administrator command" }
func (stopped) SQLState() string { return "57P01" }
