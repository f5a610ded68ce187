package retry

import (
	"errors"
	"fmt"
	"reflect"
	"time"
)

// Option is one setting of a policy for [New]. Of two settings of the same thing
// the later one counts; [Rules], [OnError], [OnType], [On] and [Never] add up.
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
// repeated; [NotIdempotent], [Never], rules and a receiver that forbids a retry come
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

// Never narrows what is retried: failures that it names are not, whatever rules
// and [On] say. It takes what On takes.
func Never[S ~string](selectors ...S) Option {
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
