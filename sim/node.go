package sim

import (
	"cmp"
	"encoding/binary"
	"time"

	"github.com/outlast-dev/outlast/internal/agenda"
	"github.com/outlast-dev/outlast/internal/agenda/guard"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// node runs the calls of a client as tasks: the engine's own agenda decides, with its
// guards, what starts and when, and hears how attempts end. A task that a guard refuses
// waits. The node has memory for all of them, and its store takes no time.
type node struct {
	agenda *agenda.Agenda
	queue  *agenda.Queue
	others *[]*node // of its fleet, itself included
	tasks  map[task.ID]*call
	count  uint64
	wakes  time.Duration // when it looks again, 0 for never
	beats  bool          // it looks at the other nodes every second, while there is something to do
}

// As in the engine, where nobody says otherwise.
const (
	nodeSlots = 1000
	nodeShare = 0.5
	nodeBeat  = time.Second // between two looks at what the other nodes say
	nodeFar   = 1000 * time.Hour
	sendsTo   = "server" // the target of all tasks, which is more than their type
)

// asTasks lets clients run their calls as tasks. Their guards are those of the policy.
func asTasks(k *kit) {
	k.tasks = func(w *world) func() runner {
		var fleet []*node
		return func() runner { return newNode(w, &fleet) }
	}
	k.budget, k.breaker, k.throttle, k.limit, k.repeat = nil, nil, nil, nil, nil
}

func newNode(w *world, others *[]*node) *node {
	n := &node{others: others, tasks: map[task.ID]*call{}, agenda: agenda.New(agenda.Config{
		NearFuture: 1 << 30, Slots: nodeSlots, Share: nodeShare, Rand: w.jitter,
	})}
	n.queue = n.agenda.Own(1, 1, "q").Queue()
	*others = append(*others, n)
	return n
}

// What happens to a node.
const (
	nodeLooks what = iota
	nodeBeats
)

func (n *node) happen(w *world, what what) {
	if what == nodeBeats {
		n.beat(w)
	} else if w.now < n.wakes {
		return // it has looked since, and looks again later
	}
	n.dispatch(w)
}

// beat takes over what the other nodes say of the target.
func (n *node) beat(w *world) {
	breakers := map[string]store.Breaker{}
	for _, other := range *n.others {
		if other == n {
			continue
		}
		for _, t := range other.agenda.Troubled(w.clock) {
			if known, ok := breakers[t.Name]; !ok || t.Breaker.Since.After(known.Since) {
				breakers[t.Name] = t.Breaker
			}
		}
	}
	n.agenda.Follow(w.clock, guard.Fleet{Breakers: breakers, Workers: len(*n.others), Position: guard.Position{Of: len(*n.others)}})
	n.agenda.ForgetTargets(w.clock.UnixMicro())
	if _, wakes := n.agenda.Next(); wakes || len(n.tasks) > 0 {
		n.beats = true
		w.after(nodeBeat, n, nodeBeats)
	} else {
		n.beats = false
	}
}

// add enqueues a call.
func (n *node) add(w *world, c *call) {
	n.count++
	var id task.ID
	binary.BigEndian.PutUint64(id[:], n.count)
	at := w.clock.UnixMicro()
	row := store.Entry{ID: id.WithLane(1), RunAt: at, Rank: at, Seq: int64(n.count), Target: sendsTo, Type: "call"}
	n.tasks[row.ID] = c
	if !n.beats {
		n.beat(w)
	}
	n.agenda.Add(n.queue, row, true)
	n.dispatch(w)
}

// dispatch starts what may start, and sees to it that it is called again.
func (n *node) dispatch(w *world) {
	n.agenda.LookAhead(w.clock, nodeFar)
	n.agenda.Due(w.clock)
	for {
		batch := n.agenda.Choose(agenda.BatchLimit{Slots: nodeSlots - n.agenda.Running(), Rows: nodeSlots, Bytes: 1 << 30})
		if len(batch) == 0 {
			break
		}
		for _, e := range batch {
			n.start(w, e)
		}
	}
	_, later := n.agenda.TakeChanges()
	for _, work := range later {
		work()
	}
	if at, ok := n.agenda.Next(); ok {
		next := max(time.Unix(0, at*1000).Sub(epoch), w.now+time.Microsecond)
		if n.wakes <= w.now || next < n.wakes {
			n.wakes = next
			w.at(next, n, nodeLooks)
		}
	}
}

// start makes the attempt of a task, or ends one whose time is over.
func (n *node) start(w *world, e *agenda.Entry) {
	c := n.tasks[e.ID]
	if c.deadline > 0 && w.now >= c.deadline {
		c.end = denyTime
		n.agenda.Conclude(e, guard.Feedback{At: w.clock, Silent: true, Policy: c.client.policy})
		n.drop(w, e)
		return
	}
	c.number++
	a := w.attempts.next()
	a.call, a.entry, a.number, a.started = c, e, c.number, w.now
	c.current = a
	if limit := c.allowed(w); limit > 0 {
		w.after(limit, a, attemptTimesOut)
	}
	c.client.to.take(w, a)
}

// drop ends a task.
func (n *node) drop(w *world, e *agenda.Entry) {
	c := n.tasks[e.ID]
	delete(n.tasks, e.ID)
	n.agenda.End(e, time.Time{})
	n.agenda.Forget(e)
	c.finish(w)
}

// settle ends an attempt, of a success with a nil verdict, and plans the next or ends
// the task.
func (n *node) settle(w *world, a *attempt, v *retry.Verdict) {
	c, e := a.call, a.entry
	c.current = nil
	heard := guard.Feedback{At: w.clock, Took: w.now - a.started, First: a.number == 1, Policy: c.client.policy}
	if v != nil {
		c.last = v
		heard.Category, heard.RetryAfter = v.Category, v.Hint.After
		heard.Silent = v.Category == retry.Canceled || v.Category == retry.Deadline
	}
	n.agenda.Conclude(e, heard)
	switch next := n.decide(w, c, v); {
	case v == nil:
		c.ok = true
		n.drop(w, e)
	case !next.Retry:
		c.end = reasonOf(stopError(next.Reason))
		n.drop(w, e)
	default:
		c.wait = next.Delay
		row := e.Entry
		row.RunAt = w.clock.Add(next.Delay).UnixMicro()
		row.Rank, row.Attempt = row.RunAt, c.number
		n.agenda.End(e, n.deadline(c))
		n.agenda.Again(e, row, guard.RequirementAfter(c.client.policy, &store.Settlement{
			Task: &task.Task{Type: row.Type, Target: row.Target}, Failure: &task.Failure{Category: string(v.Category)},
		}))
	}
	n.dispatch(w)
}

// decide asks the policy what follows a failure.
func (n *node) decide(w *world, c *call, v *retry.Verdict) retry.Decision {
	if v == nil {
		return retry.Decision{}
	}
	return c.client.policy.Decide(retry.Failure{
		Attempt: c.number, Verdict: *v, PreviousDelay: c.wait, Now: w.clock, Deadline: n.deadline(c),
		MaxAttempts: c.client.policy.MaxAttempts(),
	}, w.jitter)
}

// deadline is that of a task, by the caller's or the policy's word.
func (n *node) deadline(c *call) time.Time {
	at := c.deadline
	if ttl := c.client.policy.TTL(); ttl > 0 {
		at = min(cmp.Or(at, c.started+ttl), c.started+ttl)
	}
	if at == 0 {
		return time.Time{}
	}
	return epoch.Add(at)
}
