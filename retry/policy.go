package retry

import (
	"slices"
	"time"

	"github.com/outlast-dev/outlast/retry/internal/plainfmt"
)

// The values that a policy has when it does not say otherwise.
const (
	// DefaultAttempts is the number of attempts, the first included.
	DefaultAttempts = 8
	// DefaultInitial, DefaultMultiplier and DefaultMax are the exponential
	// backoff of [Default].
	DefaultInitial    = time.Second
	DefaultMultiplier = 2.0
	DefaultMax        = 5 * time.Minute
	// DefaultMaxCrashes is the number of crashes a task may survive.
	DefaultMaxCrashes = 3
)

// What a dead task does to the later tasks of its ordering key.
const (
	// OrderBlock makes them wait until somebody deals with the dead task. It is
	// the default.
	OrderBlock = "block"
	// OrderSkip lets them run.
	OrderSkip = "skip"
	// OrderPark sets them aside.
	OrderPark = "park"
)

// schedule is where delays come from: a backoff, the jitter around it, and the
// cap of the window.
type schedule struct {
	backoff Backoff
	jitter  Jitter
	max     time.Duration
	usual   bool // nobody chose the jitter: it follows from the backoff
	first   time.Duration
	regular numbered // backoff, if it is one of those
	builtIn bool     // nobody chose the backoff: it is the default's
	exact   bool     // the backoff is an interval, which advice does not shorten
}

// choose sets a jitter that does not follow from the backoff.
func (s *schedule) choose(j Jitter) { s.jitter, s.usual = j, false }

// compile fills what follows from backoff and max.
func (s *schedule) compile() {
	if own, ok := s.backoff.(capped); ok && s.max == 0 {
		s.max = own.maximum()
	}
	s.regular, _ = s.backoff.(numbered)
	own, _ := s.backoff.(exponential)
	s.builtIn = own == exponential{DefaultInitial, DefaultMultiplier, DefaultMax}
	_, s.exact = s.backoff.(fixed)
	if s.usual {
		s.jitter = usualJitter(s.exact)
	}
	s.first = s.nominal(&Failure{Attempt: 1})
}

// nominal is the capped delay after a failure, never negative.
func (s *schedule) nominal(f *Failure) time.Duration {
	n := max(f.Attempt, 1)
	if s.regular != nil {
		return max(0, under(s.max, s.regular.at(n)))
	}
	last := Attempt{Number: f.Attempt, Verdict: f.Verdict, Err: f.Err, PreviousDelay: f.PreviousDelay}
	return max(0, under(s.max, s.backoff.Nominal(n, last)))
}

func (s *schedule) window(f *Failure) Window {
	return Window{Nominal: s.nominal(f), First: s.first, Previous: f.PreviousDelay, Max: s.max}
}

// Policy says whether and when failed attempts are repeated. It is immutable and
// safe to share. Make one with [New], [Preset], [EasyJob] or [Spec.Policy]; the
// zero Policy is not usable.
type Policy struct {
	content
	run running // used by Do, not by durable tasks
}

// content is the part of a policy that never changes.
type content struct {
	schedule
	attempts   int // ignored when unlimited
	unlimited  bool
	timeout    time.Duration
	ttl        time.Duration
	firstRun   time.Duration
	maxCrashes int
	order      string
	byError    []rule // OnError and OnType, consulted before rules
	rules      []rule
	wants      guardConfigs // for tasks, not used by Do
	retryOn    []string
	neverOn    []string
	name       string // see Named
	version    int64
	final      bool // see Once
}

// New makes a policy. Without options it is [Default]. All refused values are
// reported at once as joined [FieldError] values whose paths are those of [Spec].
func New(opts ...Option) (*Policy, error) {
	p := blank()
	for _, opt := range opts {
		if opt != nil {
			opt.apply(p)
		}
	}
	var f findings
	if p.finish(&f); len(f.errs) > 0 {
		return nil, f.err()
	}
	return p, nil
}

// Default returns the policy of tasks that name none: exponential, 1 s × 2, at
// most 5 minutes, full jitter, 8 attempts.
func Default() *Policy {
	p := blank()
	p.compile()
	p.run.compile(p.timeout, p.ttl)
	return p
}

// blank is the default policy before options.
func blank() *Policy {
	return &Policy{content: content{
		schedule: schedule{
			backoff: Exponential(DefaultInitial, DefaultMultiplier, DefaultMax),
			jitter:  fullJitter,
			usual:   true,
		},
		attempts:   DefaultAttempts,
		maxCrashes: DefaultMaxCrashes,
		order:      OrderBlock,
		wants:      defaultGuards(),
	}}
}

// finish checks the policy and, when nothing is wrong, precomputes what Decide
// needs.
func (p *Policy) finish(f *findings) {
	p.check(f)
	if len(f.errs) > 0 {
		return
	}
	p.compile()
	p.run.compile(p.timeout, p.ttl)
	for i := range p.byError {
		p.byError[i].compile(&p.schedule, plainfmt.Sprintf("error rule %d: %s", i+1, p.byError[i].selects))
	}
	for i := range p.rules {
		p.rules[i].compile(&p.schedule, plainfmt.Sprintf("rule %d: %s", i+1, p.rules[i].title()))
	}
}

