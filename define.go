package outlast

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"

	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/internal/enqueue"
	"github.com/outlast-dev/outlast/internal/handlers"
	"github.com/outlast-dev/outlast/task"
)

// Definition is a type of task: its name, the payload A that it takes, the result R that
// it gives ([None] for none), and what holds for its tasks. It knows neither a client nor a
// handler, so that one value, declared once, serves those who enqueue and those who run.
// Make it with [Define]. It does not change and is safe for concurrent use.
type Definition[A, R any] struct {
	name                        string
	of                          asked
	options                     []HandleOption
	key, share, dedupe          func(A) string
	fallback, onSuccess, onDead *task.Follow
}

// None is the result of tasks that have none.
type None struct{}

// takes is a definition whose payload is A, whatever its result.
type takes[A any] interface {
	taking(A)
	follow() *task.Follow
}

// Define says what tasks of a type are, once for the whole cluster: put it into a package
// that producers and workers import. The name is explicit, so that renaming what runs it
// orphans no task. Payload and result travel as JSON.
//
// Options of a type hold where the handler is registered, with [Definition.Handle].
// Options of a call ([Delay], [InQueue], …) hold for all calls of the definition, unless
// a call says otherwise. What is wrong with the first kind is told by [Client.Start], with
// the second kind and the name by each call.
func Define[A, R any](name string, opts ...HandleOption) *Definition[A, R] {
	return &Definition[A, R]{name: name, of: askedBy(opts), options: opts}
}

// Name is the type of the tasks.
func (d *Definition[A, R]) Name() string { return d.name }

// Key is the definition with an ordering key that follows from the payload: calls with
// one key run one at a time in the order of their acceptance.
func (d *Definition[A, R]) Key(of func(payload A) string) *Definition[A, R] {
	made := *d
	made.key = of
	return &made
}

// ShareKey is the definition with a share key that follows from the payload, such as the
// customer: starts of a queue go round the share keys, so that one with a backlog delays
// no other.
func (d *Definition[A, R]) ShareKey(of func(payload A) string) *Definition[A, R] {
	made := *d
	made.share = of
	return &made
}

// Dedupe is the definition with a dedupe key that follows from the payload: a repeat
// within 24 h is the first call.
func (d *Definition[A, R]) Dedupe(of func(payload A) string) *Definition[A, R] {
	made := *d
	made.dedupe = of
	return &made
}

// Fallback is the definition with another one, of the same payload, that is called in
// place of a call that has died, in the transaction in which that dies.
func (d *Definition[A, R]) Fallback(to takes[A]) *Definition[A, R] {
	made := *d
	made.fallback = to.follow()
	return &made
}

// OnSuccess is the definition with another one that is told of each call that has
// succeeded, in the transaction in which it succeeds.
func (d *Definition[A, R]) OnSuccess(to takes[task.Ended]) *Definition[A, R] {
	made := *d
	made.onSuccess = to.follow()
	return &made
}

// OnDead is OnSuccess for calls that have died.
func (d *Definition[A, R]) OnDead(to takes[task.Ended]) *Definition[A, R] {
	made := *d
	made.onDead = to.follow()
	return &made
}

func (d *Definition[A, R]) taking(A) {}

// follow is a call of the definition that follows a task. It goes to the definition's
// queue, else to that of the task.
func (d *Definition[A, R]) follow() *task.Follow {
	var usual Draft
	for _, opt := range d.of.calls {
		opt(&usual)
	}
	return &task.Follow{Type: d.name, Queue: usual.Queue}
}

// Handle has the client run the tasks, and those of the definition's [Aliases], with fn;
// see the function [Handle] for what fn may do and return. The options add to those of the
// definition: for what only those should link who run it, such as a policy with classifiers.
//
// The result is kept in its JSON form, of at most 64 KiB. One that cannot be kept fails the
// attempt for good, category "permanent", code "bad_result", although fn has done its work:
// whoever waits would take no answer for one. So return what is known to fit, such as the
// place where a large result lies.
func (d *Definition[A, R]) Handle(c *Client, fn func(ctx context.Context, payload A) (R, error), opts ...HandleOption) {
	of := askedBy(append(d.options[:len(d.options):len(d.options)], opts...))
	of.Calls = len(of.calls) > len(d.of.calls)
	var run engine.Handler
	if fn != nil {
		run = runner(c, &of, fn)
	}
	register(c, d.name, run, &of)
}

// NoResult makes a function without a result the handler of a definition with [None].
func NoResult[A any](fn func(ctx context.Context, payload A) error) func(context.Context, A) (None, error) {
	if fn == nil {
		return nil
	}
	return func(ctx context.Context, payload A) (None, error) { return None{}, fn(ctx, payload) }
}

// runner is a function as the engine runs it.
func runner[A, R any](c *Client, of *asked, fn func(context.Context, A) (R, error)) engine.Handler {
	decode, kept := handlers.Decoder[A](), handlers.KeptResult
	if _, none := any(*new(R)).(None); none {
		kept = func(any) ([]byte, error) { return nil, nil }
	}
	call := around(c, of, func(ctx context.Context, text []byte) ([]byte, error) {
		payload, err := decode(text)
		if err != nil {
			return nil, err
		}
		result, err := fn(ctx, payload)
		if err != nil {
			return nil, err
		}
		return kept(result)
	})
	return func(ctx context.Context, run *engine.Run) ([]byte, error) {
		defer c.registry.Progress.End(run.Task.ID)
		return call(&attemptContext{ctx, run, c}, run.Task.Payload)
	}
}

