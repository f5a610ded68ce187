package retrygrpc

import (
	"context"
	"errors"
	"io"
	"iter"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"

	"github.com/outlast-dev/outlast/retry"
)

// stream implements [grpc.StreamClientInterceptor].
func (c *client) stream(ctx context.Context, desc *grpc.StreamDesc, conn *grpc.ClientConn, method string,
	open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	s := &clientStream{call: c.newCall(ctx, conn, method), ctx: ctx}
	s.open = func(ctx context.Context, opts []grpc.CallOption) (grpc.ClientStream, error) {
		return open(ctx, desc, conn, method, opts...)
	}
	s.opts = opts
	s.pull = func() {
		s.next, s.stop = iter.Pull(s.call.policy.Attempts(ctx, c.options(conn, method, opts)...))
	}
	s.pull()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.try, _ = s.next() // there is always a first one
	if err := s.begin(); err != nil {
		return nil, err
	}
	// A stream that nobody reads to its end is over when the caller's context is.
	s.forget = context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.settle(context.Cause(ctx))
	})
	return s, nil
}

// clientStream is a stream that is opened anew, and given again what was sent, until
// something has come back. One goroutine may send while another receives, as gRPC
// allows.
type clientStream struct {
	call *call
	ctx  context.Context // of the caller
	open func(context.Context, []grpc.CallOption) (grpc.ClientStream, error)
	opts []grpc.CallOption

	// sending is held while something is sent, so that what is sent again does not
	// mix with what is new. It comes before mu, which is never held while a caller's
	// message is sent: a server may not read before it has been read from.
	sending sync.Mutex
	mu      sync.Mutex
	pull    func() // begins with the attempts
	next    func() (*retry.Try, bool)
	stop    func()
	forget  func() bool
	try     *retry.Try // nil as soon as there are no more attempts
	seen    *observed
	current grpc.ClientStream
	end     context.CancelCauseFunc // of the context of current
	release func() bool             // lets that context outlive the attempt

	sent   []any // to be sent again
	bytes  int   // of sent, or overflow
	closed bool  // CloseSend was called
}

// overflow marks a stream that has sent more than is kept.
const overflow = -1

// begin makes attempts until one has a stream; the error says that there are no
// more. The caller holds mu, here and below.
func (s *clientStream) begin() error {
	for {
		err := s.attempt()
		if err == nil {
			return nil
		}
		if final := s.again(err); final != nil {
			return final
		}
	}
}

// attempt opens a stream and sends what had been sent.
func (s *clientStream) attempt() error {
	given := s.try.Context()
	s.end, s.release = func(error) {}, func() bool { return true }
	if given.Err() != nil {
		return context.Cause(given) // a guard has refused
	}
	// The context of the attempt ends with the attempt, at the first message; that of
	// the stream goes on.
	ctx, end := context.WithCancelCause(s.ctx)
	if info, ok := retry.Outer(given); ok {
		ctx = retry.WithOuter(ctx, info)
	}
	s.end, s.release = end, context.AfterFunc(given, func() { end(context.Cause(given)) })
	s.seen = &observed{}
	opened, err := s.open(s.call.announced(ctx), s.seen.watching(s.opts))
	if err != nil {
		return s.call.failure(given, err, s.seen)
	}
	s.current = opened
	for _, message := range s.sent {
		// The error is that of receiving, which comes next.
		if opened.SendMsg(message) != nil {
			return nil
		}
	}
	if s.closed {
		_ = opened.CloseSend() // as above
	}
	return nil
}

// again waits for the next attempt after err; the error says that there is none.
func (s *clientStream) again(err error) error {
	s.release()
	s.end(err)
	anew := s.call.learned
	if anew {
		s.call.learned = false
		_ = s.try.Done(errLearned) // the attempt counts for the operation that follows
		s.stop()
		s.pull()
		s.try, _ = s.next()
	}
	final := s.try.Done(err)
	var ok bool
	if s.try, ok = s.next(); ok {
		return nil
	}
	s.finish()
	if anew {
		final = withFirst(final, err)
	}
	return finalError(final)
}

// settle ends the attempts: nil for a success.
func (s *clientStream) settle(err error) {
	if s.try != nil {
		_ = s.try.Done(err) // the caller has its own error
		s.finish()
	}
}

