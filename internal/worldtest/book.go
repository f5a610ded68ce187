package worldtest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// claim names one run of a task.
type claim struct {
	id     task.ID
	number int64
}

// ran is one run of a handler.
type ran struct {
	claim
	node  *process
	key   string
	queue string
	ctx   context.Context //nolint:containedctx // whether it has ended says whether the run still counts
	began time.Time
	ended bool
	good  bool // it returned no error

	canceled time.Time // when its cancel was asked for, on disk

	until    time.Time        // the end of the lease of a remote worker, by the store's clock; zero for a node's own run
	limit    time.Time        // when its time is over whatever the worker does, by the clock of nodes; zero for never
	clock    func() time.Time // of the store
	accepted bool             // the worker was told so
	lapsed   bool             // the store has taken it back
}

// counts reports whether the run is one that must be alone: its process lives and has
// not told it to end. A remote worker's is one until its lease ends.
func (r *ran) counts() bool {
	if !r.until.IsZero() {
		return !r.ended && !r.lapsed && r.clock().Before(r.until) && (r.limit.IsZero() || time.Now().Before(r.limit))
	}
	return !r.ended && !r.node.dead && r.ctx.Err() == nil
}

// book is what the world saw. What is wrong is noted as it happens.
type book struct {
	began time.Time

	mu       sync.Mutex
	names    map[task.ID]string
	runs     map[claim]*ran
	live     map[task.ID][]*ran
	times    map[task.ID]int // that a handler ran
	handed   map[claim]task.Outcome
	highest  map[string]int64 // sequence number of a key of which a task has begun
	acked    map[task.ID]bool
	paused   time.Time // since when, zero if it is not
	steady   time.Time // since when no node has come, gone or had trouble
	limit    int
	wrong    []string
	log      strings.Builder
	stale    int
	died     int
	recovers int
}

func newBook(began time.Time, limit int) *book {
	return &book{
		began: began, steady: began, limit: limit, names: map[task.ID]string{}, runs: map[claim]*ran{}, live: map[task.ID][]*ran{}, times: map[task.ID]int{},
		handed: map[claim]task.Outcome{}, highest: map[string]int64{}, acked: map[task.ID]bool{},
	}
}

// note writes a line of the log. The book's lock must be held.
func (b *book) note(format string, values ...any) {
	fmt.Fprintf(&b.log, "%-12s "+format+"\n", append([]any{time.Since(b.began)}, values...)...)
}

// fail notes what must not be. The book's lock must be held.
func (b *book) fail(format string, values ...any) {
	text := fmt.Sprintf(format, values...)
	b.note("WRONG %s", text)
	b.wrong = append(b.wrong, fmt.Sprintf("%s: %s", time.Since(b.began), text))
}

// tell is note for those who have no lock.
func (b *book) tell(format string, values ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.note(format, values...)
}

// troubled notes that the fleet changes, or a part of it does not hear.
func (b *book) troubled() { b.steady = time.Now() }

// begin notes that a handler begins, and checks that it may. It returns how often it has
// begun for this task before.
func (b *book) begin(n *process, ctx context.Context, run *engine.Run) (*ran, int) {
	t, now := run.Task, time.Now()
	r := &ran{claim: claim{t.ID, t.Claim}, node: n, key: t.Key, queue: t.Queue, ctx: ctx, began: now}
	told, fine := n.link.knows(r.claim)
	b.mu.Lock()
	defer b.mu.Unlock()
	before := b.times[t.ID]
	if n.dead { // a process that is gone has no handlers
		return r, before
	}
	name := b.names[t.ID]
	b.note("run      %s on %s attempt %d crashes %d seq %d", name, n.name, t.Attempt, t.Crashes, t.Seq)
	if b.runs[r.claim] != nil {
		b.fail("%s runs twice under one claim, on %s and %s", name, b.runs[r.claim].node.name, n.name)
	}
	if !told {
		b.fail("%s runs on %s before its claim is known there", name, n.name)
	}
	if silent := now.Sub(fine); silent >= 4*time.Second+time.Millisecond {
		b.fail("%s begins on %s, which has heard nothing for %s", name, n.name, silent)
	}
	if n.gone {
		b.fail("%s begins on %s, which has stopped", name, n.name)
	}
	if t.RunAt.After(t.StartedAt) {
		b.fail("%s begins %s early", name, t.RunAt.Sub(t.StartedAt))
	}
	b.alone(r, t)
	b.inOrder(t, before)
	b.inLimits(r)
	b.runs[r.claim] = r
	b.live[t.ID] = append(b.live[t.ID], r)
	b.times[t.ID]++
	return r, before
}

// takenBack notes runs that the store has handed back.
func (b *book) takenBack(rows []store.Recovered) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range rows {
		if r := b.runs[claim{rows[i].ID, rows[i].OldClaim}]; r != nil {
			r.lapsed = true
		}
	}
}

