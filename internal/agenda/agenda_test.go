package agenda

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/outlast-dev/outlast/internal/agenda/guard"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// TestAgendaKeepsItsBooks does what an engine may do to the near future, in
// any order, and counts everything again after each step.
func TestAgendaKeepsItsBooks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newAgendaModel(t)
		t.Repeat(map[string]func(*rapid.T){
			"add": m.add, "pick": m.pick, "settle": m.settle, "forget": m.forget, "delay": m.delay,
			"tick": m.tick, "park": m.park, "disown": m.disown, "promote": m.promote, "refuse": m.refuse, "order": m.order,
			"hear": m.hear, "limit": m.limit, "read": m.read, "": m.check,
		})
	})
}

type agendaModel struct {
	agenda   *Agenda
	policies []*retry.Policy
	now      int64
	seq      int64
	running  []*Entry
}

func newAgendaModel(t *rapid.T) *agendaModel {
	m := &agendaModel{policies: somePolicies(t), agenda: New(Config{
		NearFuture: rapid.IntRange(1, 400).Draw(t, "limit"), Slots: rapid.IntRange(1, 20).Draw(t, "slots"), Share: 0.5,
	}), now: 1e9}
	for i := range uint16(3) {
		m.agenda.Own(i, 1, fmt.Sprint("q", i%2))
	}
	return m
}

func (m *agendaModel) add(t *rapid.T) {
	m.seq++
	row := store.Entry{
		RunAt: m.now + rapid.Int64Range(-100, 100).Draw(t, "run_at"), Seq: m.seq,
		Target: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "target"), Size: rapid.IntRange(0, 100).Draw(t, "size"),
		Crashes: rapid.SampledFrom([]int{0, 0, 0, 2, 3}).Draw(t, "crashes"),
		Attempt: rapid.SampledFrom([]int{0, 0, 1}).Draw(t, "attempt"),
	}
	row.Share = rapid.SampledFrom([]string{"", "", "x", "y", "z"}).Draw(t, "share")
	row.ID[0], row.ID[1], row.ID[2] = byte(m.seq>>16), byte(m.seq>>8), byte(m.seq)
	row.ID = row.ID.WithLane(rapid.Uint16Range(0, 2).Draw(t, "lane"))
	row.Rank = row.RunAt - rapid.Int64Range(0, 9).Draw(t, "priority")*10
	if rapid.Bool().Draw(t, "keyed") {
		row.Key = rapid.SampledFrom([]string{"k", "l"}).Draw(t, "key")
	}
	if l := m.agenda.owned[row.ID.Lane()]; l != nil {
		m.agenda.horizon = m.now + 50
		m.agenda.Add(l.queue, row, rapid.Bool().Draw(t, "wanted"))
	}
}

func (m *agendaModel) pick(t *rapid.T) {
	m.agenda.Due(m.time())
	free := m.agenda.slots - m.agenda.running
	picked := m.agenda.Choose(BatchLimit{Slots: free, Rows: rapid.IntRange(1, 5).Draw(t, "batch"), Bytes: rapid.IntRange(1, 200).Draw(t, "bytes")})
	if len(picked) > free {
		t.Fatalf("%d picked for %d slots", len(picked), free)
	}
	keys := map[keyID]bool{}
	for _, e := range m.running {
		if e.sequence != nil {
			keys[e.sequence.id] = true
		}
	}
	for _, e := range picked {
		if e.at > m.now {
			t.Fatalf("%d is early at %d", e.at, m.now)
		}
		if e.sequence != nil && keys[e.sequence.id] {
			t.Fatalf("two of key %v at once", e.sequence.id)
		}
		if e.sequence != nil {
			keys[e.sequence.id] = true
		}
		for _, other := range m.running {
			if e.Crashes >= isolateFrom && other.Crashes >= isolateFrom && !e.Overdue && !other.Overdue {
				t.Fatal("two that may be poison at once")
			}
		}
		m.running = append(m.running, e)
	}
}

func (m *agendaModel) time() time.Time { return time.UnixMicro(m.now) }

