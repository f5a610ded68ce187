package worldtest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/internal/faulty"
	"github.com/outlast-dev/outlast/internal/historytest"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

var (
	errDead = fmt.Errorf("the process is dead: %w", historytest.ErrNotDone)
	errCut  = fmt.Errorf("no way to the store: %w", historytest.ErrNotDone)
	errFail = fmt.Errorf("the store failed: %w", historytest.ErrNotDone)
	errLost = errors.New("the answer was lost")
)

// link is the way of one engine to the store, which can be cut without the others'.
type link struct {
	store.Backend // with the noise
	handle        *memory.Store

	mu   sync.Mutex
	dead bool
	how  string        // of a cut; "" for none
	over chan struct{} // closed when the cut is over
	slow time.Duration // answers come so late
	fine time.Time     // the last beat that was answered was sent then

	faults *faulty.Faults
	book   *book
	told   map[claim]bool // the rows that the engine was told are its own
}

func newLink(handle *memory.Store, truth store.Backend, b *book, n noise, seed uint64) *link {
	noisy, faults := faulty.Wrap(truth, seed,
		faulty.Rule{Kind: faulty.Fail, Probability: n.fail, Err: errFail},
		faulty.Rule{Kind: faulty.Lose, Probability: n.lose},
		faulty.Rule{Kind: faulty.Delay, Probability: n.late, Wait: 80 * time.Millisecond})
	faults.Heal()
	return &link{Backend: noisy, handle: handle, faults: faults, book: b, told: map[claim]bool{}}
}

// kill ends all contact for ever: what was sent may still arrive, and nobody hears.
func (l *link) kill() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dead = true
	l.open()
}

// cut ends the contact until mend is called.
func (l *link) cut(how string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.dead && l.how == "" {
		l.how, l.over = how, make(chan struct{})
	}
}

func (l *link) mend() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open()
}

func (l *link) open() {
	if l.how != "" {
		l.how = ""
		close(l.over)
	}
}

func (l *link) delay(by time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.slow = by
}

// state is how the link is now.
func (l *link) state() (dead bool, how string, over chan struct{}, slow time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.dead, l.how, l.over, l.slow
}

// pass does one call over the link.
func pass[T any](ctx context.Context, l *link, do func(context.Context) (T, error)) (T, error) {
	var none T
	dead, how, over, _ := l.state()
	switch {
	case dead:
		return none, errDead
	case how == "refuse":
		return none, errCut
	case how == "hang":
		select {
		case <-over:
		case <-ctx.Done():
		}
		return none, errCut
	case how == "late": // it is on its way, and arrives when nobody waits any more
		go func() {
			<-over
			_, _ = do(context.WithoutCancel(ctx))
		}()
		select {
		case <-over:
		case <-ctx.Done():
		}
		return none, errLost
	}
	out, err := do(ctx)
	dead, how, _, slow := l.state()
	if dead || how != "" {
		return none, errLost
	}
	if slow > 0 {
		timer := time.NewTimer(slow)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return none, errLost
		}
		if dead, how, _, _ = l.state(); dead || how != "" {
			return none, errLost
		}
	}
	return out, err
}

func passed(ctx context.Context, l *link, do func(context.Context) error) error {
	_, err := pass(ctx, l, func(ctx context.Context) (struct{}, error) { return struct{}{}, do(ctx) })
	return err
}

func (l *link) Join(ctx context.Context, node store.Node) error {
	sent := time.Now()
	err := passed(ctx, l, func(ctx context.Context) error { return l.Backend.Join(ctx, node) })
	l.heard(sent, err)
	return err
}

func (l *link) Beat(ctx context.Context, node string, report store.Report) ([]task.ID, error) {
	sent := time.Now()
	canceled, err := pass(ctx, l, func(ctx context.Context) ([]task.ID, error) { return l.Backend.Beat(ctx, node, report) })
	l.heard(sent, err)
	return canceled, err
}

