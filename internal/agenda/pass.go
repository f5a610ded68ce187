package agenda

import (
	"slices"
	"time"

	"github.com/outlast-dev/outlast/store"
)

// Once makes a node one that works what is due once: a pass.
type Once struct {
	Types []string  // nil for all
	Since time.Time // what was due before that stays; zero for nothing
	Until time.Time // what is due later stays
	Limit int       // tasks that are taken at most
	Apart string    // a queue without limit and filters, of which what comes up is worked too
}

// duePatience is for how long nothing must have started or ended for a pass to be over,
// whatever waits for a time: a target's pause, a key whose task runs elsewhere.
const duePatience = time.Second

// Pass is what a node knows of what it is to work once; nil for nodes that go on.
type Pass struct {
	types  []string
	since  int64 // µs
	until  int64
	apart  string
	left   int   // tasks that it may still take
	taken  int   // tasks that it has taken
	moved  int64 // µs: when something last started or ended
	looks  int   // rounds of the loader through all that is on disk
	rested int   // the round after which nothing was left to do; -1 for none
}

func newPass(work *Once) *Pass {
	if work == nil {
		return nil
	}
	p := &Pass{types: work.Types, until: work.Until.UnixMicro(), apart: work.Apart, left: work.Limit, rested: -1}
	if !work.Since.IsZero() {
		p.since = work.Since.UnixMicro()
	}
	return p
}

// wants reports whether the pass is to work a row.
func (p *Pass) wants(q *Queue, row *store.Entry) bool {
	if q.name == p.apart {
		return true
	}
	return row.RunAt >= p.since && row.RunAt <= p.until && (p.types == nil || slices.Contains(p.types, row.Type))
}

// admits reports whether one more task of the queue may start.
func (p *Pass) admits(q *Queue) bool { return p == nil || p.left > 0 || q.name == p.apart }

// took counts a task that was picked, and gaveBack one that did not start after all.
func (p *Pass) took(q *Queue, now int64) {
	p.moved = now
	if q.name != p.apart {
		p.left, p.taken = p.left-1, p.taken+1
	}
}

// horizon is how far ahead a node looks that would look as far as given: a pass up to
// what it is to work, and to now for what comes up apart.
func (p *Pass) horizon(now time.Time, usual int64) int64 {
	switch {
	case p == nil:
		return usual
	case p.left > 0:
		return p.until
	}
	return max(p.until, now.UnixMicro())
}

func (p *Pass) gaveBack(q *Queue) {
	if p != nil && q.name != p.apart {
		p.left, p.taken = p.left+1, p.taken-1
	}
}

// Close lets nothing more of the pass start, but what comes up apart.
func (p *Pass) Close() { p.left, p.rested = 0, -1 }

// Round is how often the loader has been through all that is on disk, and whether
// nothing was left to do after the last time.
func (p *Pass) Round() (looks int, rests bool) { return p.looks, p.rested == p.looks }

// Looked counts a round of the loader.
func (p *Pass) Looked() {
	if p != nil {
		p.looks++
	}
}

// Taken is how many tasks the pass has taken.
func (p *Pass) Taken() int { return p.taken }
