package engine

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
)

// TestNearKeepsItsBooks does what an engine may do to the near future, in
// any order, and counts everything again after each step.
func TestNearKeepsItsBooks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newNearModel(t)
		t.Repeat(map[string]func(*rapid.T){
			"add": m.add, "pick": m.pick, "settle": m.settle, "forget": m.forget, "delay": m.delay,
			"tick": m.tick, "park": m.park, "disown": m.disown, "promote": m.promote, "refuse": m.refuse, "order": m.order,
			"hear": m.hear, "": m.check,
		})
	})
}

type nearModel struct {
	near     *near
	policies []*retry.Policy
	now      int64
	seq      int64
	running  []*entry
}

func newNearModel(t *rapid.T) *nearModel {
	m := &nearModel{policies: somePolicies(t), near: newNear(rapid.IntRange(1, 400).Draw(t, "limit"), rapid.IntRange(1, 20).Draw(t, "slots"), 0.5), now: 1e9}
	for i := range uint16(3) {
		m.near.own(i, 1, m.near.queueOf(fmt.Sprint("q", i%2)))
	}
	return m
}

func (m *nearModel) add(t *rapid.T) {
	m.seq++
	row := store.Entry{
		RunAt: m.now + rapid.Int64Range(-100, 100).Draw(t, "run_at"), Seq: m.seq,
		Target: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "target"), Size: rapid.IntRange(0, 100).Draw(t, "size"),
		Crashes: rapid.SampledFrom([]int{0, 0, 0, 2, 3}).Draw(t, "crashes"),
		Attempt: rapid.SampledFrom([]int{0, 0, 1}).Draw(t, "attempt"),
	}
	row.ID[0], row.ID[1], row.ID[2] = byte(m.seq>>16), byte(m.seq>>8), byte(m.seq)
	row.ID = row.ID.WithLane(rapid.Uint16Range(0, 2).Draw(t, "lane"))
	row.Rank = row.RunAt - rapid.Int64Range(0, 9).Draw(t, "priority")*10
	if rapid.Bool().Draw(t, "keyed") {
		row.Key = rapid.SampledFrom([]string{"k", "l"}).Draw(t, "key")
	}
	if l := m.near.lanes[row.ID.Lane()]; l != nil {
		m.near.horizon = m.now + 50
		m.near.add(l.queue, row, rapid.Bool().Draw(t, "wanted"))
	}
}

func (m *nearModel) pick(t *rapid.T) {
	m.near.due(m.time())
	free := m.near.slots - m.near.running
	picked := m.near.pick(room{slots: free, batch: rapid.IntRange(1, 5).Draw(t, "batch"), bytes: rapid.IntRange(1, 200).Draw(t, "bytes")})
	if len(picked) > free {
		t.Fatalf("%d picked for %d slots", len(picked), free)
	}
	keys := map[lineID]bool{}
	for _, e := range m.running {
		if e.line != nil {
			keys[e.line.id] = true
		}
	}
	for _, e := range picked {
		if e.at > m.now {
			t.Fatalf("%d is early at %d", e.at, m.now)
		}
		if e.line != nil && keys[e.line.id] {
			t.Fatalf("two of key %v at once", e.line.id)
		}
		if e.line != nil {
			keys[e.line.id] = true
		}
		for _, other := range m.running {
			if e.Crashes >= suspectCrashes && other.Crashes >= suspectCrashes && !e.overdue && !other.overdue {
				t.Fatal("two suspects at once")
			}
		}
		m.running = append(m.running, e)
	}
}

func (m *nearModel) time() time.Time { return time.UnixMicro(m.now) }

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
func (m *nearModel) one(t *rapid.T) *entry {
	if len(m.running) == 0 {
		return nil
	}
	i := rapid.IntRange(0, len(m.running)-1).Draw(t, "which")
	e := m.running[i]
	m.running = append(m.running[:i], m.running[i+1:]...)
	return e
}

// settle ends a running entry, for good or with another run.
func (m *nearModel) settle(t *rapid.T) {
	e := m.one(t)
	if e == nil {
		return
	}
	m.now += rapid.Int64Range(0, 100_000).Draw(t, "took")
	m.near.conclude(e, answer{
		at: m.time(), took: time.Millisecond, first: e.Attempt == 0, policy: m.policies[rapid.IntRange(0, len(m.policies)-1).Draw(t, "policy")], silent: rapid.IntRange(0, 9).Draw(t, "silent") == 0,
		category: rapid.SampledFrom([]retry.Category{"", "", retry.Unavailable, retry.Unavailable, retry.Permanent, retry.Throttled, retry.Timeout}).Draw(t, "category"),
		hint:     time.Duration(rapid.Int64Range(0, 10).Draw(t, "hint")) * time.Second,
	})
	m.near.end(e)
	if rapid.Bool().Draw(t, "over") {
		m.near.forget(e)
		return
	}
	row := e.Entry
	row.Attempt++
	row.RunAt = m.now + rapid.Int64Range(0, 200).Draw(t, "backoff")
	if rapid.Bool().Draw(t, "deadline") {
		e.readDeadline(m.time().Add(time.Duration(rapid.Int64Range(-100, 5_000_000).Draw(t, "expires")) * time.Microsecond))
	}
	next := usualToll
	next.breaker, next.budget = rapid.Bool().Draw(t, "breaker"), rapid.Bool().Draw(t, "budget")
	m.near.again(e, row, next)
}