// heard notes when the node has last proven that it lives, as far as it knows.
func (l *link) heard(sent time.Time, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil {
		l.fine = sent
	}
}

func (l *link) Leave(ctx context.Context, node string) error {
	return passed(ctx, l, func(ctx context.Context) error { return l.Backend.Leave(ctx, node) })
}

func (l *link) Bury(ctx context.Context, node string, counter int64) (bool, error) {
	return pass(ctx, l, func(ctx context.Context) (bool, error) { return l.Backend.Bury(ctx, node, counter) })
}

func (l *link) Topology(ctx context.Context) (*store.Topology, error) {
	return pass(ctx, l, func(ctx context.Context) (*store.Topology, error) { return l.Backend.Topology(ctx) })
}

func (l *link) TakeLanes(ctx context.Context, node string, lanes []store.LaneEpoch) ([]store.LaneEpoch, error) {
	return pass(ctx, l, func(ctx context.Context) ([]store.LaneEpoch, error) { return l.Backend.TakeLanes(ctx, node, lanes) })
}

func (l *link) FreeLanes(ctx context.Context, node string, lanes []store.LaneEpoch) ([]store.LaneEpoch, error) {
	return pass(ctx, l, func(ctx context.Context) ([]store.LaneEpoch, error) { return l.Backend.FreeLanes(ctx, node, lanes) })
}

func (l *link) Enqueue(ctx context.Context, batches []store.Batch) ([]store.BatchResult, error) {
	return pass(ctx, l, func(ctx context.Context) ([]store.BatchResult, error) { return l.Backend.Enqueue(ctx, batches) })
}

func (l *link) Scan(ctx context.Context, ranges []store.Range) ([][]store.Entry, error) {
	return pass(ctx, l, func(ctx context.Context) ([][]store.Entry, error) { return l.Backend.Scan(ctx, ranges) })
}

func (l *link) Claim(ctx context.Context, claim store.Claim) (store.Claimed, error) {
	claimed, err := pass(ctx, l, func(ctx context.Context) (store.Claimed, error) { return l.Backend.Claim(ctx, claim) })
	l.tell(claimed.Tasks)
	return claimed, err
}

func (l *link) Running(ctx context.Context, node string, ids []task.ID) ([]*task.Task, error) {
	tasks, err := pass(ctx, l, func(ctx context.Context) ([]*task.Task, error) { return l.Backend.Running(ctx, node, ids) })
	l.tell(tasks)
	return tasks, err
}

func (l *link) tell(tasks []*task.Task) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, t := range tasks {
		l.told[claim{t.ID, t.Claim}] = true
	}
}

// knows reports whether the engine was told of a claim, and when it last proved to live.
func (l *link) knows(c claim) (told bool, fine time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.told[c], l.fine
}

func (l *link) Settle(ctx context.Context, settlements []store.Settlement) ([]store.Settled, error) {
	l.book.handedIn(settlements)
	return pass(ctx, l, func(ctx context.Context) ([]store.Settled, error) { return l.Backend.Settle(ctx, settlements) })
}

func (l *link) Group(ctx context.Context, id task.ID) (*task.Group, error) {
	return pass(ctx, l, func(ctx context.Context) (*task.Group, error) { return l.Backend.Group(ctx, id) })
}

func (l *link) Groups(ctx context.Context, state task.GroupState, before task.ID, limit int) ([]task.Group, error) {
	return pass(ctx, l, func(ctx context.Context) ([]task.Group, error) { return l.Backend.Groups(ctx, state, before, limit) })
}

func (l *link) FinishGroup(ctx context.Context, id task.ID, counted task.GroupCounts, callback store.Insert) (*task.Group, error) {
	return pass(ctx, l, func(ctx context.Context) (*task.Group, error) {
		return l.Backend.FinishGroup(ctx, id, counted, callback)
	})
}

