package faulttest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/client"
)

// policy is an inline policy with a fixed wait.
func policy(wait time.Duration, attempts int, more string) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"backoff":{"kind":"fixed","initial":%q,"jitter":"none"},"max_attempts":%d,"budget":"none","breaker":"none"%s}`, wait, attempts, more))
}

// segment is how many kills one database sees.
const segment = 10

// load is what callers keep a server busy with.
type load struct {
	workers, perWorker int
	kind               string // type of the tasks, "" for HTTP targets
}

// run hands in orders until the process is gone or all are sent. Each worker
// has keys of its own, so that the places within a key are the order of the
// acknowledgements.
func (l load) run(h *harness, p *process, life int) {
	var workers sync.WaitGroup
	for worker := range l.workers {
		random := rand.New(rand.NewPCG(seed(), uint64(life)<<16|uint64(worker)))
		workers.Go(func() {
			for range l.perWorker {
				o := h.ledger.order(l.work(random), func(o *order) { l.shape(o, worker, random) })
				if h.send(p, o) != nil {
					return // known only after the next start
				}
				if o.draft.DedupeKey != "" && h.again(p, o) != nil {
					return
				}
			}
		})
	}
	workers.Wait()
}

func (l load) work(random *rand.Rand) work {
	w := work{Millis: random.IntN(12)}
	switch random.IntN(20) {
	case 0:
		w.Millis = 250
	case 1, 2, 3, 4:
		w.Fail = 1
	case 5, 6:
		w.Fail = 2
	case 7:
		w.Fail = 3 // all that it has
	}
	return w
}

func (l load) shape(o *order, worker int, random *rand.Rand) {
	o.draft.Type = l.kind
	o.attempts = 3
	o.draft.Retry = policy(time.Duration(10+random.IntN(60))*time.Millisecond, 3, `,"order_on_dead":"skip","max_crashes":1000`)
	switch random.IntN(10) {
	case 0, 1:
		o.draft.Delay = client.Duration(random.IntN(300)) * client.Duration(time.Millisecond)
	case 2, 3, 4:
		o.draft.Key = fmt.Sprintf("key-%d-%d", worker, random.IntN(2))
	case 5:
		o.draft.DedupeKey, o.draft.DedupeWindow = fmt.Sprintf("dedupe-%d", o.N), client.Duration(time.Minute)
	}
}

// again hands the same work in under another id: the dedupe key must bring
// the first task back.
func (h *harness) again(p *process, o *order) error {
	draft := o.draft
	draft.ID = client.NewID()
	t, existing, err := p.api.Enqueue(h.ctx, draft)
	if err == nil && (!existing || t.ID != o.id) {
		h.violation("I9: order %d was handed in again under its dedupe key: %s, existing %v, instead of %s", o.N, t.ID, existing, o.id)
	}
	return err
}

// resend repeats what was not acknowledged, in its order.
func (h *harness) resend(p *process) error {
	for _, o := range h.ledger.unknown() {
		if err := h.send(p, o); err != nil {
			return err
		}
	}
	return nil
}

// killAtRandom kills a process under load again and again; every database is
// drained at its end.
func (h *harness) killAtRandom(times int, start func() *process, l load) {
	h.Helper()
	tasks, runs, torn := 0, 0, 0
	for life := range times {
		p := start()
		after := time.Duration(10+h.random.IntN(170)) * time.Millisecond
		time.AfterFunc(after, p.strike)
		if h.resend(p) == nil {
			l.run(h, p, life)
		}
		if !p.gone(dies) {
			h.Fatal("the process does not die")
		}
		h.after(false, p)
		if (life+1)%segment == 0 || life == times-1 {
			torn += len(h.ledger.unknown())
			h.finish(start())
			tasks, runs = tasks+len(h.ledger.orders), runs+len(h.ledger.calls)
			h.renew()
		}
		if len(h.violations) > 0 {
			h.Logf("stopped after %d kills", life+1)
			return
		}
	}
	h.Logf("%d kills, %d tasks, %d runs, %d enqueues of unknown outcome at the end, slowest start %s, innocent crash loops %d",
		times, tasks, runs, torn, h.slowest.Round(time.Millisecond), h.crashLoops)
}

// finish repeats what is unknown, waits for the end of everything, and
// checks once more with the process gone.
func (h *harness) finish(p *process) {
	h.Helper()
	if err := h.resend(p); err != nil {
		h.violation("enqueue: %v", err)
	}
	h.drain(p, 20*time.Second)
	h.after(true, p)
}

// Kill -9 of the real server at random moments under load.
func TestKillServer(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.killAtRandom(cycles(), h.serve, load{workers: 4, perWorker: 25})
}
