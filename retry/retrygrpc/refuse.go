package retrygrpc

import (
	"strconv"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/outlast-dev/outlast/retry"
)

// leastWait is what a refused client waits when nobody knows how long.
const leastWait = time.Second

// refusal is the answer to a repeat that is not let through.
type refusal struct {
	reason string
	wait   time.Duration
	never  bool
	text   string
}

// refuse decides about a repeat. A token of the budget is taken last, so that none
// is lost to another refusal.
func (s *server) refuse(info retry.Info, now time.Time) (refusal, bool) {
	if !info.Deadline.IsZero() && info.Deadline.Sub(now) <= s.least {
		return refusal{reason: RefusedTime, never: true, text: "the deadline leaves no time for this repeat"}, true
	}
	if s.breaker != nil {
		if ready, at := s.breaker.Ready(now); !ready {
			return refusal{
				reason: RefusedBreaker, wait: at.Sub(now),
				text: "something that this server needs does not work, so repeats are refused",
			}.within(info, now), true
		}
	}
	if s.budget != nil {
		if ok, wait := s.budget.Withdraw(now, 1); !ok {
			return refusal{
				reason: RefusedBudget, wait: wait, text: "too many calls are repeats, so this one is refused",
			}.within(info, now), true
		}
	}
	return refusal{}, false
}

// within turns a wait that the client has no time for into a never.
func (r refusal) within(info retry.Info, now time.Time) refusal {
	r.wait = max(r.wait, leastWait)
	r.never = !info.Deadline.IsZero() && now.Add(r.wait).After(info.Deadline)
	return r
}

// trailer is the pushback, in whole milliseconds, rounded up.
func (r refusal) trailer() metadata.MD {
	wait := int64(-1)
	if !r.never {
		wait = int64((r.wait + time.Millisecond - 1) / time.Millisecond)
	}
	return metadata.Pairs(keyPushback, strconv.FormatInt(wait, 10))
}

// err is the status, for clients that know RetryInfo and no pushback.
func (r refusal) err() error {
	refused := status.New(codes.ResourceExhausted, r.text)
	if !r.never {
		if detailed, err := refused.WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(r.wait)}); err == nil {
			refused = detailed
		}
	}
	return refused.Err()
}
