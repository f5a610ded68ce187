package outlast

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/internal/handlers"
	"github.com/outlast-dev/outlast/retry"
)

// HandleOption sets what holds for all tasks of a type. Each [CallOption] is one too, for
// the calls of a [Definition].
type HandleOption interface{ ofType(*asked) }

// asked is what the options of a type ask for.
type asked struct {
	handlers.Asked
	calls []CallOption
}

type typeOption func(*asked)

func (o typeOption) ofType(r *asked) { o(r) }

// Policy names the policy of a type: one that was put before [Client.Start], or a
// preset such as "payment". With MaxAttempts, Interval or Timeout beside it, it
// must be a preset, which these change.
func Policy(name string) HandleOption { return typeOption(func(r *asked) { r.Name = name }) }

// Retry sets the policy of a type. It stands alone: MaxAttempts, Interval and
// Timeout belong into the policy then. The policy's classifiers decide what the
// handler's errors mean. Options that are for calls in this process, such as
// [retry.WithBreaker] or [retry.Observe], mean nothing to tasks: [Client.Start]
// refuses them by name; see [retry.Policy.CallsOnly].
func Retry(policy *retry.Policy) HandleOption {
	return typeOption(func(r *asked) { r.Policy, r.Given = policy, true })
}

// Interval is the wait between two attempts, the same each time, instead of
// the policy's backoff. It is never less, and up to a tenth more, so that tasks
// that failed together come apart; [Retry] takes a policy with another jitter.
func Interval(d time.Duration) HandleOption { return typeOption(func(r *asked) { r.Interval = &d }) }

// MaxAttempts limits the attempts, the first included; 1 turns retries off.
func MaxAttempts(n int) HandleOption { return typeOption(func(r *asked) { r.MaxAttempts = &n }) }

// Timeout limits one attempt.
func Timeout(d time.Duration) HandleOption { return typeOption(func(r *asked) { r.Timeout = &d }) }

// Aliases are names that the type had before: a handler runs their tasks too, until there
// are none left. They stand beside the name where types of a node are listed.
func Aliases(names ...string) HandleOption {
	return typeOption(func(r *asked) { r.Aliases = append(r.Aliases, names...) })
}

// AlertWhen says when people are told about tasks of the type: a condition in
// CEL over what happens to one, such as "attempt > 1 && attempt < 5" or
// event == "dead"; see docs/how-to/alerts.md for the variables. A program that has one imports
// package cel of this module, which reads it. An alert of the task
// itself goes before. They are told through the channels of [AlertTo], else
// through the default channels, else by the log.
func AlertWhen(condition string) HandleOption {
	return typeOption(func(r *asked) { r.AlertWhen = condition })
}

// AlertTo names the channel for the alerts of a type, or is a Go function that
// is called with them, on a node that has this handler. Without [AlertWhen] they
// are about its dead letters. A function that returns an error is called again.
// The option may be given several times, with one function at most.
func AlertTo[C ~string | ~func(context.Context, *alert.Message) error](channel C) HandleOption {
	return typeOption(func(r *asked) {
		switch to := any(channel).(type) {
		case func(context.Context, *alert.Message) error:
			r.AlertFunc = to
		case alert.ChannelFunc:
			r.AlertFunc = to
		default:
			r.AlertTo = append(r.AlertTo, fmt.Sprint(to))
		}
	})
}

// Handle says how tasks of a type are run here that has no [Definition]: fn gets the
// payload decoded from JSON (as it is for []byte and [json.RawMessage]; the zero T for an
// empty payload). A payload that does not fit T is a permanent failure with
// code "bad_payload". What fn returns decides: nil is success, an error is
// classified and retried by the policy, and [RetryAfter], [Snooze], [GiveUp] and
// [Cancel] say what is to follow. A panic is a failure of category "bug".
//
// The context ends at the attempt's timeout, at the task's deadline, on a
// cancel, and when the grace time of [Client.Stop] is over. fn must come back
// then. Mistakes, such as two handlers for one type, are reported by
// [Client.Start].
func Handle[T any](c *Client, taskType string, fn func(ctx context.Context, payload T) error, opts ...HandleOption) {
	Define[T, None](taskType).Handle(c, NoResult(fn), opts...)
}

// register registers what runs a type and the names that it had before, and its function
// for alerts as a channel of each.
func register(c *Client, taskType string, run engine.Handler, of *asked) {
	for _, name := range append([]string{taskType}, of.Aliases...) {
		if c.registry.Add(name, run, &of.Asked) && of.AlertFunc != nil {
			c.alerts.Book.AddFunction(handlers.FuncChannel(name), of.AlertFunc)
		}
	}
}

// askedBy is what options ask for.
func askedBy(opts []HandleOption) (of asked) {
	for _, opt := range opts {
		if opt != nil {
			opt.ofType(&of)
		}
	}
	return of
}

// around puts the middleware of a client and of a type around what runs the type. Observers
// find the values of the context with which that is called.
func around(c *Client, of *asked, call handlers.Call) handlers.Call {
	all := append(slices.Clip(c.options.AroundHandlers), of.Around...)
	if len(all) == 0 {
		return call
	}
	return handlers.Around(func(ctx context.Context, payload []byte) ([]byte, error) {
		if of, ok := ctx.Value(runKey{}).(*attemptContext); ok {
			of.run.Within(ctx)
		}
		return call(ctx, payload)
	}, all)
}

// Target names what the handler calls for a payload, such as "stripe" or
// "api.example.com". Breaker, budget and limits then protect that, for all types
// that give the same name, and every failure counts that may be one of a target. In
// lists, orders and metrics it is "@stripe". "" leaves the type as the target. Names
// have 1 to 128 of the characters A-Z a-z 0-9 . _ : -; there should be few of them.
//
// The function is called where a task is enqueued, by a call of the [Definition] or by a
// client that has registered the handler; what others enqueue, by HTTP for instance, has
// its type as target, and so has a payload that does not fit T. It must depend on nothing but the payload.
// T may have fewer fields than the payload of the handler.
func Target[T any](of func(payload T) string) HandleOption {
	return typeOption(func(r *asked) {
		if r.Names = true; of == nil {
			return
		}
		decode := handlers.Decoder[T]()
		r.Target = func(payload []byte) string {
			value, err := decode(payload)
			if err != nil {
				return "" // it is the handler's to refuse
			}
			return of(value)
		}
	})
}

// NoGuards lets nothing that tasks of the type do hold others back: no breaker, no
// budget and no learned limit counts how they end, whatever their policy says. Their
// own schedule of retries stays, and so does an operator's order to stop the target.
func NoGuards() HandleOption { return typeOption(func(r *asked) { r.Unguarded = true }) }
