package sealed_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/sealed"
	"github.com/outlast-dev/outlast/task"
)

func twoKeys(current string) sealed.Keys {
	return sealed.Keys{Current: current, Secrets: map[string][]byte{"k1": secret(1), "k2": secret(2)}}
}

// After a rotation, and after the first key came, what was accepted before is
// read, and is the same for whoever sends it again: by its id and by its dedupe
// key, alone, in batches, in transactions and in changes.
func TestRotation(t *testing.T) {
	for name, before := range map[string]sealed.Keys{"from another key": oneKey(1), "from none": {}} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			old, now := b.seal(before), b.seal(twoKeys("k2"))
			item := store.Insert{Task: b.task(`1`), Dedupe: &store.Dedupe{Lane: b.lanes[0].Lane, Key: "k", Window: time.Hour, Content: [16]byte{7}}}
			item.Task.Spec.DedupeKey = "k"
			b.insert(old, item)
			copied := *item.Task
			copied.ID = b.task("").ID
			byKey := store.Insert{Task: &copied, Dedupe: item.Dedupe}
			byID := store.Insert{Task: item.Task}
			for way, insert := range b.ways(now) {
				for what, repeat := range map[string]store.Insert{"by id": byID, "by dedupe key": byKey} {
					got := insert(repeat)[0]
					if got.Existing == nil || got.Existing.ID != item.Task.ID || string(got.Existing.Payload) != `1` {
						t.Errorf("%s, %s: %+v", way, what, got)
					}
				}
			}
			b.refused(now, byKey, task.CodeDedupeConflict, func(i *store.Insert) { i.Dedupe = &store.Dedupe{Lane: b.lanes[0].Lane, Key: "k", Window: time.Hour} })
			b.refused(now, byID, task.CodeIDConflict, func(i *store.Insert) { other := *i.Task; other.Payload = []byte(`2`); i.Task = &other })
			if claimed := b.claim(now, item.Task.ID).Tasks; len(claimed) != 1 || string(claimed[0].Payload) != `1` {
				t.Errorf("claimed %+v", claimed)
			}
		})
	}
}

// ways are those in which tasks get into a store.
func (b *bench) ways(s *sealed.Store) map[string]func(...store.Insert) []store.Inserted {
	return map[string]func(...store.Insert) []store.Inserted{
		"alone": func(items ...store.Insert) []store.Inserted { return b.insert(s, items...) },
		"in a transaction": func(items ...store.Insert) []store.Inserted {
			tx := b.raw.Begin()
			enqueuer, _ := store.As[store.TxEnqueuer](s)
			inserted, err := enqueuer.EnqueueTx(b.Context(), tx, items)
			b.ok(err)
			b.ok(tx.Commit())
			return inserted
		},
		"in a change": func(items ...store.Insert) []store.Inserted {
			changed, err := s.Change(b.Context(), store.Change{Enqueue: []store.Batch{{Items: items}}})
			b.ok(err)
			return changed.Results[0].Items
		},
	}
}

func (b *bench) refused(s store.Backend, item store.Insert, code task.Code, change func(*store.Insert)) {
	b.Helper()
	change(&item)
	results, err := s.Enqueue(b.Context(), []store.Batch{{Items: []store.Insert{item}}})
	b.ok(err)
	if !errors.Is(results[0].Err, &task.Error{Code: code}) {
		b.Errorf("got %+v, want %s", results[0], code)
	}
}

// The hash of what a dedupe key stands for cannot be recomputed by who reads the
// database: it differs from key to key and from what was handed in.
func TestContentIsKeyed(t *testing.T) {
	content := store.Dedupe{Key: "k", Window: time.Hour, Content: [16]byte{1, 2, 3}}
	b := newBench(t)
	content.Lane = b.lanes[0].Lane
	b.insert(b.seal(oneKey(1)), store.Insert{Task: b.task(`1`), Dedupe: &content})
	b.refused(b.raw, store.Insert{Task: b.task(`1`), Dedupe: &content}, task.CodeDedupeConflict, func(*store.Insert) {})
	b.refused(b.seal(oneKey(5)), store.Insert{Task: b.task(`1`), Dedupe: &content}, task.CodeDedupeConflict, func(*store.Insert) {})
}

