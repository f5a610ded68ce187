package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// Warning is one thing that is probably not meant. Codes are stable.
type Warning struct {
	Code string
	// Field is the setting that it is about, as in [retry.FieldError].
	Field   string
	Message string
}

// codes in the order in which they are reported.
const (
	noBackoff            = "no_backoff"
	noJitter             = "no_jitter"
	weakJitter           = "weak_jitter"
	noCap                = "no_cap"
	multiplierRange      = "multiplier"
	countRange           = "count"
	unlimited            = "unlimited"
	noTimeout            = "no_timeout"
	shortTimeout         = "short_timeout"
	totalPastDeadline    = "total_past_deadline"
	attemptsPastDeadline = "attempts_past_deadline"
	layers               = "layers"
	unstable             = "unstable"
	retriesPermanent     = "retries_permanent"
	networkNotUnsent     = "network_without_unsent"
	noBudget             = "no_budget"
	noAttemptTime        = "no_attempt_time"
)

// Codes returns the codes of warnings with their meanings, in the order in which
// they are reported. The caller owns the slice.
func Codes() []Warning {
	return []Warning{
		{noBackoff, "backoff", "the first wait is 0 with more than one retry"},
		{noJitter, "backoff.jitter", "clients that fail together come back together"},
		{weakJitter, "backoff.jitter", "more than half of the synchrony survives a retry"},
		{noCap, "backoff.max", "the waits grow without a maximum"},
		{multiplierRange, "backoff.multiplier", "M is outside 1.5 to 4"},
		{countRange, "max_attempts", "the number of retries is outside 3 to 10"},
		{unlimited, "unlimited", "attempts go on without end, and no time limit ends them"},
		{noTimeout, "timeout", "an attempt may take forever"},
		{shortTimeout, "timeout", "the timeout is not above the usual length of an attempt"},
		{totalPastDeadline, "deadline", "waits and attempts may take longer than the time limit"},
		{attemptsPastDeadline, "timeout", "the attempts alone may take longer than the time limit"},
		{layers, "outer_attempts", "the attempts of several layers multiply"},
		{unstable, "utilization", "at the given utilization the retries of an outage keep the target down"},
		{retriesPermanent, "rules", "failures are retried that come again"},
		{networkNotUnsent, "rules", "a rule for `network` leaves out refused connections, which are `unsent`"},
		{noBudget, "budget", "nothing bounds the retries of all callers together"},
		{noAttemptTime, "attempt_time", "a solution leaves no time for the attempts themselves"},
	}
}

// Ranges outside which the planner warns.
const (
	leastMultiplier, mostMultiplier = 1.5, 4
	leastRetries, mostRetries       = 3, 10
	weak                            = 0.5
)

func (r *Report) warnings(p *retry.Policy) []Warning {
	w := &warnings{}
	if r.Attempts != 1 {
		r.warnOfDelays(w)
		r.warnOfCounts(w)
	}
	r.warnOfTime(w, p)
	if r.Attempts != 1 || r.Load.Layers > 1 {
		r.warnOfLoad(w)
	}
	r.warnOfSafety(w, p)
	return w.list
}

type warnings struct{ list []Warning }

func (w *warnings) add(code, field, format string, args ...any) {
	w.list = append(w.list, Warning{code, field, fmt.Sprintf(format, args...)})
}

func (r *Report) warnOfDelays(w *warnings) {
	s := r.schedule
	if s.first == 0 && r.Retries > 1 {
		w.add(noBackoff, "backoff", "the first wait is 0 with %s: they hit a target that had no time to recover", r.retries())
	}
	if r.Spread != nil && s.waits() {
		switch {
		case r.Spread.Coherence == 1:
			w.add(noJitter, "backoff.jitter", "clients that fail together come back together at every retry; full jitter spreads them at the first")
		case r.Spread.Coherence > weak:
			w.add(weakJitter, "backoff.jitter", "%s jitter leaves %.0f %% of the synchrony of clients that fail together; it takes %.0f retries to go below 1 %%, full jitter takes 1",
				r.Spread.Kind, 100*r.Spread.Coherence, r.Spread.RetriesToApart)
		}
	}
	if last := r.last(); s.max == 0 && r.Retries > 1 && last > s.first && s.form.Kind != "steps" {
		w.add(noCap, "backoff.max", "the waits grow without a maximum, up to %s before retry %d", Short(last), r.Retries)
	}
	if _, m, ok := s.exponential(); ok && r.Retries > 1 && (m < leastMultiplier || m > mostMultiplier) {
		effect := "the waits hardly grow"
		if m > mostMultiplier {
			effect = "one more retry multiplies the last wait by it"
		}
		w.add(multiplierRange, "backoff.multiplier", "%.4g is outside %g to %d: %s", m, leastMultiplier, mostMultiplier, effect)
	}
}

// waits reports whether there is anything to spread.
func (s *schedule) waits() bool { return s.first > 0 || s.nominal(2, s.first) > 0 }

// last is the nominal wait before the last retry.
func (r *Report) last() time.Duration { return r.schedule.nominal(r.Retries, 0) }