// Draft is a call that was not made yet, for [Client.EnqueueMany] and what else takes
// drafts. A payload without a JSON form is an [*Error] with code "invalid".
func (d *Definition[A, R]) Draft(payload A, opts ...CallOption) (Draft, error) {
	text, err := handlers.Encode(payload)
	if err != nil {
		return Draft{}, err
	}
	draft := Draft{Type: d.name, Payload: text, Fallback: d.fallback, OnSuccess: d.onSuccess, OnDead: d.onDead, made: made{target: d.of.Target}}
	if d.key != nil {
		draft.Key = d.key(payload)
	}
	if d.share != nil {
		draft.ShareKey = d.share(payload)
	}
	if d.dedupe != nil {
		draft.DedupeKey = d.dedupe(payload)
	}
	for _, some := range [][]CallOption{d.of.calls, opts} {
		for _, opt := range some {
			if opt != nil {
				opt(&draft)
			}
		}
	}
	return draft, nil
}

// Enqueue makes a call and returns as soon as it is on disk; see [Client.Enqueue] for the
// errors.
func (d *Definition[A, R]) Enqueue(ctx context.Context, c *Client, payload A, opts ...CallOption) (Call[R], error) {
	draft, err := d.Draft(payload, opts...)
	if err != nil {
		return Call[R]{}, err
	}
	receipt, err := c.Enqueue(ctx, draft)
	if err != nil {
		return Call[R]{}, err
	}
	return Call[R]{receipt, c}, nil
}

// EnqueueAll makes a call for each of up to 10 000 payloads: all are accepted, or none.
func (d *Definition[A, R]) EnqueueAll(ctx context.Context, c *Client, payloads []A, opts ...CallOption) ([]Call[R], error) {
	drafts := make([]Draft, len(payloads))
	for i, payload := range payloads {
		var err error
		if drafts[i], err = d.Draft(payload, opts...); err != nil {
			return nil, enqueue.InBatch(err, i)
		}
	}
	receipts, err := c.EnqueueMany(ctx, drafts, true)
	if err != nil {
		return nil, err
	}
	calls := make([]Call[R], len(receipts))
	for i := range receipts {
		calls[i] = Call[R]{receipts[i], c}
	}
	return calls, nil
}

// EnqueueTx makes a call that exists exactly if the transaction commits; see
// [Client.EnqueueTx]. Wait for it after the commit: before that it is not found.
func (d *Definition[A, R]) EnqueueTx(ctx context.Context, c *Client, tx *sql.Tx, payload A, opts ...CallOption) (Call[R], error) {
	if tx == nil {
		return d.EnqueueIn(ctx, c, nil, payload, opts...)
	}
	return d.EnqueueIn(ctx, c, tx, payload, opts...)
}

// EnqueueIn is EnqueueTx for transactions of any kind that the store takes: on PostgreSQL
// a pgx.Tx too.
func (d *Definition[A, R]) EnqueueIn(ctx context.Context, c *Client, tx any, payload A, opts ...CallOption) (Call[R], error) {
	draft, err := d.Draft(payload, opts...)
	if err != nil {
		return Call[R]{}, err
	}
	receipts, err := c.EnqueueIn(ctx, tx, draft)
	if err != nil {
		return Call[R]{}, err
	}
	return Call[R]{receipts[0], c}, nil
}

// Run makes a call and waits for its result; see [Client.Run] for the errors.
func (d *Definition[A, R]) Run(ctx context.Context, c *Client, payload A, opts ...CallOption) (result R, err error) {
	call, err := d.Enqueue(ctx, c, payload, opts...)
	if err != nil {
		return result, err
	}
	return call.Wait(ctx)
}

// Result is what a task of the definition that has succeeded gave, as Wait and Get of an
// inspector return it; the zero R for one without a result. A task that has not is an error: a
// [*DeadError], or an [*Error] with code "conflict"; a result that is no R, or of another type
// of task, has code "invalid".
func (d *Definition[A, R]) Result(t *Task) (result R, err error) {
	if t != nil && t.Type != d.name && !slices.Contains(d.of.Aliases, t.Type) {
		return result, task.Invalid("type", "the task is of type "+task.Quote(t.Type)+", not "+task.Quote(d.name), "ask the definition of that type")
	}
	return resultOf[R](t)
}

func resultOf[R any](t *Task) (result R, err error) {
	if err = ended(t); err != nil || len(t.Result) == 0 {
		return result, err
	}
	if err = json.Unmarshal(t.Result, &result); err != nil {
		err = task.Invalid("result", "the result of "+task.Quote(t.Type)+" does not fit the definition: "+err.Error(), "")
	}
	return result, err
}

// Call is a call of a [Definition] that was accepted: a task whose result is R.
type Call[R any] struct {
	Receipt
	client *Client
}

// Wait returns the result once the task has ended; see [Client.Run] for the errors.
func (c Call[R]) Wait(ctx context.Context) (result R, err error) {
	if c.client == nil {
		return result, &Error{Code: task.CodeConflict, Message: "the call was not made", Hint: "look at the error of the enqueue first"}
	}
	t, err := c.client.wait(ctx, c.Task.ID, c.Task)
	if err != nil {
		return result, err
	}
	return resultOf[R](t)
}
