package retrygrpc

import (
	"errors"
	"math"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"

	"github.com/outlast-dev/outlast/retry"
)

// retryPolicy is what a service configuration says of the retries of a method. The
// zero one says nothing.
type retryPolicy struct {
	attempts       int
	initial, most  time.Duration
	multiplier     float64
	retryableCodes uint32 // a bit for each
}

// configured is the retryPolicy of a method in the service configuration of the
// connection, which is there as soon as its resolver has answered: after the first
// attempt of the first call at the latest.
func (c *client) configured(conn *grpc.ClientConn, method string) retryPolicy {
	if !c.alone || c.ownPolicy || conn == nil {
		return retryPolicy{}
	}
	given := conn.GetMethodConfig(method).RetryPolicy // experimental, and the only way to see it
	if given == nil {
		return retryPolicy{}
	}
	r := retryPolicy{attempts: given.MaxAttempts, initial: given.InitialBackoff, most: given.MaxBackoff, multiplier: given.BackoffMultiplier}
	for code, listed := range given.RetryableStatusCodes {
		if listed && code < 32 {
			r.retryableCodes |= 1 << code
		}
	}
	return r
}

func (r retryPolicy) lists(code codes.Code) bool { return code < 32 && r.retryableCodes>>code&1 == 1 }

// wait is the nominal wait of gRPC before a retry.
func (r retryPolicy) wait(n int, _ retry.Attempt) time.Duration {
	nominal := float64(r.initial) * math.Pow(r.multiplier, float64(n-1))
	if nominal >= float64(r.most) { // which may be more than a duration can be
		return r.most
	}
	return time.Duration(nominal)
}

// spread is how far gRPC spreads a wait to both sides.
const spread = 0.2

// under is the policy of the connection with what the configuration says.
func (c *client) under(r retryPolicy) *retry.Policy {
	if r == (retryPolicy{}) {
		return c.policy
	}
	if known, ok := c.variants.Load(r); ok {
		return known.(*retry.Policy)
	}
	var names []string
	for code := range codes.Code(32) {
		if code != codes.OK && r.lists(code) { // no failure has it
			names = append(names, retry.ClassifyGRPC(uint32(code), retry.Hint{}, false).Code)
		}
	}
	opts := []retry.Option{retry.From(c.policy), retry.Attempts(max(r.attempts, 1)), retry.Custom(r.wait), retry.Proportional(spread), retry.On(names...)}
	if limit := c.policy.Cap(); limit > 0 {
		opts = append(opts, retry.Max(max(limit, r.most))) // of hints
	}
	made, err := retry.New(opts...)
	if err != nil {
		made = c.policy // gRPC has checked what is checked here
	}
	known, _ := c.variants.LoadOrStore(r, made)
	return known.(*retry.Policy)
}

// learn takes over, after the first attempt, what the service configuration says if
// that is something else than before the attempt.
func (c *call) learn() {
	if c.number != 1 {
		return
	}
	if now := c.configured(c.conn, c.method); now != c.config {
		c.config, c.policy, c.learned = now, c.under(now), true
	}
}

// judge changes a verdict by the codes that the configuration lists.
func (r retryPolicy) judge(code codes.Code, v *retry.Verdict) {
	switch {
	case r == (retryPolicy{}) || v.Effect == retry.NotSent && v.Category == retry.Unsent:
	case !r.lists(code):
		v.Hint.GiveUp = true
	case v.Category == retry.Bug:
		v.Category = retry.Unavailable
	}
}

// errLearned ends an operation that begins anew under what was learned.
var errLearned = errors.New("retrygrpc: the service configuration has come")

// onlyOnce is the classifier that keeps a policy, whatever it says, from repeating
// errLearned, which says nothing about the target.
var onlyOnce = retry.Classifier(func(err error) (retry.Verdict, bool) {
	return retry.Verdict{Category: retry.Canceled, Effect: retry.Maybe, Hint: retry.Hint{GiveUp: true}}, err == errLearned //nolint:errorlint // the very value
})

// withFirst is the end of an operation that began anew. When it has made no attempt,
// because a guard has refused or the context has ended, it tells of the one before it.
func withFirst(err, first error) error {
	ended, ok := errors.AsType[*retry.Error](err)
	if !ok || ended.Attempts > 0 {
		return err
	}
	told := *ended // observers may hold the other
	told.Attempts, told.Last = 1, first
	return &told
}
