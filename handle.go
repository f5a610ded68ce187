package outlast

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/engine"
	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/policy"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

// HandleOption sets what holds for tasks of a type that say nothing else.
type HandleOption func(*typeRules)

// typeRules is what was asked for a type. A nil policy leaves the choice to
// the queue.
type typeRules struct {
	policy     *retry.Policy
	given      bool // policy was given, though it may be nil
	policyName string
	named      bool   // policyName may have been put in place of the preset
	later      string // the name of a policy that is no preset; [Client.Start] looks for it

	alertWhen string
	alertTo   []string
	alertFunc alert.ChannelFunc
	alert     json.RawMessage // of both, nil for none

	name        string
	interval    *time.Duration
	maxAttempts *int
	timeout     *time.Duration
	delay       time.Duration // of Func only
	isFunc      bool

	names     bool // target was given
	target    func(payload []byte) string
	unguarded bool
}

// Policy names the policy of a type: one that was put before [Client.Start], or a
// preset such as "payment". With MaxAttempts, Interval or Timeout beside it, it
// must be a preset, which these change.
func Policy(name string) HandleOption { return func(r *typeRules) { r.name = name } }

// Retry sets the policy of a type. It stands alone: MaxAttempts, Interval and
// Timeout belong into the policy then. The policy's classifiers decide what the
// handler's errors mean. Options that are for calls in this process, such as
// [retry.WithBreaker] or [retry.Observe], mean nothing to tasks: [Client.Start]
// refuses them by name; see [retry.Policy.CallsOnly].
func Retry(policy *retry.Policy) HandleOption {
	return func(r *typeRules) { r.policy, r.given = policy, true }
}

// Interval is the wait between two attempts, the same each time, instead of
// the policy's backoff. It is never less, and up to a tenth more, so that tasks
// that failed together come apart; [Retry] takes a policy with another jitter.
func Interval(d time.Duration) HandleOption { return func(r *typeRules) { r.interval = &d } }

// MaxAttempts limits the attempts, the first included; 1 turns retries off.
func MaxAttempts(n int) HandleOption { return func(r *typeRules) { r.maxAttempts = &n } }

// Timeout limits one attempt.
func Timeout(d time.Duration) HandleOption { return func(r *typeRules) { r.timeout = &d } }

// Delay is the wait before the first attempt of a durable function; see
// [Func]. [Client.Start] refuses it for [Handle], whose tasks bring their own, and for
// functions that follow another one.
func Delay(d time.Duration) HandleOption { return func(r *typeRules) { r.delay = d } }

// compileRules turns options into a policy.
func compileRules(c *accept.Complaints, opts []HandleOption) typeRules {
	var r typeRules
	for _, opt := range opts {
		if opt != nil {
			opt(&r)
		}
	}
	alertOptions(c, &r)
	targetOptions(c, &r)
	if r.delay != 0 && !r.isFunc {
		c.Add("delay", "Delay has no meaning here: only calls of Func have it", "set Draft.Delay, or retry.FirstRunAfter in the policy")
	}
	if r.delay < 0 || r.delay > accept.MaxAhead {
		c.Add("delay", r.delay.String()+" is outside 0s to 87600h", "")
	}
	if r.timeout != nil && (*r.timeout < minTimeout || *r.timeout > maxTimeout) {
		c.Add("timeout", r.timeout.String()+" is outside 1ms to 24h", "")
	}
	overrides := r.interval != nil || r.maxAttempts != nil || r.timeout != nil
	if r.given {
		r.policyName = inlinePolicy
		if r.name != "" || overrides {
			c.Add("retry", "stands beside other options of the policy", "set them in the policy that Retry is given")
		}
		givenPolicy(c, r.policy)
		return r
	}
	if r.name == "" && !overrides {
		return r
	}
	if !overrides && policy.CheckName(r.name) == nil {
		r.policyName, r.named = r.name, true
		if _, preset := retry.DescribePreset(r.name); !preset {
			r.later = r.name
			return r
		}
	}
	spec := retry.Spec{Preset: r.name, MaxAttempts: r.maxAttempts}
	if r.interval != nil {
		spec.Backoff = &retry.BackoffSpec{Kind: "fixed", Initial: (*retry.Duration)(r.interval)}
	}
	if r.timeout != nil {
		spec.Timeout = (*retry.Duration)(r.timeout)
	}
	made, err := spec.Policy()
	c.RetryErr("policy", err)
	r.policy, r.policyName = made, r.name
	if r.policyName == "" {
		r.policyName = policy.Default
	}
	return r
}

// givenPolicy refuses what a policy may not be or have as that of tasks.
func givenPolicy(c *accept.Complaints, p *retry.Policy) {
	if p == nil || p.Backoff() == nil {
		c.Add("retry", "the policy is nil or empty", "make it with retry.New, retry.Preset or retry.Default")
		return
	}
	for _, name := range p.CallsOnly() {
		c.Add("retry", name+" has no meaning for tasks", callsOnlyHints[name])
	}
}