// alone checks that neither the task nor another of its key runs elsewhere.
func (b *book) alone(r *ran, t *task.Task) {
	for _, id := range slices.SortedFunc(maps.Keys(b.live), task.ID.Compare) {
		for _, other := range b.live[id] {
			switch {
			case !other.counts():
			case id == t.ID:
				b.fail("%s runs on %s while it runs on %s", b.names[id], r.node.name, other.node.name)
			case t.Key != "" && other.key == t.Key:
				b.fail("%s runs on %s while %s of its key runs on %s", b.names[t.ID], r.node.name, b.names[id], other.node.name)
			}
		}
	}
}

// inOrder checks that tasks of a key begin for the first time in their order.
func (b *book) inOrder(t *task.Task, before int) {
	if t.Key == "" || before > 0 || !t.Spec.RedrivenAt.IsZero() {
		return
	}
	if b.highest[t.Key] > t.Seq {
		b.fail("%s begins, number %d of %s, after number %d", b.names[t.ID], t.Seq, t.Key, b.highest[t.Key])
	}
	b.highest[t.Key] = max(b.highest[t.Key], t.Seq)
}

// hearing is how long a node may take to hear of a cancel.
const hearing = 3 * time.Second

// settleIn is how long the fleet may take to agree about limits and pauses.
const settleIn = 8 * time.Second

// inLimits checks the limit of the narrow queue and the pause of the wide one, as far as
// a steady fleet promises them.
func (b *book) inLimits(r *ran) {
	now := time.Now()
	if since := b.paused; r.queue == "wide" && !since.IsZero() && now.Sub(since) > settleIn && now.Sub(b.steady) > settleIn {
		b.fail("%s begins on %s in a queue that has been paused for %s", b.names[r.id], r.node.name, now.Sub(since))
	}
	if r.queue != "narrow" || now.Sub(b.steady) < settleIn {
		return
	}
	count := 1
	for _, runs := range b.live {
		for _, other := range runs {
			if other.queue == r.queue && other.counts() && other.began.Sub(b.steady) > settleIn {
				count++
			}
		}
	}
	if count > b.limit {
		b.fail("%s begins on %s: %d tasks run in a queue with a limit of %d", b.names[r.id], r.node.name, count, b.limit)
	}
}

// end notes that a handler is back.
func (b *book) end(r *ran, good bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	r.ended, r.good = true, good
	b.live[r.id] = slices.DeleteFunc(b.live[r.id], func(other *ran) bool { return other == r })
	if len(b.live[r.id]) == 0 {
		delete(b.live, r.id)
	}
	if late := time.Since(r.canceled); !r.canceled.IsZero() && r.until.IsZero() && late > hearing && r.ctx.Err() == nil && r.canceled.Sub(r.node.acted) > hearing {
		b.fail("%s goes on on %s for %s after it was canceled", b.names[r.id], r.node.name, late)
	}
	if !r.node.dead {
		b.note("ended    %s on %s, good %v, told to end: %v", b.names[r.id], r.node.name, good, context.Cause(r.ctx))
	}
}

// handedIn checks what an engine says of the ends of runs.
func (b *book) handedIn(settlements []store.Settlement) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range settlements {
		s := &settlements[i]
		if s.Task.Type == remote {
			continue // several nodes may have to say something of it: the store knows what was first
		}
		c := claim{s.Task.ID, s.Task.Claim}
		r, name := b.runs[c], b.names[s.Task.ID]
		before, again := b.handed[c]
		b.handed[c] = s.Outcome
		if again {
			if before != s.Outcome {
				b.fail("%s is settled as %s, and was settled as %s under the same claim", name, s.Outcome, before)
			}
			continue
		}
		b.note("settle   %s as %s", name, s.Outcome)
		switch {
		case r == nil && !s.Unstarted && s.Outcome != task.OutcomeReleased:
			b.fail("%s is settled as %s, and has not run", name, s.Outcome)
		case r != nil && r.counts():
			b.fail("%s is settled as %s while it runs on %s", name, s.Outcome, r.node.name)
		case s.Outcome == task.OutcomeSucceeded && !r.good:
			b.fail("%s is settled as %s, and its handler says otherwise", name, s.Outcome)
		case s.Outcome == task.OutcomeFailed && r.ended && r.good:
			b.fail("%s is settled as %s, and its handler says otherwise", name, s.Outcome)
		}
	}
}

// observer notes what an engine tells.
func (b *book) observer(n *process) engine.Observer {
	return engine.Observer{
		Stale: func(_ context.Context, id task.ID, status store.Status) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.stale++
			b.note("stale    %s on %s: %s", b.names[id], n.name, status)
		},
		Recovered: func(r store.Recovered) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.recovers++
			b.note("recover  %s of %s by %s: %s", b.names[r.ID], firstName(r.Node), n.name, r.Cause)
		},
		NodeDied: func(string, string) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.died++
			b.note("returns  %s", n.name)
		},
	}
}

// firstName is a node's name without what it adds when it returns under a new one, which
// is random.
func firstName(node string) string {
	name, _, _ := strings.Cut(node, "~")
	return name
}

// errPlanned is what handlers fail with.
var errPlanned = errors.New("as planned")
