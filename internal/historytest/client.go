package historytest

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// client is one goroutine that calls the store.
type client struct {
	*run
	number  int
	backend store.Backend
	random  *rand.Rand
}

// work does the client's calls. The first client takes over now and then.
func (c *client) work(ctx context.Context) {
	for i := range c.Steps {
		if ctx.Err() != nil {
			return
		}
		if c.number == 0 && i > 0 && i%(c.Steps/(c.Takeovers+1)+1) == 0 {
			if err := c.takeOver(ctx); err != nil {
				c.fail("take over: %w", err)
			}
		}
		c.one(ctx)
	}
}

// one does one call, drawn by weight.
func (c *client) one(ctx context.Context) {
	switch n := c.random.IntN(100); {
	case n < 12:
		c.enqueue(ctx, c.some(3))
	case n < 37:
		c.claim(ctx, c.some(4))
	case n < 67:
		c.settle(ctx, c.some(3))
	case n < 72:
		c.beat(ctx)
	case n < 77:
		id := c.some(1)[0]
		c.operate(id, cancels, func() (*task.Task, error) { return c.backend.Cancel(ctx, id) })
	case n < 82:
		id := c.some(1)[0]
		c.operate(id, reschedules, func() (*task.Task, error) { return c.backend.Reschedule(ctx, id, time.Time{}) })
	case n < 90:
		c.redrive(ctx, c.some(2))
	default:
		c.read(ctx, c.some(1)[0])
	}
}

// some draws different tasks, up to n.
func (c *client) some(n int) []task.ID {
	order := c.random.Perm(len(c.ids))[:1+c.random.IntN(n)]
	ids := make([]task.ID, len(order))
	for i, place := range order {
		ids[i] = c.ids[place]
	}
	return ids
}

// note records the same call of one task.
func (c *client) note(id task.ID, began int64, what call, a answer) {
	if a.row.state == task.Running { // only a claim that somebody holds is ever settled
		c.told(id, a.row.claim)
	}
	c.history.add(c.number, id, began, what, a)
}

func (c *client) enqueue(ctx context.Context, ids []task.ID) {
	began := c.history.now()
	batches := make([]store.Batch, len(ids))
	for i, id := range ids {
		batches[i].Items = []store.Insert{{Task: &task.Task{
			ID: id, Queue: queueName, Type: "mail", Target: "mail", Payload: []byte(`{}`), Priority: task.DefaultPriority,
			RunAt: time.UnixMicro(id.Time().UnixMicro()).Add(-time.Hour),
		}}}
	}
	results, err := c.backend.Enqueue(ctx, batches)
	for i, id := range ids {
		a := answer{verdict: unknown}
		switch {
		case err != nil:
		case results[i].Err != nil:
			c.fail("enqueue %s: %w", id, results[i].Err)
			continue
		case results[i].Items[0].Existing != nil:
			a = answer{existing, rowOf(results[i].Items[0].Existing)}
		default:
			a.verdict = done
		}
		c.note(id, began, call{kind: enqueues}, a)
	}
}

func (c *client) claim(ctx context.Context, ids []task.ID) {
	node, lanes := c.working()
	items := make([]store.ClaimItem, len(ids))
	for i, id := range ids {
		items[i].ID = id
	}
	began := c.history.now()
	claimed, err := c.backend.Claim(ctx, store.Claim{Node: node, Lanes: lanes, Items: items})
	answers := map[task.ID]answer{}
	for _, t := range claimed.Tasks {
		answers[t.ID] = answer{done, rowOf(t)}
	}
	for _, refusal := range claimed.Refused {
		answers[refusal.ID] = answer{verdict: refused}
		if refusal.Reason == store.ReasonGone {
			answers[refusal.ID] = answer{verdict: gone}
		}
	}
	for _, id := range ids {
		a, answered := answers[id]
		if err != nil {
			a.verdict = unknown
		} else if !answered {
			c.fail("claim says nothing of %s", id)
		}
		c.note(id, began, call{kind: claims, node: node}, a)
	}
}