func (r *Report) retries() string {
	if r.Attempts == 0 {
		return "unlimited retries"
	}
	return plural(r.Retries, "retry", "retries")
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func (r *Report) warnOfCounts(w *warnings) {
	switch {
	case r.Attempts == 0 && r.Limit == 0:
		w.add(unlimited, "unlimited", "attempts go on without end, and no ttl or deadline ends them")
	case r.Attempts > 0 && r.Retries < leastRetries:
		w.add(countRange, "max_attempts", "%s: fewer than %d rarely outlast a restart", r.retries(), leastRetries)
	case r.Attempts > 0 && r.Retries > mostRetries:
		adds := Success(r.Env.FailRate, r.Attempts) - Success(r.Env.FailRate, r.Attempts-1)
		w.add(countRange, "max_attempts", "%s: more than %d; the last one adds %s to the success at a fail rate of %s", r.retries(), mostRetries, percent(adds), percent(r.Env.FailRate))
	}
}

func percent(share float64) string { return fmt.Sprintf("%.3g %%", 100*share) }

func (r *Report) warnOfTime(w *warnings, p *retry.Policy) {
	timeout := p.Timeout()
	if timeout == 0 {
		w.add(noTimeout, "timeout", "no limit per attempt: one that hangs takes all the time there is; presets set none, since only you know how long an attempt may take")
	} else if r.Env.AttemptTime >= timeout {
		w.add(shortTimeout, "timeout", "attempts usually take %s and are cut off after %s", Short(r.Env.AttemptTime), Short(timeout))
	}
	if r.Limit == 0 || r.Attempts == 0 {
		return
	}
	field := "ttl"
	if r.Limit == r.Env.Deadline {
		field = "deadline"
	}
	if r.Elapsed > r.Limit && r.Retries > 0 {
		with := ""
		if each := r.attemptTime(); each > 0 {
			with = fmt.Sprintf(" and %s of %s", plural(r.Attempts, "attempt", "attempts"), Short(each))
		}
		w.add(totalPastDeadline, field, "waits of up to %s%s take up to %s, past the limit of %s; %s certain to end in time",
			Short(r.Total.Max), with, Short(r.Elapsed), Short(r.Limit), plural(r.InTime, "retry is", "retries are"))
	}
	if all := times(timeout, r.Attempts); all > r.Limit {
		w.add(attemptsPastDeadline, "timeout", "%s of up to %s take up to %s, past the limit of %s, without any wait",
			plural(r.Attempts, "attempt", "attempts"), Short(timeout), Short(all), Short(r.Limit))
	}
}

func (r *Report) warnOfLoad(w *warnings) {
	if r.Load.Layers > 1 || r.Load.Layers == 0 {
		var factors []string
		for _, n := range append(slices.Clone(r.Env.OuterAttempts), r.Attempts) {
			if n == 0 {
				factors = append(factors, "unlimited")
				continue
			}
			factors = append(factors, fmt.Sprint(n))
		}
		all := "without limit"
		if r.Load.Attempts > 0 {
			all = fmt.Sprint(r.Load.Attempts)
		}
		w.add(layers, "outer_attempts", "layers multiply: %s attempts are %s at the last one for each request; retry in one layer only", strings.Join(factors, " × "), all)
	}
	stable := max(r.Load.Stable, r.Load.StableWithBudget)
	if u := r.Env.Utilization; u > stable {
		w.add(unstable, "utilization", "at %s utilization the retries of an outage keep the target down after its cause is gone; up to %s it recovers by itself", percent(u), percent(stable))
	}
}

// permanent are the selectors of failures that come again.
var permanent = []string{string(retry.Permanent), "400", "401", "403", "404", "409"}

func (r *Report) warnOfSafety(w *warnings, p *retry.Policy) {
	const message = "%s is retried, although such a failure comes again"
	for i, rule := range p.Rules() {
		if (rule.Then == "" || rule.Then == retry.Retry) && rule.MaxAttempts != 1 && slices.Contains(rule.When, retry.Permanent) {
			w.add(retriesPermanent, fmt.Sprintf("rules[%d]", i), message, retry.Permanent)
		}
	}
	if i := networkAlone(p.Rules()); i >= 0 {
		w.add(networkNotUnsent, fmt.Sprintf("rules[%d]", i), "network is a connection that broke; one that was refused, or a name that was not found for now, is unsent, which no rule names: write [network, unsent] if both are meant")
	}
	for i, selector := range r.Policy.RetryOn {
		if slices.Contains(permanent, selector) && !slices.Contains(r.Policy.NeverOn, selector) {
			w.add(retriesPermanent, fmt.Sprintf("retry_on[%d]", i), message, selector)
		}
	}
	if r.budget == nil && r.Attempts != 1 {
		w.add(noBudget, "budget", "nothing bounds the retries of all callers together: with all attempts failing the target gets %s", r.worst())
	}
}

// networkAlone finds the first rule that names network beside no rule that names unsent,
// -1 for none.
func networkAlone(rules []retry.Rule) int {
	if slices.ContainsFunc(rules, func(r retry.Rule) bool {
		return slices.Contains(r.When, retry.Unsent) || r.If != nil && strings.Contains(r.If.String(), string(retry.Unsent))
	}) {
		return -1
	}
	return slices.IndexFunc(rules, func(r retry.Rule) bool { return slices.Contains(r.When, retry.Network) })
}

// worst is the load at f = 1 in words.
func (r *Report) worst() string {
	if r.Load.Attempts == 0 {
		return "retries without end"
	}
	return fmt.Sprintf("%d times the load", r.Load.Attempts)
}