// finish forgets what only attempts need.
func (s *clientStream) finish() {
	s.try, s.sent = nil, nil
	s.stop()
	if s.forget != nil {
		s.forget()
	}
}

// commit settles the attempt as a success; the stream goes on. It is false when the
// attempt ended before that.
func (s *clientStream) commit() bool {
	if s.try == nil {
		return true
	}
	if !s.release() {
		return false
	}
	s.settle(nil)
	return true
}

// now is the stream of the present attempt.
func (s *clientStream) now() grpc.ClientStream {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current
}

// SendMsg implements [grpc.ClientStream]. While the stream may still be opened anew,
// a broken one is no error: receiving decides.
func (s *clientStream) SendMsg(m any) error {
	s.sending.Lock()
	defer s.sending.Unlock()
	s.mu.Lock()
	current, kept := s.current, s.try != nil && s.keep(m)
	s.mu.Unlock()
	if err := current.SendMsg(m); err != nil && (!kept || !errors.Is(err, io.EOF)) {
		return err
	}
	return nil
}

// keep keeps a message to be sent again. When there is no room for it, the stream is
// not repeated any more: what comes then is the outcome.
func (s *clientStream) keep(m any) bool {
	size := 0
	if message, ok := m.(proto.Message); ok {
		size = proto.Size(message)
	}
	if s.bytes == overflow || len(s.sent) >= s.call.replayMessages || s.bytes+size > s.call.replayBytes {
		s.sent, s.bytes = nil, overflow
		return false
	}
	s.sent, s.bytes = append(s.sent, m), s.bytes+size
	return true
}

// CloseSend implements [grpc.ClientStream].
func (s *clientStream) CloseSend() error {
	s.sending.Lock()
	defer s.sending.Unlock()
	s.mu.Lock()
	current := s.current
	s.closed = true
	s.mu.Unlock()
	return current.CloseSend()
}

// RecvMsg implements [grpc.ClientStream].
func (s *clientStream) RecvMsg(m any) error {
	for {
		current := s.now()
		err := current.RecvMsg(m)
		if done, final := s.received(current, err); done {
			return final
		}
		if final := s.reopen(current, err); final != nil {
			return final
		}
	}
}

// received takes the outcome of a RecvMsg of the given stream. It is false when the
// stream has failed and may be opened anew.
func (s *clientStream) received(from grpc.ClientStream, err error) (done bool, final error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.current != from:
		return false, nil
	case s.try == nil:
		if err != nil {
			s.end(context.Canceled)
		}
		return true, err
	case err == nil:
		return s.commit(), nil
	case errors.Is(err, io.EOF): // no message is a success, too
		s.settle(nil)
		s.end(context.Canceled)
		return true, err
	}
	return false, nil
}

// reopen opens another stream after the given one has failed, unless that has been
// done already.
func (s *clientStream) reopen(from grpc.ClientStream, err error) error {
	s.sending.Lock()
	defer s.sending.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.current != from:
		return nil
	case s.try == nil: // the caller's context has ended meanwhile
		s.end(context.Canceled)
		return err
	case err == nil: // the message came when the attempt's time was over
		err = context.Cause(s.try.Context())
	default:
		s.seen.header, _ = from.Header() // which is there, or never comes
		s.seen.trailer = from.Trailer()
		err = s.call.failure(s.try.Context(), err, s.seen)
	}
	if s.bytes == overflow {
		err = neverAgain(err)
	}
	if final := s.again(err); final != nil {
		return final
	}
	return s.begin()
}

// neverAgain forbids a repeat.
func neverAgain(err error) error {
	v := retry.Classify(err)
	v.Hint.GiveUp = true
	return &failedAttempt{error: err, verdict: v}
}

// Header implements [grpc.ClientStream]. A header that was received is something
// that the caller has seen: after it the stream is not opened anew.
func (s *clientStream) Header() (metadata.MD, error) {
	for {
		current := s.now()
		header, err := current.Header()
		s.mu.Lock()
		if s.current != current {
			s.mu.Unlock()
			continue
		}
		if header != nil && err == nil {
			s.commit() // if it is late, receiving says so
		}
		s.mu.Unlock()
		return header, err
	}
}

// Trailer implements [grpc.ClientStream].
func (s *clientStream) Trailer() metadata.MD { return s.now().Trailer() }

// Context implements [grpc.ClientStream].
func (s *clientStream) Context() context.Context { return s.now().Context() }
