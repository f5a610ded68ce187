package outlast

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/task"
)

// Function is a durable function: a call of it is a task, which is on disk
// before it starts and is retried by its policy. Make it with [Func]. It is
// safe for concurrent use once its Fallback, OnSuccess, OnDead, Key and Dedupe are set.
type Function[A any] struct {
	client    *Client
	name      string
	delay     time.Duration
	fallback  *task.Follow
	onSuccess *task.Follow
	onDead    *task.Follow
	key       func(A) string
	dedupe    func(A) string
}

// Func makes a durable function of fn, whose argument travels as JSON. The
// name is the type of its tasks; it is explicit, so that renaming fn orphans no
// task. Options set policy, attempts, interval, timeout and delay for its
// calls; without a delay a call runs now. The function is run by every node
// that has made it.
func Func[A any](c *Client, name string, fn func(context.Context, A) error, opts ...HandleOption) *Function[A] {
	Handle(c, name, fn, append(slices.Clip(opts), func(r *typeRules) { r.isFunc = true })...)
	var rules typeRules
	for _, opt := range opts {
		if opt != nil {
			opt(&rules)
		}
	}
	return &Function[A]{client: c, name: name, delay: rules.delay}
}

// Fallback sets what runs when a call of f is dead, with the same argument.
// It is itself a durable function, named after f with ".fallback" behind it,
// and accepted in the transaction in which the call dies. The result is f.
func (f *Function[A]) Fallback(fn func(context.Context, A) error, opts ...HandleOption) *Function[A] {
	Handle(f.client, f.name+".fallback", fn, opts...)
	f.fallback = &task.Follow{Type: f.name + ".fallback"}
	return f
}

// OnSuccess sets what is told of each call of f that has succeeded. It is itself
// a durable function, named after f with ".on_success" behind it, and accepted in
// the transaction in which the call succeeds. The result is f.
func (f *Function[A]) OnSuccess(fn func(context.Context, task.Ended) error, opts ...HandleOption) *Function[A] {
	Handle(f.client, f.name+".on_success", fn, opts...)
	f.onSuccess = &task.Follow{Type: f.name + ".on_success"}
	return f
}

// OnDead is OnSuccess for calls that are dead; their name ends in ".on_dead".
func (f *Function[A]) OnDead(fn func(context.Context, task.Ended) error, opts ...HandleOption) *Function[A] {
	Handle(f.client, f.name+".on_dead", fn, opts...)
	f.onDead = &task.Follow{Type: f.name + ".on_dead"}
	return f
}

// Key sets the ordering key of a call by its argument: calls with one key run
// one at a time in the order of their acceptance. The result is f.
func (f *Function[A]) Key(of func(A) string) *Function[A] {
	f.key = of
	return f
}

// Dedupe sets the dedupe key of a call by its argument: a repeat within 24 h
// is the first call. The result is f.
func (f *Function[A]) Dedupe(of func(A) string) *Function[A] {
	f.dedupe = of
	return f
}

// Run calls the function and waits until it has succeeded or died; see
// [Client.Run] for the errors.
func (f *Function[A]) Run(ctx context.Context, argument A) error {
	draft, err := f.Draft(argument)
	if err == nil {
		_, err = f.client.Run(ctx, draft)
	}
	return err
}

// Go calls the function and returns as soon as the call is on disk.
func (f *Function[A]) Go(ctx context.Context, argument A) (Receipt, error) {
	return f.enqueue(ctx, argument, func(*Draft) {})
}

// After is [Function.Go] with a delay.
func (f *Function[A]) After(ctx context.Context, delay time.Duration, argument A) (Receipt, error) {
	return f.enqueue(ctx, argument, func(d *Draft) { d.Delay = delay })
}

// At is [Function.Go] not before a time.
func (f *Function[A]) At(ctx context.Context, at time.Time, argument A) (Receipt, error) {
	return f.enqueue(ctx, argument, func(d *Draft) { d.Delay, d.RunAt = 0, at })
}

// Tx calls the function if the transaction commits; see [Client.EnqueueTx].
func (f *Function[A]) Tx(ctx context.Context, tx *sql.Tx, argument A) (Receipt, error) {
	draft, err := f.Draft(argument)
	if err != nil {
		return Receipt{}, err
	}
	receipts, err := f.client.EnqueueTx(ctx, tx, draft)
	if err != nil {
		return Receipt{}, err
	}
	return receipts[0], nil
}

func (f *Function[A]) enqueue(ctx context.Context, argument A, change func(*Draft)) (Receipt, error) {
	draft, err := f.Draft(argument)
	if err != nil {
		return Receipt{}, err
	}
	change(&draft)
	return f.client.Enqueue(ctx, draft)
}

// Draft is a call of the function that was not made yet, for callers that
// want to set more, such as a deadline, or to enqueue several as a batch. An
// argument without a JSON form is an [*Error] with code "invalid".
func (f *Function[A]) Draft(argument A) (Draft, error) {
	payload, err := encodeArgument(argument)
	if err != nil {
		return Draft{}, task.Invalid("payload", "the argument has no JSON form: "+err.Error(), "")
	}
	draft := Draft{
		Type: f.name, Payload: payload, Delay: f.delay, Queue: f.client.homeQueue(),
		Fallback: f.fallback, OnSuccess: f.onSuccess, OnDead: f.onDead,
	}
	if f.key != nil {
		draft.Key = f.key(argument)
	}
	if f.dedupe != nil {
		draft.DedupeKey = f.dedupe(argument)
	}
	return draft, nil
}

// encodeArgument is the counterpart of decode.
func encodeArgument(argument any) ([]byte, error) {
	switch raw := argument.(type) {
	case []byte:
		return raw, nil
	case json.RawMessage:
		return raw, nil
	}
	return json.Marshal(argument)
}

// homeQueue is where calls of functions go: the default queue if this node
// works on it, else the first one that it works on.
func (c *Client) homeQueue() string {
	if c.server || c.enqueueOnly || len(c.queues) == 0 {
		return task.DefaultQueue
	}
	for _, name := range c.queues {
		if name == task.DefaultQueue {
			return name
		}
	}
	return c.queues[0]
}
