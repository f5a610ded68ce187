package world

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
	tasks  map[task.ID]*Call
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

// AsTasks lets clients run their calls as tasks. Their guards are those of the policy.
func AsTasks(k *Kit) {
	k.tasks = func(w *World) func() runner {
		var fleet []*node
		return func() runner { return newNode(w, &fleet) }
	}
	k.Budget, k.Breaker, k.throttle, k.Limit, k.Repeat = nil, nil, nil, nil, nil
}

func newNode(w *World, others *[]*node) *node {
	n := &node{others: others, tasks: map[task.ID]*Call{}, agenda: agenda.New(agenda.Config{
		NearFuture: 1 << 30, Slots: nodeSlots, Share: nodeShare, Rand: w.Jitter,
	})}
	n.queue = n.agenda.Own(1, 1, "q").Queue()
	*others = append(*others, n)
	return n
}

// What happens to a node.
const (
	nodeLooks What = iota
	nodeBeats
)

func (n *node) Happen(w *World, what What) {
	if what == nodeBeats {
		n.beat(w)
	} else if w.Now < n.wakes {
		return // it has looked since, and looks again later
	}
	n.dispatch(w)
}

// beat takes over what the other nodes say of the target.
func (n *node) beat(w *World) {
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
		w.After(nodeBeat, n, nodeBeats)
	} else {
		n.beats = false
	}
}

// add enqueues a call.
func (n *node) add(w *World, c *Call) {
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
func (n *node) dispatch(w *World) {
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
		next := max(time.Unix(0, at*1000).Sub(epoch), w.Now+time.Microsecond)
		if n.wakes <= w.Now || next < n.wakes {
			n.wakes = next
			w.At(next, n, nodeLooks)
		}
	}
}

// start makes the attempt of a task, or ends one whose time is over.
func (n *node) start(w *World, e *agenda.Entry) {
	c := n.tasks[e.ID]
	if c.deadline > 0 && w.Now >= c.deadline {
		c.End = DenyTime
		n.agenda.Conclude(e, guard.Feedback{At: w.clock, Silent: true, Policy: c.Client.Policy})
		n.drop(w, e)
		return
	}
	c.number++
	a := w.attempts.Next()
	a.Call, a.entry, a.Number, a.started = c, e, c.number, w.Now
	c.current = a
	if limit := c.allowed(w); limit > 0 {
		w.After(limit, a, attemptTimesOut)
	}
	c.Client.to.Take(w, a)
}

// drop ends a task.
func (n *node) drop(w *World, e *agenda.Entry) {
	c := n.tasks[e.ID]
	delete(n.tasks, e.ID)
	n.agenda.End(e, time.Time{})
	n.agenda.Forget(e)
	c.finish(w)
}

// settle ends an attempt, of a success with a nil verdict, and plans the next or ends
// the task.
func (n *node) settle(w *World, a *Attempt, v *retry.Verdict) {
	c, e := a.Call, a.entry
	c.current = nil
	heard := guard.Feedback{At: w.clock, Took: w.Now - a.started, First: a.Number == 1, Policy: c.Client.Policy}
	if v != nil {
		c.Last = v
		heard.Category, heard.RetryAfter = v.Category, v.Hint.After
		heard.Silent = v.Category == retry.Canceled || v.Category == retry.Deadline
	}
	n.agenda.Conclude(e, heard)
	switch next := n.decide(w, c, v); {
	case v == nil:
		c.OK = true
		n.drop(w, e)
	case !next.Retry:
		c.End = reasonOf(stopError(next.Reason))
		n.drop(w, e)
	default:
		c.wait = next.Delay
		row := e.Entry
		row.RunAt = w.clock.Add(next.Delay).UnixMicro()
		row.Rank, row.Attempt = row.RunAt, c.number
		n.agenda.End(e, n.deadline(c))
		n.agenda.Again(e, row, guard.RequirementAfter(c.Client.Policy, &store.Settlement{
			Task: &task.Task{Type: row.Type, Target: row.Target}, Failure: &task.Failure{Category: string(v.Category)},
		}))
	}
	n.dispatch(w)
}

// decide asks the policy what follows a failure.
func (n *node) decide(w *World, c *Call, v *retry.Verdict) retry.Decision {
	if v == nil {
		return retry.Decision{}
	}
	return c.Client.Policy.Decide(retry.Failure{
		Attempt: c.number, Verdict: *v, PreviousDelay: c.wait, Now: w.clock, Deadline: n.deadline(c),
		MaxAttempts: c.Client.Policy.MaxAttempts(),
	}, w.Jitter)
}

// deadline is that of a task, by the caller's or the policy's word.
func (n *node) deadline(c *Call) time.Time {
	at := c.deadline
	if ttl := c.Client.Policy.TTL(); ttl > 0 {
		at = min(cmp.Or(at, c.Started+ttl), c.Started+ttl)
	}
	if at == 0 {
		return time.Time{}
	}
	return epoch.Add(at)
}
