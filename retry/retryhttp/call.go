package retryhttp

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// call is one RoundTrip. It is the context of its operation, so that an attempt
// without a context of its own can be told from the others.
type call struct {
	context.Context
	transport  *Transport
	req        *http.Request
	target     *retry.Target
	recorded   *recording // nil when the body needs no recording
	idempotent bool
	before     int       // attempts of outer operations that came before this one
	most       int       // attempts, those before included; 0 for unlimited
	deadline   time.Time // of all attempts; zero for none
	resent     atomic.Int64
	bodyGone   atomic.Bool // why there is no repeat

	mu       sync.Mutex // attempts may overlap: see retry.Hedged
	attempts int
	answers  []*answer
	ended    bool
	err      *retry.Error // why there are no more attempts
}

func newCall(t *Transport, req *http.Request) *call {
	now := time.Now()
	c := &call{Context: req.Context(), transport: t, req: req, idempotent: t.mayRepeat(req)}
	if t.targets != nil {
		c.target = t.targets.Get(t.nameOf(req), now)
	}
	if outer, ok := retry.Outer(c.Context); ok {
		c.before = max(outer.Attempt-1, 0)
	}
	if most := t.policy.MaxAttempts(); most > 0 {
		c.most = c.before + most
	}
	c.deadline, _ = c.Deadline()
	if ttl := t.policy.TTL(); ttl > 0 && (c.deadline.IsZero() || now.Add(ttl).Before(c.deadline)) {
		c.deadline = now.Add(ttl)
	}
	if hasBody(req) && req.GetBody == nil {
		c.recorded = &recording{source: req.Body, limit: t.buffer}
	}
	return c
}

func hasBody(req *http.Request) bool { return req.Body != nil && req.Body != http.NoBody }

// safety is the option that says whether the request may be repeated.
func (c *call) safety() retry.CallOption {
	if c.idempotent {
		return retry.Idempotent()
	}
	return retry.NotIdempotent()
}

// attempt sends the request once.
func (c *call) attempt(ctx context.Context) (*answer, error) {
	number, err := c.begin()
	if err != nil {
		return nil, err
	}
	payload, err := c.payload(number)
	if err != nil {
		return nil, &sendError{err: err, verdict: retry.Verdict{Category: retry.Permanent, Effect: retry.NotSent}}
	}
	own := c.attemptContext(ctx)
	out, sent := c.outgoing(own.ctx, number, payload)
	resp, err := c.transport.base.RoundTrip(out) //nolint:bodyclose // the caller closes it, or finish does
	c.countResent(sent)
	if err == nil && resp == nil {
		err = errNoAnswer
	}
	if err != nil {
		own.end()
		return nil, c.failure(err)
	}
	return c.answered(own, resp, number)
}

// errNoAnswer is what a base transport gets that keeps no contract.
var errNoAnswer = errors.New("retryhttp: the base transport returned neither an answer nor an error")

// begin counts the attempt and drops the answers that it repeats.
func (c *call) begin() (int, error) {
	c.mu.Lock()
	if c.ended {
		c.mu.Unlock()
		return 0, context.Canceled
	}
	c.attempts++
	number := c.attempts
	var repeated []*answer
	c.answers = slices.DeleteFunc(c.answers, func(a *answer) bool {
		if a.dropped = a.failed; a.dropped {
			repeated = append(repeated, a)
		}
		return a.dropped
	})
	c.mu.Unlock()
	for _, a := range repeated {
		a.drain()
	}
	return number, nil
}

// payload returns the body of an attempt. The first one of a body that need not
// be recorded is the caller's own.
func (c *call) payload(number int) (io.ReadCloser, error) {
	switch {
	case c.recorded != nil:
		return c.recorded.open()
	case number == 1 || !hasBody(c.req):
		return c.req.Body, nil
	}
	return c.req.GetBody()
}

// outgoing is the request of one attempt. Sent counts how often net/http sends it
// where that may be more than once, else it is nil.
func (c *call) outgoing(ctx context.Context, number int, payload io.ReadCloser) (*http.Request, *sendings) {
	shape := *c.req
	if c.recorded != nil {
		shape.GetBody = c.recorded.open
	}
	shape.Body = payload
	var sent *sendings
	if isResent(&shape) {
		sent = &sendings{}
		sent.trace.WroteRequest = sent.wrote
		ctx = httptrace.WithClientTrace(ctx, &sent.trace)
	}
	out := shape.WithContext(ctx)
	if !c.transport.silent {
		out.Header = announce(c.req.Header, c.before+number, c.most, c.deadline)
	}
	return out, sent
}

