package retry

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"
	"time"
)

// at is a failure of attempt n.
func at(n int, c Category) Failure {
	return Failure{Attempt: n, Verdict: Verdict{Category: c, Effect: Maybe}, Now: noon}
}

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// TestExactSchedule: an exact policy starts its attempts at 0, 10, 30, 70, 150
// and 310 s for the categories without advice on delays.
func TestExactSchedule(t *testing.T) {
	p := must(New(Exponential(10*time.Second, 2, 0), NoJitter(), Attempts(6)))
	for _, c := range []Category{Unavailable, Network, Timeout, Unknown, Bug, Local, ""} {
		var clock time.Duration
		for n, want := range []time.Duration{10, 30, 70, 150, 310} {
			d := p.Decide(at(n+1, c), nil)
			clock += d.Delay
			if !d.Retry || clock != want*time.Second || d.Rule != "policy" {
				t.Errorf("%s: attempt %d at %v: %+v", c, n+2, clock, d)
			}
		}
		if d := p.Decide(at(6, c), nil); d.Retry || d.Reason != ReasonExhausted {
			t.Errorf("%s: %+v", c, d)
		}
	}
}

// TestDecideWhether is the table of everything that ends a task.
func TestDecideWhether(t *testing.T) {
	never := Verdict{Category: Unavailable, Hint: Hint{GiveUp: true}}
	exact := []Option{Fixed(10 * time.Second), NoJitter(), Attempts(3)}
	with := func(opts ...Option) *Policy { return must(New(append(exact, opts...)...)) }
	plain := with()
	for name, c := range map[string]struct {
		p      *Policy
		f      Failure
		reason string // empty: retried
		rule   string
	}{
		"permanent":                  {plain, at(1, Permanent), ReasonPermanent, "policy"},
		"canceled":                   {plain, at(1, Canceled), ReasonRejected, "policy"},
		"deadline category":          {plain, at(1, Deadline), ReasonExpired, "policy"},
		"last but one":               {plain, at(2, Network), "", "policy"},
		"last":                       {plain, at(3, Network), ReasonExhausted, "policy"},
		"after the last":             {plain, at(9, Network), ReasonExhausted, "policy"},
		"attempt 0 reads as 1":       {plain, at(0, Network), "", "policy"},
		"one attempt":                {with(Attempts(1)), at(1, Network), ReasonExhausted, "policy"},
		"unlimited":                  {with(Unlimited()), at(999_999, Network), "", "policy"},
		"task allows more":           {plain, Failure{Attempt: 3, MaxAttempts: 4}, "", "policy"},
		"task allows one":            {with(Unlimited()), Failure{Attempt: 1, MaxAttempts: 1}, ReasonExhausted, "policy"},
		"receiver says never":        {with(On(Unavailable), Rules(Rule{When: []Category{Unavailable}})), Failure{Attempt: 1, Verdict: never}, ReasonRejected, "hint"},
		"rule dead":                  {with(Rules(Rule{When: []Category{Timeout}, Then: GiveUp})), at(1, Timeout), ReasonRejected, "rule 1: timeout"},
		"rule never":                 {with(Rules(Rule{When: []Category{Timeout}, Then: "never"})), at(1, Timeout), ReasonRejected, "rule 1: timeout"},
		"rule dead on permanent":     {with(Rules(Rule{When: []Category{Permanent}, Then: GiveUp})), at(1, Permanent), ReasonPermanent, "rule 1: permanent"},
		"rule retries permanent":     {with(Rules(Rule{When: []Category{Permanent}, MaxAttempts: 2})), at(1, Permanent), "", "rule 1: permanent"},
		"permanent spent":            {with(Rules(Rule{When: []Category{Permanent}, MaxAttempts: 2})), at(2, Permanent), ReasonPermanent, "rule 1: permanent"},
		"rule counts all attempts":   {with(Rules(Rule{When: []Category{Timeout}, MaxAttempts: 2})), at(2, Timeout), ReasonExhausted, "rule 1: timeout"},
		"rule cannot raise":          {with(Rules(Rule{When: []Category{Timeout}, MaxAttempts: 9})), at(3, Timeout), ReasonExhausted, "rule 1: timeout"},
		"rule limits unlimited":      {with(Unlimited(), Rules(Rule{When: []Category{Timeout}, MaxAttempts: 9})), at(9, Timeout), ReasonExhausted, "rule 1: timeout"},
		"first match wins":           {with(Rules(Rule{When: []Category{Bug, Network}}, Rule{When: []Category{Network}, Then: GiveUp})), at(1, Network), "", "rule 1: bug,network"},
		"second rule":                {with(Rules(Rule{When: []Category{Bug}}, Rule{When: []Category{Network, Timeout}, Then: GiveUp})), at(1, Timeout), ReasonRejected, "rule 2: network,timeout"},
		"sentinel before category":   {with(Rules(Rule{When: []Category{Permanent}, Then: GiveUp}), OnError(fs.ErrNotExist, Rule{})), Failure{Verdict: Verdict{Category: Permanent}, Err: fmt.Errorf("read: %w", fs.ErrNotExist)}, "", "error rule 1: file does not exist"},
		"sentinel does not match":    {with(OnError(fs.ErrNotExist, Rule{})), Failure{Verdict: Verdict{Category: Permanent}, Err: fs.ErrExist}, ReasonPermanent, "policy"},
		"sentinel without the error": {with(OnError(fs.ErrNotExist, Rule{})), at(1, Permanent), ReasonPermanent, "policy"},
		"type":                       {with(OnType[*fs.PathError](Rule{Then: GiveUp})), Failure{Err: fmt.Errorf("x: %w", &fs.PathError{Err: fs.ErrExist})}, ReasonRejected, "error rule 1: *fs.PathError"},
		"type and category":          {with(OnType[*fs.PathError](Rule{When: []Category{Local}, Then: GiveUp})), Failure{Err: &fs.PathError{Err: fs.ErrExist}}, "", "policy"},
	} {
		d := c.p.Decide(c.f, nil)
		if d.Reason != c.reason || d.Retry != (c.reason == "") || d.Rule != c.rule {
			t.Errorf("%s: %+v", name, d)
		}
	}
}

