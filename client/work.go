package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

// WorkHandler runs one attempt. Its context ends when the task is canceled, when
// its attempt's time is over, when its lease is lost, and when the grace time of a
// stop has passed; [context.Cause] says which. A nil error is success, whose result
// is kept if it is not nil; one without a JSON form, or of more than 64 KiB, makes the
// attempt a permanent failure with the code "bad_result". Other errors are classified and retried by the policy of
// the task; [RetryAfter], [Snooze], [GiveUp] and [Drop] steer. A panic is a failure of
// category "bug".
type WorkHandler func(ctx context.Context, t *LeasedTask) (result any, err error)

// WorkOptions are how a worker works. The zero value has the defaults.
type WorkOptions struct {
	Worker      string        // its name, unlike that of any other process; made up when ""
	Release     string        // of the program, for people and statistics; "" for none
	Queues      []string      // default when empty
	Concurrency int           // attempts at once, 10 when 0
	Batch       int           // tasks that are fetched at a time, as many as may start when 0
	Lease       time.Duration // 30s when 0; it is extended three times as often
	Grace       time.Duration // for running attempts when the worker stops, 25s when 0
	Logger      *slog.Logger  // silent when nil
}

// The causes for which the context of an attempt ends, beside its deadline.
var (
	ErrCanceled  = errors.New("the task was canceled")
	ErrLeaseLost = errors.New("the task is not this worker's any more")
	ErrStopping  = errors.New("the worker is stopping")
)

const (
	longestPoll = 30 * time.Second
	mostSettled = 100              // results in one call
	answerTime  = 30 * time.Second // for a call beyond its wait
)

// Work runs tasks of the server, with a handler for each type, until ctx ends. Then
// it fetches no more, gives running attempts their grace time, hands the rest back
// and returns nil. Without a server it tries again and again. An error that trying
// again cannot mend, such as a refused poll or a token that was revoked, ends it: what
// the server could not be told of runs again when its lease has ended. Of results that
// the server refuses, the one that is wrong fails its own task and no other.
func (c *Client) Work(ctx context.Context, handlers map[string]WorkHandler, options WorkOptions) error {
	if len(handlers) == 0 {
		return task.Invalid("handlers", "there are none", "give one for each type of task")
	}
	w := newWorking(c, handlers, options)
	stopped, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	w.attempts = stopped
	var helpers sync.WaitGroup
	helpers.Go(w.extending)
	helpers.Go(w.settling)
	polls, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	w.fail = fail
	err := w.polling(polls)
	w.drain(stop)
	close(w.done)
	helpers.Wait()
	if denied := new(deniedError); err == nil && errors.As(context.Cause(polls), &denied) {
		return denied.err
	}
	return err
}

// working is one call of Work.
type working struct {
	client   *Client
	handlers map[string]WorkHandler
	options  WorkOptions
	types    []string
	attempts context.Context         // parent of those of attempts
	fail     context.CancelCauseFunc // ends the polling

	slots   chan struct{} // has an element for every attempt
	running sync.WaitGroup
	ended   chan TaskResult
	done    chan struct{} // closed when no attempt runs any more

	mu   sync.Mutex
	held map[task.ID]*holding
}

// holding is a task that is being worked on.
type holding struct {
	claim    int64
	progress []byte
	cancel   context.CancelCauseFunc
}

func newWorking(c *Client, handlers map[string]WorkHandler, options WorkOptions) *working {
	if options.Worker == "" {
		options.Worker = "go-" + NewID().String()
	}
	if options.Concurrency <= 0 {
		options.Concurrency = 10
	}
	if options.Batch <= 0 {
		options.Batch = options.Concurrency
	}
	if options.Lease <= 0 {
		options.Lease = 30 * time.Second
	}
	if options.Grace <= 0 {
		options.Grace = 25 * time.Second
	}
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	w := &working{
		client: c, handlers: handlers, options: options, slots: make(chan struct{}, options.Concurrency),
		ended: make(chan TaskResult, options.Concurrency), done: make(chan struct{}), held: map[task.ID]*holding{},
	}
	for name := range handlers {
		w.types = append(w.types, name)
	}
	return w
}

// polling fetches tasks for the free slots.
func (w *working) polling(ctx context.Context) error {
	for try := 1; ; {
		free, ok := w.reserve(ctx)
		if !ok {
			return nil
		}
		tasks, err := w.poll(ctx, free)
		w.release(free - len(tasks))
		for i := range tasks {
			w.start(&tasks[i])
		}
		switch {
		case ctx.Err() != nil:
			return nil
		case err == nil:
			try = 1
			continue
		case !passing(err) && !errors.Is(err, context.DeadlineExceeded):
			return err
		}
		w.options.Logger.Warn("poll.failed", "error", err)
		if pause(ctx, min(try, 10), err) != nil {
			return nil
		}
		try++
	}
}

// reserve waits for a free slot, and takes as many as are free, up to a batch.
func (w *working) reserve(ctx context.Context) (free int, ok bool) {
	select {
	case w.slots <- struct{}{}:
	case <-ctx.Done():
		return 0, false
	}
	for free = 1; free < w.options.Batch; free++ {
		select {
		case w.slots <- struct{}{}:
		default:
			return free, true
		}
	}
	return free, true
}

func (w *working) release(slots int) {
	for range slots {
		<-w.slots
	}
}