// somePolicies are the default one and others that want other guards, or none.
func somePolicies(t *rapid.T) []*retry.Policy {
	all := []*retry.Policy{retry.Default()}
	for _, options := range [][]retry.Option{
		{retry.TaskBreaker(&retry.BreakerConfig{Consecutive: 3, Ramp: -1}), retry.TaskBudget(&retry.BudgetConfig{Floor: 5})},
		{retry.TaskBreaker(&retry.BreakerConfig{MinCalls: 2, OpenFor: time.Second})},
		{retry.TaskBreaker(nil), retry.TaskBudget(nil)},
	} {
		p, err := retry.New(options...)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// one takes a running entry out of those that run.
func (m *agendaModel) one(t *rapid.T) *Entry {
	if len(m.running) == 0 {
		return nil
	}
	i := rapid.IntRange(0, len(m.running)-1).Draw(t, "which")
	e := m.running[i]
	m.running = append(m.running[:i], m.running[i+1:]...)
	return e
}

// settle ends a running entry, for good or with another run.
func (m *agendaModel) settle(t *rapid.T) {
	e := m.one(t)
	if e == nil {
		return
	}
	m.now += rapid.Int64Range(0, 100_000).Draw(t, "took")
	m.agenda.Conclude(e, guard.Feedback{
		At: m.time(), Took: time.Millisecond, First: e.Attempt == 0, Policy: m.policies[rapid.IntRange(0, len(m.policies)-1).Draw(t, "policy")], Silent: rapid.IntRange(0, 9).Draw(t, "silent") == 0,
		Category:   rapid.SampledFrom([]retry.Category{"", "", retry.Unavailable, retry.Unavailable, retry.Permanent, retry.Throttled, retry.Timeout}).Draw(t, "category"),
		RetryAfter: time.Duration(rapid.Int64Range(0, 10).Draw(t, "hint")) * time.Second,
	})
	m.agenda.vacate(e)
	if rapid.Bool().Draw(t, "over") {
		m.agenda.Forget(e)
		return
	}
	row := e.Entry
	row.Attempt++
	row.RunAt = m.now + rapid.Int64Range(0, 200).Draw(t, "backoff")
	if rapid.Bool().Draw(t, "deadline") {
		e.readDeadline(m.time().Add(time.Duration(rapid.Int64Range(-100, 5_000_000).Draw(t, "expires")) * time.Microsecond))
	}
	next := guard.RequirementAfter(m.policies[rapid.IntRange(0, len(m.policies)-1).Draw(t, "next")], &store.Settlement{Task: &task.Task{Type: row.Type, Target: row.Target}})
	m.agenda.Again(e, row, next)
}

// refuse gives a picked entry back, as after a claim that the store refused.
func (m *agendaModel) refuse(t *rapid.T) {
	e := m.one(t)
	if e == nil {
		return
	}
	m.agenda.NotStarted(e)
	if e.lane == nil {
		m.agenda.Forget(e)
	} else {
		m.agenda.Delay(e, m.now+rapid.Int64Range(0, 50).Draw(t, "by"))
	}
}

func (m *agendaModel) target(t *rapid.T) string {
	return rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "target")
}

func (m *agendaModel) order(t *rapid.T) {
	action := rapid.SampledFrom([]store.TargetAction{store.TargetOpen, store.TargetClose, store.TargetClose, store.TargetReset}).Draw(t, "action")
	m.agenda.Follow(m.time(), guard.Fleet{Orders: []store.TargetOrder{{Target: m.target(t), Action: action, At: m.time()}}})
}

func (m *agendaModel) hear(t *rapid.T) {
	since := m.time().Add(-time.Duration(rapid.Int64Range(0, 5).Draw(t, "ago")) * time.Second)
	m.agenda.Follow(m.time(), guard.Fleet{Breakers: map[string]store.Breaker{m.target(t): {
		State: rapid.SampledFrom([]string{"open", "closed", "half_open", "ramping"}).Draw(t, "state"), Since: since, Opened: since,
		Until: since.Add(5 * time.Second),
	}}})
}

func (m *agendaModel) idle(t *rapid.T) *Entry {
	var idle []*Entry
	for _, e := range m.agenda.known {
		if e.where != isClaimed {
			idle = append(idle, e)
		}
	}
	if len(idle) == 0 {
		return nil
	}
	slices.SortFunc(idle, func(a, b *Entry) int { return a.ID.Compare(b.ID) })
	return rapid.SampledFrom(idle).Draw(t, "entry")
}

func (m *agendaModel) forget(t *rapid.T) {
	if e := m.idle(t); e != nil {
		m.agenda.Forget(e)
		m.agenda.Forget(e) // a second time changes nothing
	}
}

func (m *agendaModel) delay(t *rapid.T) {
	if e := m.idle(t); e != nil && (e.sequence == nil || e.sequence.head == e) && e.where != isIsolated {
		m.agenda.Delay(e, m.now+rapid.Int64Range(0, 50).Draw(t, "by"))
	}
}

func (m *agendaModel) promote(t *rapid.T) {
	if e := m.idle(t); e != nil && e.where == isBehind && e.sequence.head.where != isClaimed {
		m.agenda.promote(e)
	}
}

func (m *agendaModel) tick(t *rapid.T) {
	m.now += rapid.Int64Range(1, 2*time.Second.Microseconds()).Draw(t, "time")
	m.agenda.Due(m.time())
	m.agenda.ForgetTargets(m.now)
}

func (m *agendaModel) park(*rapid.T) {
	for _, e := range m.agenda.Excess(m.now) {
		m.agenda.Forget(e.Entry)
	}
}

func (m *agendaModel) disown(t *rapid.T) {
	number := rapid.Uint16Range(0, 2).Draw(t, "lane")
	if l := m.agenda.owned[number]; l != nil && rapid.IntRange(0, 9).Draw(t, "chance") == 0 {
		m.agenda.Disown(l)
		m.agenda.Own(number, l.epoch+1, l.queue.name)
	}
}

func (m *agendaModel) check(t *rapid.T) {
	n := m.agenda
	lanes, streams, spots, retries := map[*Lane]int{}, map[*stream]int{}, map[spot]int{}, map[*crowd]int{}
	unread, running, portions := map[*stream]int{}, map[*share]int{}, map[*portion]int{}
	for id, e := range n.known {
		if e.ID != id {
			t.Fatalf("%s is known as %s", e.ID, id)
		}
		if e.lane != nil {
			lanes[e.lane]++
		}
		streams[e.stream]++
		if e.call.Gates.Kind() == guard.Retries {
			retries[e.stream.crowd]++
		}
		if e.Taker != nil && e.where != isClaimed {
			t.Fatalf("%s is in %d and given to a taker", id, e.where)
		}
		spots[e.where]++
		if e.where == isClaimed {
			running[e.stream.share]++
		}
		if e.portion != nil {
			portions[e.portion]++
		}
		if (e.portion != nil) != (e.lane != nil && e.queue.keyed) {
			t.Fatalf("%s has a portion: %v", id, e.portion != nil)
		}
		if (e.deadlineIndex >= 0) != (e.where == isReady && e.expires != 0) {
			t.Fatalf("%s is in %d with the deadline %d, and in place %d of the deadlines", id, e.where, e.expires, e.deadlineIndex)
		}
		if e.where == isReady && !e.read {
			unread[e.stream]++
		}
		if e.sequence != nil && n.keys.byID[e.sequence.id] != e.sequence {
			t.Fatalf("the line of %s is forgotten", id)
		}
		if e.sequence != nil && (e.sequence.head == e) == (e.where == isBehind) {
			t.Fatalf("%s is head %v and in %d", id, e.sequence.head == e, e.where)
		}
	}
	for _, l := range n.owned {
		if l.count != lanes[l] {
			t.Fatalf("lane %d counts %d, has %d", l.number, l.count, lanes[l])
		}
		checkPortions(t, l, portions)
	}
	ready := 0
	for _, q := range n.queues.byName {
		checkCrowds(t, q, retries)
		for _, sh := range q.shares {
			checkShare(t, sh, running[sh])
			for _, s := range sh.streams {
				if s.count != streams[s] || !headIsRight(s) || s.isOpen != (s.head != nil && s.bed < 0) {
					t.Fatalf("stream %s counts %d, has %d, open %v", s.target.Name, s.count, streams[s], s.isOpen)
				}
				if s.unread != unread[s] {
					t.Fatalf("stream %s counts %d unread, has %d", s.target.Name, s.unread, unread[s])
				}
			}
		}
		ready += q.ready()
	}
	behind, counted := 0, 0
	for _, l := range n.owned {
		counted += l.behind
	}
	for id, l := range n.keys.byID {
		behind += l.behind.Len()
		if l.head == nil && l.behind.Len() > 0 {
			t.Fatalf("line %v has nobody in front", id)
		}
	}
	if ready != n.ready || ready != spots[isReady] || n.waiting.Len() != spots[isWaiting] || behind != counted || behind != spots[isBehind] {
		t.Fatalf("ready %d/%d/%d, waiting %d/%d, behind %d/%d/%d", ready, n.ready, spots[isReady], n.waiting.Len(), spots[isWaiting], behind, counted, spots[isBehind])
	}
	if n.running != len(m.running) || spots[isClaimed] != n.running || spots[nowhere] != 0 || spots[isIsolated] != len(n.poison.waiting) {
		t.Fatalf("running %d, claimed %d, nowhere %d, of those that may be poison %d/%d", n.running, spots[isClaimed], spots[nowhere], spots[isIsolated], len(n.poison.waiting))
	}
	if len(n.poison.waiting) > 0 && n.poison.alone == nil {
		t.Fatal("of those that may be poison wait for nobody")
	}
	if at, ok := n.Next(); ok && at == math.MaxInt64 {
		t.Fatal("waits for ever")
	}
}

// headIsRight reports whether the head of a stream is the one that starts next,
// or, where that is drawn, one of those that may.
func headIsRight(s *stream) bool {
	next := s.next()
	open, probes := s.crowd.open, s.crowd.probes
	if !probes || next == nil || s.head == nil {
		return s.head == next
	}
	return s.head.stream == s && s.head.where == isReady && open[s.head.call.Gates]
}
