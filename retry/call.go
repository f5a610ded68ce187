package retry

// CallOption changes one call of [Do]. It costs no allocation.
type CallOption interface{ change(terms) terms }

// BothOption is an option of a policy and of a call.
type BothOption interface {
	Option
	CallOption
}

// terms is what options of a call say.
type terms struct {
	target   *Target
	safe     repeatability
	classify Classifier
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
// whatever rules say.
func NotIdempotent() BothOption { return notIdempotent }

func (r repeatability) apply(p *Policy)      { p.run.safe = r }
func (r repeatability) change(c terms) terms { c.safe = r; return c }

// For protects the calls with everything that the target has.
func For(t *Target) BothOption { return forTarget{t} }

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

// WithRand sets the source of random numbers of [Do], for replays. It is called
// under a lock of the policy.
func WithRand(r Rand) Option { return runOption(func(run *running) { run.random = r }) }

// Classifier says what an error means; false leaves it to the next one, and
// finally to [Classify].
type Classifier func(err error) (Verdict, bool)

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

// Observe tells an observer about the calls of the policy.
func Observe(o Observer) Option { return runOption(func(r *running) { r.observer = o }) }

// Observer is told about attempts, waits and ends. Nil functions are skipped. They
// are called outside locks, from the goroutine of the call, and must not block.
type Observer struct {
	Attempt func(AttemptEvent)
	Wait    func(WaitEvent)
	End     func(EndEvent)
}

// running is the part of a policy that only calls in this process use, not
// durable tasks.
type running struct {
	target      Target
	safe        repeatability
	random      Rand
	classifiers []Classifier
	exhausted   Exhaustion
	observer    Observer
	hedge       HedgeConfig
}

type runOption func(*running)

func (f runOption) apply(p *Policy) { f(&p.run) }
