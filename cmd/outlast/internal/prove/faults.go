package prove

import (
	"context"
	"math/rand/v2"
	"time"
)

// mishap is a kind of fault.
type mishap string

const (
	killed  mishap = "kill"    // kill -9
	stopped mishap = "stop"    // asked to stop, as at a deploy
	paused  mishap = "pause"   // stands still, as a machine does that is moved
	silent  mishap = "silence" // nothing passes between node and database, and nobody is told
	broken  mishap = "reset"   // connections to the database break, and new ones too
)

// says is what people read of a fault.
var says = map[mishap]string{killed: "kill -9", stopped: "SIGTERM", paused: "SIGSTOP", silent: "network silent", broken: "connections reset"}

// fault is one that is planned.
type fault struct {
	kind  mishap
	node  int
	lasts time.Duration // until the node begins anew, goes on, or is reached again
	gap   time.Duration // after its end, before the next one
}

// ends reports whether the process of the node does not live on.
func (f *fault) ends() bool { return f.kind == killed || f.kind == stopped }

// A node that says nothing for 5 s is taken for dead, and gives itself up before.
const (
	shortest = 7 * time.Second
	longest  = 9 * time.Second
	recovery = 7 * time.Second // others have taken over by then
)

// planner makes the plan of a seed: every kind once, in any order, then any kind.
type planner struct {
	random *rand.Rand
	kinds  []mishap
	first  []mishap // those that have not been yet
	nodes  int
}

func newPlanner(seed uint64, nodes int, network bool) *planner {
	p := &planner{random: rand.New(rand.NewPCG(seed, 0)), kinds: []mishap{killed}, nodes: nodes} //nolint:gosec // a plan, no secret
	if signals {
		p.kinds = append(p.kinds, stopped, paused)
	}
	if network {
		p.kinds = append(p.kinds, silent, broken)
	}
	for _, i := range p.random.Perm(len(p.kinds)) {
		p.first = append(p.first, p.kinds[i])
	}
	return p
}

func (p *planner) next() fault {
	f := fault{kind: p.kinds[p.random.IntN(len(p.kinds))], node: p.random.IntN(p.nodes)}
	if len(p.first) > 0 {
		f.kind, p.first = p.first[0], p.first[1:]
	}
	f.lasts = 500*time.Millisecond + time.Duration(p.random.Int64N(int64(1500*time.Millisecond)))
	if f.kind == paused || f.kind == silent {
		f.lasts = shortest + time.Duration(p.random.Int64N(int64(longest-shortest)))
	}
	f.gap = time.Second + time.Duration(p.random.Int64N(int64(time.Second)))
	return f
}

// late is for how long something may still arrive that a node sent before its fault.
const late = 3 * time.Second

// suffer makes a fault and ends it. The error is of a fleet that cannot go on.
func (n *node) suffer(ctx context.Context, f fault) (t trouble, err error) {
	t = trouble{fault: f, node: n.name}
	complain := func(text string) {
		if text != "" {
			t.problems = append(t.problems, n.name+": "+text)
		}
	}
	revive := func() error {
		problem, err := n.revive(ctx)
		complain(problem)
		return err
	}
	err = revive()
	t.from = time.Now()
	if err != nil {
		t.end(t.from)
		return t, err
	}
	p := n.process()
	switch f.kind {
	case killed:
		p.kill()
	case stopped:
		complain(p.stop())
	case paused:
		_ = halt(p.cmd.Process) // only one that has ended cannot be halted, see below
	case silent:
		n.net.silence()
	case broken:
		n.net.cut()
	}
	lasted(ctx, f.lasts)
	switch f.kind {
	case paused:
		_ = resume(p.cmd.Process) // as above
	case silent, broken:
		n.net.heal()
	}
	t.end(time.Now())
	if f.ends() {
		err = n.start(ctx)
	} else {
		err = revive()
	}
	if err == nil && ctx.Err() == nil {
		bounded, cancel := context.WithTimeout(ctx, readyWithin)
		defer cancel()
		if problem := n.process().ready(bounded); problem != nil && ctx.Err() == nil {
			complain(problem.Error())
		}
	}
	t.back = time.Since(t.until)
	return t, err
}
