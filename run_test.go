package outlast_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/internal/racetest"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

type mail struct {
	To string `json:"to"`
	N  int    `json:"n"`
}

func TestTypedHandler(t *testing.T) {
	virtually(t, func(k *kit) {
		outlast.Define[mail, int]("double").Handle(k.client, func(ctx context.Context, m mail) (int, error) {
			info, ok := outlast.Info(ctx)
			if !ok || info.Attempt != 1 || info.MaxAttempts != retry.DefaultAttempts || info.Type != "double" {
				k.Errorf("info %+v", info)
			}
			return 2 * m.N, nil
		})
		k.start()
		got, err := k.client.Run(k.ctx, outlast.Draft{Type: "double", Payload: []byte(`{"to":"a","n":21}`)})
		if err != nil || string(got.Result) != "42" || got.State != task.Succeeded {
			k.Errorf("got %+v, %v", got, err)
		}
	})
}

func TestBadPayload(t *testing.T) {
	virtually(t, func(k *kit) {
		outlast.Handle(k.client, "mail", func(context.Context, mail) error { return nil })
		k.start()
		for _, payload := range []string{`{"n":"private"}`, `{`, `[]`} {
			got, err := k.client.Run(k.ctx, outlast.Draft{Type: "mail", Payload: []byte(payload)})
			var dead *outlast.DeadError
			if !errors.As(err, &dead) || dead.Reason != task.Permanent || dead.Failure.Code != "bad_payload" || got.Attempt != 1 {
				k.Errorf("%s: %v, %+v", payload, err, got)
			} else if text := dead.Failure.Message; strings.Contains(text, `""`) || strings.Contains(text, "private") {
				k.Errorf("%s: message %s", payload, text)
			}
		}
	})
}

// A result that cannot be kept is no success: whoever waits for it is told why.
func TestBadResult(t *testing.T) {
	virtually(t, func(k *kit) {
		runs := 0
		outlast.Define[mail, any]("odd").Handle(k.client, func(_ context.Context, m mail) (any, error) {
			runs++
			return map[string]any{"large": strings.Repeat("x", 100_000), "chan": make(chan int), "nan": math.NaN()}[m.To], nil
		})
		k.start()
		for kind, says := range map[string]string{"large": "the result has 100002 bytes; the limit is 65536", "chan": "no JSON form", "nan": "no JSON form"} {
			runs = 0
			got, err := k.client.Run(k.ctx, outlast.Draft{Type: "odd", Payload: []byte(`{"to":"` + kind + `"}`)})
			dead, ok := errors.AsType[*outlast.DeadError](err)
			if !ok || dead.Reason != task.Permanent || dead.Failure.Code != task.BadResult || !strings.Contains(dead.Failure.Message, says) || got.Attempt != 1 || runs != 1 {
				k.Errorf("%s: %v, %+v after %d runs", kind, err, got, runs)
			}
		}
	})
}

// A handler steers by what it returns.
func TestSteering(t *testing.T) {
	racetest.WithoutDetector(t)
	boom := errors.New("boom")
	for _, c := range []struct {
		name  string
		first error // of the first run; later ones succeed
		state task.State
		runs  int
		spent int
		after time.Duration // between first and last run
	}{
		{"success", nil, task.Succeeded, 1, 1, 0},
		{"retry after", outlast.RetryAfter(7*time.Second, boom), task.Succeeded, 2, 2, 7 * time.Second},
		{"snooze", outlast.Snooze(time.Hour), task.Succeeded, 2, 1, time.Hour},
		{"dead", outlast.GiveUp(boom), task.Dead, 1, 1, 0},
		{"cancel", outlast.Cancel(boom), task.Canceled, 1, 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			virtually(t, func(k *kit) {
				var runs []time.Time
				outlast.Handle(k.client, "t", func(context.Context, mail) error {
					if runs = append(runs, time.Now()); len(runs) == 1 {
						return c.first
					}
					return nil
				})
				k.start()
				got, err := k.client.Run(k.ctx, outlast.Draft{Type: "t"})
				if got == nil || got.State != c.state || len(runs) != c.runs || got.Attempt != c.spent {
					k.Fatalf("got %+v, %v after %d runs", got, err, len(runs))
				}
				if waited := runs[len(runs)-1].Sub(runs[0]); waited < c.after || waited > c.after+50*time.Millisecond {
					k.Errorf("waited %v, want %v", waited, c.after)
				}
				if c.state == task.Dead && got.DeadReason != task.Rejected {
					k.Errorf("reason %q", got.DeadReason)
				}
				if (err == nil) != (c.state == task.Succeeded) {
					k.Errorf("error %v for state %s", err, got.State)
				}
			})
		})
	}
	if !errors.Is(outlast.GiveUp(boom), boom) || !errors.Is(outlast.RetryAfter(0, boom), boom) {
		t.Error("the cause is not wrapped")
	}
}

