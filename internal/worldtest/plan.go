package worldtest

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/task"
)

// The times of a run, virtual.
const (
	chaos    = 20 * time.Second // faults and inputs come
	calm     = 90 * time.Second // all must have ended after it at the latest
	longCut  = 9 * time.Second  // beyond every rule of death
	mostRuns = 5                // turns that a task's handler has before it succeeds at last
)

// plan is all that a seed decides: it is made before anything runs, and nothing
// that runs changes it.
type plan struct {
	seed    uint64
	nodes   int
	lanes   int
	limit   int           // of the queue "narrow"
	horizon time.Duration // how far ahead nodes look; 0 for the default
	memory  int           // entries that a node keeps; 0 for the default
	watched bool          // the store tells nodes of commits; else they call each other
	guarded bool          // policies have a breaker and a budget
	noise   noise
	starts  [][]string // what the nodes can start, by place
	tasks   []planned
	acts    []act
	rush    []planned // then, all at once, in the narrow queue
	held    []planned // then, in a queue that is paused
	long    []planned // then, long ones that are canceled
	wave    []planned // sent when all is well again
	workers int       // remote ones
	groups  [worldGroups]task.ID
}

// noise is how often calls of nodes go wrong while there is noise, each by itself.
type noise struct{ fail, lose, late float64 }

// planned is a task that will be sent.
type planned struct {
	at       time.Duration
	id       task.ID
	kind     string
	queue    string
	key      string
	delay    time.Duration
	priority int
	node     int // that is asked first to enqueue it
	timeout  time.Duration
	turns    []turn
	steps    []doing
	awaits   []awaited
	rejects  bool // its handler says in the end that it can never succeed
	group    task.ID
}

// turn is what the handler does at one run of a task.
type turn struct {
	does  string // ok, fail, panic, snooze, exit
	takes time.Duration
	deaf  bool // it does not look at its context
}

// act is something that happens to the world.
type act struct {
	at    time.Duration
	does  string // kill, stop, start, cut, mend, slow, quick, noise, hush, pause, resume, cancel, redrive, step, move
	node  int
	how   string // of a cut: refuse, hang or late
	task  int
	step  time.Duration
	tells bool // the node by which a person cancels is told of it
}

func (a act) String() string {
	return strings.TrimSpace(fmt.Sprintf("%-8s %s node=%d task=%d %s %s", a.at, a.does, a.node, a.task, a.how, a.step))
}

// newPlan draws the plan of a seed.
func newPlan(seed uint64, began time.Time) *plan {
	r := rand.New(rand.NewPCG(seed, 15))
	p := &plan{
		seed: seed, nodes: 1 + r.IntN(5), lanes: 1 + r.IntN(6), limit: 1 + r.IntN(5),
		watched: r.IntN(2) == 0, workers: max(0, r.IntN(5)-2), guarded: r.IntN(4) == 0,
		noise: noise{fail: r.Float64() * 0.06, lose: r.Float64() * 0.12, late: r.Float64() * 0.15},
	}
	p.starts = [][]string{{"a", "b"}}
	for range p.nodes - 1 {
		p.starts = append(p.starts, [][]string{{"a", "b"}, {"a", "b"}, {"a"}, {"b"}}[r.IntN(4)])
	}
	p.drawTasks(r, began)
	slices.SortStableFunc(p.tasks, func(a, b planned) int { return cmp.Compare(a.at, b.at) })
	p.drawNodes(r)
	p.drawOperators(r)
	p.drawWave(r, began)
	p.drawSight(rand.New(rand.NewPCG(seed, 16)))
	p.drawSteps(rand.New(rand.NewPCG(seed, 17)))
	p.drawSignals(rand.New(rand.NewPCG(seed, 18)))
	p.drawGroups(rand.New(rand.NewPCG(seed, 19)))
	slices.SortStableFunc(p.acts, func(a, b act) int { return cmp.Compare(a.at, b.at) })
	return p
}

func between(r *rand.Rand, from, to time.Duration) time.Duration {
	return (from + time.Duration(r.Int64N(int64(to-from)))).Truncate(time.Millisecond)
}

func (p *plan) drawTasks(r *rand.Rand, began time.Time) {
	for range 20 + r.IntN(60) {
		one := planned{
			at: between(r, 0, chaos-2*time.Second), kind: []string{"a", "a", "a", "b"}[r.IntN(4)], queue: "wide", priority: r.IntN(10), node: r.IntN(p.nodes),
			id: task.NewID(began, r), // the lane is set when the queue is there
		}
		if p.workers > 0 && r.IntN(4) == 0 {
			one.kind = remote
		} else if r.IntN(4) == 0 {
			one.queue = "narrow"
		}
		if r.IntN(3) == 0 {
			one.key = fmt.Sprint("key-", r.IntN(4))
		}
		if r.IntN(4) == 0 {
			one.delay = between(r, 0, 6*time.Second)
		}
		if r.IntN(8) == 0 {
			one.timeout = between(r, 500*time.Millisecond, 3*time.Second)
		}
		for range r.IntN(mostRuns) {
			one.turns = append(one.turns, drawTurn(r))
		}
		p.tasks = append(p.tasks, one)
	}
}

// drawWave draws tasks for a fleet that has recovered: one for each node and each type.
func (p *plan) drawWave(r *rand.Rand, began time.Time) {
	for i := range 12 {
		p.rush = append(p.rush, planned{id: task.NewID(began, r), kind: "a", queue: "narrow", priority: 5, node: i % p.nodes})
	}
	for node := range p.nodes {
		p.long = append(p.long, planned{id: task.NewID(began, r), kind: "a", queue: "wide", priority: 5, node: node, turns: []turn{{does: "ok", takes: time.Minute}}})
		p.held = append(p.held, planned{id: task.NewID(began, r), kind: "a", queue: "wide", priority: 5, node: node})
		for _, kind := range []string{"a", "b", remote} {
			if kind != remote || p.workers > 0 {
				p.wave = append(p.wave, planned{id: task.NewID(began, r), kind: kind, queue: "wide", priority: 5, node: node})
			}
		}
	}
}

