package agenda

import (
	"time"

	"github.com/outlast-dev/outlast/task"
)

// Reason is why a task is not started now.
type Reason = task.WaitReason

// Facts answers for one pending task what may hold it, each with an empty reason where that
// does not. An agenda knows them of what it has in memory; whoever is asked about another
// task must look for them elsewhere.
type Facts interface {
	Paused() (Reason, error) // its queue is paused
	Key() (Reason, error)    // another task of its key is first
	Time() (Reason, error)   // it is not yet time
	Worker() (Reason, error) // nobody can start it
	Target() (Reason, error) // its target may not be called
	Limit() (Reason, error)  // its queue is at its limit
	Slot() (Reason, error)   // all who can start it are busy
}

// Why is the first answer that fits.
func Why(f Facts) (Reason, error) {
	for _, ask := range [...]func() (Reason, error){f.Paused, f.Key, f.Time, f.Worker, f.Target, f.Limit, f.Slot} {
		if r, err := ask(); err != nil || r.Why != "" {
			return r, err
		}
	}
	return Reason{}, nil
}

// Explain says why a task is not started now, see [Why]; false for one that is not in
// memory: it is parked, due later than this node looks ahead, or in another node's lane.
// It changes nothing but the time that the agenda knows.
func (a *Agenda) Explain(id task.ID, at time.Time) (r Reason, known bool) {
	e := a.known[id]
	if e == nil {
		return Reason{}, false
	}
	if a.clock.Advance(at); e.where == isClaimed {
		return Reason{}, true
	}
	r, _ = Why(inMemory{a, e}) // which does not fail
	return r, true
}

// inMemory is what an agenda knows of a task.
type inMemory struct {
	*Agenda
	*Entry
}

// Whether is a reason that holds or not.
func Whether(holds bool, why task.Waiting) (r Reason, err error) {
	if holds {
		r.Why = why
	}
	return r, nil
}

func (m inMemory) Paused() (Reason, error) { return Whether(m.queue.Paused, task.QueuePaused) }

func (m inMemory) Key() (Reason, error) {
	if m.where == isBehind {
		return Reason{Why: task.BehindKey, Behind: m.sequence.head.ID}, nil
	}
	return Reason{}, nil
}

// Time is its own, the end of its lane's hand-over, or when the store is asked again
// whether its key is free.
func (m inMemory) Time() (Reason, error) {
	now := m.Agenda.clock.Micros
	r := Reason{Until: time.UnixMicro(m.at).UTC()}
	switch {
	case m.at <= now:
	case m.RunAt > now && m.Attempt+m.Crashes > 0:
		r.Why = task.InBackoff
	case m.RunAt > now:
		r.Why = task.DueLater
	case m.held(now):
		r.Why = task.Unowned
	case m.sequence != nil:
		r.Why = task.BehindKey
	}
	return r, nil
}

// Worker is nobody's question: what nobody can start is left to others, or dies.
func (m inMemory) Worker() (Reason, error) { return Reason{}, nil }

func (m inMemory) Target() (Reason, error) {
	why, until := m.stream.target.Why(&m.call)
	return Reason{Why: why, Until: until}, nil
}

// Limit is that of the queue, or of the task's share key in it.
func (m inMemory) Limit() (Reason, error) {
	if m.queue.shut() {
		return Reason{Why: task.AtConcurrency}, nil
	}
	return m.stream.share.why(), nil
}

// Slot is one of this node, or of a remote worker that waits for a task.
func (m inMemory) Slot() (Reason, error) {
	if m.where == isIsolated && m.poison.alone != nil {
		return Reason{Why: task.NoSlot, Behind: m.poison.alone.ID}, nil
	}
	return Whether(m.stream.crowd.unasked || m.stream.share.crowded() || !m.hasSlot(m.queue) || !m.pass.admits(m.queue), task.NoSlot)
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