func TestDefinitionWithFallback(t *testing.T) {
	virtually(t, func(k *kit) {
		var refunded []string
		calls := 0
		refund := outlast.Define[mail, int]("charge.refund")
		charge := outlast.Define[mail, outlast.None]("charge", outlast.MaxAttempts(3), outlast.Interval(time.Second)).
			Fallback(refund).
			Key(func(m mail) string { return m.To }).
			Dedupe(func(m mail) string { return m.To })
		charge.Handle(k.client, outlast.NoResult(func(context.Context, mail) error {
			calls++
			return errors.New("no money")
		}))
		refund.Handle(k.client, func(_ context.Context, m mail) (int, error) {
			refunded = append(refunded, m.To)
			return m.N, nil
		})
		k.start()

		_, err := charge.Run(k.ctx, k.client, mail{To: "ann"})
		var dead *outlast.DeadError
		if !errors.As(err, &dead) || dead.Reason != task.Exhausted || calls != 3 {
			k.Fatalf("got %v after %d calls", err, calls)
		}
		k.after(time.Second)
		if len(refunded) != 1 || refunded[0] != "ann" {
			k.Errorf("refunded %v", refunded)
		}
		view := k.get(dead.ID)
		if view.FallbackTask.IsZero() || view.FallbackState != task.Succeeded || view.Key != "ann" || view.Spec.DedupeKey != "ann" {
			k.Errorf("view %+v", view)
		}
		if view.MaxAttempts != 3 {
			k.Errorf("max attempts %d", view.MaxAttempts)
		}
	})
}

func TestDefinitionLater(t *testing.T) {
	racetest.WithoutDetector(t)
	virtually(t, func(k *kit) {
		var ran []time.Time
		f := outlast.Define[int, outlast.None]("f", outlast.Delay(time.Minute))
		f.Handle(k.client, outlast.NoResult(func(context.Context, int) error { ran = append(ran, time.Now()); return nil }))
		k.start()
		begin := time.Now()
		if _, err := f.Enqueue(k.ctx, k.client, 1); err != nil {
			k.Fatal(err)
		}
		if _, err := f.Enqueue(k.ctx, k.client, 2, outlast.Delay(time.Hour)); err != nil {
			k.Fatal(err)
		}
		if _, err := f.Enqueue(k.ctx, k.client, 3, outlast.RunAt(begin.Add(2*time.Hour))); err != nil {
			k.Fatal(err)
		}
		k.after(3 * time.Hour)
		for i, want := range []time.Duration{time.Minute, time.Hour, 2 * time.Hour} {
			if len(ran) <= i || ran[i].Sub(begin) < want || ran[i].Sub(begin) > want+50*time.Millisecond {
				k.Fatalf("ran at %v", ran)
			}
		}
		_, err := outlast.Define[chan int, outlast.None]("g").Enqueue(k.ctx, k.client, nil)
		if wrong := wantCode(k.T, err, task.CodeInvalid); len(wrong.Fields) != 1 || wrong.Fields[0].Path != "payload" {
			k.Errorf("a channel as payload: %v", err)
		}
	})
}

