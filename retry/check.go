package retry

import (
	"slices"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/retry/internal/plainfmt"
)

// Accepted ranges.
const (
	mostAttempts   = 1_000_000
	leastCrashes   = 3 // which task kills its process is known for certain at the third crash only
	mostCrashes    = 1000
	mostMultiplier = 100
	mostBound      = 10
	mostSteps      = 1000
	mostSelector   = 256
)

// check refuses what no policy may contain.
func (p *Policy) check(f *findings) {
	if !p.unlimited && (p.attempts < 1 || p.attempts > mostAttempts) {
		refuseAttempts(f, p.attempts)
	}
	checkSchedule(f, "backoff", p.backoff, p.jitter, p.max)
	if p.unlimited && isHot(p.backoff) {
		f.refuse("backoff", "let the last delay be longer than 0", "unlimited attempts without a wait")
	}
	notNegative(f, "timeout", p.timeout)
	notNegative(f, "ttl", p.ttl)
	notNegative(f, "first_run_after", p.firstRun)
	if p.maxCrashes < leastCrashes || p.maxCrashes > mostCrashes {
		f.refuse("max_crashes", "with fewer, a task dies for the crash of another that ran beside it", "%d is outside %d to %d", p.maxCrashes, leastCrashes, mostCrashes)
	}
	modes := []string{OrderBlock, OrderSkip, OrderPark}
	if !slices.Contains(modes, p.order) {
		f.refuse("order_on_dead", didYouMean(p.order, modes), "%q is none of block, skip, park", p.order)
	}
	for i := range p.byError {
		p.byError[i].check(f, plainfmt.Sprintf("error_rules[%d]", i), p.unlimited)
	}
	for i := range p.rules {
		path := plainfmt.Sprintf("rules[%d]", i)
		if len(p.rules[i].When) == 0 && p.rules[i].If == nil && !p.rules[i].broken {
			f.refuse(path+".when", "", "is empty; a list of categories or an expression is wanted")
		}
		p.rules[i].check(f, path, p.unlimited)
	}
	p.wants.check(f)
	checkSelectors(f, "retry_on", p.retryOn)
	checkSelectors(f, "never_on", p.neverOn)
	p.run.check(f)
}

func refuseAttempts(f *findings, attempts int) {
	f.refuse("max_attempts", "the first attempt counts; 1 turns retries off", "%d is outside 1 to %d", attempts, mostAttempts)
}

// check refuses what no rule may contain, in a policy with or without a limit.
func (r *rule) check(f *findings, path string, unlimited bool) {
	if r.broken && r.selects != "" {
		f.refuse(path, "", "the sentinel error is nil")
	}
	for i, c := range r.When {
		if !c.Valid() {
			f.refuse(plainfmt.Sprintf("%s.when[%d]", path, i), didYouMean(string(c), categoryNames()),
				"%q is none of %s", c, strings.Join(categoryNames(), ", "))
		}
	}
	actions := []string{string(Retry), string(GiveUp), string(never), string(SnoozeTask)}
	if r.Then != "" && !slices.Contains(actions, string(r.Then)) {
		f.refuse(path+".then", didYouMean(string(r.Then), actions), "%q is none of retry, dead, never, snooze", r.Then)
	}
	if r.MaxAttempts < 0 || r.MaxAttempts > mostAttempts {
		f.refuse(path+".max_attempts", "", "%d is outside 1 to %d", r.MaxAttempts, mostAttempts)
	}
	if r.Rule.Backoff != nil {
		checkSchedule(f, path+".backoff", r.Rule.Backoff, nil, r.Rule.Max)
		if unlimited && r.MaxAttempts == 0 && isHot(r.Rule.Backoff) {
			f.refuse(path+".backoff", "let the last delay be longer than 0 or limit max_attempts",
				"unlimited attempts without a wait")
		}
	} else {
		notNegative(f, path+".backoff.max", r.Rule.Max)
	}
	if r.Rule.Jitter != nil {
		checkJitter(f, path+".backoff.jitter", r.Rule.Jitter)
	}
}

