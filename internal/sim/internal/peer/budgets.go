// Package peer has models of the budgets, breakers and limits of other libraries. Each is
// the published mechanism with the published parameters; they are not those libraries.
package peer

import (
	"time"

	"github.com/outlast-dev/outlast/internal/sim/internal/world"
)

// WithBudget makes a kit use another budget.
func WithBudget(make func() world.Budget) func(*world.Kit) {
	return func(k *world.Kit) { k.Budget = func(*world.World) world.Budget { return make() } }
}

// deposits is a token bucket that every first attempt, or every success, pays into.
//
// Per first attempt: the retry ratio of the SRE book, chapter 21, and of the
// simulator published with Brooker, "Fixing retries with token buckets and circuit
// breakers" (2022). Per success: the text of that article.
type deposits struct {
	perFirst, perSuccess float64
	tokens, most         float64
}

// RequestDeposit and SuccessDeposit are its two forms.
func RequestDeposit() world.Budget { return &deposits{perFirst: 0.1, tokens: 5, most: 5} }
func SuccessDeposit() world.Budget { return &deposits{perSuccess: 0.1, tokens: 5, most: 5} }

func (b *deposits) Record(_ time.Time, first, success bool) {
	if first {
		b.tokens += b.perFirst
	}
	if success {
		b.tokens += b.perSuccess
	}
	b.tokens = min(b.tokens, b.most)
}

func (b *deposits) Withdraw(_ time.Time, cost float64) (bool, time.Duration) {
	if b.tokens < cost {
		return false, 0
	}
	b.tokens -= cost
	return true, 0
}

func (b *deposits) Return(_ time.Time, cost float64) { b.tokens = min(b.tokens+cost, b.most) }

// quota is the retry quota of the AWS SDKs since 2026: 500 tokens, 14 for a retry
// after a transient failure, 5 after a throttled one, given back when the retry
// succeeds; one for a success at the first attempt.
type quota struct{ tokens float64 }

const (
	quotaSize      = 500
	quotaTransient = 14
	quotaThrottled = 5
)

// AWSQuota is full at the beginning.
func AWSQuota() world.Budget { return &quota{tokens: quotaSize} }

func (b *quota) Record(_ time.Time, first, success bool) {
	switch {
	case success && first:
		b.tokens = min(b.tokens+1, quotaSize)
	case success:
		b.tokens = min(b.tokens+quotaTransient, quotaSize)
	}
}

func (b *quota) Withdraw(_ time.Time, cost float64) (bool, time.Duration) {
	price := float64(quotaTransient)
	if cost < 1 {
		price = quotaThrottled
	}
	if b.tokens < price {
		return false, 0
	}
	b.tokens -= price
	return true, 0
}

func (b *quota) Return(time.Time, float64) {}

// windowed is the budget of Finagle, Linkerd and tower: a share of the requests of
// the last ten seconds, and ten retries a second in any case, per client.
type windowed struct {
	slots    [10]float64 // balance of each second: deposits less withdrawals
	second   int64
	reserve  float64
	perRetry float64 // deposits that one retry takes
}

// FinagleBudget has the defaults.
func FinagleBudget() world.Budget {
	const share, perSecond, ttl = 0.2, 10, 10
	return &windowed{perRetry: 1 / share, reserve: perSecond * ttl / share}
}

// turn forgets the slots that are too old.
func (b *windowed) turn(now time.Time) *float64 {
	second := now.Unix()
	for range min(second-b.second, int64(len(b.slots))) {
		b.second++
		b.slots[b.second%int64(len(b.slots))] = 0
	}
	b.second = second
	slot := &b.slots[second%int64(len(b.slots))]
	return slot
}

func (b *windowed) Record(now time.Time, first, _ bool) {
	if first {
		*b.turn(now)++
	}
}

func (b *windowed) Withdraw(now time.Time, _ float64) (bool, time.Duration) {
	slot := b.turn(now)
	balance := b.reserve
	for _, s := range b.slots {
		balance += s
	}
	if balance < b.perRetry {
		return false, 0
	}
	*slot -= b.perRetry
	return true, 0
}

func (b *windowed) Return(now time.Time, _ float64) { *b.turn(now) += b.perRetry }

// retryThrottle is gRPC's retryThrottling with the example values of proposal A6:
// ten tokens, a failure takes one, a success gives 0.1, and retries are allowed
// while more than half are left.
type retryThrottle struct{ tokens float64 }

// GRPCThrottle has the example values.
func GRPCThrottle() world.Budget { return &retryThrottle{10} }

func (b *retryThrottle) Record(_ time.Time, _, success bool) {
	if success {
		b.tokens = min(b.tokens+0.1, 10)
	} else {
		b.tokens = max(b.tokens-1, 0)
	}
}

func (b *retryThrottle) Withdraw(time.Time, float64) (bool, time.Duration) { return b.tokens > 5, 0 }
func (b *retryThrottle) Return(time.Time, float64)                         {}

// concurrency is a budget that bounds retries under way by a share of the calls
// under way, those asleep between attempts included, and that is asked after the
// sleep: failsafe-go's Budget with its defaults, a fifth and at least three.
type concurrency struct{ calls, retries int }

// FailsafeBudget has the defaults.
func FailsafeBudget() world.Budget { return &concurrency{} }

func (b *concurrency) Begins()    { b.calls++ }
func (b *concurrency) Ends()      { b.calls-- }
func (b *concurrency) RetryEnds() { b.retries-- }

func (b *concurrency) RetryBegins() bool {
	if b.retries >= 3 && float64(b.retries) >= 0.2*float64(b.calls) {
		return false
	}
	b.retries++
	return true
}

func (b *concurrency) Record(time.Time, bool, bool)                      {}
func (b *concurrency) Withdraw(time.Time, float64) (bool, time.Duration) { return true, 0 }
func (b *concurrency) Return(time.Time, float64)                         {}
