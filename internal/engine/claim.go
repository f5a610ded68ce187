package engine

import (
	"context"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/internal/agenda"
	"github.com/outlast-dev/outlast/internal/background"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// refusedPause is how long a row waits that a claim refused for a reason
// that will pass by itself: its key runs elsewhere, its key is held.
const (
	runsElsewherePause = time.Second
	markPause          = 20 * time.Millisecond // a park mark is on its way
)

// dispatcher chooses what starts, and claims it: nothing is handed out before the claim
// has committed.
type dispatcher struct {
	*core
	run        *runner
	claims     context.Context // ends when it is to stop
	stopClaims context.CancelFunc
	dispatched chan struct{} // closed when it has
	last       int64         // the greatest number that a claim was given
}

func newDispatcher(c *core, run *runner) *dispatcher {
	d := &dispatcher{core: c, run: run, dispatched: make(chan struct{})}
	d.claims, d.stopClaims = context.WithCancel(c.running)
	return d
}

// claimant is who is given claimed tasks in place of this node.
type claimant interface {
	agenda.Taker
	sign(claim *store.Claim)                                          // names it
	start(node string, tasks []*task.Task, began time.Time) (ok bool) // takes what was claimed by a call sent at began
	claimed()                                                         // is told that its batch is over
}

// dispatch is the loop that turns due entries into running attempts.
func (d *dispatcher) dispatch() {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	defer close(d.dispatched)
	for d.claims.Err() == nil {
		batch, wait := d.nextBatch()
		if len(batch) > 0 {
			d.claimBatch(batch)
			continue
		}
		timer.Reset(wait)
		select {
		case <-d.wake:
		case <-timer.C:
		case <-d.claims.Done():
		}
	}
}

// nextBatch picks what can start now, or says how long there is nothing to.
func (d *dispatcher) nextBatch() ([]*agenda.Entry, time.Duration) {
	d.lock()
	defer d.unlock()
	d.feedback()
	at := time.Now()
	now := micros(at)
	d.agenda.Due(at)
	r := agenda.BatchLimit{Slots: d.config.Slots - d.agenda.Running(), Rows: d.config.Batch, Bytes: d.config.InFlight - d.bytes}
	if d.member.Lost() || d.member.Silent() || d.member.Leaving() || r.Slots <= 0 || r.Bytes <= 0 && d.agenda.Running() > 0 {
		return nil, time.Hour
	}
	if batch := d.agenda.Choose(r); len(batch) > 0 {
		for _, entry := range batch {
			d.bytes += entry.Size
		}
		return batch, 0
	}
	d.agenda.Rests(now, d.runs > 0 || len(d.parking) > 0)
	if at, ok := d.agenda.Next(); ok {
		return nil, time.Duration(at-now) * time.Microsecond
	}
	return nil, time.Hour
}

// claimBatch claims what was picked: for this node, and for each claimant apart.
func (d *dispatcher) claimBatch(batch []*agenda.Entry) {
	if !slices.ContainsFunc(batch, func(e *agenda.Entry) bool { return e.Taker != nil }) {
		d.claim(batch, nil)
		return
	}
	own, others := parted(batch)
	if len(own) > 0 {
		d.claim(own, nil)
	}
	for to, entries := range others {
		d.claim(entries, to)
		to.claimed()
	}
}

// parted is a batch apart by who is to run it: this node, or a claimant.
func parted(batch []*agenda.Entry) (own []*agenda.Entry, others map[claimant][]*agenda.Entry) {
	others = map[claimant][]*agenda.Entry{}
	for _, e := range batch {
		if to, other := e.Taker.(claimant); other {
			others[to] = append(others[to], e)
		} else {
			own = append(own, e)
		}
	}
	return own, others
}

// claim makes the entries this node's, or a claimant's, on disk and
// starts them. Nothing is handed out before the claim's transaction has committed.
func (d *dispatcher) claim(batch []*agenda.Entry, to claimant) {
	request := d.claimOf(batch)
	if to != nil {
		to.sign(&request)
	}
	began := time.Now()
	ctx, cancel := d.storeContext(storeCall)
	claimed, err := d.config.Store.Claim(ctx, request)
	cancel()
	if err != nil {
		d.log.Warn("claim.unknown", "rows", len(batch), "error", err)
		d.unknown("claim")
		claimed.Tasks = d.fresh(d.readBack(batch, request.Holder()))
		claimed.Refused = nil
	} else {
		if f := d.config.Observer.Claimed; f != nil {
			f(len(claimed.Tasks), time.Since(began))
		}
		if len(claimed.Tasks) > 0 {
			d.lag.seen(began, time.Now(), claimed.Tasks[0].StartedAt)
		}
	}
	d.note(claimed.Tasks)
	started := false
	if to != nil {
		started = to.start(request.Node, claimed.Tasks, began)
	} else {
		started = d.run.start(request.Node, claimed.Tasks)
	}
	if !started {
		// Others may be recovering these rows. The reconciler hands them back
		// if this node turns out to be alive after all.
		d.doubt()
		claimed = store.Claimed{}
	}
	if len(claimed.Tasks) < len(batch) {
		d.putAway(batch, claimed)
	}
}

// claimOf is the request to claim the entries. Its items are in the order of
// their ids, which is how stores keep them.
func (d *dispatcher) claimOf(batch []*agenda.Entry) store.Claim {
	request := store.Claim{Node: d.member.ID(), Items: make([]store.ClaimItem, len(batch))}
	d.lock()
	defer d.unlock()
	for i, entry := range batch {
		request.Items[i] = store.ClaimItem{ID: entry.ID, Mark: entry.Mark}
		if l := entry.Lane(); l != nil && !slices.ContainsFunc(request.Lanes, func(known store.LaneEpoch) bool { return known.Lane == l.Number() }) {
			request.Lanes = append(request.Lanes, l.Owned())
		}
	}
	slices.SortFunc(request.Items, func(a, b store.ClaimItem) int { return a.ID.Compare(b.ID) })
	return request
}

// readBack finds out which rows a claim of unknown outcome has claimed. It
// asks until the store answers or the node is lost; what is left then is
// found by the reconciler or, after the node's death, by recovery.
func (d *dispatcher) readBack(batch []*agenda.Entry, holder string) []*task.Task {
	ids := make([]task.ID, len(batch))
	for i, entry := range batch {
		ids[i] = entry.ID
	}
	for pause := 5 * time.Millisecond; background.Sleep(d.claims, pause); pause = min(2*pause, time.Second) {
		ctx, cancel := d.storeContext(storeCall)
		tasks, err := d.config.Store.Running(ctx, holder, ids)
		cancel()
		if err == nil {
			return tasks
		}
	}
	return nil
}

// note keeps the greatest number that a claim was given, but for those of damaged rows,
// which are far ahead of every clock.
func (d *dispatcher) note(tasks []*task.Task) {
	farAhead := micros(time.Now().Add(10 * time.Minute))
	for _, t := range tasks {
		if t.Claim < farAhead {
			d.last = max(d.last, t.Claim)
		}
	}
}

// fresh are those of the rows read back that the lost claim can have claimed: not
// what ran before under an older number, which a server that failed may have kept,
// nor what is being let go. The reconciler hands those back.
func (d *dispatcher) fresh(tasks []*task.Task) []*task.Task {
	d.lock()
	defer d.unlock()
	return slices.DeleteFunc(tasks, func(t *task.Task) bool { return t.Claim <= d.last || d.letGo[t.ID] == t.Claim })
}

// putAway gives the entries that did not start their place again, by the
// reason for which the store refused them.
func (d *dispatcher) putAway(batch []*agenda.Entry, claimed store.Claimed) {
	// Not looked up among the attempts: a claimed task may have run and ended by now.
	started := make(map[task.ID]bool, len(claimed.Tasks))
	for _, t := range claimed.Tasks {
		started[t.ID] = true
	}
	refused := make(map[task.ID]*store.Refusal, len(claimed.Refused))
	for i := range claimed.Refused {
		refused[claimed.Refused[i].ID] = &claimed.Refused[i]
	}
	d.lock()
	defer d.unlock()
	now := micros(time.Now())
	for _, entry := range batch {
		if started[entry.ID] {
			continue
		}
		d.bytes -= entry.Size
		d.agenda.NotStarted(entry)
		if refusal := refused[entry.ID]; refusal != nil {
			d.refused(entry, refusal, now)
		} else {
			d.agenda.Delay(entry, now)
		}
		d.leave(entry)
	}
}

func (d *dispatcher) refused(entry *agenda.Entry, refusal *store.Refusal, now int64) {
	switch refusal.Reason {
	case store.ReasonLater:
		row := refusal.Entry
		entry.RunAt, entry.Rank = row.RunAt, row.Rank
		d.agenda.Delay(entry, d.lag.retryAt(row.RunAt, now))
	case store.ReasonBehindKey:
		d.behindKey(entry, refusal.Head, now)
	case store.ReasonKeyHeld:
		d.shelve(entry, now)
	case store.ReasonParked:
		if l := entry.Lane(); l != nil {
			d.noteMark(l, &refusal.Entry)
		}
		d.agenda.Forget(entry)
	case store.ReasonEpoch:
		d.agenda.Forget(entry)
		d.member.Balance()
	default:
		d.agenda.Forget(entry)
	}
}

// behindKey makes the true head of a key the head in memory too, or puts the
// key aside where the head is due beyond the horizon.
func (d *dispatcher) behindKey(entry *agenda.Entry, head store.Entry, now int64) {
	switch {
	case entry.Lane() == nil:
		d.agenda.Forget(entry) // borrowed: found again by its mark
	case d.agenda.Lead(entry, head):
	case head.ID.IsZero() || d.agenda.Entry(head.ID) != nil:
		d.agenda.Delay(entry, now+runsElsewherePause.Microseconds())
	case d.agenda.TooFar(entry.Lane(), head):
		d.shelve(entry, now)
	default:
		d.fetchHead(entry, head, now)
	}
}

// fetchHead brings a head that memory does not know into it.
func (d *dispatcher) fetchHead(entry *agenda.Entry, head store.Entry, now int64) {
	d.agenda.Delay(entry, now)
	if _, soon := d.parking[head.ID]; soon {
		// Its mark is being written or cleared; trying sooner would only be refused.
		d.agenda.Delay(entry, now+markPause.Microseconds())
		return
	}
	if head.Park != 0 {
		d.noteMark(entry.Lane(), &head)
		if entry.Lane().IsLeft(head.Park) {
			d.waitForOthers(entry, now)
			return
		}
		d.parking[head.ID] = 0
		entry.Lane().Rewind(head.Rank) // read when its mark has gone
		signal(d.load)
		d.agenda.Delay(entry, now+markPause.Microseconds())
		return
	}
	if !d.agenda.Works(entry.Lane().Queue(), &head) || !d.keep(entry.Lane(), &head, true) {
		d.waitForOthers(entry, now)
	}
}

// waitForOthers puts away an entry behind a head that nobody here starts: its key waits for
// a node that does. A pass ends without it.
func (d *dispatcher) waitForOthers(entry *agenda.Entry, now int64) {
	if d.agenda.Pass() != nil {
		d.agenda.Forget(entry)
		return
	}
	d.agenda.Delay(entry, now+runsElsewherePause.Microseconds())
}

// shelve parks what memory has of a blocked key. It asks again after a second,
// then after twice as long each time; what happens to the key here, and a
// wake-up of its lane, end the wait.
func (d *dispatcher) shelve(entry *agenda.Entry, now int64) {
	if entry.Lane() == nil {
		d.agenda.Forget(entry)
		return
	}
	for _, m := range d.agenda.Shelve(entry, now) {
		d.parking[m.ID] = m.Mark
	}
	signal(d.load)
}
