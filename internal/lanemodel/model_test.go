package lanemodel

import (
	"flag"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

var (
	seeds = flag.Uint64("seeds", 200, "how many worlds to run")
	seed  = flag.Uint64("seed", 0, "the one world to run")
	less  = flag.String("without", "", "rules that TestTheProtocolHolds leaves away, with commas, as TestMutantsAreFound names them")
)

const (
	lanes = 2
	tasks = 12
	nodes = 9
)

func newWorld(t testing.TB, seed uint64, mutants ...string) *world {
	w := &world{t: t, random: rand.New(rand.NewPCG(seed, 15)), mutant: map[string]bool{}}
	for _, mutant := range mutants {
		w.mutant[mutant] = true
	}
	w.database = &database{world: w, rows: map[key]any{}, locks: map[key]*session{}, now: 1000}
	w.coarse = w.random.IntN(2) == 0
	for l := int64(1); l <= lanes; l++ {
		w.rows[key{"lane", l, 0}] = lane{}
	}
	for range 3 {
		w.join()
	}
	return w
}

// TestTheProtocolHolds runs worlds, and then lets each of them end in peace.
func TestTheProtocolHolds(t *testing.T) {
	first, last := uint64(1), *seeds
	if *seed != 0 {
		first, last = *seed, *seed
	}
	for n := first; n <= last; n++ {
		if broken := run(t, n, strings.Split(*less, ",")...); broken != "" {
			t.Errorf("seed %d: %s (go test ./internal/lanemodel -run TheProtocolHolds -seed %d)", n, broken, n)
		}
	}
}

// TestMutantsAreFound takes one rule away at a time: some world must break. Where that is
// rare, the search begins where it was found. Rules that thousands of worlds do not need can
// be left away by -without: "version without its node", "recovery does not raise the claim",
// "memory of a lane kept over a take-over", "claims of one process at once", "log row
// deleted without the lock", "log row deleted without a newer one", "read-back of what is
// let go", "claimed during a look and kept", "settled during a look and kept" (which the race
// rules of package storetest find in a real store).
func TestMutantsAreFound(t *testing.T) {
	for mutant, from := range map[string]uint64{
		"no log row in the fence": 1, "past not compared": 1, "lock and look in one statement": 1,
		"version of the log not compared": 1, "log above the floor looked at alone": 1219,
		"number of memory not compared": 1, "rows apart not looked at": 1, "set apart without writing apart": 1,
		"cancel without setting apart": 1, "log row deleted early": 1, "numbers may fall under the version": 6654, "mark of a member": 1823,
		"created_at left out of past": 333, "a death does not leave its batch": 1,
		"read-back of old claims": 2492,
		"changes not compared":    1, "server not compared": 1, "rows kept while the log was read": 1428,
	} {
		t.Run(mutant, func(t *testing.T) {
			for n := from; n < from+3000; n++ {
				if broken := run(t, n, mutant); broken != "" {
					t.Logf("seed %d: %s", n, broken)
					return
				}
			}
			t.Error("not found in 3000 worlds")
		})
	}
}

func run(t testing.TB, seed uint64, mutants ...string) (broken string) {
	w := newWorld(t, seed, mutants...)
	for range 2000 {
		if w.random.IntN(4) == 0 || len(w.fibers) == 0 {
			w.something()
		}
		w.step()
		if w.broken != "" {
			break
		}
	}
	if w.broken == "" {
		w.calm()
	}
	for _, f := range w.fibers {
		f.stop()
	}
	return w.broken
}

// something begins a thing that nodes, operators or fate do.
func (w *world) something() {
	e := w.engines[w.random.IntN(len(w.engines))]
	id := 1 + w.random.Int64N(tasks)
	switch n := w.random.IntN(400); {
	case n >= 70 && n < 110 && w.ids < tasks:
		w.ids++
		w.enqueue(1+w.ids%lanes, max(0, w.random.Int64N(4)-2), w.ids)
	case n < 3:
		w.cancel(id)
	case n < 15:
		w.redrive(id)
	case n >= 28 && n < 40:
		w.purge(id)
	case n >= 55 && n < 67:
		w.expire(id)
	case (n < 20 || n >= 40 && n < 55) && id <= w.ids: // the same id once more, after a purge
		w.enqueue(1+id%lanes, 0, id)
	case n < 23 && len(w.engines) < nodes:
		w.bury(e)
	case n < 26 && len(w.engines) < nodes && !e.gone:
		w.kill(e)
		w.join()
	case n == 27 && !w.mutant["standbys"]:
		w.fail(1 + w.random.IntN(8))
	case !e.gone:
		w.work(e, 1+w.random.Int64N(lanes), w.random.IntN(100))
	}
}

// bury marks a node dead, whose process may live on without a word of it.
func (w *world) bury(e *engine) {
	w.operate(func(s *session) {
		s.statement()
		k := key{"node", e.id, 0}
		if _, ok := locked(s, k, func(n node) bool { return n.state == "alive" }); ok {
			s.put(k, node{"dead"})
		}
	})
	w.join()
}

// work begins a thing that a node does.
func (w *world) work(e *engine, l int64, n int) {
	fiber := func(body func(turn func(func() bool))) { w.begin(e, nil, body) }
	owns := e.lanes[l] != 0
	of := []int64{l}
	if w.random.IntN(3) == 0 {
		of = []int64{1, 2}
	}
	switch {
	case !owns && n < 30:
		fiber(func(turn func(func() bool)) { e.take(turn, l) })
	case !owns && n < 41:
		fiber(func(turn func(func() bool)) { e.borrow(turn, 1+w.random.Int64N(tasks)) })
	case owns && n < 30:
		fiber(func(turn func(func() bool)) { e.claim(turn, of, n < 6) })
	case owns && n < 33:
		fiber(func(turn func(func() bool)) { e.scan(turn, l) })
	case owns && n < 36:
		fiber(func(turn func(func() bool)) { e.recoverLane(turn, l, n < 35) })
	case owns && n < 39:
		fiber(func(turn func(func() bool)) { e.free(turn, l) })
	case owns && n < 41:
		fiber(func(turn func(func() bool)) { e.mark(turn, l, 1+w.random.Int64N(tasks), int64(n%2)) })
	case n < 44:
		fiber(func(turn func(func() bool)) { e.sweep(turn, l, w.random.Int64N(60)) })
	case n < 48:
		fiber(func(turn func(func() bool)) { e.letGo(turn) })
	default:
		fiber(func(turn func(func() bool)) { e.finish(turn, n < 60) })
	}
}

// calm lets what has begun end, and has the nodes do the rest: those that are alive, as
// far as they get, and then a new one.
func (w *world) calm() {
	for range 30_000 {
		if w.broken != "" || !w.step() {
			break
		}
	}
	if w.random.IntN(2) == 0 {
		for _, e := range w.engines {
			w.bury1(e)
		}
		w.join()
	}
	for range 30 {
		for l := int64(1); l <= lanes; l++ {
			w.tend(l)
		}
		for w.broken == "" && w.step() {
		}
	}
	w.atTheEnd()
}

// bury1 ends a process whose node everybody knows to be dead.
func (w *world) bury1(e *engine) {
	w.kill(e)
	w.set(key{"node", e.id, 0}, node{"dead"})
}

// tend has the owner of a lane do a round of all that it does.
func (w *world) tend(l int64) {
	for _, e := range w.engines {
		if e.gone {
			w.set(key{"node", e.id, 0}, node{"dead"})
		}
	}
	e := w.ownerOf(l)
	w.begin(e, nil, func(turn func(func() bool)) {
		if owned, _ := w.rows[key{"lane", l, 0}].(lane); owned.owner != e.id || e.lanes[l] != owned.epoch {
			e.take(turn, l)
		}
		e.sweep(turn, l, -1<<40) // whatever the clock says
		e.recoverLane(turn, l, true)
		for id := int64(1); id <= w.ids; id++ {
			e.mark(turn, 1+id%lanes, id, 0)
		}
		e.scan(turn, l)
		e.claim(turn, []int64{l}, false)
	})
	for w.broken == "" && w.step() {
	}
	for _, e := range w.engines {
		if e.gone {
			continue
		}
		w.begin(e, nil, e.letGo)
		for _, a := range slices.Clone(e.attempts) {
			w.begin(e, nil, func(turn func(func() bool)) { e.settle(turn, []attempt{a}, "succeeded") })
		}
	}
	for w.broken == "" && w.step() {
	}
}

// ownerOf is the node that has a lane, or may take it.
func (w *world) ownerOf(l int64) *engine {
	owned, _ := w.rows[key{"lane", l, 0}].(lane)
	for _, e := range w.engines {
		if n, _ := w.rows[key{"node", e.id, 0}].(node); e.id == owned.owner && n.state == "alive" {
			return e
		}
	}
	for _, e := range w.engines {
		if n, _ := w.rows[key{"node", e.id, 0}].(node); n.state == "alive" {
			return e
		}
	}
	return w.join()
}

// atTheEnd every task has ended, and no claim is left.
func (w *world) atTheEnd() {
	for k, value := range w.rows {
		switch v := value.(type) {
		case row:
			w.fault("task %d never ended: %+v", k.a, v)
		case runRow:
			w.fault("what runs is left: %+v", v)
		case logRow:
			if len(v.ids) > 0 {
				w.fault("a log row is left: %+v", v)
			}
		}
	}
}