// Which policy holds: inline, the task's, the type's, the queue's, default.
func TestPolicyOrder(t *testing.T) {
	virtually(t, func(k *kit) {
		own, _ := retry.New(retry.Attempts(2))
		nothing := func(context.Context, mail) error { return nil }
		outlast.Handle(k.client, "plain", nothing)
		outlast.Handle(k.client, "named", nothing, outlast.Policy("notification"))
		outlast.Handle(k.client, "own", nothing, outlast.Retry(own))
		outlast.Handle(k.client, "less", nothing, outlast.Policy("payment"), outlast.MaxAttempts(4))
		outlast.Handle(k.client, "off", nothing, outlast.MaxAttempts(1))
		k.start()
		if _, err := k.client.Inspector().Queues.Put(k.ctx, store.Queue{Name: "slow", Policy: "classic"}); err != nil {
			k.Fatal(err)
		}
		for _, c := range []struct {
			draft outlast.Draft
			name  string
			max   int
		}{
			{outlast.Draft{Type: "plain"}, "default", 8},
			{outlast.Draft{Type: "plain", Queue: "slow"}, "classic", 3},
			{outlast.Draft{Type: "named", Queue: "slow"}, "notification", 3},
			{outlast.Draft{Type: "own"}, "inline", 2},
			{outlast.Draft{Type: "less"}, "payment", 4},
			{outlast.Draft{Type: "off"}, "default", 1},
			{outlast.Draft{Type: "named", Policy: "payment"}, "payment", 5},
			{outlast.Draft{Type: "named", Policy: "payment", MaxAttempts: ptr(9)}, "payment", 9},
			{outlast.Draft{Type: "named", Policy: "payment", Retry: inline(`{"max_attempts":6}`)}, "inline", 6},
		} {
			c.draft.Delay = time.Hour
			view := k.get(k.enqueue(c.draft).ID)
			if view.PolicyName != c.name || view.MaxAttempts != c.max {
				k.Errorf("%+v: policy %q with %d attempts, want %q with %d", c.draft, view.PolicyName, view.MaxAttempts, c.name, c.max)
			}
		}
		first := k.enqueue(outlast.Draft{Type: "plain", Policy: "consistency-task"})
		if wait := first.RunAt.Sub(first.CreatedAt); wait != time.Minute {
			k.Errorf("the first run is after %v", wait)
		}
	})
}

func TestRegistrationMistakes(t *testing.T) {
	virtually(t, func(k *kit) {
		nothing := func(context.Context, mail) error { return nil }
		own, _ := retry.New()
		outlast.Handle(k.client, "a", nothing)
		outlast.Handle(k.client, "a", nothing)
		outlast.Handle(k.client, "b c", nothing)
		outlast.Handle[mail](k.client, "d", nil)
		outlast.Handle(k.client, "e", nothing, outlast.Policy("unheard"))
		outlast.Handle(k.client, "f", nothing, outlast.MaxAttempts(0))
		outlast.Handle(k.client, "g", nothing, outlast.Retry(own), outlast.MaxAttempts(1))
		outlast.Handle(k.client, "h", nothing, outlast.Timeout(time.Nanosecond))
		e := wantCode(k.T, k.client.Start(k.ctx), task.CodeInvalid)
		if len(e.Fields) != 7 {
			k.Errorf("complaints %v", e.Fields)
		}
	})
}

// The client says when it takes no part, and when it cannot take tasks.
func TestStates(t *testing.T) {
	virtually(t, func(k *kit) {
		wantCode(k.T, k.client.Ready(), task.CodeUnavailable)
		k.start()
		if err := k.client.Ready(); err != nil {
			k.Error(err)
		}
		wantCode(k.T, k.client.Start(k.ctx), task.CodeConflict)
		waiting := make(chan error)
		id := k.enqueue(outlast.Draft{Type: "t", Delay: time.Hour}).ID
		go func() {
			_, err := k.client.Wait(k.ctx, id)
			waiting <- err
		}()
		k.after(time.Minute)
		if err := k.client.Stop(k.ctx); err != nil {
			k.Error(err)
		}
		wantCode(k.T, <-waiting, task.CodeUnavailable)
		_, err := k.client.Enqueue(k.ctx, outlast.Draft{Type: "t"})
		wantCode(k.T, err, task.CodeUnavailable)
		if err := k.client.Stop(k.ctx); err != nil {
			k.Error(err)
		}
	})
}

func TestWaitForAnotherNode(t *testing.T) {
	virtually(t, func(k *kit) {
		k.start()
		worker := k.open(k.store.Handle())
		outlast.Handle(worker, "t", func(context.Context, mail) error { return nil })
		if err := worker.Start(k.ctx); err != nil {
			k.Fatal(err)
		}
		k.after(5 * time.Second)
		got, err := k.client.Run(k.ctx, outlast.Draft{Type: "t"})
		if err != nil || got.State != task.Succeeded {
			k.Errorf("got %+v, %v", got, err)
		}
		ctx, cancel := context.WithTimeout(k.ctx, time.Second)
		defer cancel()
		last, err := k.client.Run(ctx, outlast.Draft{Type: "t", Delay: time.Hour})
		if !errors.Is(err, context.DeadlineExceeded) || last == nil || last.State != task.Pending || !strings.Contains(err.Error(), last.ID.String()) {
			k.Errorf("got %v, %v", last, err)
		}
	}, outlast.WithEnqueueOnly())
}