func drawTurn(r *rand.Rand) turn {
	t := turn{does: []string{"ok", "ok", "fail", "fail", "fail", "panic", "snooze", "exit"}[r.IntN(8)], takes: between(r, 0, 300*time.Millisecond)}
	switch r.IntN(6) {
	case 0:
		t.takes = between(r, time.Second, 4*time.Second)
	case 1:
		t.takes, t.deaf = between(r, 0, 8*time.Second), true
	}
	return t
}

// drawNodes draws what happens to each node, one thing after the other.
func (p *plan) drawNodes(r *rand.Rand) {
	for node := range p.nodes {
		at := between(r, 0, 8*time.Second)
		for at < chaos {
			end := at + p.drawFate(r, node, at)
			at = end + between(r, 500*time.Millisecond, 7*time.Second)
		}
	}
	if r.IntN(4) > 0 {
		from := between(r, 0, chaos/2)
		p.add(act{at: from, does: "noise"}, act{at: from + between(r, time.Second, chaos/2), does: "hush"})
	}
}

func (p *plan) add(acts ...act) { p.acts = append(p.acts, acts...) }

// drawFate draws one thing that happens to a node, and says how long it takes.
func (p *plan) drawFate(r *rand.Rand, node int, at time.Duration) time.Duration {
	switch r.IntN(10) {
	case 0, 1, 2:
		away := between(r, 100*time.Millisecond, 8*time.Second)
		p.add(act{at: at, does: "kill", node: node}, act{at: at + away, does: "start", node: node})
		return away
	case 3:
		away := between(r, 100*time.Millisecond, 3*time.Second)
		p.add(act{at: at, does: "stop", node: node}, act{at: at + away, does: "start", node: node})
		return away
	case 4:
		slow := between(r, 500*time.Millisecond, 4*time.Second)
		p.add(act{at: at, does: "slow", node: node, step: between(r, 10*time.Millisecond, time.Second)}, act{at: at + slow, does: "quick", node: node})
		return slow
	case 5, 6, 7:
		cut := between(r, longCut-2*time.Second, longCut+3*time.Second)
		p.add(act{at: at, does: "cut", node: node, how: drawCut(r)}, act{at: at + cut, does: "mend", node: node})
		return cut
	default:
		cut := between(r, 100*time.Millisecond, 4*time.Second)
		p.add(act{at: at, does: "cut", node: node, how: drawCut(r)}, act{at: at + cut, does: "mend", node: node})
		return cut
	}
}

func drawCut(r *rand.Rand) string { return []string{"refuse", "hang", "late"}[r.IntN(3)] }

// drawOperators draws what people do.
func (p *plan) drawOperators(r *rand.Rand) {
	if r.IntN(3) == 0 {
		at := between(r, 0, chaos-4*time.Second)
		p.add(act{at: at, does: "pause"}, act{at: at + between(r, time.Second, 8*time.Second), does: "resume"})
	}
	for i := range p.tasks {
		if r.IntN(10) == 0 {
			if long := r.IntN(2) == 0; long {
				p.tasks[i].delay, p.tasks[i].key, p.tasks[i].turns = 0, "", []turn{{does: "ok", takes: between(r, 5*time.Second, 9*time.Second)}}
			}
			p.add(act{at: p.tasks[i].at + between(r, 0, 3*time.Second), does: "cancel", task: i, node: r.IntN(p.nodes), tells: r.IntN(2) == 0})
		}
		if r.IntN(20) == 0 {
			p.add(act{at: p.tasks[i].at + between(r, 0, 3*time.Second), does: "hurry", task: i, node: r.IntN(p.nodes)})
		}
	}
	for range r.IntN(4) {
		p.add(act{at: between(r, chaos/4, chaos), does: "redrive", node: r.IntN(p.nodes)})
	}
	if r.IntN(3) == 0 {
		p.add(act{at: between(r, 0, chaos), does: "step", step: between(r, -3*time.Second, 3*time.Second)})
	}
}

// drawSight draws how little nodes see of what is to come, and who moves it.
func (p *plan) drawSight(r *rand.Rand) {
	steps := slices.ContainsFunc(p.acts, func(a act) bool { return a.does == "step" }) // what is new may be due beyond a horizon by the store's clock
	if horizon := between(r, 200*time.Millisecond, 2*time.Second); !steps {
		p.horizon = horizon
	}
	if r.IntN(4) == 0 {
		p.memory = 20 + r.IntN(60)
	}
	for i := range p.tasks {
		if r.IntN(12) == 0 {
			p.add(act{at: p.tasks[i].at + between(r, 0, 4*time.Second), does: "move", task: i, node: r.IntN(p.nodes), step: between(r, 100*time.Millisecond, 6*time.Second), tells: r.IntN(2) == 0})
		}
	}
}

// String is the whole schedule, line by line.
func (p *plan) String() string {
	var text strings.Builder
	fmt.Fprintf(&text, "seed %d: %d nodes, %d lanes, limit %d, horizon %s, memory %d, watched %v, guarded %v, noise %.3f, starts %v\n", p.seed, p.nodes, p.lanes, p.limit, p.horizon, p.memory, p.watched, p.guarded, p.noise, p.starts)
	for i := range p.tasks {
		fmt.Fprintf(&text, "t%d %+v\n", i, p.tasks[i])
	}
	for _, a := range p.acts {
		fmt.Fprintln(&text, a)
	}
	return text.String()
}
