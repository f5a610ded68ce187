package client

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast/task"
)

// WorkHandler runs one attempt. Its context ends when the task is canceled, when
// its attempt's time is over, when its lease is lost, and when the grace time of a
// stop has passed; [context.Cause] says which. What it fails with then is no failure:
// a canceled task is settled as canceled, and others are handed back. A nil error is
// success, whose result is kept if it is not nil; one without a JSON form, or of more than
// 64 KiB, makes the attempt a permanent failure with the code "bad_result". Other errors
// are classified and retried by the policy of the task; [RetryAfter], [Snooze], [GiveUp]
// and [Drop] steer. A panic is a failure of category "bug".
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
	answerTime  = 30 * time.Second // for a call beyond its wait
	lastAnswer  = 5 * time.Second  // for a poll that was ended
	mostPolled  = 1000             // tasks in one call, as the server has it
	mostSettled = 100              // results in one call
)

// Work runs tasks of the server, with a handler for each type, until ctx ends. Then
// it fetches no more, gives running attempts their grace time, hands the rest back
// and returns nil; a handler that does not heed the end of its context is waited for.
// Without a server it tries again and again. An error that trying
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
	polls, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	var denied atomic.Pointer[deniedError] // the cause alone would be lost where ctx has ended
	w.fail = func(err error) {
		if found := new(deniedError); errors.As(err, &found) {
			denied.CompareAndSwap(nil, found)
		}
		fail(err)
	}
	var helpers sync.WaitGroup
	helpers.Go(w.extending)
	helpers.Go(w.settling)
	err := w.polling(polls)
	w.drain(stop)
	close(w.done)
	helpers.Wait()
	if found := denied.Load(); err == nil && found != nil {
		return found.err
	}
	return err
}

// working is one call of Work.
type working struct {
	client   *Client
	polls    *Client // whose connections can be closed on one side
	handlers map[string]WorkHandler
	options  WorkOptions
	types    []string
	attempts context.Context         // parent of those of attempts
	fail     context.CancelCauseFunc // ends the polling

	slots   chan struct{}  // has an element for every task in hand that was asked for
	running sync.WaitGroup // tasks in hand
	ended   chan ending
	done    chan struct{} // closed when nothing is in hand any more

	mu   sync.Mutex
	held map[claimed]*holding
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
	options.Batch = min(options.Batch, mostPolled)
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
		client: c, polls: overHTTP1(c), handlers: handlers, options: options, slots: make(chan struct{}, options.Concurrency),
		ended: make(chan ending, options.Concurrency), done: make(chan struct{}), held: map[claimed]*holding{},
	}
	for name := range handlers {
		w.types = append(w.types, name)
	}
	return w
}

// polling fetches tasks for the free slots.
func (w *working) polling(ctx context.Context) error {
	defer w.polls.Close()
	for try := 1; ; {
		free, ok := w.reserve(ctx)
		if !ok {
			return nil
		}
		asked := time.Now()
		tasks, err := w.poll(ctx, free)
		w.release(max(0, free-len(tasks)))
		for i := range tasks {
			w.take(&holding{task: &tasks[i], slots: min(1, max(0, free-i))}, asked, ctx.Err() == nil)
		}
		switch {
		case ctx.Err() != nil:
			return nil
		case err == nil:
			try = 1
			continue
		case isDenied(err), isRefused(err):
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

// poll asks for tasks. When ctx ends, it is the asking that ends: an answer that is on
// its way is still read. A poll lasts a third of the lease at most, which counts from
// before it was sent.
func (w *working) poll(ctx context.Context, most int) ([]LeasedTask, error) {
	wait := min(longestPoll, w.options.Lease/3)
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), wait+answerTime)
	defer cancel()
	line := &line{lose: cancel}
	defer context.AfterFunc(ctx, line.hangUp)()
	traced := httptrace.WithClientTrace(limited, &httptrace.ClientTrace{GotConn: line.got})
	return w.polls.Poll(traced, Poll{
		Worker: w.options.Worker, Release: w.options.Release, Queues: w.options.Queues, Types: w.types, Max: &most,
		Wait: Duration(wait), Lease: Duration(w.options.Lease),
	})
}

// drain waits until nothing is in hand: for the grace time, then, with the contexts of
// attempts ended, as long as they take.
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

// overHTTP1 is a client with connections of its own, which carry one call at a time:
// such a one can be closed on one side. A transport that is no [http.Transport] stays.
func overHTTP1(c *Client) *Client {
	own, h := *c, *c.http
	own.http, h.Timeout = &h, 0 // a poll has a limit of its own
	if h.Transport == nil {
		h.Transport = http.DefaultTransport
	}
	shared, ok := h.Transport.(*http.Transport)
	if !ok {
		return &own
	}
	transport := shared.Clone()
	transport.ResponseHeaderTimeout = 0
	transport.Protocols = new(http.Protocols)
	transport.Protocols.SetHTTP1(true)
	if transport.TLSClientConfig != nil { // it may name HTTP/2 already
		transport.TLSClientConfig.NextProtos = []string{"http/1.1"}
	}
	h.Transport = transport
	return &own
}

// line is the connection of a poll.
type line struct {
	lose context.CancelFunc // ends the call without its answer

	mu   sync.Mutex
	conn net.Conn
	cut  bool
}

func (l *line) got(info httptrace.GotConnInfo) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conn = info.Conn
	if l.cut {
		l.lose() // nothing has been asked
	}
}

// isShared reports whether other calls use the connection too.
func isShared(conn net.Conn) bool {
	secure, ok := conn.(*tls.Conn)
	return ok && secure.ConnectionState().NegotiatedProtocol == "h2"
}

// hangUp ends the asking. The server sees that nobody waits any more, and answers with
// what it has, which is still read.
func (l *line) hangUp() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = true
	side, ok := l.conn.(interface{ CloseWrite() error })
	if !ok || isShared(l.conn) || side.CloseWrite() != nil {
		l.lose()
		return
	}
	time.AfterFunc(lastAnswer, l.lose)
}
