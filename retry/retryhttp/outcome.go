package retryhttp

import (
	"context"
	"net/http"

	"github.com/outlast-dev/outlast/retry"
)

// Outcome is how an answer came about.
type Outcome struct {
	// Attempts is how often the request was sent, the first time included.
	Attempts int
	// Resent is how often net/http sent it again by itself, beyond Attempts; see
	// the package documentation.
	Resent int
	// Err says why the answer, which is a failure, was not repeated (again); nil
	// for an answer that is none.
	Err *retry.Error
}

// OutcomeOf tells how an answer of a [Transport] came about, also when it was
// returned by a [http.Client]. For an answer of anything else, it is one attempt
// without an error.
func OutcomeOf(resp *http.Response) Outcome {
	if resp != nil && resp.Request != nil {
		if o, ok := resp.Request.Context().Value(outcomeKey{}).(Outcome); ok {
			return o
		}
	}
	return Outcome{Attempts: 1}
}

type outcomeKey struct{}

// outcomeContext is the context of the request in an answer.
type outcomeContext struct {
	context.Context
	outcome Outcome
}

func (c outcomeContext) Value(key any) any {
	if key == (outcomeKey{}) {
		return c.outcome
	}
	return c.Context.Value(key)
}

func (c *call) outcome() Outcome {
	return Outcome{Attempts: c.attempts, Resent: int(c.resent.Load()), Err: c.err}
}
