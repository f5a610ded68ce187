package retry

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast/retry/internal/lengths"
	"github.com/outlast-dev/outlast/retry/internal/plainfmt"
)

// CallOption changes one call of [Do]. It costs no allocation.
type CallOption interface{ change(terms) terms }

// BothOption is an option of a policy and of a call.
type BothOption interface {
	Option
	CallOption
}

// terms is what options of a call say.
type terms struct {
	target      *Target
	safe        repeatability
	classify    Classifier
	independent bool
	exchange    bool
}

// repeatability says whether an attempt that may have had an effect may be
// repeated.
type repeatability uint8

const (
	undeclared repeatability = iota
	isIdempotent
	notIdempotent
)

// Idempotent declares that repeating the operation does no harm.
func Idempotent() BothOption { return isIdempotent }

// NotIdempotent declares that only attempts that were not sent may be repeated,
// whatever rules say. Neither a text nor the type of an error proves that of an
// operation that may have done more before: see [OneExchange].
func NotIdempotent() BothOption { return notIdempotent }

// DeclaredIdempotent reports what [Idempotent] or [NotIdempotent] declare for all
// calls of the policy, for adapters that know more of each call.
func (p *Policy) DeclaredIdempotent() (idempotent, declared bool) {
	return p.run.safe == isIdempotent, p.run.safe != undeclared
}

func (r repeatability) apply(p *Policy)      { p.run.safe = r }
func (r repeatability) change(c terms) terms { c.safe = r; return c }

// Independent lets the operation retry as its policy says even inside a repeated
// attempt of an outer operation. Use it where the outer one does not repeat what
// this one calls, and a budget bounds the product of both.
func Independent() BothOption { return independent{} }

type independent struct{}

func (independent) apply(p *Policy)      { p.run.independent = true }
func (independent) change(c terms) terms { c.independent = true; return c }

// OneExchange declares that the operation is a single exchange with one receiver, so
// that an error that says by its type that nothing was sent, such as a refused dial,
// speaks for all of it. Without it only a [Classifier] or a [Verdictor] can say that:
// an operation may have charged somebody before the dial that was refused. The
// adapters declare it for the calls that they make (packages retryhttp and
// retrygrpc).
func OneExchange() BothOption { return oneExchange{} }

type oneExchange struct{}

func (oneExchange) apply(p *Policy)      { p.run.exchange = true }
func (oneExchange) change(c terms) terms { c.exchange = true; return c }

// For protects the calls with everything that the target has, instead of the
// guards of the policy; nil with nothing.
func For(t *Target) BothOption {
	if t == nil {
		t = &Target{}
	}
	return forTarget{t}
}

type forTarget struct{ target *Target }

func (f forTarget) apply(p *Policy)      { p.run.target = *f.target }
func (f forTarget) change(c terms) terms { c.target = f.target; return c }

// WithBudget, WithBreaker, WithThrottle and WithLimit protect the calls of a
// policy with one guard each.
func WithBudget(b *Budget) Option { return runOption(func(r *running) { r.target.Budget = b }) }

// WithBreaker protects the calls of a policy with a breaker.
func WithBreaker(b *Breaker) Option { return runOption(func(r *running) { r.target.Breaker = b }) }

// WithThrottle protects the calls of a policy with a throttle.
func WithThrottle(t *Throttle) Option { return runOption(func(r *running) { r.target.Throttle = t }) }

// WithLimit protects the calls of a policy with a concurrency limit.
func WithLimit(l *Limit) Option { return runOption(func(r *running) { r.target.Limit = l }) }

// WithRate protects the calls of a policy with a rate.
func WithRate(r *Rate) Option { return runOption(func(run *running) { run.target.Rate = r }) }

// MaxWait lets an attempt wait for a guard that refuses it, for at most d in all: for
// a breaker to probe or to close, for a place under a limit, for its turn by a rate.
// 0, the default, waits for none; a throttle and a budget are never waited for.
//
// Those who wait for the same guard stand in a line. Only the first of them asks, so
// that a breaker that is half-open gets them one by one, and none is overtaken by
// another who can wait. The wait ends with the caller's context, and is not begun if
// it is known to be in vain: when an open breaker probes too late, or is forced open,
// or the turn by the rate comes too late for d, the caller's deadline or the [TTL].
// The attempt's own time ([PerAttempt]) begins after it. While an operation of [Go]
// waits for a guard, it holds a goroutine.
func MaxWait(d time.Duration) Option { return runOption(func(r *running) { r.patience = d }) }

// InTime counts a success that comes after the attempt's own time as a failure: as
// [ErrAttemptTimeout] after that of [PerAttempt], as [ErrDeadline] after that of [TTL].
// Without it a success is one however late.
func InTime() Option { return runOption(func(r *running) { r.inTime = true }) }

// WithRand sets the source of random numbers of [Do], for replays. It is called
// under a lock of the policy.
func WithRand(r Rand) Option {
	return runOption(func(run *running) {
		if run.random = nil; r != nil {
			run.random = &lockedRand{source: r}
		}
	})
}

// lockedRand makes a source of random numbers safe for concurrent use.
type lockedRand struct {
	mu     sync.Mutex
	source Rand
}

func (r *lockedRand) Float64() float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.source.Float64()
}

// Classifier says what an error means; false leaves it to the next one, and
// finally to [Classify]. As an option of a call it is asked before those of the
// policy.
type Classifier func(err error) (Verdict, bool)

func (c Classifier) apply(p *Policy)      { p.run.classifiers = append(p.run.classifiers, c) }
func (c Classifier) change(t terms) terms { t.classify = c; return t }

