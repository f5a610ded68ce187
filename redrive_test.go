package outlast_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/dead"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

// patient is how a handler of the tests behaves, letter by letter.
type patient struct {
	mu      sync.Mutex
	healthy bool
	runs    []int // N of the letters, in the order in which they ran while healthy was asked
	fail    func(n int) error
}

func (p *patient) handle(_ context.Context, m mail) error {
	p.mu.Lock()
	healthy, fail := p.healthy, p.fail
	if healthy {
		p.runs = append(p.runs, m.N)
	}
	p.mu.Unlock()
	switch {
	case !healthy:
		return outlast.GiveUp(errors.New("no"))
	case fail != nil:
		return fail(m.N)
	}
	return nil
}

// cured lets letters run, each failing as fail says.
func (p *patient) cured(fail func(n int) error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.healthy, p.fail = true, fail
}

func (p *patient) ran() []int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.runs)
}

// dying starts a client with n letters whose handler is the patient's.
func (k *kit) dying(p *patient, n int, change ...func(*outlast.Draft)) []outlast.ID {
	k.Helper()
	outlast.Handle(k.client, "dies", p.handle)
	k.start()
	var ids []outlast.ID
	for i := range n {
		d := outlast.Draft{Type: "dies", Payload: fmt.Appendf(nil, `{"n":%d}`, i)}
		for _, c := range change {
			c(&d)
		}
		ids = append(ids, k.enqueue(d).ID)
		k.after(time.Millisecond) // so that ids are in their order
	}
	k.after(5 * time.Second)
	if got := k.countLetters(); got != n {
		k.Fatalf("%d letters, want %d", got, n)
	}
	return ids
}

func (k *kit) redrive(request inspect.RedriveRequest) string {
	k.Helper()
	result, err := k.client.Inspector().Letters.Redrive(k.ctx, request)
	if err != nil || result.Operation == "" {
		k.Fatalf("got %+v, %v", result, err)
	}
	return result.Operation
}

func (k *kit) operation(id string, state store.OperationState) (*store.Operation, dead.Progress) {
	k.Helper()
	operation, err := k.client.Inspector().Operations.Get(k.ctx, id)
	if err != nil {
		k.Fatal(err)
	}
	progress, ok := dead.ProgressOf(operation)
	if !ok || operation.State != state {
		k.Fatalf("the operation is %s (%s), want %s: %+v", operation.State, operation.Error, state, progress)
	}
	seen := k.client.Inspector().Operations.Progress(operation)
	if seen.Sent != progress.Sent || seen.Skipped != progress.Skipped || seen.Waiting != progress.Waiting || seen.Watched && seen.Failing != progress.Failing {
		k.Errorf("the progress is shown as %+v: %+v", seen, progress)
	}
	return operation, progress
}

// items reads a whole report and counts by status.
func (k *kit) items(id string) (all []inspect.RedriveItem, counts map[string]int) {
	k.Helper()
	counts = map[string]int{}
	for cursor := ""; ; {
		page, next, err := k.client.Inspector().Operations.RedriveItems(k.ctx, id, store.Page{Limit: 7, Cursor: cursor})
		if err != nil {
			k.Fatal(err)
		}
		for _, item := range page {
			counts[string(item.Status)]++
		}
		if all = append(all, page...); next == "" {
			return all, counts
		}
		cursor = next
	}
}

func (k *kit) audited(action string) []store.Audit {
	k.Helper()
	rows, _, err := k.store.Audit(k.ctx, store.AuditFilter{Action: action}, store.Page{})
	if err != nil {
		k.Fatal(err)
	}
	return rows
}