// refuse gives a picked entry back, as after a claim that the store refused.
func (m *nearModel) refuse(t *rapid.T) {
	e := m.one(t)
	if e == nil {
		return
	}
	m.near.giveBack(e)
	m.near.end(e)
	if e.lane == nil {
		m.near.forget(e)
	} else {
		m.near.delay(e, m.now+rapid.Int64Range(0, 50).Draw(t, "by"))
	}
}

func (m *nearModel) target(t *rapid.T) *target {
	known := m.near.targets[rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "target")]
	if known == nil || known.guard == nil {
		return nil
	}
	return known
}

func (m *nearModel) order(t *rapid.T) {
	if of := m.target(t); of != nil {
		action := rapid.SampledFrom([]store.TargetAction{store.TargetOpen, store.TargetClose, store.TargetClose, store.TargetReset}).Draw(t, "action")
		m.near.obey(of, store.TargetOrder{Target: of.name, Action: action, At: m.time()})
	}
}

func (m *nearModel) hear(t *rapid.T) {
	if of := m.target(t); of != nil {
		since := m.time().Add(-time.Duration(rapid.Int64Range(0, 5).Draw(t, "ago")) * time.Second)
		m.near.adopt(of, store.Breaker{
			State: rapid.SampledFrom([]string{"open", "closed", "half_open", "ramping"}).Draw(t, "state"), Since: since, Opened: since,
			Until: since.Add(5 * time.Second),
		})
	}
}

func (m *nearModel) idle(t *rapid.T) *entry {
	var idle []*entry
	for _, e := range m.near.known {
		if e.where != isClaimed {
			idle = append(idle, e)
		}
	}
	if len(idle) == 0 {
		return nil
	}
	slices.SortFunc(idle, func(a, b *entry) int { return a.ID.Compare(b.ID) })
	return rapid.SampledFrom(idle).Draw(t, "entry")
}

func (m *nearModel) forget(t *rapid.T) {
	if e := m.idle(t); e != nil {
		m.near.forget(e)
		m.near.forget(e) // a second time changes nothing
	}
}

func (m *nearModel) delay(t *rapid.T) {
	if e := m.idle(t); e != nil && (e.line == nil || e.line.head == e) && e.where != isSuspect {
		m.near.delay(e, m.now+rapid.Int64Range(0, 50).Draw(t, "by"))
	}
}

func (m *nearModel) promote(t *rapid.T) {
	if e := m.idle(t); e != nil && e.where == isBehind && e.line.head.where != isClaimed {
		m.near.promote(e)
	}
}

func (m *nearModel) tick(t *rapid.T) {
	m.now += rapid.Int64Range(1, 2*time.Second.Microseconds()).Draw(t, "time")
	m.near.due(m.time())
	m.near.forgetTargets(m.now)
}

func (m *nearModel) park(*rapid.T) {
	for _, e := range m.near.excess(m.now) {
		m.near.forget(e.entry)
	}
}

func (m *nearModel) disown(t *rapid.T) {
	number := rapid.Uint16Range(0, 2).Draw(t, "lane")
	if l := m.near.lanes[number]; l != nil && rapid.IntRange(0, 9).Draw(t, "chance") == 0 {
		m.near.disown(l)
		m.near.own(number, l.epoch+1, l.queue)
	}
}

