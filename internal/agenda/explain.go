package agenda

import (
	"time"

	"github.com/outlast-dev/outlast/task"
)

// Reason is why an entry is not started now.
type Reason struct {
	Why    task.Waiting // empty for one that starts at any moment, or runs
	Until  time.Time    // when that is looked at again; zero where only an event tells
	Behind task.ID      // the task that must end first, where it is one
}

// Explain says why a task is not started now; false for one that is not in memory: it is
// parked, due later than this node looks ahead, or in another node's lane. It gives the
// first answer that fits: the queue is paused, another task of the key is first, it is not
// yet time, nobody asks for its type, the target may not be called, the queue is at its
// limit, no slot is free. It changes nothing but the time that the agenda knows.
func (a *Agenda) Explain(id task.ID, at time.Time) (Reason, bool) {
	e := a.known[id]
	if e == nil {
		return Reason{}, false
	}
	a.clock.Advance(at)
	now := a.clock.Micros
	switch {
	case e.where == isClaimed:
		return Reason{}, true
	case e.queue.Paused:
		return Reason{Why: task.QueuePaused}, true
	case e.where == isBehind:
		return Reason{Why: task.BehindKey, Behind: e.sequence.head.ID}, true
	case e.at > now:
		return e.notYet(now), true
	case e.stream.unasked:
		return Reason{Why: task.NoWorker}, true
	}
	if why, until := e.stream.target.Why(&e.call); why != "" {
		return Reason{Why: why, Until: until}, true
	}
	switch {
	case e.where == isIsolated && a.poison.alone != nil:
		return Reason{Why: task.NoSlot, Behind: a.poison.alone.ID}, true
	case e.queue.shut():
		return Reason{Why: task.AtConcurrency}, true
	case !a.hasSlot(e.queue) || !a.pass.admits(e.queue):
		return Reason{Why: task.NoSlot}, true
	}
	return Reason{}, true
}

// notYet is why an entry waits for a time: its own, the end of its lane's hand-over, or
// the moment when the store is asked again whether its key is free.
func (e *Entry) notYet(now int64) Reason {
	r := Reason{Until: time.UnixMicro(e.at).UTC()}
	switch {
	case e.RunAt > now && e.Attempt+e.Crashes > 0:
		r.Why = task.InBackoff
	case e.RunAt > now:
		r.Why = task.DueLater
	case e.held(now):
		r.Why = task.Unowned
	case e.sequence != nil:
		r.Why = task.BehindKey
	}
	return r
}

// hasSlot reports whether one of the free slots is for the queue.
func (a *Agenda) hasSlot(q *Queue) bool {
	owed := 0
	for _, other := range a.order {
		owed += other.owed()
	}
	free := a.slots - a.running
	return free > 0 && a.mayStart(q, free, owed)
}