func TestRedriveCanary(t *testing.T) {
	t.Run("passes", func(t *testing.T) {
		virtually(t, func(k *kit) {
			p := &patient{}
			k.dying(p, 30)
			p.cured(func(int) error {
				<-time.After(2 * time.Second)
				return nil
			})
			id := k.redrive(inspect.RedriveRequest{Filter: &store.Filter{}, Canary: 4})
			k.after(time.Second)
			operation, progress := k.operation(id, store.OperationRunning)
			if operation.Done != 4 || !strings.Contains(progress.Waiting, "0 of 4") || k.countLetters() != 26 {
				k.Errorf("while the canary runs: %d done, %+v, %d letters", operation.Done, progress, k.countLetters())
			}
			k.after(2 * time.Minute)
			operation, progress = k.operation(id, store.OperationDone)
			if operation.Done != 30 || progress.Sent != 30 || progress.Skipped != 0 {
				k.Errorf("got %+v, %+v", operation, progress)
			}
			if _, counts := k.items(id); counts["succeeded"] != 30 {
				k.Errorf("the report has %v", counts)
			}
		})
	})
	t.Run("dies again", func(t *testing.T) {
		virtually(t, func(k *kit) {
			p := &patient{}
			k.dying(p, 30)
			p.cured(func(n int) error {
				if n == 2 {
					return outlast.GiveUp(errors.New("still no"))
				}
				return nil
			})
			id := k.redrive(inspect.RedriveRequest{Filter: &store.Filter{}, Canary: 4})
			k.after(time.Minute)
			operation, _ := k.operation(id, store.OperationFailed)
			if operation.Done != 4 || operation.Error != "the canary failed: 1 of 4 letters have died again" || operation.FinishedAt.IsZero() {
				k.Errorf("got %+v", operation)
			}
			items, counts := k.items(id)
			if counts["succeeded"] != 3 || counts["dead"] != 1 || counts["waiting"] != 26 || items[2].Status != "dead" || items[2].Error.Message != "still no" {
				k.Errorf("the report has %v; third %+v", counts, items[2])
			}
			if rows := k.audited("operation.stop"); len(rows) != 1 || rows[0].Subject != "operation/"+id || rows[0].Actor != "outlast" {
				k.Errorf("the audit log has %+v", rows)
			}
			if events := k.log.events(k.T, "operation.stopped"); len(events) != 1 {
				k.Errorf("events %v", events)
			}
		})
	})
	t.Run("does not end", func(t *testing.T) {
		virtually(t, func(k *kit) {
			p := &patient{}
			k.dying(p, 12)
			if _, err := k.client.Inspector().Queues.Pause(k.ctx, "default", true); err != nil {
				k.Fatal(err)
			}
			p.cured(nil)
			id := k.redrive(inspect.RedriveRequest{Filter: &store.Filter{}, Canary: 4})
			k.after(9 * time.Minute)
			k.operation(id, store.OperationRunning)
			k.after(2 * time.Minute)
			operation, progress := k.operation(id, store.OperationPaused)
			if operation.Done != 4 || operation.Error != "the canary did not end within 10m0s: 0 of 4 letters succeeded" || !progress.Overdue {
				k.Errorf("got %+v, %+v", operation, progress)
			}
			if _, err := k.client.Inspector().Operations.Resume(k.ctx, id); err != nil {
				k.Fatal(err)
			}
			k.after(10 * time.Second)
			if operation, _ := k.operation(id, store.OperationDone); operation.Done != 12 || operation.Error != "" {
				k.Errorf("after the resume %+v", operation)
			}
		})
	})
	t.Run("of ids, with a rate", func(t *testing.T) {
		virtually(t, func(k *kit) {
			p := &patient{}
			ids := k.dying(p, 6)
			p.cured(nil)
			id := k.redrive(inspect.RedriveRequest{IDs: ids, Rate: 1})
			k.after(2500 * time.Millisecond)
			if _, err := k.client.Inspector().Operations.Cancel(k.ctx, id); err != nil {
				k.Fatal(err)
			}
			k.after(time.Minute)
			if _, counts := k.items(id); counts["succeeded"] == 0 || counts["succeeded"] == len(ids) || k.countLetters() != len(ids)-counts["succeeded"] {
				k.Errorf("the report has %v, %d letters are left", counts, k.countLetters())
			}
		})
	})
	t.Run("of ids", func(t *testing.T) {
		virtually(t, func(k *kit) {
			p := &patient{}
			ids := k.dying(p, 6)
			p.cured(nil)
			stranger := outlast.NewID()
			result, err := k.client.Inspector().Letters.Redrive(k.ctx, inspect.RedriveRequest{IDs: append(ids[1:4:4], stranger), Canary: 1})
			if err != nil || result.Operation == "" || result.Matched != 3 || !slices.Equal(result.Missing, []outlast.ID{stranger}) {
				k.Fatalf("got %+v, %v", result, err)
			}
			k.after(10 * time.Second)
			operation, _ := k.operation(result.Operation, store.OperationDone)
			request, named := dead.RequestOf(operation)
			if operation.Done != 3 || k.countLetters() != 3 || named != 4 || request.Canary != 1 || request.Filter != nil {
				k.Errorf("got %+v; asked for %+v and %d ids", operation, request, named)
			}
		})
	})
}