func (l *link) AddSteps(ctx context.Context, steps []task.Step) ([]store.Status, error) {
	return pass(ctx, l, func(ctx context.Context) ([]store.Status, error) { return l.Backend.AddSteps(ctx, steps) })
}

func (l *link) Signal(ctx context.Context, step task.Step, audit ...store.Audit) (store.Signaled, error) {
	return pass(ctx, l, func(ctx context.Context) (store.Signaled, error) { return l.Backend.Signal(ctx, step, audit...) })
}

func (l *link) StepsOf(ctx context.Context, ids []task.ID) ([]task.Step, error) {
	return pass(ctx, l, func(ctx context.Context) ([]task.Step, error) { return l.Backend.StepsOf(ctx, ids) })
}

func (l *link) Recover(ctx context.Context, lanes []uint16, limit int) ([]store.Recovered, error) {
	return pass(ctx, l, func(ctx context.Context) ([]store.Recovered, error) { return l.Backend.Recover(ctx, lanes, limit) })
}

func (l *link) Mark(ctx context.Context, marks []store.Marking) error {
	return passed(ctx, l, func(ctx context.Context) error { return l.Backend.Mark(ctx, marks) })
}

func (l *link) Marks(ctx context.Context, lanes []uint16, most int) ([]store.Entry, error) {
	return pass(ctx, l, func(ctx context.Context) ([]store.Entry, error) { return l.Backend.Marks(ctx, lanes, most) })
}

func (l *link) Attempts(ctx context.Context, id task.ID) ([]task.Attempt, error) {
	return pass(ctx, l, func(ctx context.Context) ([]task.Attempt, error) { return l.Backend.Attempts(ctx, id) })
}

func (l *link) Find(ctx context.Context, filter store.Filter, page store.Page) ([]*task.Task, string, error) {
	type found struct {
		tasks []*task.Task
		next  string
	}
	all, err := pass(ctx, l, func(ctx context.Context) (out found, err error) {
		out.tasks, out.next, err = l.Backend.Find(ctx, filter, page)
		return out, err
	})
	return all.tasks, all.next, err
}

func (l *link) Extend(ctx context.Context, items []store.LeaseItem, lease time.Duration) ([]store.Extended, error) {
	return pass(ctx, l, func(ctx context.Context) ([]store.Extended, error) { return l.Backend.Extend(ctx, items, lease) })
}

// watched is a store that tells of commits, unless the link is cut.
type watched struct {
	store.Backend
	link *link
}

func (w *watched) Watch(ctx context.Context, wake func(lanes []store.ChangedLane)) error {
	return w.link.handle.Watch(ctx, func(lanes []store.ChangedLane) {
		if w.link.works() {
			wake(lanes)
		}
	})
}

// works reports whether the link is neither cut nor dead.
func (l *link) works() bool {
	dead, how, _, _ := l.state()
	return !dead && how == ""
}

// witness is the store itself, of which the book sees what is taken from whom, and what
// is kept and undone.
type witness struct {
	store.Backend
	deeds *deeds
}

func (w *witness) Recover(ctx context.Context, lanes []uint16, limit int) ([]store.Recovered, error) {
	rows, err := w.Backend.Recover(ctx, lanes, limit)
	w.deeds.takenBack(rows)
	return rows, err
}

func (w *witness) AddSteps(ctx context.Context, steps []task.Step) ([]store.Status, error) {
	w.deeds.mu.Lock() // no run begins while the store judges
	defer w.deeds.mu.Unlock()
	statuses, err := w.Backend.AddSteps(ctx, steps)
	if err == nil {
		w.deeds.stored(steps, statuses)
	}
	return statuses, err
}

func (w *witness) Settle(ctx context.Context, settlements []store.Settlement) ([]store.Settled, error) {
	results, err := w.Backend.Settle(ctx, settlements)
	if err == nil {
		w.deeds.died(settlements, results)
	}
	return results, err
}