func (m *nearModel) check(t *rapid.T) {
	n := m.near
	lanes, streams, spots, retries, places := map[*lane]int{}, map[*stream]int{}, map[spot]int{}, map[*stream]int{}, map[*retry.Limit]int{}
	unread := map[*stream]int{}
	for id, e := range n.known {
		if e.ID != id {
			t.Fatalf("%s is known as %s", e.ID, id)
		}
		if e.lane != nil {
			lanes[e.lane]++
		}
		streams[e.stream]++
		if e.gates&byBudget != 0 {
			retries[e.stream]++
		}
		if e.grant != nil && e.grant.limit != nil {
			places[e.grant.limit]++
		}
		if (e.grant != nil) != (e.where == isClaimed && !e.overdue) {
			t.Fatalf("%s is in %d and holds %+v", id, e.where, e.grant)
		}
		spots[e.where]++
		if (e.doom >= 0) != (e.where == isReady && e.expires != 0) {
			t.Fatalf("%s is in %d with the deadline %d, and in place %d of the deadlines", id, e.where, e.expires, e.doom)
		}
		if e.where == isReady && !e.read {
			unread[e.stream]++
		}
		if e.line != nil && n.lines[e.line.id] != e.line {
			t.Fatalf("the line of %s is forgotten", id)
		}
		if e.line != nil && (e.line.head == e) == (e.where == isBehind) {
			t.Fatalf("%s is head %v and in %d", id, e.line.head == e, e.where)
		}
	}
	for _, l := range n.lanes {
		if l.count != lanes[l] {
			t.Fatalf("lane %d counts %d, has %d", l.number, l.count, lanes[l])
		}
	}
	ready := 0
	for _, q := range n.queues {
		if len(q.ring) != q.open.len() {
			t.Fatalf("ring %d, open %d", len(q.ring), q.open.len())
		}
		for _, s := range q.streams {
			if s.count != streams[s] || !headIsRight(s) || s.isOpen != (s.head != nil) {
				t.Fatalf("stream %s counts %d, has %d, open %v", s.target.name, s.count, streams[s], s.isOpen)
			}
			ready += s.held(anyGate)
			if s.unread != unread[s] {
				t.Fatalf("stream %s counts %d unread, has %d", s.target.name, s.unread, unread[s])
			}
			if s.retries != retries[s] {
				t.Fatalf("stream %s has %d retries, counts %d", s.target.name, retries[s], s.retries)
			}
		}
	}
	behind, counted := 0, 0
	for _, l := range n.lanes {
		counted += l.behind
	}
	for id, l := range n.lines {
		behind += l.behind.len()
		if l.head == nil && l.behind.len() > 0 {
			t.Fatalf("line %v has nobody in front", id)
		}
	}
	if ready != n.ready || ready != spots[isReady] || n.waiting.len() != spots[isWaiting] || behind != counted || behind != spots[isBehind] {
		t.Fatalf("ready %d/%d/%d, waiting %d/%d, behind %d/%d/%d", ready, n.ready, spots[isReady], n.waiting.len(), spots[isWaiting], behind, counted, spots[isBehind])
	}
	if n.running != len(m.running) || spots[isClaimed] != n.running || spots[nowhere] != 0 || spots[isSuspect] != len(n.suspects) {
		t.Fatalf("running %d, claimed %d, nowhere %d, suspects %d/%d", n.running, spots[isClaimed], spots[nowhere], spots[isSuspect], len(n.suspects))
	}
	if len(n.suspects) > 0 && n.suspect == nil {
		t.Fatal("suspects wait for nobody")
	}
	if at, ok := n.next(); ok && at == math.MaxInt64 {
		t.Fatal("waits for ever")
	}
	watched := 0
	for _, of := range n.targets {
		m.checkGates(t, of, places)
		if of.index >= 0 {
			watched++
		}
	}
	if watched != n.wakes.len() {
		t.Fatalf("%d targets with a time, %d in their order", watched, n.wakes.len())
	}
}

// checkGates looks for gates that nothing would ever open again, and for guards
// that have lost count.
func (m *nearModel) checkGates(t *rapid.T, of *target, places map[*retry.Limit]int) {
	g := of.guard
	if g == nil {
		return
	}
	taken := 0
	if g.calls != nil {
		_, taken = g.calls.Now()
	}
	if g.calls != nil && taken != places[g.calls] {
		t.Fatalf("%d places are taken, %d attempts hold one", taken, places[g.calls])
	}
	view := g.breaker.View(m.near.clock)
	if view.State != g.state || view.Probing > 1 || view.State == retry.Ramping && g.ramp.gate != byBreaker {
		t.Fatalf("breaker %+v, known as %s, ramp %d", view, g.state, g.ramp.gate)
	}
	for i, until := range of.until {
		if of.shut&(1<<i) == 0 || until != 0 {
			continue
		}
		if byLimit == 1<<i && taken > 0 || byBreaker == 1<<i && view.Forced {
			continue
		}
		t.Fatalf("gate %d of %s is shut, and nothing will open it", i, of.name)
	}
}

// headIsRight reports whether the head of a stream is the one that starts next,
// or, where that is drawn, one of those that may.
func headIsRight(s *stream) bool {
	next := s.next()
	if !s.target.guard.probes() || next == nil || s.head == nil {
		return s.head == next
	}
	return s.head.stream == s && s.head.where == isReady && s.target.shut&s.head.gates == 0
}
