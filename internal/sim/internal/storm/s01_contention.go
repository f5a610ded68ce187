package storm

import (
	"math"
	"time"

	"github.com/outlast-dev/outlast/internal/sim/internal/world"
	"github.com/outlast-dev/outlast/retry"
)

// Optimistic concurrency, the model of the AWS backoff simulator: each client reads
// the version of one row and writes if it is unchanged, and starts again after a
// wait when it is not.

const (
	contenders       = 100
	contentionTrials = 8
)

// contentionCase is a strategy with the figures of an independent run of the
// published model.
type contentionCase struct {
	name    string
	options []retry.Option
	want    contentionResult
}

// contentionResult is the mean of several trials.
type contentionResult struct{ writes, seconds float64 }

// Writes hardly vary from run to run; the time is that of the last client alone.
const (
	writesOff = 0.05
	timeOff   = 0.20
)

func contentionCases() []contentionCase {
	const base, limit = 5 * time.Millisecond, 2 * time.Second
	growing := retry.Exponential(2*base, 2, limit) // its first wait is base · 2¹
	return []contentionCase{
		{"none", []retry.Option{retry.Fixed(0), retry.NoJitter()}, contentionResult{2422, 2.04}},
		{"exponential", []retry.Option{growing, retry.NoJitter()}, contentionResult{1840, 62.6}},
		{"equal", []retry.Option{growing, retry.EqualJitter()}, contentionResult{811, 6.79}},
		{"full", []retry.Option{growing, retry.FullJitter()}, contentionResult{792, 4.83}},
		{"decorrelated", []retry.Option{retry.Exponential(base, 2, limit), retry.Decorrelated()}, contentionResult{998, 4.50}},
	}
}

func playContention(t *trial) {
	results := map[string]contentionResult{}
	writes, seconds := 0.0, 0.0 // farthest from what is wanted
	for _, one := range contentionCases() {
		got := t.contention(world.Plain("contention, "+one.name, append(one.options, retry.Attempts(100_000))...))
		results[one.name] = got
		writes = max(writes, math.Abs(got.writes/one.want.writes-1))
		seconds = max(seconds, math.Abs(got.seconds/one.want.seconds-1))
	}
	t.atMost("contention: writes, farthest from the published model", writes, writesOff, "")
	t.atMost("contention: time, farthest from the published model", seconds, timeOff, "")
	none, exponential, equal, full, decorrelated := results["none"], results["exponential"], results["equal"], results["full"], results["decorrelated"]
	t.holds("contention: order of writes", "full, equal < decorrelated < exponential < none",
		max(full.writes, equal.writes) < decorrelated.writes && decorrelated.writes < exponential.writes && exponential.writes < none.writes)
	t.holds("contention: order of time", "none < full, decorrelated < equal < exponential",
		none.seconds < min(full.seconds, decorrelated.seconds) && max(full.seconds, decorrelated.seconds) < equal.seconds && equal.seconds < exponential.seconds)
	t.atMost("contention: writes with full jitter over unjittered", full.writes/exponential.writes, 0.5, "")
}

// contention plays the model several times and adds the mean to the report.
func (t *trial) contention(k world.Kit) contentionResult {
	var sum contentionResult
	var last *run
	for i := range contentionTrials {
		r := &row{}
		one := *t
		one.seed = t.seed*contentionTrials + uint64(i)
		one.report = &Report{}
		last = one.run(k, func(w *world.World, k world.Kit) { contend(w, k, r) })
		sum.writes += float64(r.writes)
		sum.seconds += last.Length.Seconds()
		t.report.Events += one.report.Events
	}
	got := contentionResult{sum.writes / contentionTrials, sum.seconds / contentionTrials}
	v := last.report.Variants[last.index]
	t.report.Variants = append(t.report.Variants, v)
	r := &run{last.Meter, t.report, len(t.report.Variants) - 1}
	r.note("writes, mean of trials", got.writes, "")
	r.note("all done after, mean of trials", got.seconds, "s")
	return got
}

func contend(w *world.World, k world.Kit, to *row) {
	one := world.NewClient(w, k, to)
	clients := make([]*world.Client, contenders)
	for i := range clients {
		clients[i] = one
	}
	(&world.Crowd{Clients: clients, Each: 1}).Start(w)
}

// row is the server: one version, read and written over a network with delays.
type row struct {
	version, writes int
}

// Take begins a read; its answer begins the write.
func (r *row) Take(w *world.World, a *world.Attempt) {
	a.Arrives(w)
	access := &access{row: r, attempt: a}
	w.After(delay(w), access, accessReads)
}

// access is a read and a write of one client.
type access struct {
	row     *row
	attempt *world.Attempt
	seen    int
}

const (
	accessReads world.What = iota
	accessWrites
)

func (x *access) Happen(w *world.World, what world.What) {
	if what == accessReads {
		x.seen = x.row.version
		w.After(delay(w)+delay(w), x, accessWrites)
		return
	}
	x.row.writes++
	if x.seen != x.row.version {
		x.attempt.Answer(w, &lost, delay(w))
		return
	}
	x.row.version++
	x.attempt.Answer(w, nil, delay(w))
}

// lost is a write that came too late. It is no [retry.Conflict], whose waits are
// not the policy's.
var lost = retry.Verdict{Category: retry.Unavailable, Effect: retry.NotSent}

// delay is one way through the network: |N(10, 2)| ms.
func delay(w *world.World) time.Duration {
	return time.Duration(math.Abs(10+2*w.Service.NormFloat64()) * float64(time.Millisecond))
}