// A task without its key goes back unharmed and says why; with the key it runs.
func TestWithoutItsKey(t *testing.T) {
	for name, keys := range map[string]sealed.Keys{
		"no key": {}, "another name": {Secrets: map[string][]byte{"k9": secret(1)}}, "another key of that name": oneKey(9),
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			right := b.seal(oneKey(1))
			given := full(b, "canary")
			b.insert(right, store.Insert{Task: given})
			var told []string
			wrong, err := sealed.Wrap(b.raw, keys, func(_ *task.Task, err error) { told = append(told, err.Error()) })
			b.ok(err)
			claimed := b.claim(wrong, given.ID)
			if len(claimed.Tasks) != 0 || len(claimed.Refused) != 1 || claimed.Refused[0].Reason != store.ReasonLater || claimed.Refused[0].Entry.ID != given.ID {
				t.Fatalf("claimed %+v", claimed)
			}
			got := b.get(wrong, given.ID)
			if got.State != task.Pending || got.Attempt != 0 || got.LastError == nil || got.LastError.Code != sealed.Undecryptable || got.LastError.Category != "local" {
				t.Fatalf("it is %s after %d attempts, with %+v", got.State, got.Attempt, got.LastError)
			}
			if wait := time.Until(got.RunAt); wait < 20*time.Second || wait > 30*time.Second {
				t.Errorf("it waits for %s", wait)
			}
			if len(told) != 1 || !strings.Contains(told[0], `"k1"`) {
				t.Errorf("told %q", told)
			}
			if !strings.HasPrefix(string(got.Payload), `"sealed:1:`) || strings.Contains(dump(got), "canary") {
				t.Errorf("it shows %s", dump(got))
			}
			if attempts, err := right.Attempts(t.Context(), given.ID); err != nil || len(attempts) != 0 {
				t.Errorf("attempts %+v, %v", attempts, err)
			}
			_, err = right.Reschedule(t.Context(), given.ID, time.Time{})
			b.ok(err)
			if claimed := b.claim(right, given.ID).Tasks; len(claimed) != 1 || dump(claimed[0]) != dump(given) {
				t.Errorf("with the key: %+v", claimed)
			}
		})
	}
}

// The rows of a claim whose answer was lost are read back in the same way.
func TestReadBackWithoutItsKey(t *testing.T) {
	b := newBench(t)
	given := b.task(`1`)
	b.insert(b.seal(oneKey(1)), store.Insert{Task: given})
	b.claim(b.raw, given.ID)
	running, err := b.seal(sealed.Keys{}).Running(t.Context(), "n", nil)
	b.ok(err)
	if got := b.get(b.raw, given.ID); len(running) != 0 || got.State != task.Pending || got.Attempt != 0 {
		t.Errorf("running %+v, the task is %s", running, got.State)
	}
}

// With Strict, what is not sealed does not run.
func TestStrict(t *testing.T) {
	b := newBench(t)
	keys := oneKey(1)
	keys.Strict = true
	plain, own := b.task(`1`), b.task(`2`)
	b.insert(b.raw, store.Insert{Task: plain})
	s := b.seal(keys)
	b.insert(s, store.Insert{Task: own})
	if claimed := b.claim(s, plain.ID); len(claimed.Tasks) != 0 || b.get(b.raw, plain.ID).LastError.Code != sealed.Undecryptable {
		t.Errorf("claimed %+v", claimed)
	}
	if claimed := b.claim(s, own.ID); len(claimed.Tasks) != 1 {
		t.Errorf("claimed %+v", claimed)
	}
	if claimed := b.claim(b.seal(oneKey(1)), plain.ID); len(claimed.Refused) != 1 {
		t.Errorf("before its time: %+v", claimed)
	}
}

// What is shown of a task that does not open cannot be handed in again as if it
// were a payload.
func TestForged(t *testing.T) {
	b := newBench(t)
	right := b.seal(oneKey(1))
	given := full(b, "canary")
	b.insert(right, store.Insert{Task: given})
	below, shown := b.get(b.raw, given.ID), b.get(b.seal(sealed.Keys{}), given.ID)
	for _, s := range []*sealed.Store{right, b.seal(sealed.Keys{})} {
		for name, change := range map[string]func(*task.Task){
			"payload":  func(t *task.Task) { t.Payload = below.Payload },
			"shown":    func(t *task.Task) { t.Payload = shown.Payload },
			"headers":  func(t *task.Task) { t.Spec.HTTP = below.Spec.HTTP },
			"fallback": func(t *task.Task) { t.Spec.Fallback = below.Spec.Fallback },
		} {
			forged := b.task(`1`)
			change(forged)
			good := b.task(`1`)
			results, err := s.Enqueue(t.Context(), []store.Batch{{Items: []store.Insert{{Task: forged}}}, {Items: []store.Insert{{Task: good}}}})
			b.ok(err)
			if !errors.Is(results[0].Err, &task.Error{Code: task.CodeInvalid}) || results[1].Err != nil {
				t.Errorf("%s: %v, %v", name, results[0].Err, results[1].Err)
			}
		}
		now := time.Now()
		one := b.task(`1`)
		b.insert(s, store.Insert{Task: one})
		settled, err := s.Settle(t.Context(), []store.Settlement{{Task: b.claim(s, one.ID).Tasks[0], Outcome: task.OutcomeSucceeded, StartedAt: now, EndedAt: now, Follow: []store.Insert{{Task: below}}}})
		b.ok(err)
		if settled[0].Status != store.StatusRefused {
			t.Errorf("a follow-up: %+v", settled[0])
		}
		if _, _, err := s.Redrive(t.Context(), []task.ID{one.ID}, store.RedriveOptions{Payload: shown.Payload}); !errors.Is(err, &task.Error{Code: task.CodeInvalid}) {
			t.Errorf("a redrive: %v", err)
		}
	}
}