// MaxAttempts is the number of attempts, the first included; 0 is unlimited.
func (p *Policy) MaxAttempts() int {
	if p.final {
		return 1
	}
	if p.unlimited {
		return 0
	}
	return p.attempts
}

// Timeout is the limit of one attempt, 0 for none.
func (p *Policy) Timeout() time.Duration { return p.timeout }

// TTL is the limit of all attempts and waits together, 0 for none.
func (p *Policy) TTL() time.Duration { return p.ttl }

// FirstRunAfter is the wait before the first attempt, 0 for none.
func (p *Policy) FirstRunAfter() time.Duration { return p.firstRun }

// MaxCrashes is the number of times that the process running the task may die
// before the task is dead. A crash is not a failed attempt.
func (p *Policy) MaxCrashes() int { return p.maxCrashes }

// OrderOnDead is one of [OrderBlock], [OrderSkip] and [OrderPark].
func (p *Policy) OrderOnDead() string { return p.order }

// Name is the name that [Policy.Named] gave, "" for none.
func (p *Policy) Name() string { return p.name }

// Version is the version that [Policy.Named] gave, 0 for none.
func (p *Policy) Version() int64 { return p.version }

// BudgetConfig is the budget that the policy asks for its target, complete; false
// when it wants none. It is for engines: [Do] takes [WithBudget] or [For].
func (p *Policy) BudgetConfig() (BudgetConfig, bool) {
	if p.wants.budget == nil {
		return BudgetConfig{}, false
	}
	return *p.wants.budget, true
}

// BreakerConfig is the breaker that the policy asks for its target, complete;
// false when it wants none. It is for engines: [Do] takes [WithBreaker] or [For].
func (p *Policy) BreakerConfig() (BreakerConfig, bool) {
	if p.wants.breaker == nil {
		return BreakerConfig{}, false
	}
	return *p.wants.breaker, true
}

// Backoff returns the source of nominal delays, before the cap [Policy.Cap].
func (p *Policy) Backoff() Backoff { return p.backoff }

// Jitter returns the jitter around the nominal delays.
func (p *Policy) Jitter() Jitter { return p.jitter }

// Cap is the largest nominal delay, 0 for none. It bounds the receiver's hints.
func (p *Policy) Cap() time.Duration { return p.max }

// Rules returns a copy of the rules by category, in the order of evaluation.
func (p *Policy) Rules() []Rule {
	rules := make([]Rule, len(p.rules))
	for i, r := range p.rules {
		rules[i] = r.Rule
		rules[i].When = slices.Clone(r.When)
	}
	return rules
}

// Window returns what the delay after the given attempt is drawn from.
func (p *Policy) Window(last Attempt) Window {
	return p.window(&Failure{Attempt: last.Number, Verdict: last.Verdict, Err: last.Err, PreviousDelay: last.PreviousDelay})
}

// Plan returns the nominal delays of the first n retries, whatever the jitter. It
// is shorter when the policy allows fewer retries.
func (p *Policy) Plan(n int) []time.Duration {
	if limit := p.MaxAttempts(); limit > 0 {
		n = min(n, limit-1)
	}
	delays := make([]time.Duration, max(n, 0))
	for i := range delays {
		last := Failure{Attempt: i + 1}
		if i > 0 {
			last.PreviousDelay = delays[i-1]
		}
		delays[i] = p.nominal(&last)
	}
	return delays
}

// again is a copy of the policy, which has yet to learn how long its attempts take.
func (p *Policy) again() *Policy {
	return &Policy{content: p.content, run: running{runSettings: p.run.runSettings}}
}

// Named returns a copy of the policy with the name and version under which it is
// kept somewhere. They decide nothing; records of attempts show them.
func (p *Policy) Named(name string, version int64) *Policy {
	named := p.again()
	named.name, named.version = name, version
	return named
}

// Limited returns a copy of the policy with another number of attempts, the first
// included: 1 to 1 000 000, or a [FieldError] on "max_attempts".
func (p *Policy) Limited(attempts int) (*Policy, error) {
	if attempts < 1 || attempts > mostAttempts {
		var f findings
		refuseAttempts(&f, attempts)
		return nil, f.err()
	}
	limited := p.again()
	limited.attempts, limited.unlimited = attempts, false
	return limited, nil
}

// Once returns a copy of the policy without retries, whatever its rules and
// [Failure.MaxAttempts] say.
func (p *Policy) Once() *Policy {
	once := p.again()
	once.final = true
	return once
}

// IsOnce reports whether the policy was made by [Policy.Once].
func (p *Policy) IsOnce() bool { return p.final }

// guardConfigs holds what a policy wants for its target; nil is none.
type guardConfigs struct {
	budget  *BudgetConfig
	breaker *BreakerConfig
}

// defaultGuards are those of a policy that says nothing about them.
func defaultGuards() guardConfigs {
	budget, breaker := BudgetConfig{Stored: true}.withDefaults(), BreakerConfig{}.withDefaults()
	return guardConfigs{&budget, &breaker}
}

func (g guardConfigs) check(f *findings) {
	if g.budget != nil {
		g.budget.check(f)
	}
	if g.breaker != nil {
		g.breaker.check(f)
	}
}