func (w *working) poll(ctx context.Context, most int) ([]LeasedTask, error) {
	limited, cancel := context.WithTimeout(ctx, longestPoll+answerTime)
	defer cancel()
	return w.client.Poll(limited, Poll{
		Worker: w.options.Worker, Release: w.options.Release, Queues: w.options.Queues, Types: w.types, Max: &most,
		Wait: Duration(longestPoll), Lease: Duration(w.options.Lease),
	})
}

// start runs one attempt, which has its slot already.
func (w *working) start(t *LeasedTask) {
	ctx, cancel := context.WithCancelCause(w.attempts)
	release := context.CancelFunc(func() {})
	if !t.AttemptEnds.IsZero() {
		ctx, release = context.WithDeadlineCause(ctx, t.AttemptEnds.Time, retry.ErrAttemptTimeout)
	}
	w.mu.Lock()
	w.held[t.ID] = &holding{claim: t.Claim, cancel: cancel}
	w.mu.Unlock()
	w.running.Go(func() {
		defer release()
		defer cancel(nil)
		result := failed(t, errGoexit) // unless the attempt says otherwise
		defer func() {
			w.mu.Lock()
			delete(w.held, t.ID)
			w.mu.Unlock()
			w.ended <- result
			w.release(1)
		}()
		result = w.attempt(&workContext{ctx, w, t.ID}, t)
	})
}

// errGoexit is the end of a handler that called [runtime.Goexit], as t.FailNow does.
var errGoexit = &panicError{value: "the handler ended its goroutine"}

// failed is the result of an attempt that failed with what [errorOf] can describe.
func failed(t *LeasedTask, err error) TaskResult {
	return TaskResult{ID: t.ID, Claim: t.Claim, Outcome: string(task.OutcomeFailed), Error: errorOf(context.Background(), err)}
}

// attempt calls the handler and says how it ended. An error or a result whose methods
// panic is a failure too.
func (w *working) attempt(ctx context.Context, t *LeasedTask) (out TaskResult) {
	defer func() {
		if raised := recover(); raised != nil {
			out = failed(t, &panicError{raised, string(debug.Stack())})
		}
	}()
	value, err := invoke(ctx, w.handlers[t.Type], t)
	out = TaskResult{ID: t.ID, Claim: t.Claim, Outcome: string(task.OutcomeSucceeded)}
	if err == nil {
		if out.Result, err = resultOf(value); err == nil {
			return out
		}
	}
	steer := new(steering)
	switch {
	case errors.As(err, &steer):
		out.Outcome, out.RetryAfter = steer.outcome, steer.after
		if steer.err != nil {
			out.Error = errorOf(ctx, steer.err)
		}
	case errors.Is(context.Cause(ctx), ErrStopping):
		out.Outcome = string(task.OutcomeReleased)
	default:
		out.Outcome, out.Error = string(task.OutcomeFailed), errorOf(ctx, err)
	}
	return out
}

func resultOf(value any) ([]byte, error) {
	if value == nil {
		return nil, nil
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil, &badResult{fmt.Errorf("the result has no JSON form: %w", err)}
	}
	if len(text) > task.MaxResult {
		return nil, &badResult{fmt.Errorf("the result has %d bytes; the limit is %d", len(text), task.MaxResult)}
	}
	return text, nil
}

// badResult is the failure of an attempt that may have done its work, and whose end
// cannot be kept. Doing it again would change nothing.
type badResult struct{ err error }

func (b *badResult) Error() string { return b.err.Error() }

func (b *badResult) Unwrap() error { return b.err }

func (b *badResult) RetryVerdict() retry.Verdict {
	return retry.Verdict{Category: retry.Permanent, Effect: retry.Done, Code: task.BadResult}
}

// invoke runs a handler; a panic becomes an error.
func invoke(ctx context.Context, handler WorkHandler, t *LeasedTask) (value any, err error) {
	defer func() {
		if raised := recover(); raised != nil {
			err = &panicError{raised, string(debug.Stack())}
		}
	}()
	if handler == nil {
		return nil, GiveUp(fmt.Errorf("this worker has no handler for the type %s", task.Quote(t.Type)))
	}
	return handler(ctx, t)
}

type panicError struct {
	value any
	stack string
}

func (p *panicError) Error() string { return fmt.Sprint("panic: ", p.value) }

func (p *panicError) RetryVerdict() retry.Verdict {
	return retry.Verdict{Category: retry.Bug, Effect: retry.Maybe, Type: "panic"}
}

// errorOf is an error as the server keeps it, classified where it is known best.
func errorOf(ctx context.Context, err error) *TaskError {
	verdict := retry.ClassifyIn(ctx, err)
	if verdict.Type == "" {
		verdict.Type = fmt.Sprintf("%T", err)
	}
	out := &TaskError{Message: sendable(err.Error()), Category: string(verdict.Category), Type: sendable(verdict.Type), Code: sendable(verdict.Code)}
	if raised := new(panicError); errors.As(err, &raised) {
		out.Stack = sendable(raised.stack)
	}
	return out
}

// sendable is a text as the server takes it: UTF-8 without NUL.
func sendable(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

// drain waits for the running attempts: for the grace time, then, with their
// contexts ended, as long as they take.
func (w *working) drain(stop context.CancelCauseFunc) {
	idle := make(chan struct{})
	go func() { w.running.Wait(); close(idle) }()
	grace := time.NewTimer(w.options.Grace)
	defer grace.Stop()
	select {
	case <-idle:
	case <-grace.C:
		stop(ErrStopping)
		<-idle
	}
}