// checkSchedule checks a backoff with its jitter, which may be nil for none, and
// a maximum that replaces the backoff's own, 0 for none.
func checkSchedule(f *findings, path string, b Backoff, j Jitter, maximum time.Duration) {
	if j != nil {
		checkJitter(f, path+".jitter", j)
	} else if path == "backoff" {
		f.refuse(path+".jitter", "use NoJitter", "is nil")
	}
	if b == nil {
		f.refuse(path, "", "is nil")
		return
	}
	before := len(f.errs)
	if own, ok := b.(interface{ check(*findings, string) }); ok {
		own.check(f, path)
	}
	notNegative(f, path+".max", maximum)
	if len(f.errs) > before {
		return
	}
	var first time.Duration
	switch b := b.(type) {
	case capped:
		first = b.start()
		if maximum == 0 {
			maximum = b.maximum()
		}
	case custom: // its delays may depend on the attempt
	default:
		first = b.Nominal(1, Attempt{Number: 1})
	}
	if maximum > 0 && maximum < first {
		f.refuse(path+".max", "0 means no maximum", "%v is below the first interval %v", maximum, first)
	}
}

func (b exponential) check(f *findings, path string) {
	positive(f, path+".initial", b.initial)
	if !(b.multiplier >= 1 && b.multiplier <= mostMultiplier) {
		f.refuse(path+".multiplier", "", "%v is outside 1 to %d", b.multiplier, mostMultiplier)
	}
	notNegative(f, path+".max", b.max)
}

func (b fixed) check(f *findings, path string) { notNegative(f, path+".initial", b.interval) }

func (b linear) check(f *findings, path string) {
	positive(f, path+".initial", b.initial)
	notNegative(f, path+".step", b.step)
	notNegative(f, path+".max", b.max)
}

func (b steps) check(f *findings, path string) {
	if len(b) == 0 || len(b) > mostSteps {
		f.refuse(path+".steps", "", "%d entries; 1 to %d are wanted", len(b), mostSteps)
	}
	for i, d := range b {
		notNegative(f, plainfmt.Sprintf("%s.steps[%d]", path, i), d)
	}
}

func (b fibonacci) check(f *findings, path string) {
	positive(f, path+".initial", b.initial)
	notNegative(f, path+".max", b.max)
}

func (b custom) check(f *findings, path string) {
	if b.delay == nil {
		f.refuse(path, "", "the custom function is nil")
	}
}

// isHot reports whether a backoff ends in a delay of 0 for ever.
func isHot(b Backoff) bool {
	switch b := b.(type) {
	case fixed:
		return b.interval == 0
	case steps:
		return len(b) > 0 && b[len(b)-1] == 0
	}
	return false
}

func checkJitter(f *findings, path string, j Jitter) {
	var s spread
	switch j := j.(type) {
	case spread:
		s = j
	case beta:
		s = j.spread
	default:
		return
	}
	switch s.name {
	case "proportional", "additive":
		if x := s.to - 1; !(x > 0 && x <= 1) {
			f.refuse(path+".x", "", "%.6g is outside (0, 1]", x)
		}
	case "bounded", "beta":
		if !(s.from >= 0 && s.from < s.to && s.to <= mostBound) {
			f.refuse(path+".from", "", "%v to %v is not a range within 0 to %d", s.from, s.to, mostBound)
		}
	}
}

// checkSelectors checks a list of [On] or [GiveUpOn]. A name that is nearly that of
// a category is taken for a slip, since types and codes are not spelled like one.
func checkSelectors(f *findings, path string, selectors []string) {
	for i, s := range selectors {
		at := plainfmt.Sprintf("%s[%d]", path, i)
		switch {
		case s == "" || len(s) > mostSelector || strings.ContainsAny(s, " \t\r\n"):
			f.refuse(at, "", "%.40q is not a category, error type or code", s)
		case Category(s).Valid() || s != strings.ToLower(s):
		case didYouMean(s, categoryNames()) != "":
			f.refuse(at, didYouMean(s, categoryNames()), "%q is not a category", s)
		}
	}
}

func categoryNames() []string {
	names := make([]string, 0, len(categoryAdvice))
	for _, c := range Categories() {
		names = append(names, string(c))
	}
	return names
}

func positive(f *findings, path string, d time.Duration) {
	if d <= 0 {
		f.refuse(path, "", "%v is not longer than 0", d)
	}
}

func notNegative(f *findings, path string, d time.Duration) {
	if d < 0 {
		f.refuse(path, "", "%v is negative", d)
	}
}