// sendings counts how often a request was written whole.
type sendings struct {
	trace httptrace.ClientTrace
	times atomic.Int64
}

func (s *sendings) wrote(info httptrace.WroteRequestInfo) {
	if info.Err == nil {
		s.times.Add(1)
	}
}

// countResent notes what net/http sent by itself, and charges the target for it.
func (c *call) countResent(sent *sendings) {
	if sent == nil {
		return
	}
	again := sent.times.Load() - 1
	if again <= 0 {
		return
	}
	c.resent.Add(again)
	if c.target == nil || c.target.Budget == nil {
		return
	}
	now := time.Now()
	for range again {
		c.target.Budget.Withdraw(now, retry.Network.Advice().Cost)
	}
}

// answered judges an answer and prepares its body. The error of a failure is a
// [*StatusError].
func (c *call) answered(own attemptContext, resp *http.Response, number int) (*answer, error) {
	verdict, failed := c.judge(resp)
	if failed {
		c.forbid(&verdict)
	}
	a := &answer{resp: resp, failed: failed}
	again := failed && c.isRepeatable(&verdict) && number != c.transport.policy.MaxAttempts()
	a.prepare(own.cancel, own.keep(c.deadline), again)
	c.keep(a)
	if failed {
		return a, &StatusError{StatusCode: resp.StatusCode, Status: resp.Status, verdict: verdict}
	}
	return a, nil
}

// keep notes an answer that somebody has to close.
func (c *call) keep(a *answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		a.drop() // of a copy that lost
		return
	}
	c.answers = append(c.answers, a)
}

// isRepeatable guesses whether the policy will repeat the failure: if so, its
// body is read ahead.
func (c *call) isRepeatable(v *retry.Verdict) bool {
	return v.Category.Advice().Retry && !v.Hint.GiveUp && (c.idempotent || v.Effect == retry.NotSent)
}

// judge says whether an answer is a failure, and which.
func (c *call) judge(resp *http.Response) (retry.Verdict, bool) {
	if c.transport.classify != nil {
		returned := false
		defer func() {
			if !returned { // the classifier panicked, and nobody else will close it
				resp.Body.Close()
			}
		}()
		verdict, ok := c.transport.classify(resp)
		if returned = true; ok {
			return verdict, true
		}
	}
	if resp.StatusCode < http.StatusBadRequest {
		return retry.Verdict{}, false
	}
	return retry.ClassifyHTTP(resp.StatusCode, resp.Header, time.Now()), true
}

// forbid keeps a request from being repeated whose body is gone.
func (c *call) forbid(v *retry.Verdict) {
	if !v.Hint.GiveUp && !c.canSendAgain() {
		v.Hint.GiveUp = true
		c.bodyGone.Store(true)
	}
}

// canSendAgain reports whether the body can be had once more.
func (c *call) canSendAgain() bool { return c.recorded == nil || c.recorded.isWhole() }

// end turns what [retry.Hedged] returned into what RoundTrip returns: an answer
// also where it is a failure, unless the context has ended.
func (c *call) end(last *answer, err error) (*http.Response, error) {
	c.err, _ = errors.AsType[*retry.Error](err)
	if c.err != nil && c.bodyGone.Load() && errors.Is(c.err.Reason, retry.ErrRejected) {
		told := *c.err // observers may hold the other
		told.Reason = ErrBody
		c.err, err = &told, &told
	}
	if ended := c.Err(); ended != nil && errors.Is(err, ended) {
		last = nil
	}
	c.finish(last)
	if last == nil || last.dropped {
		return nil, err
	}
	last.resp.Request = c.req
	if c.err != nil || c.attempts > 1 || c.resent.Load() > 0 {
		last.resp.Request = c.req.WithContext(outcomeContext{c.Context, c.outcome()})
	}
	return last.resp, nil
}

// finish drops what is not returned. Hedges that are still under way drop what
// they get.
func (c *call) finish(returned *answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	for _, a := range c.answers {
		if a.dropped = a != returned; a.dropped {
			a.drop()
		}
	}
	c.answers = nil
	if c.recorded != nil {
		c.recorded.end()
	} else if c.attempts == 0 && hasBody(c.req) {
		c.req.Body.Close() // a guard refused, and the contract wants it closed
	}
}