func TestDedupe(t *testing.T) {
	virtually(t, func(k *kit) {
		k.start()
		draft := outlast.Draft{Type: "t", Payload: []byte(`1`), DedupeKey: "d", DedupeWindow: time.Hour, Delay: time.Minute}
		first := k.enqueue(draft)
		again, err := k.client.Enqueue(k.ctx, draft)
		if err != nil || !again.Existing || again.Task.ID != first.ID {
			k.Errorf("a repeat gave %+v, %v", again, err)
		}
		for name, change := range map[string]func(d *outlast.Draft){
			"payload": func(d *outlast.Draft) { d.Payload = []byte(`2`) },
			"type":    func(d *outlast.Draft) { d.Type = "u" },
			"key":     func(d *outlast.Draft) { d.Key = "k" },
			"delay":   func(d *outlast.Draft) { d.Delay = time.Hour },
			"target":  func(d *outlast.Draft) { d.Target = &task.Request{URL: "https://example.com/"} },
		} {
			other := draft
			change(&other)
			_, err := k.client.Enqueue(k.ctx, other)
			if e := wantCode(k.T, err, task.CodeDedupeConflict); e.Existing != first.ID {
				k.Errorf("%s: existing %v", name, e.Existing)
			}
		}
	})
}

func TestBatches(t *testing.T) {
	virtually(t, func(k *kit) {
		k.start()
		drafts := []outlast.Draft{{Type: "a"}, {Type: "b c"}, {Type: "d"}}
		receipts, err := k.client.EnqueueMany(k.ctx, drafts, true)
		if wantCode(k.T, err, task.CodeInvalid); receipts != nil {
			k.Error("an atomic batch was accepted in part")
		}
		receipts, err = k.client.EnqueueMany(k.ctx, drafts, false)
		if err != nil || len(receipts) != 3 || receipts[0].Err != nil || receipts[2].Err != nil {
			k.Fatalf("got %+v, %v", receipts, err)
		}
		wantCode(k.T, receipts[1].Err, task.CodeInvalid)
		count, _ := k.client.Inspector().Tasks.Count(k.ctx, store.Filter{}, 10)
		if count != 2 {
			k.Errorf("%d tasks", count)
		}
		receipts, err = k.client.EnqueueMany(k.ctx, []outlast.Draft{{Type: "a"}, {Type: "d"}}, true)
		if err != nil || len(receipts) != 2 || receipts[1].Task.Type != "d" {
			k.Errorf("got %+v, %v", receipts, err)
		}
		_, err = k.client.EnqueueTx(k.ctx, nil, outlast.Draft{Type: "a"})
		wantCode(k.T, err, task.CodeInvalid)
	})
}

func TestQueueFull(t *testing.T) {
	virtually(t, func(k *kit) {
		k.start()
		if _, err := k.client.Inspector().Queues.Put(k.ctx, store.Queue{Name: "small", MaxPending: 3}); err != nil {
			k.Fatal(err)
		}
		synctest.Wait() // a count that is under way at the same instant would have a task, and it would count twice
		for range 3 {
			k.enqueue(outlast.Draft{Type: "t", Queue: "small"})
		}
		_, err := k.client.Enqueue(k.ctx, outlast.Draft{Type: "t", Queue: "small"})
		if e := wantCode(k.T, err, task.CodeQueueFull); e.RetryAfter <= 0 {
			k.Error("no time to come back")
		}
		k.after(3 * time.Second)
		_, err = k.client.Enqueue(k.ctx, outlast.Draft{Type: "t", Queue: "small"})
		wantCode(k.T, err, task.CodeQueueFull)
	})
}

// lateCount is a store whose answer about queues takes its time to arrive.
type lateCount struct{ store.Backend }

func (l lateCount) Topology(ctx context.Context) (*store.Topology, error) {
	topology, err := l.Backend.Topology(ctx)
	time.Sleep(800 * time.Millisecond) // sleep: in virtual time
	return topology, err
}