// TestOnAndGiveUpOn: both lists are consulted, by category, type and code, and GiveUpOn
// wins over On and over rules.
func TestOnAndGiveUpOn(t *testing.T) {
	dns := Verdict{Category: Permanent, Type: "*net.DNSError"}
	java := Verdict{Category: Permanent, Type: "com.example.NoStockException"}
	refused := Verdict{Category: Unsent, Type: "*net.OpError", Code: "ECONNREFUSED"}
	conflict := Verdict{Category: Permanent, Code: "409"}
	for name, c := range map[string]struct {
		opts   []Option
		v      Verdict
		reason string
	}{
		"no list":            {nil, dns, ReasonPermanent},
		"on category":        {[]Option{On(Permanent)}, dns, ""},
		"on canceled":        {[]Option{On(Canceled)}, Verdict{Category: Canceled}, ""},
		"on type":            {[]Option{On("*net.DNSError")}, dns, ""},
		"on type, short":     {[]Option{On("DNSError")}, dns, ""},
		"on class":           {[]Option{On("com.example.NoStockException")}, java, ""},
		"on class, short":    {[]Option{On("NoStockException")}, java, ""},
		"on other package":   {[]Option{On("org.other.NoStockException")}, java, ReasonPermanent},
		"on code":            {[]Option{On("409")}, conflict, ""},
		"on other code":      {[]Option{On("410")}, conflict, ReasonPermanent},
		"on keeps others":    {[]Option{On(Conflict)}, refused, ""},
		"never category":     {[]Option{GiveUpOn(Unsent)}, refused, ReasonRejected},
		"never type":         {[]Option{GiveUpOn("OpError")}, refused, ReasonRejected},
		"never code":         {[]Option{GiveUpOn("ECONNREFUSED")}, refused, ReasonRejected},
		"never other":        {[]Option{GiveUpOn("ECONNRESET")}, refused, ""},
		"never wins":         {[]Option{On(Unsent), GiveUpOn("ECONNREFUSED")}, refused, ReasonRejected},
		"never beats rules":  {[]Option{Rules(Rule{When: []Category{Unsent}}), GiveUpOn(Unsent)}, refused, ReasonRejected},
		"never on permanent": {[]Option{On("409"), GiveUpOn(Permanent)}, conflict, ReasonPermanent},
		"both kinds mixed":   {[]Option{On(Conflict, "409")}, conflict, ""},
	} {
		d := must(New(c.opts...)).Decide(Failure{Attempt: 1, Verdict: c.v}, nil)
		if d.Reason != c.reason {
			t.Errorf("%s: %+v", name, d)
		}
	}
}

