package retry

import (
	"cmp"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast/retry/internal/window"
)

// The values of a [BudgetConfig] that does not say otherwise, and constants of
// budgets.
const (
	// DefaultRatio, DefaultFloor and DefaultBurst fill the zero fields. A tenth is
	// the ratio of the SRE book, chapter "Handling Overload".
	DefaultRatio = 0.1
	DefaultFloor = 1.0
	DefaultBurst = 10.0
	// DefaultPressure is the share of successes below which a budget binds: one
	// failure in five is borne without it, one in four is too many to repeat.
	// TaskPressure is that of durable tasks, whose retries can wait.
	DefaultPressure = 0.77
	TaskPressure    = 0.9
	// BudgetWindow is the time in which attempts tell how a target fares.
	BudgetWindow = 10 * time.Second
	// LeastProbes is the rate per second below which the floor never sinks: without
	// it, a target with only retries left would never be found healthy again.
	LeastProbes = 0.2

	// advance is the time in which the floor pays the token of a new budget at the
	// least; it pays nothing more until then.
	advance = 5 * time.Second
	// fewest is how many attempts the share of successes looks at, however old.
	fewest = 5
	// trust is how many successes a target is credited with before pressure is
	// judged: one failure tells nothing of one that is not known yet.
	trust = 5
	// outbreak is by how many the last failures outnumber successes when a budget
	// binds at once: the window still remembers better times.
	outbreak = 10
	// rampFor is how long a budget that has been binding releases retries by the
	// ramp: it begins at one a second, doubles every second, and ends at 65 536 a
	// second, which is more than anybody asks for.
	rampFor = 16 * time.Second
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
	// Pressure is the share of successes below which the budget binds, up to 1.
	// While more succeed, retries are free. Default [DefaultPressure], or
	// [TaskPressure] with Stored; a negative one binds always.
	Pressure float64
	// Stored is for engines, whose retries wait in a store while the budget binds:
	// when it stops, they are let out by a ramp, one a second, twice as many each
	// second after.
	Stored bool
}

// withDefaults fills the zero fields.
func (c BudgetConfig) withDefaults() BudgetConfig {
	pressure := DefaultPressure
	if c.Stored {
		pressure = TaskPressure
	}
	c.Ratio = cmp.Or(c.Ratio, DefaultRatio)
	c.Floor = cmp.Or(c.Floor, DefaultFloor)
	c.Burst = cmp.Or(c.Burst, DefaultBurst)
	c.Pressure = cmp.Or(c.Pressure, pressure)
	return c
}

// check refuses what no budget may contain, after the defaults.
func (c BudgetConfig) check(f *findings) {
	within(f, "budget.ratio", c.Ratio, 0, 1, false)
	within(f, "budget.floor", c.Floor, 0, 1e6, false)
	within(f, "budget.burst", c.Burst, 1, 1e6, true)
	within(f, "budget.pressure", max(c.Pressure, 0), 0, 1, true)
}

