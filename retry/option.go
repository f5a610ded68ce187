package retry

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"
)

// Option is one setting of a policy for [New]. Of two settings of the same thing
// the later one counts; [Rules], [OnError], [OnType], [On] and [GiveUpOn] add up.
type Option interface{ apply(*Policy) }

type option func(*Policy)

func (o option) apply(p *Policy) { o(p) }

func (b exponential) apply(p *Policy)  { p.backoff = b }
func (b fixed) apply(p *Policy)        { p.backoff = b }
func (b linear) apply(p *Policy)       { p.backoff = b }
func (b steps) apply(p *Policy)        { p.backoff = b }
func (b fibonacci) apply(p *Policy)    { p.backoff = b }
func (b custom) apply(p *Policy)       { p.backoff = b }
func (j spread) apply(p *Policy)       { p.choose(j) }
func (j beta) apply(p *Policy)         { p.choose(j) }
func (j decorrelated) apply(p *Policy) { p.choose(j) }

// From takes over the settings of another policy, for options after it to change: as
// the first option it makes a variant of that policy. Guards are shared. The name and
// what the other has learned of its attempts stay with it. Nil, and the zero Policy,
// change nothing.
func From(other *Policy) Option {
	return option(func(p *Policy) {
		if other == nil || other.backoff == nil { // not made
			return
		}
		p.content, p.run.runSettings = other.content, other.run.runSettings
		p.name, p.version = "", 0
		if own, ok := p.backoff.(capped); ok && p.max == own.maximum() {
			p.max = 0 // it follows from the backoff
		}
		p.byError, p.rules = slices.Clone(p.byError), slices.Clone(p.rules) // finish changes them
		p.retryOn, p.neverOn = slices.Clip(p.retryOn), slices.Clip(p.neverOn)
		p.run.classifiers = slices.Clip(p.run.classifiers)
	})
}

// Attempts limits the number of attempts, the first included: 1 to 1 000 000,
// default 8. One attempt means no retries.
func Attempts(n int) Option {
	return option(func(p *Policy) { p.attempts, p.unlimited = n, false })
}

// Unlimited removes the limit on attempts. The delays must then not stay at 0.
func Unlimited() Option { return option(func(p *Policy) { p.unlimited = true }) }

// WithBackoff sets a backoff that is not one of this package.
func WithBackoff(b Backoff) Option { return option(func(p *Policy) { p.backoff = b }) }

// WithJitter sets a jitter that is not one of this package.
func WithJitter(j Jitter) Option { return option(func(p *Policy) { p.choose(j) }) }

// Max caps the nominal delay and the receiver's hints. It replaces the maximum of
// the backoff and gives one to the kinds without, such as [Steps].
func Max(d time.Duration) Option { return option(func(p *Policy) { p.max = d }) }

// PerAttempt limits each attempt. 0 is no limit, the default.
func PerAttempt(d time.Duration) Option { return option(func(p *Policy) { p.timeout = d }) }

// TTL limits all attempts and waits together. 0 is no limit, the default.
func TTL(d time.Duration) Option { return option(func(p *Policy) { p.ttl = d }) }

// FirstRunAfter delays the first attempt. 0 is no delay, the default.
func FirstRunAfter(d time.Duration) Option { return option(func(p *Policy) { p.firstRun = d }) }

// MaxCrashes limits how often the process running the task may die: 3 to 1000,
// default 3. It is for durable tasks; calls in this process end with it.
func MaxCrashes(n int) Option { return option(func(p *Policy) { p.maxCrashes = n }) }

// OrderOnDead chooses what a dead task does to the later tasks of its ordering
// key: [OrderBlock], the default, [OrderSkip] or [OrderPark]. It is for durable tasks;
// calls in this process have no such keys.
func OrderOnDead(mode string) Option { return option(func(p *Policy) { p.order = mode }) }

// On widens what is retried: failures that it names are retried although their
// category's advice is never. It takes categories, error types and codes, such as
// Permanent, "*net.DNSError", "ResourceNotFoundException" or "409". A type
// without a package matches that type of any package. What is retried without On
// stays so.
func On[S ~string](selectors ...S) Option {
	return option(func(p *Policy) { p.retryOn = appendStrings(p.retryOn, selectors) })
}

// OnAny retries any error, up to the attempts: whatever category it has, and although
// the failed attempt may have had its effect. Say it of operations that may be
// repeated; [NotIdempotent], [GiveUpOn], rules and a receiver that forbids a retry come
// before it. What is left is an end by the caller: a context that was canceled, or
// whose time is over.
func OnAny() Option {
	return option(func(p *Policy) {
		p.run.any = true
		for _, c := range Categories() {
			if c != Canceled && c != Deadline {
				p.retryOn = append(p.retryOn, string(c))
			}
		}
	})
}

// GiveUpOn narrows what is retried: failures that it names are not, whatever rules
// and [On] say. It takes what On takes.
func GiveUpOn[S ~string](selectors ...S) Option {
	return option(func(p *Policy) { p.neverOn = appendStrings(p.neverOn, selectors) })
}

func appendStrings[S ~string](list []string, more []S) []string {
	for _, s := range more {
		list = append(list, string(s))
	}
	return list
}

// Rules adds rules by category. The first rule that matches decides.
func Rules(rules ...Rule) Option {
	return option(func(p *Policy) {
		for _, r := range rules {
			p.rules = append(p.rules, rule{Rule: r})
		}
	})
}

