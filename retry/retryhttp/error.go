package retryhttp

import (
	"strings"

	"github.com/outlast-dev/outlast/retry"
)

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
	if !c.canSendAgain() {
		verdict.Hint.Never = true
	}
	return &sendError{err, verdict}
}
