package retryhttp

import (
	"errors"
	"net"
	"strings"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/retry/internal/classify"
)

// Who has this package has linked the network.
func init() { classify.LinkNetwork(net.ErrClosed) }

// ErrBody is the reason why a request was not repeated whose body cannot be had
// once more: it has no GetBody, and more of it was read than [Buffer] keeps.
var ErrBody = errors.New("retryhttp: the request's body cannot be sent again: it has no GetBody, and more of it was read than is kept")

// StatusError is an answer that counts as a failure. The answer itself is returned
// to the caller.
type StatusError struct {
	StatusCode int
	Status     string // such as "503 Service Unavailable"
	verdict    retry.Verdict
}

// Error names the status.
func (e *StatusError) Error() string { return "the answer was " + e.Status }

// RetryVerdict is what the answer means.
func (e *StatusError) RetryVerdict() retry.Verdict { return e.verdict }

// sendError is an error of the base transport of which more is known than
// [retry.Classify] can see.
type sendError struct {
	err     error
	verdict retry.Verdict
}

func (e *sendError) Error() string               { return e.err.Error() }
func (e *sendError) Unwrap() error               { return e.err }
func (e *sendError) RetryVerdict() retry.Verdict { return e.verdict }

// failure is the error of an attempt without an answer.
func (c *call) failure(err error) error {
	verdict := retry.Classify(err)
	switch text := err.Error(); {
	case strings.Contains(text, "server closed idle connection"):
		// Where nothing had been written net/http would have tried again, so the
		// request was written, and the server closed the connection over it.
		verdict.Category, verdict.Effect = retry.Network, retry.Maybe
	case strings.Contains(text, "net/http: request canceled"):
		// By the deprecated Cancel channel of the request.
		verdict.Category = retry.Canceled
	case c.canSendAgain():
		return err
	}
	c.forbid(&verdict)
	return &sendError{err, verdict}
}