// Classifiers puts classifiers in front of [Classify], in that order. Those of an
// earlier use of the option come first.
func Classifiers(c ...Classifier) Option {
	return runOption(func(r *running) { r.classifiers = append(r.classifiers, c...) })
}

// Exhaustion says what [Do] does when a guard refuses.
type Exhaustion uint8

const (
	// FailFast returns at once. It is the default.
	FailFast Exhaustion = iota
	// Pace waits as long as the retry would have waited, and then returns: a loop
	// around Do calls the target no faster than its backoff.
	Pace
)

// OnExhausted chooses what Do does when budget, breaker, throttle or limit
// refuse.
func OnExhausted(e Exhaustion) Option { return runOption(func(r *running) { r.exhausted = e }) }

// Observe tells an observer about the calls of the policy. Several observers are
// told in the order in which they were given.
func Observe(o Observer) Option {
	return runOption(func(r *running) { r.observer = r.observer.and(o) })
}

// running is the part of a policy that only calls in this process use, not
// durable tasks.
type running struct {
	runSettings
	recent atomic.Pointer[lengths.Histogram]
}

// runSettings is the part of it that never changes.
type runSettings struct {
	target      Target
	safe        repeatability
	independent bool
	exchange    bool
	any         bool // see OnAny
	random      Rand // safe for concurrent use; nil is the global one
	classifiers []Classifier
	exhausted   Exhaustion
	observer    Observer
	hedge       HedgeConfig
	hedged      bool
	patience    time.Duration
	inTime      bool

	// What follows from the above.
	bounded bool // attempts have a time of their own
	timed   bool // attempts are always measured
	guarded bool // the target has guards
}

// check refuses what no call may have.
func (r *running) check(f *findings) {
	if r.exhausted > Pace {
		f.refuse("on_exhausted", "", "%d is neither FailFast nor Pace", r.exhausted)
	}
	for i, c := range r.classifiers {
		if c == nil {
			f.refuse(plainfmt.Sprintf("classifiers[%d]", i), "", "is nil")
		}
	}
	if r.hedged {
		r.hedge.check(f)
	}
	notNegative(f, "max_wait", r.patience)
}

// compile precomputes what every call asks.
func (r *running) compile(timeout, ttl time.Duration) {
	r.bounded = timeout > 0 || ttl > 0
	r.guarded = r.target.guards()
	r.timed = r.bounded || r.hedged || r.patience > 0 || r.observer.Attempt != nil || r.observer.End != nil || r.target.measures()
}

// lengths is what the policy remembers of recent attempts.
func (r *running) lengths() *lengths.Histogram {
	if known := r.recent.Load(); known != nil {
		return known
	}
	r.recent.CompareAndSwap(nil, new(lengths.Histogram))
	return r.recent.Load()
}

type runOption func(*running)

func (f runOption) apply(p *Policy) { f(&p.run) }

// CallsOnly names the options of the policy that are for calls in this process, and
// mean nothing to durable tasks: those have guards by the keys of their policy,
// observers of their engine, and are repeated although an attempt may have had an
// effect. [Idempotent] is not among them, since tasks are.
func (p *Policy) CallsOnly() []string {
	r := &p.run
	var names []string
	for _, option := range []struct {
		name string
		set  bool
	}{
		{"For", r.target.Name != ""},
		{"WithBudget", r.target.Budget != nil},
		{"WithBreaker", r.target.Breaker != nil},
		{"WithThrottle", r.target.Throttle != nil},
		{"WithLimit", r.target.Limit != nil},
		{"WithRate", r.target.Rate != nil},
		{"MaxWait", r.patience > 0},
		{"InTime", r.inTime},
		{"WithRand", r.random != nil},
		{"Hedge", r.hedged},
		{"OnExhausted", r.exhausted != FailFast},
		{"Observe", r.observer.Attempt != nil || r.observer.Wait != nil || r.observer.End != nil},
		{"NotIdempotent", r.safe == notIdempotent},
		{"Independent", r.independent},
		{"OneExchange", r.exchange},
	} {
		if option.set {
			names = append(names, option.name)
		}
	}
	return names
}

// Observer is told about attempts, waits and ends, about each exactly once. Nil
// functions are skipped. They are called outside locks, from the goroutine of the
// call (those of hedges from goroutines of their own, perhaps after the end), and
// must not block.
type Observer struct {
	Attempt func(AttemptEvent)
	Wait    func(WaitEvent)
	End     func(EndEvent)
}

// and is an observer that tells both, first first.
func (first Observer) and(then Observer) Observer {
	return Observer{
		Attempt: both(first.Attempt, then.Attempt),
		Wait:    both(first.Wait, then.Wait),
		End:     both(first.End, then.End),
	}
}

// both calls two functions, one after another; either may be nil.
func both[E any](first, then func(E)) func(E) {
	switch {
	case first == nil:
		return then
	case then == nil:
		return first
	}
	return func(e E) { first(e); then(e) }
}

// AttemptEvent is an attempt that has ended.
type AttemptEvent struct {
	Target  string // "" without one
	Number  int    // from 1
	Hedge   bool
	Took    time.Duration
	Err     error // nil for a success
	Verdict Verdict
}

// WaitEvent is a wait before a retry.
type WaitEvent struct {
	Target string
	Number int // of the attempt that failed
	Delay  time.Duration
	Rule   string // see [Decision.Rule]
}

// EndEvent is the end of an operation.
type EndEvent struct {
	Target   string
	Attempts int
	Elapsed  time.Duration
	Err      *Error // nil for a success
}
