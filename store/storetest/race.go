package storetest

import (
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// racers is how many goroutines race in the rules below.
const racers = 64

// race runs do in many goroutines at once and reports the first error.
func (h *harness) race(do func(i int) error) {
	h.Helper()
	errs := make(chan error, racers)
	var group sync.WaitGroup
	start := make(chan struct{})
	for i := range racers {
		group.Go(func() {
			<-start
			errs <- do(i)
		})
	}
	close(start)
	group.Wait()
	close(errs)
	for err := range errs {
		h.ok(err)
	}
}

func raceRules() []rule {
	return []rule{
		{"race/each row is claimed once", "Of many that claim the same rows at once, each row goes to one.", func(h *harness) {
			ids := h.addMany(200)
			var mu sync.Mutex
			claims := map[task.ID]int{}
			h.race(func(i int) error {
				order := rand.New(rand.NewPCG(uint64(i), 1)).Perm(len(ids))
				var claim []store.ClaimItem
				for _, at := range order[:100] {
					claim = append(claim, store.ClaimItem{ID: ids[at]})
				}
				claimed, err := h.s.Claim(h.ctx, store.Claim{Node: "n1", Lanes: h.lanes, Items: claim})
				mu.Lock()
				defer mu.Unlock()
				for _, t := range claimed.Tasks {
					claims[t.ID]++
				}
				return err
			})
			for id, n := range claims {
				equal(h, "claims of "+id.String(), n, 1)
				equal(h, "attempt", h.state(id, task.Running).Attempt, 1)
			}
		}},
		{"race/scans before claims", "A claim of rows that were scanned takes them as they are: what was claimed, settled, canceled or moved since then does not run again.", checkScansBeforeClaims},
		{"race/one of a key at a time", "Of many that claim tasks of one key at once, one gets the head, and no other gets any.", func(h *harness) {
			ids := h.addMany(10, keyed("k"))
			var mu sync.Mutex
			var winners []task.ID
			h.race(func(int) error {
				claimed, err := h.s.Claim(h.ctx, store.Claim{Node: "n1", Lanes: h.lanes, Items: items(ids...)})
				mu.Lock()
				defer mu.Unlock()
				for _, t := range claimed.Tasks {
					winners = append(winners, t.ID)
				}
				return err
			})
			h.expect(len(winners) == 1 && winners[0] == ids[0], "claimed %v", winners)
		}},
		{"race/one settle of a claim wins", "Of settlements with different outcomes for one claim, one outcome is recorded.", func(h *harness) {
			t := h.claimOne(h.add())
			var mu sync.Mutex
			won := map[task.Outcome]int{}
			h.race(func(i int) error {
				outcome := []task.Outcome{task.OutcomeSucceeded, task.OutcomeFailed, task.OutcomeDead, task.OutcomeSnoozed}[i%4]
				settled, err := h.s.Settle(h.ctx, []store.Settlement{settlement(t, outcome)})
				mu.Lock()
				defer mu.Unlock()
				if err == nil && settled[0].Status == store.StatusOK {
					won[outcome]++
				}
				return err
			})
			equal(h, "outcomes accepted", len(won), 1)
			equal(h, "history rows", len(h.attempts(t.ID)), 1)
		}},
		{"race/the same enqueue", "Of enqueues with the same id at once, one inserts and all others answer with its task.", func(h *harness) {
			t := h.task(keyed("k"))
			h.checkOneInserted(func(int) store.Insert { return store.Insert{Task: t} })
		}},
		{"race/the same dedupe key", "Of enqueues with the same dedupe key and content at once, one inserts and the others answer with its task.", func(h *harness) {
			inserts := make([]store.Insert, racers)
			for i := range inserts {
				inserts[i] = h.dedupe(h.task(h.inLane(i%2)), "k", time.Hour, 1)
			}
			h.checkOneInserted(func(i int) store.Insert { return inserts[i] })
		}},
		{"race/seqs differ", "Keyed tasks enqueued at once get different seqs.", func(h *harness) {
			tasks := make([]*task.Task, racers)
			for i := range tasks {
				tasks[i] = h.task(keyed("k"))
			}
			var mu sync.Mutex
			seqs := map[int64]bool{}
			h.race(func(i int) error {
				results, err := h.s.Enqueue(h.ctx, []store.Batch{{Items: []store.Insert{{Task: tasks[i]}}}})
				mu.Lock()
				defer mu.Unlock()
				if err == nil && results[0].Err == nil {
					seqs[results[0].Items[0].Entry.Seq] = true
				}
				return err
			})
			equal(h, "seqs", len(seqs), racers)
		}},
		{"race/one take of a lane wins", "Of nodes that take the same lane at once, one gets it.", func(h *harness) {
			lanes := h.queue("other", 4)
			h.join("n2")
			var mu sync.Mutex
			taken := 0
			h.race(func(i int) error {
				got, err := h.s.TakeLanes(h.ctx, []string{"n1", "n2"}[i%2], lanes)
				mu.Lock()
				defer mu.Unlock()
				taken += len(got)
				return err
			})
			equal(h, "taken", taken, 4)
		}},
		{"race/a claim in flight is waited for", "When a lane has been given back, all that its owner has claimed there is visible: no claim under that epoch commits later.", checkLastClaims},
		{"race/one recovery of a row", "Of recoveries at once, each row is handed back by one, and crashes count once.", func(h *harness) {
			h.join("n2")
			ids := h.addMany(30)
			h.claimFor("n2", ids...)
			h.bury("n2")
			var mu sync.Mutex
			recovered := 0
			h.race(func(int) error {
				rows, err := h.s.Recover(h.ctx, []uint16{h.lanes[0].Lane}, 10)
				mu.Lock()
				defer mu.Unlock()
				recovered += len(rows)
				return err
			})
			equal(h, "recovered", recovered, 30)
			for _, id := range ids {
				equal(h, "crashes", h.get(id).Crashes, 1)
			}
		}},
		{"race/one redrive of a letter", "Of redrives at once, one finds the letter.", func(h *harness) {
			id := h.add()
			h.die(id)
			var mu sync.Mutex
			won := 0
			h.race(func(int) error {
				done, _, err := h.s.Redrive(h.ctx, []task.ID{id}, store.RedriveOptions{})
				mu.Lock()
				defer mu.Unlock()
				won += len(done)
				return err
			})
			equal(h, "redriven", won, 1)
		}},
		{"race/everything at once", "Under claims, settlements, enqueues and administration at once, every invariant holds.", checkTurmoil},
	}
}

// checkOneInserted races one insert per goroutine.
func (h *harness) checkOneInserted(insert func(i int) store.Insert) {
	h.Helper()
	var mu sync.Mutex
	inserted := map[task.ID]int{}
	existing := map[task.ID]int{}
	h.race(func(i int) error {
		results, err := h.s.Enqueue(h.ctx, []store.Batch{{Items: []store.Insert{insert(i)}}})
		if err != nil {
			return err
		}
		if results[0].Err != nil {
			return results[0].Err
		}
		mu.Lock()
		defer mu.Unlock()
		if item := results[0].Items[0]; item.Existing != nil {
			existing[item.Existing.ID]++
		} else {
			inserted[item.Entry.ID]++
		}
		return nil
	})
	h.expect(len(inserted) == 1 && len(existing) == 1, "inserted %v, answered with %v", inserted, existing)
	for id, n := range inserted {
		h.expect(n == 1 && existing[id] == racers-1, "inserted %d times, answered %d times", n, existing[id])
	}
}

func checkTurmoil(h *harness) {
	ids := append(h.addMany(40), h.addMany(20, keyed("a"))...)
	ids = append(ids, h.addMany(20, keyed("b"), h.inLane(1))...)
	fresh := h.task()
	h.race(func(i int) error {
		random := rand.New(rand.NewPCG(uint64(i), 5))
		for range 4 {
			id := ids[random.IntN(len(ids))]
			claimed, err := h.s.Claim(h.ctx, store.Claim{Node: "n1", Lanes: h.lanes, Items: items(id, ids[random.IntN(len(ids))])})
			if err != nil {
				return err
			}
			for _, t := range claimed.Tasks {
				if random.IntN(4) == 0 {
					_, _ = h.s.Cancel(h.ctx, t.ID) // may be a conflict
				}
				outcome := settleOutcomes[random.IntN(len(settleOutcomes))]
				if _, err := h.s.Settle(h.ctx, []store.Settlement{settlement(t, outcome)}); err != nil {
					return err
				}
			}
			if _, _, err := h.s.Redrive(h.ctx, []task.ID{id}, store.RedriveOptions{}); err != nil {
				return err
			}
			if _, err := h.s.Enqueue(h.ctx, []store.Batch{{Items: []store.Insert{{Task: fresh}}}}); err != nil {
				return err
			}
		}
		return nil
	})
}

// known is what those who race have been told of a task.
type known struct {
	failed  int
	running bool
	ended   bool
	latest  int64 // claim
}

// checkScansBeforeClaims has some scan and claim, as a node does, while tasks are settled
// at once and others cancel some.
func checkScansBeforeClaims(h *harness) {
	const rounds = 8
	ids := h.addMany(300)
	var mu sync.Mutex
	tasks := map[task.ID]*known{}
	for _, id := range ids {
		tasks[id] = &known{}
	}
	check := func(ok bool, format string, values ...any) {
		if !ok {
			h.Errorf(format, values...)
		}
	}
	h.race(func(i int) error {
		random := rand.New(rand.NewPCG(uint64(i), 7))
		if i%8 == 0 {
			return cancelSome(h, random, ids, &mu, tasks)
		}
		for range rounds {
			if _, err := h.s.Scan(h.ctx, h.everything()); err != nil {
				return err
			}
			claimed, err := h.s.Claim(h.ctx, store.Claim{Node: "n1", Lanes: h.lanes, Items: items(some(random, ids)...)})
			if err != nil {
				return err
			}
			mu.Lock()
			for _, t := range claimed.Tasks {
				k := tasks[t.ID]
				check(!k.running && !k.ended, "%s was claimed while it ran or after it had ended: %+v", t.ID, *k)
				check(t.Attempt == k.failed+1 && t.Claim > k.latest, "attempt %d of %s by claim %d, after %+v", t.Attempt, t.ID, t.Claim, *k)
				k.running, k.latest = true, t.Claim
			}
			mu.Unlock()
			if err := settleSome(h, random, claimed.Tasks, &mu, tasks); err != nil {
				return err
			}
		}
		return nil
	})
}

func some(random *rand.Rand, ids []task.ID) []task.ID {
	var chosen []task.ID
	for _, at := range random.Perm(len(ids))[:20] {
		chosen = append(chosen, ids[at])
	}
	return chosen
}

// settleSome ends attempts: half of them fail, to be tried again at once.
func settleSome(h *harness, random *rand.Rand, running []*task.Task, mu *sync.Mutex, tasks map[task.ID]*known) error {
	var all []store.Settlement
	for _, t := range running {
		s := settlement(t, task.OutcomeSucceeded)
		if random.IntN(2) == 0 {
			s = settlement(t, task.OutcomeFailed)
			s.RunAt = time.Time{}
		}
		all = append(all, s)
	}
	mu.Lock() // until it is known what others may see
	defer mu.Unlock()
	settled, err := h.s.Settle(h.ctx, all)
	for i, one := range settled {
		k := tasks[running[i].ID]
		if one.Status != store.StatusOK {
			h.Errorf("settled %s: %+v", running[i].ID, one)
		}
		k.running, k.ended = false, one.State != task.Pending
		if one.State == task.Pending {
			k.failed++
		}
	}
	return err
}

// cancelSome cancels tasks, of which those that wait end at once.
func cancelSome(h *harness, random *rand.Rand, ids []task.ID, mu *sync.Mutex, tasks map[task.ID]*known) error {
	for range 5 {
		id := ids[random.IntN(len(ids))]
		mu.Lock()
		canceled, err := h.s.Cancel(h.ctx, id)
		if err == nil && canceled.State == task.Canceled {
			tasks[id].ended = true
		}
		mu.Unlock()
		if err != nil && !errors.Is(err, &task.Error{Code: task.CodeConflict}) {
			return err
		}
	}
	return nil
}