// forgetful is a store that loses the answer to the first write that notes letters
// of an operation as sent.
type forgetful struct {
	*memory.Store
	lost bool
}

func (f *forgetful) PutOperation(ctx context.Context, operation store.Operation, audit ...store.Audit) (*store.Operation, error) {
	put, err := f.Store.PutOperation(ctx, operation, audit...)
	if err == nil && put.Done > 0 && !f.lost {
		f.lost = true
		return nil, &outlast.Error{Code: task.CodeUnavailable, Message: "the connection broke", Err: errors.New("reset")}
	}
	return put, err
}

// taken is a store of which somebody deletes letters when a redrive has planned them.
type taken struct {
	*memory.Store
	letters []outlast.ID
}

func (s *taken) Change(ctx context.Context, change store.Change) (*store.Changed, error) {
	changed, err := s.Store.Change(ctx, change)
	if err == nil && len(change.Put) > 0 && change.Put[0].Kind == "redrive.chunk" && s.letters != nil {
		_, err = s.Store.Purge(ctx, store.Filter{State: task.Dead, IDs: s.letters}, 100)
		s.letters = nil
	}
	return changed, err
}

// Letters that are gone when their turn comes are no canary.
func TestRedriveCanaryOfLettersThatAreGone(t *testing.T) {
	virtually(t, func(k *kit) {
		backend := &taken{Store: k.store}
		k.client = k.open(backend)
		p := &patient{}
		backend.letters = k.dying(p, 30)[:4]
		p.cured(func(int) error { return outlast.GiveUp(errors.New("still no")) })
		id := k.redrive(inspect.RedriveRequest{Filter: &store.Filter{}, Canary: 4})
		k.after(time.Minute)
		operation, progress := k.operation(id, store.OperationFailed)
		if operation.Done != 8 || progress.Skipped != 4 || len(p.ran()) != 4 {
			k.Errorf("%d letters done, %d ran: %+v", operation.Done, len(p.ran()), progress)
		}
	})
}

// A canary that was noted as sent, which the node was not told, is waited for all
// the same.
func TestRedriveCanaryWhoseNoteWasNotAnswered(t *testing.T) {
	virtually(t, func(k *kit) {
		backend := &forgetful{Store: k.store}
		k.client = k.open(backend)
		p := &patient{}
		k.dying(p, 30)
		p.cured(func(int) error { return outlast.GiveUp(errors.New("still no")) })
		id := k.redrive(inspect.RedriveRequest{Filter: &store.Filter{}, Canary: 4})
		k.after(time.Minute)
		operation, _ := k.operation(id, store.OperationFailed)
		if !backend.lost || operation.Done != 4 || len(p.ran()) != 4 {
			k.Errorf("answer lost %v; %d letters of a failing canary of 4 were sent back, %d ran", backend.lost, operation.Done, len(p.ran()))
		}
	})
}