// Budget bounds the retries of one target while the target is under pressure, that
// is, fewer than Pressure of its attempts succeed. In any ten seconds in which it
// binds, the tokens spent (withdrawn and not returned) are at most
//
//	Ratio · first attempts + max(Floor, LeastProbes) · 10 + Burst
//
// Each first attempt deposits Ratio · s tokens and each second Floor · s, where s
// is [Budget.Share]: a target that answers nothing gets one retry in five
// seconds, whatever the load. First attempts count when they end. The tokens are
// taken before the wait for a retry and can be returned.
//
// Pressure is judged by the attempts of Share and five successes besides, so that
// the first failure of all is none, and it is pressure when the last failures
// outnumber the successes by ten, whatever was before. A client that starts in an
// outage so has two retries in its first ten seconds, and one in five seconds
// then.
//
// It is safe for concurrent use; recording an attempt takes one atomic addition,
// and another one after failures. It reads no clock.
type Budget struct {
	config BudgetConfig
	behind atomic.Int64  // by how much failures outnumber successes, 0 to 2 · outbreak
	window window.Window // of attempts, by the kinds below

	mu      sync.Mutex
	tokens  float64
	nodes   float64       // that share the floor
	accrued time.Duration // until when the floor has paid
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

// phase says how a budget decides.
type phase uint8

const (
	free    phase = iota // grants everything
	binding              // by tokens
	ramping              // by the ramp, after it was binding; only with Stored
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
	b.window.Init(BudgetWindow)
	return b, nil
}

// Record counts an attempt that has ended. First tells that it was no retry.
// Attempts that say nothing about the target (canceled by the caller) are not
// recorded.
func (b *Budget) Record(now time.Time, first, success bool) {
	at := window.Since(now)
	if b.window.Over(at) {
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
	b.window.Add(kind)
	switch behind := b.behind.Load(); {
	case success && behind > 0:
		b.behind.Add(-1)
	case !success && behind < 2*outbreak:
		b.behind.Add(1)
	}
}

// Withdraw takes cost tokens for a retry, before its wait: as many as there are
// while the budget does not bind, see [Budget.Price]. Refused, it says how long it
// takes at the present rates until there are enough. A cost above Burst is taken
// as Burst, 0 and less are free.
func (b *Budget) Withdraw(now time.Time, cost float64) (ok bool, wait time.Duration) {
	if !(cost > 0) {
		return true, 0
	}
	cost = min(cost, b.config.Burst)
	at := window.Since(now)
	b.mu.Lock()
	defer b.mu.Unlock()
	seen := b.accrue(at)
	b.follow(at, seen)
	have := &b.tokens
	if b.phase == ramping {
		have = &b.credit
	}
	if *have+dust >= cost || b.phase == free {
		*have = max(0, *have-cost)
		return true, 0
	}
	b.denied++
	rate := b.rate(seen.share())
	if b.phase == ramping {
		rate = b.rampRate(at)
	}
	advanced := max(0, b.accrued-at).Seconds()
	return false, max(seconds(advanced+(cost-*have)/rate), time.Millisecond)
}

// withdrawAlways takes a token for an attempt for which nothing has failed: that
// there is no pressure does not make it free.
func (b *Budget) withdrawAlways(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.accrue(window.Since(now))
	if b.tokens+dust < 1 {
		b.denied++
		return false
	}
	b.tokens = max(0, b.tokens-1)
	return true
}

// Price is what a retry of that cost takes now, and is to be asked before
// [Budget.Withdraw]: nothing while the budget does not bind. While it does, not even
// the first retry after an attempt that was not sent is free, whose cost is 0: when
// connections are refused, every call has one, and they would double the load.
func (b *Budget) Price(now time.Time, cost float64) float64 {
	at := window.Since(now)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.follow(at, b.accrue(at))
	switch {
	case b.phase == free:
		return 0
	case cost > 0:
		return cost
	}
	return 1
}

// Return gives tokens back: the retry was not made.
func (b *Budget) Return(now time.Time, cost float64) {
	if !(cost > 0) {
		return
	}
	at := window.Since(now)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.accrue(at)
	b.tokens = min(b.config.Burst, b.tokens+cost)
}

// accrue adds the tokens earned since the last time and returns the attempts of
// [Budget.Share].
func (b *Budget) accrue(at time.Duration) (seen tally) {
	if b.window.Untouched() { // nothing has happened to it yet
		if b.accrued = at; !b.config.Stored {
			b.accrued += advance
		}
	}
	b.window.Turn(at)
	totals := b.window.Totals()
	seen = b.seen(totals)
	share := seen.share()
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
	return seen
}

// follow lets the phase follow the attempts.
func (b *Budget) follow(at time.Duration, seen tally) {
	switch {
	case b.pressed(seen):
		b.phase = binding
	case !b.config.Stored:
		b.phase = free
	case b.phase == binding:
		b.phase, b.ramp, b.credit = ramping, at, 1
	case b.phase == ramping && at-b.ramp >= rampFor:
		b.phase = free
	}
}

// pressed reports whether so few attempts succeed that the budget binds.
func (b *Budget) pressed(seen tally) bool {
	switch {
	case b.config.Pressure < 0:
		return true
	case b.config.Stored:
		return seen.share() < b.config.Pressure
	}
	seen.worked, seen.all = seen.worked+trust, seen.all+trust
	return b.behind.Load() >= outbreak || seen.share() < b.config.Pressure
}

// floor is the rate per second of tokens that need no first attempts.
func (b *Budget) floor(share float64) float64 {
	return max(b.config.Floor*share, LeastProbes) / b.nodes
}

// rate is how many tokens are earned per second at present.
func (b *Budget) rate(share float64) float64 {
	counts := b.window.Counts()
	firsts := counts[firstWorked] + counts[firstFailed]
	return b.floor(share) + b.config.Ratio*share*float64(firsts)/BudgetWindow.Seconds()
}

// rampRate is the rate per second of retries that the ramp lets out.
func (b *Budget) rampRate(at time.Duration) float64 {
	return math.Exp2(min(max(at-b.ramp, 0), rampFor).Seconds())
}

// tally is how many attempts there were, and how many of them worked.
type tally struct{ worked, all float64 }

// share is 1 when there were none.
func (t tally) share() float64 {
	if t.all == 0 {
		return 1
	}
	return t.worked / t.all
}

// seen are the attempts of [Budget.Share] when so many were counted in all.
func (b *Budget) seen(totals [window.Kinds]int64) tally {
	seen := outcomes(b.window.Of(totals))
	if seen.all < fewest && b.window.LooksBack() {
		b.window.Before(func(counts [window.Kinds]int64) bool {
			// As many of the slot's attempts as are missing, as they were on average.
			slot := outcomes(counts)
			take := min(slot.all, fewest-seen.all)
			seen = tally{seen.worked + slot.worked*take/slot.all, seen.all + take}
			return seen.all < fewest
		})
	}
	return seen
}

// outcomes sums the kinds of attempts up.
func outcomes(counts [window.Kinds]int64) tally {
	worked := counts[firstWorked] + counts[retryWorked]
	return tally{float64(worked), float64(worked + counts[firstFailed] + counts[retryFailed])}
}

// Share is the share of attempts that succeeded in the last ten seconds, and
// never fewer than the last five; 1 when there were none.
func (b *Budget) Share(now time.Time) float64 {
	at := window.Since(now)
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.accrue(at).share()
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
	at := window.Since(now)
	b.mu.Lock()
	defer b.mu.Unlock()
	seen := b.accrue(at)
	b.follow(at, seen)
	counts := b.window.Counts()
	return BudgetState{
		Tokens:  b.tokens,
		Share:   seen.share(),
		First:   counts[firstWorked] + counts[firstFailed],
		Retries: counts[retryWorked] + counts[retryFailed],
		Denied:  b.denied,
		Binding: b.phase != free,
	}
}
