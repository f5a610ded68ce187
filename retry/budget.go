package retry

import (
	"math"
	"sync"
	"time"
)

// The values of a [BudgetConfig] that does not say otherwise, and constants of
// budgets.
const (
	// DefaultRatio, DefaultFloor and DefaultBurst fill the zero fields. A tenth is
	// the ratio of the SRE book, chapter "Handling Overload".
	DefaultRatio = 0.1
	DefaultFloor = 1.0
	DefaultBurst = 10.0
	// BudgetWindow is the time in which attempts tell how a target fares.
	BudgetWindow = 10 * time.Second
	// LeastProbes is the rate per second below which the floor never sinks: without
	// it, a target with only retries left would never be found healthy again.
	LeastProbes = 0.2

	// freeShare is the share of successes from which a free retry is free.
	freeShare = 0.9

	// fewest is how many attempts the share of successes looks at, however old.
	fewest = 5
	// rampFor is how long a budget that has been binding releases retries by the
	// ramp: it begins at one a second, doubles every second, and ends at 65 536 a
	// second, which is more than anybody asks for.
	rampFor = 16 * time.Second
	// dust covers rounding: five accruals of 0.2 are one token.
	dust = 1e-9
)

// BudgetConfig says how many retries a target bears. Zero fields take the
// defaults.
type BudgetConfig struct {
	// Ratio is how many retries each first attempt pays for, above 0 to 1, scaled
	// by the share of attempts that succeeded lately. Default 0.1.
	Ratio float64
	// Floor is how many retries a second are allowed whatever the load, scaled
	// like Ratio, but never below one in five seconds. Above 0 to 1 000 000,
	// default 1.
	Floor float64
	// Burst is how many tokens can be held, 1 to 1 000 000. Default 10. A new budget
	// holds one.
	Burst float64
	// Pressure is the success share below which the budget binds, 0 to 1; above it
	// every retry is granted (and takes its tokens, as far as there are any). When a
	// budget stops binding, retries are let out by a ramp: one a second, twice as
	// many each second after. 0 means that it always binds.
	Pressure float64
}

// withDefaults fills the zero fields.
func (c BudgetConfig) withDefaults() BudgetConfig {
	c.Ratio = or(c.Ratio, DefaultRatio)
	c.Floor = or(c.Floor, DefaultFloor)
	c.Burst = or(c.Burst, DefaultBurst)
	return c
}

// check refuses what no budget may contain, after the defaults.
func (c BudgetConfig) check(f *findings) {
	within(f, "budget.ratio", c.Ratio, 0, 1, false)
	within(f, "budget.floor", c.Floor, 0, 1e6, false)
	within(f, "budget.burst", c.Burst, 1, 1e6, true)
	within(f, "budget.pressure", c.Pressure, 0, 1, true)
}

// Budget bounds the retries of one target: in any ten seconds in which it binds,
// the tokens spent (withdrawn and not returned) are at most
//
//	Ratio · first attempts + max(Floor, LeastProbes) · 10 + Burst
//
// Each first attempt deposits Ratio · s tokens and each second Floor · s, where s
// is [Budget.Share]: a target that answers nothing gets one retry in five
// seconds, whatever the load. First attempts count when they end. The tokens are
// taken before the wait for a retry and can be returned.
//
// It is safe for concurrent use; recording an attempt takes one atomic addition.
// It reads no clock.
type Budget struct {
	config BudgetConfig
	window window // of attempts, by the kinds below

	mu      sync.Mutex
	tokens  float64
	nodes   float64       // that share the floor
	accrued time.Duration // until when tokens have been added
	firsts  int64         // first attempts that have paid
	denied  int64
	phase   phase
	ramp    time.Duration // when the ramp began
	credit  float64       // of the ramp
}

// The kinds of attempts that are counted.
const (
	firstWorked = iota
	firstFailed
	retryWorked
	retryFailed
)

// phase says how a budget with Pressure decides.
type phase uint8

const (
	free    phase = iota // grants everything
	binding              // by tokens
	ramping              // by the ramp, after it was binding
)

// NewBudget makes a budget. Refused values are joined [FieldError] values on
// "budget.ratio" and so on.
func NewBudget(config BudgetConfig) (*Budget, error) {
	config = config.withDefaults()
	var f findings
	if config.check(&f); len(f.errs) > 0 {
		return nil, f.err()
	}
	b := &Budget{config: config, tokens: 1, nodes: 1}
	b.window.init(BudgetWindow)
	return b, nil
}

// Record counts an attempt that has ended. First tells that it was no retry.
// Attempts that say nothing about the target (canceled by the caller) are not
// recorded.
func (b *Budget) Record(now time.Time, first, success bool) {
	at := since(now)
	if b.window.over(at) {
		b.mu.Lock()
		b.accrue(at)
		b.mu.Unlock()
	}
	kind := firstWorked
	if !first {
		kind = retryWorked
	}
	if !success {
		kind++
	}
	b.window.add(kind)
}