// OnError adds a rule for errors that match sentinel by [errors.Is]. Rules by
// error come before those by category; an empty When matches every category.
func OnError(sentinel error, r Rule) Option {
	return option(func(p *Policy) {
		p.byError = append(p.byError, rule{
			Rule:    r,
			selects: fmt.Sprint(sentinel),
			matches: func(err error) bool { return errors.Is(err, sentinel) },
			broken:  sentinel == nil,
		})
	})
}

// OnType adds a rule for errors that contain a T by [errors.As]. It is otherwise
// like [OnError].
func OnType[T error](r Rule) Option {
	return option(func(p *Policy) {
		p.byError = append(p.byError, rule{
			Rule:    r,
			selects: reflect.TypeFor[T]().String(),
			matches: func(err error) bool {
				_, ok := errors.AsType[T](err)
				return ok
			},
		})
	})
}

// BackoffOption is a backoff that can be given to [New] as it stands, or used as
// [Rule.Backoff].
type BackoffOption interface {
	Backoff
	Option
}

// Exponential waits min(max, initial · multiplier^(n−1)). Initial must be
// positive, multiplier from 1 to 100, max 0 (none) or at least initial. Without
// a maximum n retries take initial · (multiplier^n − 1)/(multiplier − 1).
func Exponential(initial time.Duration, multiplier float64, max time.Duration) BackoffOption {
	return exponential{initial, multiplier, max}
}

// Fixed waits the same interval before each retry: never less, and up to a tenth
// more ([IntervalSpread]), unless a jitter is chosen. The interval must not be
// negative, and not 0 when attempts are unlimited.
func Fixed(interval time.Duration) BackoffOption { return fixed{interval} }

// Linear waits min(max, initial + (n−1) · step). A step of 0 stands for initial,
// which gives initial · n. Max 0 means none.
func Linear(initial, step, max time.Duration) BackoffOption { return linear{initial, step, max} }

// Steps waits the n-th entry before retry n, and the last one forever after. At
// least one entry is needed, none negative; see [Max] for a maximum.
func Steps(delays ...time.Duration) BackoffOption {
	return steps(append([]time.Duration(nil), delays...))
}

// Fibonacci waits min(max, initial · fib(n)): 1, 1, 2, 3, 5, 8 … times initial.
// Max 0 means none.
func Fibonacci(initial, max time.Duration) BackoffOption { return fibonacci{initial, max} }

// Custom waits what delay returns, which must be a pure function, safe for
// concurrent use. See [Max] for a maximum.
func Custom(delay func(n int, last Attempt) time.Duration) BackoffOption { return custom{delay} }

// JitterOption is a jitter that can be given to [New] as it stands, or used as
// [Rule.Jitter].
type JitterOption interface {
	Jitter
	Option
}

// FullJitter draws U[0, d) for the nominal delay d. It is the default of all
// backoffs but [Fixed], and desynchronizes clients best.
func FullJitter() JitterOption { return spread{"full", 0, 1} }

// EqualJitter draws U[d/2, d).
func EqualJitter() JitterOption { return spread{"equal", 0.5, 1} }

// Proportional draws U[d(1−x), d(1+x)), x above 0 and up to 1. The cap bounds d,
// so that a draw may exceed the cap by the share x.
func Proportional(x float64) JitterOption { return spread{"proportional", 1 - x, 1 + x} }

// Additive draws d + U[0, x·d), x above 0 and up to 1. It is never early. The cap
// bounds d, so that a draw may exceed the cap by the share x.
func Additive(x float64) JitterOption { return additive(x) }

// Bounded draws d · U[from, to), where 0 ≤ from < to ≤ 10.
func Bounded(from, to float64) JitterOption { return spread{"bounded", from, to} }

// NoJitter always gives the nominal delay: clients that failed together come
// back together.
func NoJitter() JitterOption { return spread{"none", 1, 1} }

// Beta draws d · (from + (to−from) · B), where B has the distribution Beta(2,2)
// and 0 ≤ from < to ≤ 10. B is the median of three uniform numbers, which has
// exactly that distribution. It keeps more of a synchronized crowd together than
// [FullJitter] does.
func Beta(from, to float64) JitterOption { return beta{spread{"beta", from, to}} }

// Decorrelated draws U[F, min(cap, 3·previous)) where F is the first interval and
// previous the delay before the attempt that failed, at least F. It ignores the
// growth of the backoff. At a cap equal to F every delay is F.
func Decorrelated() JitterOption { return decorrelated{} }

// TaskBudget sets the budget that a policy asks for the target of its tasks; nil
// asks for none. It is always Stored. See [Policy.BudgetConfig].
func TaskBudget(c *BudgetConfig) Option {
	return option(func(p *Policy) {
		if p.wants.budget = c; c != nil {
			whole := *c
			whole.Stored = true
			whole = whole.withDefaults()
			p.wants.budget = &whole
		}
	})
}

// TaskBreaker sets the breaker that a policy asks for the target of its tasks;
// nil asks for none. See [Policy.BreakerConfig].
func TaskBreaker(c *BreakerConfig) Option {
	return option(func(p *Policy) {
		if p.wants.breaker = c; c != nil {
			whole := c.withDefaults()
			p.wants.breaker = &whole
		}
	})
}