// TestDecideWhen is the table of delays. Each case lists the lowest and the
// highest delay, drawn with the generator's extremes.
func TestDecideWhen(t *testing.T) {
	exact := must(New(Exponential(10*time.Second, 2, 60*time.Second), NoJitter(), Attempts(9)))
	full := must(New(Exponential(10*time.Second, 2, 60*time.Second), Attempts(9)))
	quick := must(New(Exponential(20*ms, 1, 0), NoJitter()))
	interval := must(New(Fixed(10 * time.Second)))
	ruled := must(New(Fixed(10*time.Second), NoJitter(), Rules(
		Rule{When: []Category{Conflict, Unsent, Throttled}, Backoff: Exponential(100*ms, 2, 400*ms)},
		Rule{When: []Category{Network}, Jitter: EqualJitter()},
	)))
	limited := must(New(Steps(10*time.Second), NoJitter(), Rules(Rule{When: []Category{Conflict, Throttled}, MaxAttempts: 4})))
	hinted := func(n int, after time.Duration) Failure {
		f := at(n, Throttled)
		f.Verdict.Hint.After = after
		return f
	}
	for name, c := range map[string]struct {
		p         *Policy
		f         Failure
		low, high time.Duration
		rule      string
	}{
		"full":                       {full, at(1, Network), 0, 10 * time.Second, "policy"},
		"under the cap":              {full, at(3, Network), 0, 40 * time.Second, "policy"},
		"over the cap":               {full, at(4, Network), 0, 60 * time.Second, "policy"},
		"unsent, fast":               {Default(), at(1, Unsent), 0, 250 * ms, "unsent"},
		"unsent, chosen backoff":     {exact, at(1, Unsent), 10 * time.Second, 10 * time.Second, "policy"},
		"unsent, then as usual":      {exact, at(2, Unsent), 20 * time.Second, 20 * time.Second, "policy"},
		"conflict":                   {exact, at(1, Conflict), 0, 50 * ms, "conflict"},
		"conflict, later":            {exact, at(8, Conflict), 0, time.Second, "conflict"},
		"conflict, policy faster":    {quick, at(5, Conflict), 0, 20 * ms, "conflict"},
		"conflict, rule's backoff":   {ruled, at(2, Conflict), 200 * ms, 200 * ms, "rule 1: conflict,unsent,throttled"},
		"conflict, rule's limit":     {limited, at(1, Conflict), 0, 50 * ms, "conflict"},
		"interval":                   {interval, at(3, Network), 10 * time.Second, 11 * time.Second, "policy"},
		"interval, conflict":         {interval, at(1, Conflict), 10 * time.Second, 11 * time.Second, "policy"},
		"interval, unsent":           {interval, at(1, Unsent), 10 * time.Second, 11 * time.Second, "policy"},
		"interval, full jitter":      {must(New(Fixed(10*time.Second), FullJitter())), at(1, Network), 0, 10 * time.Second, "policy"},
		"interval of a rule":         {must(New(Rules(Rule{When: []Category{Network}, Backoff: Fixed(10 * time.Second)}))), at(1, Network), 10 * time.Second, 11 * time.Second, "rule 1: network"},
		"interval, policy's jitter":  {must(New(EqualJitter(), Rules(Rule{When: []Category{Network}, Backoff: Fixed(10 * time.Second)}))), at(1, Network), 5 * time.Second, 10 * time.Second, "rule 1: network"},
		"growing rule of interval":   {must(New(Fixed(time.Second), Rules(Rule{When: []Category{Network}, Backoff: Exponential(8*time.Second, 2, 0)}))), at(1, Network), 0, 8 * time.Second, "rule 1: network"},
		"unsent, rule's backoff":     {ruled, at(1, Unsent), 100 * ms, 100 * ms, "rule 1: conflict,unsent,throttled"},
		"throttled, rule's backoff":  {ruled, at(4, Throttled), 400 * ms, 400 * ms, "rule 1: conflict,unsent,throttled"},
		"rule's jitter":              {ruled, at(4, Network), 5 * time.Second, 10 * time.Second, "rule 2: network"},
		"throttled, no hint":         {quick, at(1, Throttled), time.Second, 1250 * ms, "throttled"},
		"throttled, slow policy":     {exact, at(1, Throttled), 10 * time.Second, 10 * time.Second, "policy"},
		"throttled, rule's limit":    {limited, at(1, Throttled), 10 * time.Second, 10 * time.Second, "rule 1: conflict,throttled"},
		"hint under own delay":       {exact, hinted(2, 15*time.Second), 20 * time.Second, 20 * time.Second, "policy"},
		"hint equal to own delay":    {exact, hinted(2, 20*time.Second), 20 * time.Second, 20 * time.Second, "policy"},
		"hint over own delay":        {exact, hinted(1, 30*time.Second), 30 * time.Second, 37500 * ms, "hint"},
		"hint just under the cap":    {exact, hinted(1, 60*time.Second-1), 60*time.Second - 1, 75 * time.Second, "hint"},
		"hint at the cap":            {exact, hinted(1, 60*time.Second), 60 * time.Second, 75 * time.Second, "hint"},
		"hint over the cap":          {exact, hinted(1, time.Hour), 60 * time.Second, 75 * time.Second, "hint"},
		"hint over the rule's cap":   {ruled, hinted(1, time.Hour), 400 * ms, 500 * ms, "hint"},
		"hint without a cap":         {quick, hinted(1, 1000*time.Hour), HintCap, HintCap / 4 * 5, "hint"},
		"short hint when throttled":  {quick, hinted(1, 100*ms), 100 * ms, 125 * ms, "hint"},
		"negative hint is none":      {exact, hinted(1, -time.Hour), 10 * time.Second, 10 * time.Second, "policy"},
		"one step, then the same":    {must(New(Steps(7*time.Second), NoJitter())), at(5, Network), 7 * time.Second, 7 * time.Second, "policy"},
		"steps under a maximum":      {must(New(Steps(7*time.Second, time.Hour), Max(time.Minute), NoJitter())), at(5, Network), time.Minute, time.Minute, "policy"},
		"decorrelated after nothing": {must(New(Fixed(2*time.Second), Decorrelated())), at(1, Network), 2 * time.Second, 6 * time.Second, "policy"},
	} {
		low, high := c.p.Decide(c.f, constant(0)), c.p.Decide(c.f, constant(1-0x1p-53))
		if low.Delay != c.low || (high.Delay-c.high).Abs() > 2 {
			t.Errorf("%s: %v to %v, want %v to %v", name, low.Delay, high.Delay, c.low, c.high)
		}
		if high.Rule != c.rule || !high.Retry {
			t.Errorf("%s: %+v, want rule %q", name, high, c.rule)
		}
	}
}