// A redrive whose node has ended is taken over, however many newer ones have ended
// since.
func TestRedriveBehindManyNewerOnesIsTakenOver(t *testing.T) {
	virtually(t, func(k *kit) {
		p := &patient{}
		k.dying(p, 3)
		p.cured(func(int) error { return nil })
		for i := range 1500 {
			_, err := k.store.PutOperation(k.ctx, store.Operation{
				ID: fmt.Sprint("newer", i), Kind: dead.KindRedrive, State: store.OperationDone, Request: []byte("{}"), CreatedAt: time.Now().Add(time.Hour),
			})
			if err != nil {
				k.Fatal(err)
			}
		}
		elsewhere := k.open(k.store) // it only begins redrives
		result, err := elsewhere.Inspector().Letters.Redrive(k.ctx, inspect.RedriveRequest{Filter: &store.Filter{}})
		if err != nil {
			k.Fatal(err)
		}
		k.after(10 * time.Second)
		if operation, _ := k.operation(result.Operation, store.OperationDone); operation.Done != 3 || len(p.ran()) != 3 {
			k.Errorf("%d letters done, %d ran", operation.Done, len(p.ran()))
		}
	})
}

// What a redrive is about is what its dry run has counted, also for a node that takes it
// over much later.
func TestRedriveMeansWhatItsDryRunCounted(t *testing.T) {
	virtually(t, func(k *kit) {
		p := &patient{}
		k.dying(p, 3)
		begins := k.open(k.store) // it works on nothing
		inspector := begins.Inspector()
		dry, err := inspector.Letters.Redrive(k.ctx, inspect.RedriveRequest{Filter: &store.Filter{}, DryRun: true})
		if err != nil || dry.Matched != 3 {
			t.Fatalf("dry run: %+v, %v", dry, err)
		}
		die := func() outlast.ID {
			id := k.enqueue(outlast.Draft{Type: "dies", Payload: []byte(`{"n":9}`)}).ID
			k.after(time.Second)
			return id
		}
		late := []outlast.ID{die()}
		result, err := inspector.Letters.Redrive(k.ctx, inspect.RedriveRequest{Filter: &store.Filter{DiedBefore: dry.DiedBefore}})
		if err != nil || result.Matched != 3 {
			t.Fatalf("got %+v, %v", result, err)
		}
		if _, err := inspector.Operations.Pause(k.ctx, result.Operation); err != nil {
			t.Fatal(err)
		}
		late = append(late, die())
		p.cured(nil)
		if _, err := inspector.Operations.Resume(k.ctx, result.Operation); err != nil {
			t.Fatal(err)
		}
		k.after(time.Minute)
		if operation, _ := k.operation(result.Operation, store.OperationDone); operation.Done != 3 || len(p.ran()) != 3 {
			t.Errorf("%d letters done, %d ran", operation.Done, len(p.ran()))
		}
		for _, id := range late {
			if got := k.get(id); got.State != task.Dead {
				t.Errorf("a letter that died after the dry run is %s", got.State)
			}
		}
	})
}

