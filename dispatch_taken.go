package outlast

import (
	"context"
	"net/http/httptrace"
	"sync"
	"time"
)

// takenAfter is how long a member that does not take a task may think about that.
const takenAfter = time.Second

// whenTaken calls f, once at most, when a request that is made under the context which it
// returns was sent and has not been answered for a while: tasks may take long, and
// nobody should wait for the answer to know that the group is back. The caller says
// when there is an answer; f does not run after that.
func whenTaken(ctx context.Context, f func()) (traced context.Context, answered func()) {
	w := &takenWatch{f: f}
	trace := &httptrace.ClientTrace{WroteRequest: func(info httptrace.WroteRequestInfo) {
		if info.Err == nil {
			w.sent()
		}
	}}
	return httptrace.WithClientTrace(ctx, trace), w.answered
}

// takenWatch is one request whose answer is waited for.
type takenWatch struct {
	mu    sync.Mutex
	f     func() // nil once it has been called, or must not be
	timer *time.Timer
}

func (w *takenWatch) sent() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer == nil && w.f != nil {
		w.timer = time.AfterFunc(takenAfter, w.taken)
	}
}

func (w *takenWatch) taken() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.f != nil {
		w.f()
		w.f = nil
	}
}

func (w *takenWatch) answered() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.f = nil
	if w.timer != nil {
		w.timer.Stop()
	}
}