// callsOnlyHints say what tasks have instead, where they have something.
var callsOnlyHints = map[string]string{
	"For":           "guards of tasks are made by retry.TaskBudget and retry.TaskBreaker; Target names what they protect",
	"WithBudget":    "use retry.TaskBudget",
	"WithBreaker":   "use retry.TaskBreaker",
	"Observe":       "use WithObserver or WithRegisterer of the client",
	"NotIdempotent": "tasks are repeated: say retry.Attempts(1), or a rule that ends them",
}

// Handle says how tasks of a type are run here: fn gets the payload decoded
// from JSON (as it is for []byte and [json.RawMessage]; the zero T for an
// empty payload). A payload that does not fit T is a permanent failure with
// code "bad_payload". What fn returns decides: nil is success, an error is
// classified and retried by the policy, and [RetryAfter], [Snooze], [Dead] and
// [Cancel] say what is to follow. A panic is a failure of category "bug".
//
// The context ends at the attempt's timeout, at the task's deadline, on a
// cancel, and when the grace time of [Client.Stop] is over. fn must come back
// then. Mistakes, such as two handlers for one type, are reported by
// [Client.Start].
func Handle[T any](c *Client, taskType string, fn func(ctx context.Context, payload T) error, opts ...HandleOption) {
	if fn == nil {
		c.registry.add(taskType, nil, opts)
		return
	}
	handle(c, taskType, func(ctx context.Context, payload T) ([]byte, error) { return nil, fn(ctx, payload) }, opts)
}

// HandleResult is [Handle] for functions with a result. Its JSON form, of at most 64
// KiB, is kept with the task. A result that cannot be kept fails the attempt: category
// "permanent", code "bad_result".
func HandleResult[T, R any](c *Client, taskType string, fn func(ctx context.Context, payload T) (R, error), opts ...HandleOption) {
	if fn == nil {
		c.registry.add(taskType, nil, opts)
		return
	}
	handle(c, taskType, func(ctx context.Context, payload T) ([]byte, error) {
		result, err := fn(ctx, payload)
		if err != nil {
			return nil, err
		}
		return keptResult(result)
	}, opts)
}

// handle registers a function whose result is kept as it is.
func handle[T any](c *Client, taskType string, fn func(ctx context.Context, payload T) ([]byte, error), opts []HandleOption) {
	decode := decoder[T]()
	c.registry.add(taskType, func(ctx context.Context, run *engine.Run) ([]byte, error) {
		payload, err := decode(run.Task.Payload)
		if err != nil {
			return nil, err
		}
		defer c.registry.progress.end(run.Task.ID)
		return fn(&attemptContext{ctx, run, c}, payload)
	}, opts)
}

// keptResult is the result as it is kept. One that cannot be kept is a failure: whoever
// waits for it would take nothing for an answer.
func keptResult(result any) ([]byte, error) {
	text, err := resultText(result)
	if err != nil {
		return nil, &badResult{err}
	}
	return text, nil
}

// badResult is the failure of an attempt that did its work, and whose result cannot be
// kept. Doing it again would change nothing.
type badResult struct{ err error }

// Error implements error.
func (b *badResult) Error() string { return b.err.Error() }

// Unwrap returns what is wrong with the result.
func (b *badResult) Unwrap() error { return b.err }

// RetryVerdict implements [retry.Verdictor].
func (b *badResult) RetryVerdict() retry.Verdict {
	return retry.Verdict{Category: retry.Permanent, Effect: retry.Done, Type: fmt.Sprintf("%T", b.err), Code: task.BadResult}
}

// decoder returns what reads the payloads of a type.
func decoder[T any]() func(payload []byte) (T, error) {
	var as any = decodeJSON[T]
	switch as.(type) {
	case func([]byte) ([]byte, error):
		as = func(payload []byte) ([]byte, error) { return payload, nil }
	case func([]byte) (json.RawMessage, error):
		as = func(payload []byte) (json.RawMessage, error) { return payload, nil }
	}
	return as.(func([]byte) (T, error))
}

func decodeJSON[T any](payload []byte) (value T, err error) {
	if len(payload) == 0 {
		return value, nil
	}
	if err := json.Unmarshal(payload, &value); err != nil {
		return value, &badPayload{err}
	}
	return value, nil
}

// badPayload is the failure of a task whose payload its handler cannot read.
type badPayload struct{ err error }

// Error says what does not fit without repeating the payload.
func (b *badPayload) Error() string {
	if mismatch, ok := errors.AsType[*json.UnmarshalTypeError](b.err); ok {
		what := "it"
		if mismatch.Field != "" {
			what = fmt.Sprintf("its field %q", mismatch.Field)
		}
		return fmt.Sprintf("the payload does not fit the handler: %s is no %s", what, mismatch.Type)
	}
	return "the payload does not fit the handler: " + b.err.Error()
}

// Unwrap returns the decoder's error.
func (b *badPayload) Unwrap() error { return b.err }

// RetryVerdict implements [retry.Verdictor].
func (b *badPayload) RetryVerdict() retry.Verdict {
	return retry.Verdict{Category: retry.Permanent, Effect: retry.NotSent, Type: fmt.Sprintf("%T", b.err), Code: "bad_payload"}
}