// TestDecideDeadline: a delay is never shortened to fit.
func TestDecideDeadline(t *testing.T) {
	p := must(New(Fixed(10*time.Second), NoJitter()))
	for name, c := range map[string]struct {
		left, usual time.Duration
		retry       bool
	}{
		"plenty":                       {time.Hour, time.Second, true},
		"starts a moment before":       {10*time.Second + 1, 0, true},
		"starts at the deadline":       {10 * time.Second, 0, false},
		"starts after the deadline":    {10*time.Second - 1, 0, false},
		"usually ends at the deadline": {12 * time.Second, 2 * time.Second, true},
		"usually ends after it":        {12*time.Second - 1, 2 * time.Second, false},
		"passed already":               {-time.Second, 0, false},
	} {
		f := at(1, Network)
		f.Deadline, f.Usual = noon.Add(c.left), c.usual
		d := p.Decide(f, nil)
		if d.Retry != c.retry || c.retry && d.Delay != 10*time.Second || !c.retry && d.Reason != ReasonExpired {
			t.Errorf("%s: %+v", name, d)
		}
	}
}

func TestDecideDoesNotAllocate(t *testing.T) {
	f, p := busyFailure()
	if n := testing.AllocsPerRun(1000, func() { sink = p.Decide(f, nil) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkDecide(b *testing.B) {
	f, p := busyFailure()
	b.ReportAllocs()
	for b.Loop() {
		sink = p.Decide(f, nil)
	}
}

var sink Decision

// busyFailure is a failure that makes a policy look at everything it has.
func busyFailure() (Failure, *Policy) {
	f := at(3, Throttled)
	f.Err = errors.New("busy")
	f.Verdict.Hint.After, f.Deadline, f.Usual = time.Second, noon.Add(time.Hour), time.Second
	return f, must(New(
		Rules(Rule{When: []Category{Network, Timeout}, MaxAttempts: 4}, Rule{When: []Category{Throttled}, MaxAttempts: 6}),
		On("409"), GiveUpOn("ECONNREFUSED", "OpError"),
	))
}