func TestRedriveStopsIfFailing(t *testing.T) {
	fails := map[string]func(int) error{
		"dead again": func(n int) error {
			if n%2 == 0 {
				return outlast.GiveUp(errors.New("still no"))
			}
			return nil
		},
		"to be repeated": func(n int) error {
			if n%2 == 0 {
				return errors.New("still no")
			}
			return nil
		},
	}
	said := map[string]string{"dead again": "(%d were dead, 0 to be repeated)", "to be repeated": "(0 were dead, %d to be repeated)"}
	for name, fail := range fails {
		t.Run(name, func(t *testing.T) {
			virtually(t, func(k *kit) {
				p := &patient{}
				k.dying(p, 300)
				p.cured(fail)
				id := k.redrive(inspect.RedriveRequest{Filter: &store.Filter{}, StopIfFailing: 0.3})
				k.after(time.Minute)
				operation, progress := k.operation(id, store.OperationFailed)
				if !k.client.Inspector().Operations.Progress(operation).Watched {
					k.Error("nobody watches the letters")
				}
				if operation.Done > 20 || !strings.Contains(operation.Error, fmt.Sprintf(said[name], progress.Failing)+", more than the share of 0.3") || progress.Failing < 3 {
					k.Errorf("%d were sent: %s; %+v", operation.Done, operation.Error, progress)
				}
			})
		})
	}
	t.Run("below the bound", func(t *testing.T) {
		virtually(t, func(k *kit) {
			p := &patient{}
			k.dying(p, 300)
			p.cured(func(n int) error {
				if n%5 == 4 {
					return outlast.GiveUp(errors.New("still no"))
				}
				return nil
			})
			id := k.redrive(inspect.RedriveRequest{Filter: &store.Filter{}, StopIfFailing: 0.3})
			k.after(time.Minute)
			if operation, _ := k.operation(id, store.OperationDone); operation.Done != 300 {
				k.Errorf("got %+v", operation)
			}
			if items, counts := k.items(id); counts["succeeded"] != 240 || counts["dead"] != 60 || items[299].Place != 300 {
				k.Errorf("the report has %v", counts)
			}
		})
	})
	t.Run("no more in doubt than known", func(t *testing.T) {
		virtually(t, func(k *kit) {
			p := &patient{}
			k.dying(p, 100)
			if _, err := k.client.Inspector().Queues.Pause(k.ctx, "default", true); err != nil {
				k.Fatal(err)
			}
			p.cured(nil)
			id := k.redrive(inspect.RedriveRequest{Filter: &store.Filter{}, StopIfFailing: 0.3})
			k.after(time.Minute)
			if operation, progress := k.operation(id, store.OperationRunning); operation.Done != 10 || progress.Waiting != "10 letters have no outcome yet" {
				k.Errorf("%d were sent, %+v", operation.Done, progress)
			}
			if _, err := k.client.Inspector().Queues.Pause(k.ctx, "default", false); err != nil {
				k.Fatal(err)
			}
			k.after(time.Minute)
			if operation, _ := k.operation(id, store.OperationDone); operation.Done != 100 {
				k.Errorf("got %+v", operation)
			}
		})
	})
}

// Letters of a key are made with ids that are not in their order.
func TestRedriveKeepsTheOrderOfKeys(t *testing.T) {
	for _, rate := range []float64{0, 3} {
		t.Run(fmt.Sprint(rate), func(t *testing.T) {
			virtually(t, func(k *kit) {
				p := &patient{}
				const n = 40
				made := make([]outlast.ID, n)
				for i := range made {
					made[n-1-i] = outlast.NewID()
					k.after(time.Millisecond)
				}
				next := 0
				k.dying(p, n, func(d *outlast.Draft) {
					d.ID, d.Key = made[next], fmt.Sprint("k", next%3)
					d.Retry = inline(`{"order_on_dead":"skip"}`)
					next++
				})
				p.cured(nil)
				id := k.redrive(inspect.RedriveRequest{Filter: &store.Filter{}, Rate: rate})
				k.after(time.Minute)
				k.operation(id, store.OperationDone)
				last := map[int]int{}
				for _, n := range p.ran() {
					if before, ok := last[n%3]; ok && before > n {
						k.Errorf("%d of key %d ran before %d", before, n%3, n)
					}
					last[n%3] = n
				}
				if got := len(p.ran()); got != n {
					k.Errorf("%d ran", got)
				}
			})
		})
	}
}