// outcomes are drawn from; those that go on are more frequent.
var outcomes = []task.Outcome{
	task.OutcomeFailed, task.OutcomeFailed, task.OutcomeSnoozed, task.OutcomeReleased, task.OutcomeReleased,
	task.OutcomeDead, task.OutcomeDead, task.OutcomeDead, task.OutcomeSucceeded, task.OutcomeCanceled,
}

func (c *client) settle(ctx context.Context, ids []task.ID) {
	var settlements []store.Settlement
	var calls []call
	for _, id := range ids {
		claim := c.known(id, c.random)
		if claim == 0 {
			continue
		}
		outcome := outcomes[c.random.IntN(len(outcomes))]
		now := time.Now()
		s := store.Settlement{
			Task: &task.Task{ID: id, Claim: claim, Queue: queueName, Type: "mail", Target: "mail"}, Outcome: outcome, StartedAt: now, EndedAt: now,
		}
		if outcome == task.OutcomeFailed || outcome == task.OutcomeDead {
			s.Failure = &task.Failure{Category: "network", Message: "down", At: now, Fingerprint: "f"}
		}
		if outcome == task.OutcomeDead {
			s.DeadReason = task.Permanent
		}
		settlements = append(settlements, s)
		calls = append(calls, call{kind: settles, claim: claim, outcome: outcome})
	}
	if len(calls) == 0 {
		return
	}
	began := c.history.now()
	results, err := c.backend.Settle(ctx, settlements)
	for i, what := range calls {
		a := answer{verdict: unknown}
		if err == nil {
			switch results[i].Status {
			case store.StatusOK:
				a = answer{done, row{state: results[i].State}}
			case store.StatusStale:
				a.verdict = stale
			case store.StatusNotFound:
				a.verdict = missing
			default:
				c.fail("settle %s: %s %w", settlements[i].Task.ID, results[i].Status, results[i].Err)
			}
		}
		c.note(settlements[i].Task.ID, began, what, a)
	}
}

// beat hears of requested cancels, which says something of every task.
func (c *client) beat(ctx context.Context) {
	node, _ := c.working()
	began := c.history.now()
	canceled, err := c.backend.Beat(ctx, node, store.Report{Serves: store.Serves{queueName: {AnyType: true}}})
	if err != nil {
		return // nothing was told, and nothing of a task is changed
	}
	heard := map[task.ID]bool{}
	for _, id := range canceled {
		heard[id] = true
	}
	for _, id := range c.ids {
		a := answer{verdict: quiet}
		if heard[id] {
			a.verdict = asked
		}
		c.note(id, began, call{kind: beats, node: node}, a)
	}
}

// operate cancels or reschedules.
func (c *client) operate(id task.ID, what kind, do func() (*task.Task, error)) {
	began := c.history.now()
	t, err := do()
	a := answer{verdict: done}
	if err != nil {
		a.verdict, a.row.state = outcomeOf(err)
	} else {
		a.row = rowOf(t)
	}
	c.note(id, began, call{kind: what}, a)
}

func (c *client) redrive(ctx context.Context, ids []task.ID) {
	keep := c.random.IntN(2) == 0
	began := c.history.now()
	again, _, err := c.backend.Redrive(ctx, ids, store.RedriveOptions{KeepAttempts: keep})
	redriven := map[task.ID]bool{}
	for i := range again {
		redriven[again[i].ID] = true
	}
	for _, id := range ids {
		a := answer{verdict: missing}
		switch {
		case err != nil:
			a.verdict = unknown
		case redriven[id]:
			a.verdict = done
		}
		c.note(id, began, call{kind: redrives, keep: keep}, a)
	}
}

func (c *client) read(ctx context.Context, id task.ID) {
	began := c.history.now()
	t, err := c.backend.Get(ctx, id)
	switch {
	case err == nil:
		c.note(id, began, call{kind: reads}, answer{done, rowOf(t)})
	case errors.Is(err, &task.Error{Code: task.CodeNotFound}):
		c.note(id, began, call{kind: reads}, answer{verdict: missing})
	}
}