// Withdraw takes cost tokens for a retry, before its wait. Refused, it says how
// long it takes at the present rates until there are enough. A cost above Burst
// is taken as Burst, 0 and less are free.
func (b *Budget) Withdraw(now time.Time, cost float64) (ok bool, wait time.Duration) {
	if !(cost > 0) {
		return true, 0
	}
	cost = min(cost, b.config.Burst)
	at := since(now)
	b.mu.Lock()
	defer b.mu.Unlock()
	share := b.accrue(at)
	b.follow(at, share)
	have := &b.tokens
	if b.phase == ramping {
		have = &b.credit
	}
	if *have+dust >= cost || b.phase == free {
		*have = max(0, *have-cost)
		return true, 0
	}
	b.denied++
	rate := b.rate(share)
	if b.phase == ramping {
		rate = b.rampRate(at)
	}
	return false, max(seconds((cost-*have)/rate), time.Millisecond)
}

// Price is what a retry of that cost takes now. One that is free, the first after
// an attempt that was not sent, is free only while nine in ten of the attempts of
// [Budget.Share] succeed, or more: when connections are refused, every call has
// one, and they would double the load.
func (b *Budget) Price(now time.Time, cost float64) float64 {
	if cost > 0 || b.Share(now) >= freeShare {
		return max(cost, 0)
	}
	return 1
}

// Return gives tokens back: the retry was not made.
func (b *Budget) Return(now time.Time, cost float64) {
	if !(cost > 0) {
		return
	}
	at := since(now)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.accrue(at)
	b.tokens = min(b.config.Burst, b.tokens+cost)
}

// accrue adds the tokens earned since the last time and returns the share of
// successes.
func (b *Budget) accrue(at time.Duration) (share float64) {
	if b.window.unused() {
		b.accrued = at
	}
	b.window.turn(at)
	totals := b.window.now()
	share = b.share(b.window.held(totals))
	firsts := totals[firstWorked] + totals[firstFailed]
	passed := max(0, at-b.accrued)
	b.tokens = min(b.config.Burst, b.tokens+
		float64(firsts-b.firsts)*b.config.Ratio*share+b.floor(share)*passed.Seconds())
	b.firsts = firsts
	if b.phase == ramping {
		rate := b.rampRate(at)
		b.credit = min(rate, b.credit+rate*passed.Seconds())
	}
	b.accrued += passed
	return share
}

// follow lets the phase follow the share of successes.
func (b *Budget) follow(at time.Duration, share float64) {
	switch {
	case b.config.Pressure == 0 || share < b.config.Pressure:
		b.phase = binding
	case b.phase == binding:
		b.phase, b.ramp, b.credit = ramping, at, 1
	case b.phase == ramping && at-b.ramp >= rampFor:
		b.phase = free
	}
}

// floor is the rate per second of tokens that need no first attempts.
func (b *Budget) floor(share float64) float64 {
	return max(b.config.Floor*share, LeastProbes) / b.nodes
}

// rate is how many tokens are earned per second at present.
func (b *Budget) rate(share float64) float64 {
	counts := b.window.counts()
	firsts := counts[firstWorked] + counts[firstFailed]
	return b.floor(share) + b.config.Ratio*share*float64(firsts)/BudgetWindow.Seconds()
}

// rampRate is the rate per second of retries that the ramp lets out.
func (b *Budget) rampRate(at time.Duration) float64 {
	return math.Exp2(min(max(at-b.ramp, 0), rampFor).Seconds())
}

// share is [Budget.Share] for what the window holds, under the lock.
func (b *Budget) share(counts [kinds]int64) float64 {
	worked, all := outcomes(counts)
	if all < fewest {
		b.window.before(func(counts [kinds]int64) bool {
			// As many of the slot's attempts as are missing, as they were on average.
			w, n := outcomes(counts)
			take := min(n, fewest-all)
			worked, all = worked+w*take/n, all+take
			return all < fewest
		})
	}
	if all == 0 {
		return 1
	}
	return worked / all
}

// outcomes returns how many attempts worked and how many there were.
func outcomes(counts [kinds]int64) (worked, all float64) {
	w := counts[firstWorked] + counts[retryWorked]
	return float64(w), float64(w + counts[firstFailed] + counts[retryFailed])
}

// Share is the share of attempts that succeeded in the last ten seconds, and
// never fewer than the last five; 1 when there were none.
func (b *Budget) Share(now time.Time) float64 {
	at := since(now)
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.accrue(at)
}

// Split divides Floor among n nodes that use the same target. Less than 1 is 1.
func (b *Budget) Split(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.nodes = float64(max(n, 1))
}

// BudgetState is a budget at one moment.
type BudgetState struct {
	Tokens  float64
	Share   float64 // of successes, see [Budget.Share]
	First   int64   // first attempts in the last ten seconds
	Retries int64   // retries in the last ten seconds
	Denied  int64   // refused withdrawals since the start
	Binding bool    // whether retries are granted by tokens or by the ramp
}

// State returns the budget as it stands.
func (b *Budget) State(now time.Time) BudgetState {
	at := since(now)
	b.mu.Lock()
	defer b.mu.Unlock()
	share := b.accrue(at)
	b.follow(at, share)
	counts := b.window.counts()
	return BudgetState{
		Tokens:  b.tokens,
		Share:   share,
		First:   counts[firstWorked] + counts[firstFailed],
		Retries: counts[retryWorked] + counts[retryFailed],
		Denied:  b.denied,
		Binding: b.phase != free,
	}
}
