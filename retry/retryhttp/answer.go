package retryhttp

import (
	"context"
	"io"
	"net/http"
	"time"
)

const (
	// mostDrained bounds what is read of an answer that is repeated, so that its
	// connection can be used again. Longer ones cost their connection.
	mostDrained = 16 << 10
	// drainTime bounds the wait for that at the start of the next attempt; the
	// wait before it was time already.
	drainTime = 50 * time.Millisecond
)

// answer is what one attempt was answered.
type answer struct {
	resp    *http.Response
	failed  bool
	body    *body // nil when the base's is handed on as it is
	dropped bool  // closed, or about to be; guarded by the call's mu
}

// prepare wraps the body where the attempt has a context of its own to end, and
// where the answer is probably repeated: then the body is read ahead.
func (a *answer) prepare(cancel context.CancelCauseFunc, timeout *time.Timer, again bool) {
	if cancel == nil && !again {
		return
	}
	rest := a.resp.Body
	a.body = &body{rest: rest, cancel: cancel, timeout: timeout}
	if again && rest != http.NoBody {
		a.body.readAhead()
	}
	a.resp.Body = a.body
	if writer, ok := rest.(io.Writer); ok {
		a.resp.Body = duplex{a.body, writer}
	}
}

// drop closes an answer that nobody will read.
func (a *answer) drop() { a.resp.Body.Close() }

// drain waits a little for the end of what is read ahead, and drops the answer.
func (a *answer) drain() {
	if a.body != nil && a.body.ahead != nil {
		patience := time.NewTimer(drainTime)
		defer patience.Stop()
		select {
		case <-a.body.ahead.done:
		case <-patience.C:
		}
	}
	a.drop()
}

// body is an answer's body that ends its attempt's context, and that may have
// been read ahead.
type body struct {
	rest    io.ReadCloser
	cancel  context.CancelCauseFunc // nil when the attempt has no context of its own
	timeout *time.Timer             // nil when the attempt has no timeout
	ahead   *ahead                  // nil when nothing is read ahead
}

// Read gives what was read ahead, then the rest. At the end of the body the
// attempt's context ends, so that a caller who forgets Close holds nothing.
func (b *body) Read(p []byte) (int, error) {
	if b.ahead != nil {
		if n, err, ok := b.ahead.read(p); ok {
			return n, err
		}
	}
	n, err := b.rest.Read(p)
	if err != nil {
		b.release()
	}
	return n, err
}

// Close closes the base's body and ends the attempt's context.
func (b *body) Close() error {
	err := b.rest.Close()
	b.release()
	return err
}

// release ends what the attempt holds.
func (b *body) release() {
	if b.timeout != nil {
		b.timeout.Stop()
	}
	if b.cancel != nil {
		b.cancel(context.Canceled)
	}
}

// readAhead begins to read the body of a failed answer while the next attempt is
// waited for, so that its connection is free by then. The goroutine ends with the
// body.
func (b *body) readAhead() {
	b.ahead = &ahead{done: make(chan struct{})}
	go b.ahead.run(b.rest)
}

// ahead is the beginning of a body.
type ahead struct {
	done chan struct{}
	data []byte // after done: what has not been given to a reader yet
	err  error  // after done: what ended the reading; nil if there is more
}

func (a *ahead) run(from io.Reader) {
	defer close(a.done)
	a.data, a.err = io.ReadAll(io.LimitReader(from, mostDrained))
	if a.err == nil && len(a.data) < mostDrained {
		a.err = io.EOF
	}
}

// read gives what was read ahead; false when it is used up and there is more.
func (a *ahead) read(p []byte) (int, error, bool) {
	<-a.done
	if len(a.data) > 0 {
		n := copy(p, a.data)
		a.data = a.data[n:]
		return n, nil, true
	}
	return 0, a.err, a.err != nil
}

// duplex is the body of a switched protocol, which can be written as well.
type duplex struct {
	*body
	io.Writer
}
