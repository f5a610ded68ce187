package schedules

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// move is one schedule that goes on: its next state, and the tasks of ticks.
type move struct {
	entry    *entry
	decision Decision
	object   store.Object
	inserts  []store.Insert
}

// advance lets schedules go on that are due. It reports whether more is left to
// do at once.
func (t *Ticker) advance(ctx context.Context, due []*entry, now time.Time) (more bool) {
	slices.SortFunc(due, func(a, b *entry) int { return a.state.Next.Compare(b.state.Next) })
	var moves []*move
	for _, e := range due {
		m, err := t.plan(ctx, e, now)
		if err != nil {
			t.failed(ctx, e, err)
			continue
		}
		if m == nil {
			continue
		}
		if moves = append(moves, m); len(moves) == together {
			more = t.apply(ctx, moves) || more
			moves = nil
		}
	}
	return t.apply(ctx, moves) || more
}

// plan decides how a schedule goes on; nil if there is nothing to do.
func (t *Ticker) plan(ctx context.Context, e *entry, now time.Time) (*move, error) {
	if e.stale {
		if err := t.read(ctx, e); err != nil {
			return nil, err
		}
	}
	state := Rebase(e.state, e.hash, e.times, e.since)
	rebased := state.Definition != e.state.Definition
	busy, err := t.busy(ctx, e, &state)
	if err != nil {
		return nil, err
	}
	canceled := t.cancel(ctx, &state)
	d := Decide(&e.schedule, e.times, state, busy, now)
	if !d.Changed && !rebased && !canceled {
		if len(state.Waiting) > 0 {
			e.tryAt = now.Add(askEvery)
		}
		return nil, nil
	}
	m := &move{entry: e, decision: d}
	for _, tick := range d.Fire {
		insert, err := t.Make(ctx, &e.schedule, tick)
		if err != nil {
			return nil, err
		}
		m.inserts = append(m.inserts, insert)
		m.decision.State.LastTask = insert.Task.ID
	}
	m.object, err = StateObject(&m.decision.State, e.schedule.Name, e.version)
	return m, err
}

func (t *Ticker) read(ctx context.Context, e *entry) error {
	object, err := t.Backend.Object(ctx, StateKind, e.schedule.Name)
	if errors.Is(err, &task.Error{Code: task.CodeNotFound}) {
		object, err = nil, nil
	}
	if err == nil {
		e.take(object)
	}
	return err
}

// busy reports whether the last task is pending or running, where the overlap
// rule asks for that.
func (t *Ticker) busy(ctx context.Context, e *entry, state *inspect.ScheduleState) (bool, error) {
	if e.schedule.Overlap == "" || e.schedule.Overlap == inspect.OverlapAllow || state.LastTask.IsZero() {
		return false, nil
	}
	last, err := t.Backend.Get(ctx, state.LastTask)
	if errors.Is(err, &task.Error{Code: task.CodeNotFound}) {
		return false, nil
	}
	return err == nil && !last.State.Final(), err
}

// cancel cancels what was replaced, and reports whether there was something.
// What has ended meanwhile is left alone; what cannot be asked about is asked
// again.
func (t *Ticker) cancel(ctx context.Context, state *inspect.ScheduleState) bool {
	var left []task.ID
	for _, id := range state.Cancel {
		_, err := t.Backend.Cancel(ctx, id)
		if err != nil && !errors.As(err, new(*task.Error)) {
			left = append(left, id)
			continue
		}
		t.Node.Canceled(id)
	}
	done := len(left) < len(state.Cancel)
	state.Cancel = left
	return done
}

// apply stores moves and enqueues their tasks, together; if one is refused,
// each alone.
func (t *Ticker) apply(ctx context.Context, moves []*move) (more bool) {
	if len(moves) == 0 {
		return false
	}
	err := t.change(ctx, moves)
	switch {
	case err == nil:
		for _, m := range moves {
			more = t.done(m) || more
		}
		return more
	case len(moves) > 1 && errors.As(err, new(*task.Error)):
		for _, m := range moves {
			more = t.apply(ctx, []*move{m}) || more
		}
		return more
	}
	for _, m := range moves {
		more = t.refused(ctx, m, err) || more
	}
	return more
}

func (t *Ticker) change(ctx context.Context, moves []*move) error {
	change := store.Change{Quiet: true}
	var lanes []uint16
	for _, m := range moves {
		change.Put = append(change.Put, m.object)
		for _, insert := range m.inserts {
			change.Enqueue = append(change.Enqueue, store.Batch{Items: []store.Insert{insert}})
			lanes = append(lanes, insert.Task.ID.Lane())
		}
	}
	changed, err := t.Backend.Change(ctx, change)
	if err != nil {
		return err
	}
	for i, m := range moves {
		m.entry.state, m.entry.version = m.decision.State, changed.Put[i].Version
	}
	if len(lanes) > 0 {
		t.Node.Wake(lanes...)
	}
	return nil
}

// done tells of a move that was made.
func (t *Ticker) done(m *move) (more bool) {
	e, d := m.entry, &m.decision
	e.tryAt, e.complain = time.Time{}, false
	for _, told := range []struct {
		kind  inspect.TickKind
		count int
	}{{inspect.TicksFired, len(d.Fire)}, {inspect.TicksMissed, d.Missed}, {inspect.TicksSkipped, d.Skipped}} {
		if told.count > 0 {
			t.Observe(inspect.ScheduleEvent{Schedule: e.schedule.Name, Kind: told.kind, Count: told.count, Tick: d.State.Last})
		}
	}
	if d.Missed > 0 {
		t.Logger.Warn("schedule.missed", "schedule", e.schedule.Name, "ticks", d.Missed, "next", d.State.Next)
	}
	return d.More || len(d.State.Cancel) > 0
}

// refused looks at what became of a move that was not made, or perhaps was: its
// state is read again. Another node may have been quicker.
func (t *Ticker) refused(ctx context.Context, m *move, err error) (more bool) {
	e := m.entry
	e.stale = true
	var refused *task.Error
	switch {
	case errors.As(err, &refused) && refused.Code == task.CodeConflict:
		t.loaded = -1 // it may be the schedule that has changed
		return true
	case errors.As(err, &refused) && (refused.Code == task.CodeIDConflict || refused.Code == task.CodeDedupeConflict) && len(m.inserts) > 0:
		// The tick has a task already, of another definition.
		m.inserts = slices.DeleteFunc(m.inserts, func(i store.Insert) bool { return t.there(ctx, i) })
		if retry := len(m.inserts) < len(m.decision.Fire); retry && t.change(ctx, []*move{m}) == nil {
			e.stale = false
			return t.done(m)
		}
	}
	t.failed(ctx, e, err)
	return false
}

// there reports whether a tick has its task, by the id or by the dedupe key: the id
// of one that an older version has made is another.
func (t *Ticker) there(ctx context.Context, insert store.Insert) bool {
	known, err := t.Backend.Known(ctx, []store.Insert{insert})
	return err == nil && known[0]
}

// failed notes that a schedule could not go on. It is tried again; the first
// failure of several is told.
func (t *Ticker) failed(ctx context.Context, e *entry, err error) {
	if ctx.Err() != nil {
		return
	}
	e.tryAt = t.clock.Now(ctx).Add(errorPause)
	t.Observe(inspect.ScheduleEvent{Schedule: e.schedule.Name, Kind: inspect.TicksFailed, Count: 1, Tick: e.state.Next, Err: err})
	if !e.complain {
		e.complain = true
		t.Logger.Warn("schedule.failed", "schedule", e.schedule.Name, "error", err)
	}
}