// Without keys nothing is allocated for the seal: it stands in the way of nobody.
func TestCostsNothingWithoutKeys(t *testing.T) {
	b := newBench(t)
	quiet := quietStore{Backend: b.raw}
	s, err := sealed.Wrap(&quiet, sealed.Keys{}, nil)
	b.ok(err)
	one := b.task(`{"a":1}`)
	one.Spec.HTTP = &task.Request{URL: "https://example.com", Headers: map[string]string{"A": "1"}}
	one.Spec.Fallback = &task.Follow{Type: "f", Payload: []byte(`1`)}
	quiet.claimed.Tasks = []*task.Task{one}
	batches := []store.Batch{{Items: []store.Insert{{Task: one}}}}
	settlements := []store.Settlement{{Task: one, Result: []byte(`1`)}}
	if allocated := testing.AllocsPerRun(100, func() {
		_, _ = s.Claim(t.Context(), store.Claim{})
		_, _ = s.Enqueue(t.Context(), batches)
		_, _ = s.Settle(t.Context(), settlements)
	}); allocated != 0 {
		t.Errorf("%v allocations", allocated)
	}
}

// The state of alerts has texts of errors, so it is sealed, and begins anew where
// the key is missing. Configuration is signed, and stays readable.
func TestObjects(t *testing.T) {
	b := newBench(t)
	s := b.seal(oneKey(1))
	state, policy := store.Object{Kind: "alert.state", Name: "r/1", Body: []byte(`"canary"`)}, store.Object{Kind: "policy", Name: "p", Body: []byte(`"open"`)}
	changed, err := s.Change(t.Context(), store.Change{Put: []store.Object{state, policy}})
	b.ok(err)
	if string(changed.Put[0].Body) != `"canary"` || string(state.Body) != `"canary"` {
		t.Errorf("put %+v", changed.Put)
	}
	below, err := b.raw.Objects(t.Context(), "")
	b.ok(err)
	above, err := s.Objects(t.Context(), "")
	b.ok(err)
	without, err := b.seal(sealed.Keys{}).Object(t.Context(), "alert.state", "r/1")
	b.ok(err)
	versions, err := s.ObjectVersions(t.Context(), "alert.state", "r/1", 10)
	b.ok(err)
	if strings.Contains(string(below[0].Body), "canary") || !strings.Contains(string(below[1].Body), `"open"`) || string(above[0].Body) != `"canary"` ||
		without.Body != nil || without.Version != 1 || len(versions) != 1 || string(versions[0].Body) != `"canary"` {
		t.Errorf("below %s, above %s, without the key %s, versions %+v", below[0].Body, above[0].Body, without.Body, versions)
	}
}

// So has the message that waits until its channel may send again.
func TestWaitingAlertsAreSealed(t *testing.T) {
	b := newBench(t)
	s := b.seal(oneKey(1))
	_, err := s.Change(t.Context(), store.Change{Put: []store.Object{{Kind: "alert.slots", Name: "ops", Body: []byte(`{"only":{"text":"canary"}}`)}}})
	b.ok(err)
	below, err := b.raw.Object(t.Context(), "alert.slots", "ops")
	b.ok(err)
	above, err := s.Object(t.Context(), "alert.slots", "ops")
	b.ok(err)
	if strings.Contains(string(below.Body), "canary") || string(above.Body) != `{"only":{"text":"canary"}}` {
		t.Errorf("below %s, above %s", below.Body, above.Body)
	}
}