// What is no dead letter any more when its turn comes is skipped and named.
func TestRedriveReport(t *testing.T) {
	virtually(t, func(k *kit) {
		inspector := k.client.Inspector()
		p := &patient{}
		ids := k.dying(p, 10)
		p.cured(func(n int) error {
			if n == 0 {
				return outlast.GiveUp(errors.New("still no"))
			}
			return nil
		})
		id := k.redrive(inspect.RedriveRequest{Filter: &store.Filter{}, Rate: 1})
		k.after(500 * time.Millisecond)
		if _, err := inspector.Operations.Pause(outlast.WithActor(k.ctx, "ann", "10.0.0.9", "r-1"), id); err != nil {
			k.Fatal(err)
		}
		k.after(5 * time.Second)
		if _, err := inspector.Letters.Redrive(k.ctx, inspect.RedriveRequest{IDs: ids[8:9]}); err != nil {
			k.Fatal(err)
		}
		if _, err := inspector.Letters.Purge(k.ctx, store.Filter{IDs: ids[9:]}, false); err != nil {
			k.Fatal(err)
		}
		k.after(time.Second)
		if _, err := inspector.Operations.Resume(k.ctx, id); err != nil {
			k.Fatal(err)
		}
		k.after(time.Minute)
		operation, progress := k.operation(id, store.OperationDone)
		if operation.Done != 10 || progress.Sent != 8 || progress.Skipped != 2 {
			k.Errorf("got %+v, %+v", operation, progress)
		}
		items, counts := k.items(id)
		if counts["succeeded"] != 7 || counts["dead"] != 1 || counts["skipped"] != 2 || items[8].Status != "skipped" || items[9].ID != ids[9] || items[0].Reason != task.Rejected || items[0].Error == nil || items[1].Error != nil {
			k.Errorf("the report has %v: %+v", counts, items)
		}
		for action, want := range map[string]int{"dead.redrive": 2, "dead.purge": 1, "operation.pause": 1, "operation.resume": 1} {
			if rows := k.audited(action); len(rows) != want {
				k.Errorf("%s has %d rows, want %d", action, len(rows), want)
			}
		}
		if row := k.audited("dead.redrive")[0]; !strings.Contains(string(row.After), `"named":["`+ids[8].String()+`"]`) {
			k.Errorf("the redrive by ids is noted as %s", row.After)
		}
		if row := k.audited("dead.purge")[0]; string(row.After) != `{"purged":1}` || !strings.Contains(string(row.Before), `"named":["`+ids[9].String()+`"]`) {
			k.Errorf("the purge is noted as %s, %s", row.Before, row.After)
		}
		if row := k.audited("operation.pause")[0]; row.Actor != "ann" || row.Address != "10.0.0.9" || row.Request != "r-1" || string(row.Before) != `{"state":"running"}` {
			k.Errorf("the pause is noted as %+v", row)
		}
		for _, page := range []store.Page{{Cursor: "x"}, {Cursor: "-1"}, {Cursor: "01"}, {Limit: 501}, {Limit: -1}} {
			_, _, err := inspector.Operations.RedriveItems(k.ctx, id, page)
			wantCode(k.T, err, task.CodeInvalid)
		}
		_, _, err := inspector.Operations.RedriveItems(k.ctx, "absent", store.Page{})
		wantCode(k.T, err, task.CodeNotFound)
		k.after(time.Hour) // past the retention of letters
		_, _, err = inspector.Operations.RedriveItems(k.ctx, id, store.Page{})
		wantCode(k.T, err, task.CodeNotFound)
		if left, err := k.store.Objects(k.ctx, "redrive.chunk"); err != nil || len(left) != 0 {
			k.Errorf("%d chunks are left, %v", len(left), err)
		}
	}, outlast.WithDeadRetention(30*time.Minute), outlast.WithCleanup("*/5 * * * *", ""))
}

// The plan of an operation of several chunks is carried out whole.
func TestRedriveOfManyLetters(t *testing.T) {
	virtually(t, func(k *kit) {
		p := &patient{}
		k.dying(p, 4500)
		p.cured(nil)
		id := k.redrive(inspect.RedriveRequest{Filter: &store.Filter{}})
		k.after(time.Minute)
		operation, progress := k.operation(id, store.OperationDone)
		if operation.Matched != 4500 || operation.Done != 4500 || progress.Sent != 4500 || k.countLetters() != 0 || len(p.ran()) != 4500 {
			k.Errorf("got %+v, %+v; %d letters, %d runs", operation, progress, k.countLetters(), len(p.ran()))
		}
		page, next, err := k.client.Inspector().Operations.RedriveItems(k.ctx, id, store.Page{Limit: 500, Cursor: "1800"})
		if err != nil || len(page) != 500 || next != "2300" || page[0].Place != 1801 || page[499].Place != 2300 || page[499].Status != "succeeded" {
			k.Errorf("a page over two chunks has %d items, next %q, %v", len(page), next, err)
		}
	})
}
