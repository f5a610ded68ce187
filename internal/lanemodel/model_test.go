package lanemodel

import (
	"flag"
	"math/rand/v2"
	"slices"
	"testing"
)

var (
	seeds = flag.Uint64("seeds", 200, "how many worlds to run")
	seed  = flag.Uint64("seed", 0, "the one world to run")
)

const (
	lanes = 2
	tasks = 12
	nodes = 9
)

func newWorld(t testing.TB, seed uint64, mutant string) *world {
	w := &world{t: t, random: rand.New(rand.NewPCG(seed, 15)), mutant: mutant}
	w.database = &database{world: w, rows: map[key]any{}, locks: map[key]*session{}, now: 1000}
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
		if broken := run(t, n, ""); broken != "" {
			t.Fatalf("seed %d: %s (go test ./internal/lanemodel -run TheProtocolHolds -seed %d)", n, broken, n)
		}
	}
}

// TestMutantsAreFound takes one rule away at a time: some world must break.
func TestMutantsAreFound(t *testing.T) {
	for _, mutant := range []string{
		"no proof in the fence", "claim not compared", "cancel beside the row", "lock and look in one statement", "log not compared",
		"number not compared", "rows apart not looked at", "log row ended early", "recovery does not raise the claim",
	} {
		t.Run(mutant, func(t *testing.T) {
			for n := uint64(1); n <= 3000; n++ {
				if broken := run(t, n, mutant); broken != "" {
					t.Logf("seed %d: %s", n, broken)
					return
				}
			}
			t.Error("not found in 3000 worlds")
		})
	}
}

func run(t testing.TB, seed uint64, mutant string) (broken string) {
	w := newWorld(t, seed, mutant)
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
		w.again(id, n < 10)
	case n < 20 && id <= w.ids: // the same id once more, after a purge
		w.enqueue(1+id%lanes, 0, id)
	case n < 23 && len(w.engines) < nodes:
		w.bury(e)
	case n < 26 && len(w.engines) < nodes && !e.gone:
		w.kill(e)
		w.join()
	case n == 27:
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
	switch {
	case !owns && n < 30:
		fiber(func(turn func(func() bool)) { e.take(turn, l) })
	case !owns && n < 41:
		fiber(func(turn func(func() bool)) { e.borrow(turn, 1+w.random.Int64N(tasks)) })
	case owns && n < 30:
		fiber(func(turn func(func() bool)) { e.claim(turn, l, n < 6) })
	case owns && n < 31:
		fiber(func(turn func(func() bool)) { e.release(turn, l) })
	case owns && n < 33:
		fiber(func(turn func(func() bool)) { e.scan(turn, l) })
	case owns && n < 36:
		fiber(func(turn func(func() bool)) { e.recoverLane(turn, l, n < 35) })
	case owns && n < 39:
		fiber(func(turn func(func() bool)) { e.free(turn, l) })
	case owns && n < 41:
		fiber(func(turn func(func() bool)) { e.mark(turn, l, 1+w.random.Int64N(tasks), int64(n%2)) })
	case n < 48:
		fiber(func(turn func(func() bool)) { e.trim(turn, l) })
	default:
		fiber(func(turn func(func() bool)) { e.finish(turn, n < 60) })
	}
}

// calm lets what has begun end, buries all nodes, and has a new one do the rest.
func (w *world) calm() {
	for range 30_000 {
		if w.broken != "" || !w.step() {
			break
		}
	}
	for _, e := range w.engines {
		w.kill(e)
		w.rows[key{"node", e.id, 0}] = node{"dead"}
	}
	for w.broken == "" && w.step() {
	}
	e := w.join()
	for range 30 {
		for l := int64(1); l <= lanes; l++ {
			w.begin(e, nil, func(turn func(func() bool)) {
				if e.lanes[l] == 0 {
					e.take(turn, l)
				}
				e.recoverLane(turn, l, true)
				e.release(turn, l)
				for id := int64(1); id <= w.ids; id++ {
					e.mark(turn, 1+id%lanes, id, 0)
				}
				e.scan(turn, l)
				e.claim(turn, l, false)
			})
		}
		for w.broken == "" && w.step() {
		}
		for _, a := range slices.Clone(e.attempts) {
			w.begin(e, nil, func(turn func(func() bool)) { e.settle(turn, []attempt{a}, "succeeded") })
		}
		for w.broken == "" && w.step() {
		}
	}
	for l := int64(1); l <= lanes; l++ {
		w.begin(e, nil, func(turn func(func() bool)) {
			for range 10 {
				e.trim(turn, l)
			}
		})
	}
	for w.broken == "" && w.step() {
	}
	w.atTheEnd()
}

// atTheEnd every task has ended, every attempt is counted, and no claim is left.
func (w *world) atTheEnd() {
	for k, value := range w.rows {
		switch v := value.(type) {
		case row:
			w.fault("task %d never ended: %+v", k.a, v)
		case logRow, runRow:
			w.fault("what runs is left: %+v", v)
		}
	}
}
