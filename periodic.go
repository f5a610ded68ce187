package outlast

import (
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/ticks"
	"github.com/outlast-dev/outlast/task"
)

// Periodic keeps schedules as the code has them, from [Client.Start] on: each is put where
// it is not there, and changed where it is another. Mistakes are reported by Start, which it
// must be called before: a later call does nothing and is logged. It may run in any number of programs and nodes: a tick has one task.
//
// Nodes of two releases may name different rules of one name. The one that is there stays as
// long as a living node names it; when none does any more, seconds after the last has
// stopped, those that are left put theirs. A schedule that no code names any more stays
// until it is deleted, since its nodes may just be down. Operators pause, resume and trigger
// it as any other, and a pause outlives changes; they change and delete it only when no
// living node names it. The configuration file goes before code. A client that does not
// start, and works by [Client.RunDue], keeps its schedules at each of these calls.
func (c *Client) Periodic(all ...inspect.Schedule) {
	for _, s := range all {
		namePeriodic(c, func() (inspect.Schedule, error) { return s, nil })
	}
}

// Periodic has the client make the call again and again: the schedule says when, and its Task
// what holds for each call instead of what the definition says: queue, key, priority, limits,
// policy, target and single metadata. Type, payload and what follows a call are the
// definition's. Its delay, deadline and dedupe key mean nothing here: a tick has its time, and
// one task. See [Client.Periodic] for the rest.
func (d *Definition[A, R]) Periodic(c *Client, s inspect.Schedule, payload A) {
	namePeriodic(c, func() (inspect.Schedule, error) {
		draft, err := d.Draft(payload)
		if err != nil {
			return s, err
		}
		return ticks.Of(s, draft.plain())
	})
}

// namePeriodic names a schedule that a client is to keep.
func namePeriodic(c *Client, s func() (inspect.Schedule, error)) {
	if c.state.Load() != opened {
		c.options.Logger.Error("periodic.refused", "error", &Error{Code: task.CodeConflict, Message: "Periodic was called after Start", Hint: "call it before"})
		return
	}
	c.recurring.code.Add(s)
}
