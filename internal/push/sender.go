package push

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/outlast-dev/outlast/internal/expr"
	"github.com/outlast-dev/outlast/internal/safehttp"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

// Options are the settings of a [Sender].
type Options struct {
	// Version stands in the User-Agent, "Outlast/<version>". Default "dev".
	Version string
	// Timeout bounds an attempt that is not [Call.Limited]. Default 30 s.
	Timeout time.Duration
	// Now is the clock for timestamps and dates. Default [time.Now].
	Now func() time.Time
}

// Call is one attempt of one task.
type Call struct {
	// Task is the task as claimed: its Attempt and Claim are those of this run,
	// and Spec.HTTP says what to send where. It is only read.
	Task *task.Task
	// URL is where to send it instead of the task's own URL, if not "".
	URL string
	// TraceParent is the W3C trace context that the request carries, "" for the
	// task's own.
	TraceParent string
	// MaxAttempts is the limit that holds, announced to the receiver. 0 for none.
	MaxAttempts int
	// Deadline is when all attempts together end, announced to the receiver. It
	// does not bound the call: the context does. Zero for none.
	Deadline time.Time
	// Secret signs the request as Standard Webhooks describes. Empty for none.
	// See [ParseSecret].
	Secret []byte
	// Limited says that the task or its policy has a timeout per attempt, which
	// the context carries; else [Options.Timeout] holds.
	Limited bool
}

// Sender sends tasks to receivers. It is safe for concurrent use.
type Sender struct {
	client    *safehttp.Client
	userAgent string
	timeout   time.Duration
	now       func() time.Time
}

// New makes a sender whose requests all go through the client.
func New(client *safehttp.Client, o Options) *Sender {
	s := &Sender{
		client:    client,
		userAgent: "Outlast/" + cmp.Or(o.Version, "dev"),
		timeout:   cmp.Or(o.Timeout, 30*time.Second),
		now:       o.Now,
	}
	if s.now == nil {
		s.now = time.Now
	}
	return s
}

// Do makes one attempt and returns the receiver's result, nil if it gave none.
// It returns when the context ends at the latest, and unless the call is Limited
// after [Options.Timeout]. The error is an [*Error].
func (s *Sender) Do(ctx context.Context, call Call) (json.RawMessage, error) {
	ctx, cancel := s.attemptContext(ctx, call.Limited)
	defer cancel()
	req, err := s.request(ctx, call)
	if err != nil {
		return nil, invalidCall(err)
	}
	var success *expr.Condition
	if text := call.Task.Spec.HTTP.Success; text != "" {
		if success, err = answers.Compile(text); err != nil {
			return nil, invalidCall(fmt.Errorf("target.success %w", err))
		}
	}
	resp, err := s.client.RoundTrip(req)
	if err != nil {
		return nil, noAnswer(ctx, call.Task, req, err)
	}
	defer resp.Body.Close()
	switch {
	case success != nil && resp.StatusCode != http.StatusSwitchingProtocols:
		return s.judge(ctx, cancel, call.Task, resp, success)
	case resp.StatusCode/100 == 2:
		result, err := readResult(resp)
		if err != nil {
			return nil, brokenAnswer(ctx, call.Task, resp, err)
		}
		return result, nil
	}
	// The status has decided; waiting for the rest would only cost a slot.
	timer := time.AfterFunc(excerptWait, cancel)
	defer timer.Stop()
	var body []byte
	if resp.StatusCode != http.StatusSwitchingProtocols {
		body, _ = readAtMost(resp.Body, excerptRead, resp.ContentLength)
	}
	return nil, s.badAnswer(call.Task, resp, body)
}

// attemptContext is always cancelable, so that ending the call also ends what
// the transport still does for it.
func (s *Sender) attemptContext(ctx context.Context, limited bool) (context.Context, context.CancelFunc) {
	if limited {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, s.timeout, retry.ErrAttemptTimeout)
}