// A count that was under way while tasks were accepted does not have them; they are
// not forgotten when it arrives.
func TestQueueFullWhileItIsCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := &kit{T: t, ctx: t.Context(), log: &logBook{}}
		k.client = k.open(lateCount{memory.New()})
		k.start()
		if _, err := k.client.Inspector().Queues.Put(k.ctx, store.Queue{Name: "small", MaxPending: 30}); err != nil {
			t.Fatal(err)
		}
		accepted := 0
		for range 100 {
			if _, err := k.client.Enqueue(k.ctx, outlast.Draft{Type: "t", Queue: "small"}); err == nil {
				accepted++
			}
			k.after(50 * time.Millisecond)
		}
		if accepted < 25 || accepted > 30 {
			t.Errorf("%d tasks were accepted of a queue that may have 30", accepted)
		}
	})
}

func TestDeadline(t *testing.T) {
	virtually(t, func(k *kit) {
		outlast.Handle(k.client, "t", func(context.Context, mail) error { return errors.New("no") }, outlast.Interval(time.Second))
		k.start()
		begin := time.Now()
		_, err := k.client.Run(k.ctx, outlast.Draft{Type: "t", TTL: 3500 * time.Millisecond, MaxAttempts: ptr(100)})
		var dead *outlast.DeadError
		if !errors.As(err, &dead) || dead.Reason != task.Expired || time.Since(begin) > 4*time.Second {
			k.Errorf("got %v after %v", err, time.Since(begin))
		}
	})
}

// What follows a task is told what happened, once.
func TestCallbacks(t *testing.T) {
	virtually(t, func(k *kit) {
		var told []map[string]any
		outlast.Define[mail, string]("good").Handle(k.client, func(context.Context, mail) (string, error) { return "fine", nil })
		outlast.Handle(k.client, "bad", func(context.Context, mail) error { return outlast.GiveUp(errors.New("broken")) })
		outlast.Handle(k.client, "told", func(_ context.Context, what map[string]any) error { told = append(told, what); return nil })
		k.start()
		follow := &task.Follow{Type: "told"}
		for _, name := range []string{"good", "bad"} {
			_, _ = k.client.Run(k.ctx, outlast.Draft{Type: name, Payload: []byte(`{"n":1}`), OnSuccess: follow, OnDead: follow})
			k.after(time.Second)
		}
		if len(told) != 2 || told[0]["result"] != "fine" || told[0]["state"] != "succeeded" ||
			told[1]["reason"] != "rejected" || told[1]["error"].(map[string]any)["message"] != "broken" ||
			told[1]["payload"].(map[string]any)["n"] != 1.0 {
			k.Errorf("told %v", told)
		}
	})
}

func TestProgress(t *testing.T) {
	virtually(t, func(k *kit) {
		goOn := make(chan struct{})
		outlast.Handle(k.client, "t", func(ctx context.Context, _ mail) error {
			if err := outlast.Progress(ctx, map[string]int{"done": 3}); err != nil {
				k.Error(err)
			}
			wantCode(k.T, outlast.Progress(ctx, make([]int, 5000)), task.CodeTooLarge)
			<-goOn
			return nil
		})
		k.start()
		id := k.enqueue(outlast.Draft{Type: "t"}).ID
		k.after(time.Second)
		if got := string(k.get(id).Progress); got != `{"done":3}` {
			k.Errorf("progress %s", got)
		}
		close(goOn)
		k.after(time.Second)
		if got := k.get(id); got.Progress != nil || got.State != task.Succeeded {
			k.Errorf("got %+v", got)
		}
		wantCode(k.T, outlast.Progress(k.ctx, 1), task.CodeConflict)
	})
}

// An inline policy may bring the fallback along.
func TestFallbackOfAnInlinePolicy(t *testing.T) {
	virtually(t, func(k *kit) {
		var refunded []string
		outlast.Handle(k.client, "pay", func(context.Context, mail) error { return errors.New("no money") })
		outlast.Handle(k.client, "pay.refund", func(_ context.Context, m mail) error {
			refunded = append(refunded, m.To)
			return nil
		})
		k.start()
		_, err := k.client.Run(k.ctx, sent(outlast.Draft{Type: "pay", Payload: []byte(`{"to":"ann"}`)},
			`{"max_attempts": 1, "budget": "none", "fallback": {"type": "pay.refund"}}`))
		var dead *outlast.DeadError
		if !errors.As(err, &dead) {
			k.Fatalf("got %v", err)
		}
		k.after(time.Second)
		if len(refunded) != 1 || refunded[0] != "ann" {
			k.Errorf("refunded %v", refunded)
		}
	})
}
