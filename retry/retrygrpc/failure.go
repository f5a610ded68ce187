package retrygrpc

import (
	"context"
	"errors"
	"net"
	"strconv"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/retry/internal/classify"
)

// Who has this package has linked the network.
func init() { classify.LinkNetwork(net.ErrClosed) }

// keyPushback is the trailer by which a server says when to come back (gRPC
// proposal A6).
const keyPushback = "grpc-retry-pushback-ms"

// Classify classifies errors that carry a gRPC status, by type and so faster than
// [retry.Classify], which does it by reflection. It is a [retry.Classifier] for
// policies of operations that make calls by connections of their own. What an
// operation did before such a call it cannot know, so that it never says that nothing
// was sent.
func Classify(err error) (retry.Verdict, bool) {
	held, ok := errors.AsType[interface {
		error
		GRPCStatus() *status.Status
	}](err)
	if !ok {
		return retry.Verdict{}, false
	}
	if _, itself := held.(retry.Verdictor); itself {
		return retry.Verdict{}, false // which retry.Classify asks
	}
	given := held.GRPCStatus()
	if given.Code() == codes.OK {
		return retry.Verdict{}, false
	}
	after, hinted := retryInfo(given)
	v := retry.ClassifyGRPC(uint32(given.Code()), retry.Hint{After: after}, hinted)
	if v.Effect == retry.NotSent {
		v.Effect = retry.Maybe
	}
	return v, true
}

// retryInfo is the least wait in the details of a status.
func retryInfo(given *status.Status) (time.Duration, bool) {
	for _, detail := range given.Details() {
		if info, ok := detail.(*errdetails.RetryInfo); ok {
			return max(0, info.GetRetryDelay().AsDuration()), true
		}
	}
	return 0, false
}

// pushback reads the trailer: the least wait, or that there is to be no repeat.
func pushback(trailer metadata.MD) (hint retry.Hint, hinted bool) {
	values := trailer.Get(keyPushback)
	if len(values) == 0 {
		return retry.Hint{}, false
	}
	wait, err := strconv.ParseInt(values[0], 10, 32)
	if len(values) > 1 || err != nil || wait < 0 {
		return retry.Hint{GiveUp: true}, true
	}
	return retry.Hint{After: time.Duration(wait) * time.Millisecond}, true
}

// failedAttempt is the error of an attempt, with what is known besides its status.
type failedAttempt struct {
	error
	verdict retry.Verdict
	ended   error // how the attempt's context ended, if that is all that the status says
}

func (f *failedAttempt) Unwrap() error               { return f.error }
func (f *failedAttempt) Is(target error) bool        { return f.ended != nil && target == f.ended }
func (f *failedAttempt) RetryVerdict() retry.Verdict { return f.verdict }

// failure is the error of an attempt under ctx as [retry.Do] gets it.
func (c *call) failure(ctx context.Context, err error, seen *observed) error {
	given, ok := status.FromError(err)
	if err == nil || !ok {
		return err
	}
	hint, hinted := pushback(seen.trailer)
	if !hinted {
		hint.After, hinted = retryInfo(given)
	}
	v := retry.ClassifyGRPC(uint32(given.Code()), hint, hinted)
	v.Type = "*status.Error"
	switch {
	case c.alone && given.Code() == codes.Unavailable && isUnsent(given, seen):
		v.Category, v.Effect = retry.Unsent, retry.NotSent
	case given.Code() == codes.Aborted:
		v.Category = retry.Permanent // by itself; see Error.RetryVerdict
	}
	c.learn()
	c.config.judge(given.Code(), &v)
	failed := &failedAttempt{error: err, verdict: v}
	if code := given.Code(); code == codes.Canceled || code == codes.DeadlineExceeded {
		failed.ended = ctx.Err()
	}
	return failed
}

// isUnsent reports that no server has seen the attempt. A peer is known as soon as
// there is a stream for it; the texts are those of gRPC for streams that a server
// refused or left out when it went away. A status that a server has sent came with a
// header or a trailer, and may have such a text from a call of its own.
func isUnsent(given *status.Status, seen *observed) bool {
	if seen.peer.Addr == nil {
		return true
	}
	if len(seen.header) > 0 || len(seen.trailer) > 0 {
		return false
	}
	text := given.Message()
	return text == "stream terminated by RST_STREAM with error code: REFUSED_STREAM" ||
		text == "the connection is draining" ||
		text == "the stream is rejected because server is draining the connection"
}

// Error is the end of a call that did not succeed. It has the status of the last
// attempt; when there was none, UNAVAILABLE for an open breaker, RESOURCE_EXHAUSTED
// for throttles, limits and rates on this side, and CANCELLED or DEADLINE_EXCEEDED for a
// context that had ended.
type Error struct {
	// Err says why there are no more attempts, and holds the error of the last one.
	Err *retry.Error
}

// finalError is what a caller gets.
func finalError(err error) error {
	ended, ok := errors.AsType[*retry.Error](err)
	if !ok {
		return err
	}
	return &Error{ended}
}

// Error implements error.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// GRPCStatus makes status.FromError and status.Code work.
func (e *Error) GRPCStatus() *status.Status {
	if last := e.Err.Last; last != nil {
		if given, ok := status.FromError(unwrapped(last)); ok {
			return given
		}
	}
	if ended := status.FromContextError(e.Err); ended.Code() != codes.Unknown {
		return ended
	}
	switch {
	case errors.Is(e.Err, retry.ErrBreakerOpen):
		return status.New(codes.Unavailable, e.Error())
	case errors.Is(e.Err, retry.ErrThrottled), errors.Is(e.Err, retry.ErrLimited), errors.Is(e.Err, retry.ErrRate):
		return status.New(codes.ResourceExhausted, e.Error())
	}
	return status.New(codes.Unknown, e.Error())
}

// unwrapped is the error that gRPC returned.
func unwrapped(err error) error {
	if failed, ok := errors.AsType[*failedAttempt](err); ok {
		return failed.error
	}
	return err
}

// RetryVerdict implements [retry.Verdictor] for an outer operation: that of the
// last attempt, except that ABORTED is a [retry.Conflict] for whoever repeats the
// whole.
func (e *Error) RetryVerdict() retry.Verdict {
	v := e.Err.RetryVerdict()
	if given, ok := status.FromError(unwrapped(e.Err)); ok && given.Code() == codes.Aborted {
		v.Category = retry.Conflict
	}
	return v
}
