package outlasttest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/outlasttest"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

// refused runs what must end a test, and returns with which message.
func refused(t *testing.T, body func(t testing.TB)) (message string) {
	t.Helper()
	f := &failing{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		body(f)
	}()
	<-done
	if f.message == "" {
		t.Error("it did not end the test")
	}
	return f.message
}

// failing is a test that may fail.
type failing struct {
	testing.TB
	message string
}

func (f *failing) Fatalf(format string, args ...any) {
	f.message = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in:\n%s", part, text)
		}
	}
}

// Eight attempts over a day, a week of a schedule, and far more.
func TestLongTimes(t *testing.T) {
	t.Parallel()
	outlasttest.Run(t, func(t *testing.T, k *outlasttest.Kit) {
		outlast.Handle(k.Client, "mail", func(context.Context, mail) error { return errNo }, outlast.Retry(steady(t, 24*time.Hour/7, 8)))
		outlast.Handle(k.Client, "report", func(context.Context, mail) error { return nil })
		k.Start()
		began := time.Now()
		if _, err := k.Client.Inspector().Schedules.Put(t.Context(), inspect.Schedule{Name: "nightly", Cron: "30 2 * * *", Task: inspect.ScheduledTask{Type: "report"}}); err != nil {
			t.Fatal(err)
		}
		k.Enqueue(outlasttest.Of("mail", mail{"a@b.c"}), outlast.Draft{Type: "report", Delay: 3 * 365 * 24 * time.Hour})
		k.After(24*time.Hour + time.Second)
		letter := outlasttest.RequireDead(t, k.Client, outlasttest.Want{Type: "mail", Reason: task.Exhausted, Count: 1})[0]
		if story := outlasttest.Story(t, k.Client, letter.ID); len(story) != 8 || letter.FinishedAt.Sub(began).Round(time.Second) != 24*time.Hour {
			t.Errorf("%d attempts until %s", len(story), letter.FinishedAt.Sub(began))
		}
		k.After(6 * 24 * time.Hour)
		for i, one := range outlasttest.RequireEnqueued(t, k.Client, outlasttest.Want{Schedule: "nightly", State: task.Succeeded, Count: 7}) {
			if at := time.Duration(6-i)*24*time.Hour + 2*time.Hour + 30*time.Minute; one.FinishedAt.Sub(began) != at {
				t.Errorf("a tick ran after %s, not after %s", one.FinishedAt.Sub(began), at)
			}
		}
	})
}

// A rule with a cool-down of six hours: of deaths each hour three are told in half a day.
func TestAlertWithCooldown(t *testing.T) {
	t.Parallel()
	outlasttest.Run(t, func(t *testing.T, k *outlasttest.Kit) {
		outlast.Handle(k.Client, "mail", func(context.Context, mail) error { return errNo }, outlast.MaxAttempts(1))
		k.Start()
		cooldown := retry.Duration(6 * time.Hour)
		if _, err := k.Client.Inspector().Alerts.Rules.Put(t.Context(), alert.Rule{Name: "deaths", On: alert.OnDead, Channels: []string{outlasttest.Channel}, Cooldown: &cooldown}); err != nil {
			t.Fatal(err)
		}
		k.RequireAlerts("deaths", 0)
		k.After(time.Minute)
		for range 12 {
			k.Enqueue(outlast.Draft{Type: "mail"})
			k.After(time.Hour)
		}
		told := k.RequireAlerts("deaths", 3)
		if told[0].Kind != alert.Raised || told[1].HeldBack != 5 {
			t.Errorf("%+v, %+v", told[0], told[1])
		}
		message := refused(t, func(tb testing.TB) {
			wrong := outlasttest.Open(tb, outlast.WithEnqueueOnly())
			wrong.RequireAlerts("deaths", 1)
		})
		contains(t, message, "told 0 messages", `"deaths"`)
	})
}

// A rule over an aggregate is measured also while nothing commits.
func TestMeasuredAlert(t *testing.T) {
	t.Parallel()
	outlasttest.Run(t, func(t *testing.T, k *outlasttest.Kit) {
		k.Start()
		k.After(9 * time.Hour)
		hold := retry.Duration(time.Hour)
		if _, err := k.Client.Inspector().Alerts.Rules.Put(t.Context(), alert.Rule{Name: "stuck", On: alert.OnQueue, Channels: []string{outlasttest.Channel}, Hold: &hold}); err != nil {
			t.Fatal(err)
		}
		k.After(61 * time.Minute)
		if told := k.RequireAlerts("stuck", 1); told[0].Subject != "default" {
			t.Errorf("%+v", told[0])
		}
	})
}

func TestFail(t *testing.T) {
	t.Parallel()
	outlasttest.Run(t, func(t *testing.T, k *outlasttest.Kit) {
		var ran atomic.Int32
		policy := steady(t, time.Hour, 6)
		outlast.Handle(k.Client, "mail", func(context.Context, mail) error { ran.Add(1); return nil }, outlast.Retry(policy))
		outlast.Handle(k.Client, "pay", func(context.Context, mail) error { return nil }, outlast.Retry(policy), outlast.Target(func(mail) string { return "bank" }))
		k.Fail("mail", errAway, 1, 2)
		k.Panic("mail", "oops", 3)
		k.Fail("mail", outlast.RetryAfter(9*time.Hour, errNo), 4)
		heal := k.Fail("@bank", outlast.GiveUp(errNo))
		k.Start()
		sent, paid := k.Enqueue(outlasttest.Of("mail", mail{}))[0], k.Enqueue(outlasttest.Of("pay", mail{}))[0]
		k.After(time.Hour)
		outlasttest.RequireStory(t, k.Client, paid.ID, "dead")
		outlasttest.RequireDead(t, k.Client, outlasttest.Want{Type: "pay", Reason: task.Rejected})
		heal()
		again := k.Enqueue(outlasttest.Of("pay", mail{}))[0]
		k.After(24 * time.Hour)
		outlasttest.RequireStory(t, k.Client, again.ID, "succeeded")
		attempts := outlasttest.RequireStory(t, k.Client, sent.ID, "failed unavailable", "failed unavailable", "failed bug", "failed", "succeeded")
		if ran.Load() != 1 || attempts[4].StartedAt.Sub(attempts[0].StartedAt).Round(time.Second) != 12*time.Hour {
			t.Errorf("it ran %d times, at last after %s", ran.Load(), attempts[4].StartedAt.Sub(attempts[0].StartedAt))
		}
		contains(t, refused(t, func(tb testing.TB) { outlasttest.RequireStory(tb, k.Client, sent.ID, "failed timeout", "succeeded") }),
			"wanted:\n  failed timeout\n  succeeded\nit is:\n  failed unavailable: away (attempt 1, after 0s, again in 1h0m0s)", "failed bug: panic: oops… (attempt 3, after 2h", "  succeeded (attempt 5, after 12h")
	})
}

func TestTarget(t *testing.T) {
	t.Parallel()
	outlasttest.Run(t, func(t *testing.T, k *outlasttest.Kit) {
		var calls atomic.Int32
		k.Target("api.example.com", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch calls.Add(1) {
			case 1:
				w.Header().Set("Retry-After", "240")
				w.WriteHeader(http.StatusServiceUnavailable)
			case 2:
				panic("the receiver dies")
			case 3:
				<-r.Context().Done()
			default:
				var got mail
				if err := json.NewDecoder(r.Body).Decode(&got); err != nil || r.URL.Path != "/send" || r.Header.Get("X-Tenant") != "a" {
					t.Errorf("%v %s %v", err, r.URL, r.Header)
				}
				w.Header().Set("Content-Type", "application/json")
				fmt.Fprintf(w, `{"sent":%q}`, got.To)
			}
		}))
		k.Start()
		draft := outlasttest.Of("http", mail{"a@b.c"})
		draft.Target = &task.Request{URL: "https://api.example.com/send", Headers: map[string]string{"X-Tenant": "a"}}
		id := k.Enqueue(draft)[0].ID
		k.After(24 * time.Hour)
		story := outlasttest.RequireStory(t, k.Client, id, "failed throttled", "failed network", "failed timeout", "succeeded")
		if wait := story[1].StartedAt.Sub(story[0].StartedAt); wait < 4*time.Minute {
			t.Errorf("tried again after %s", wait)
		}
		if done := outlasttest.RequireEnqueued(t, k.Client, outlasttest.Want{State: task.Succeeded, Count: 1})[0]; string(done.Result) != `{"sent":"a@b.c"}` {
			t.Errorf("the result is %s", done.Result)
		}
		v := outlasttest.Work(t, k.Client, draft, 1)
		if v.Outcome != task.OutcomeSucceeded || calls.Load() != 5 {
			t.Errorf("%s after %d calls", v, calls.Load())
		}
	})
}

// The attempts of a host fail without a call of it.
func TestFailOfHost(t *testing.T) {
	t.Parallel()
	outlasttest.Run(t, func(t *testing.T, k *outlasttest.Kit) {
		k.Fail("api.example.com", errAway, 1)
		k.Target("api.example.com", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		k.Start()
		id := k.Enqueue(outlast.Draft{Target: &task.Request{URL: "https://api.example.com/"}})[0].ID
		k.After(time.Hour)
		outlasttest.RequireStory(t, k.Client, id, "failed unavailable", "succeeded")
	})
}

// Clients of one store live beside each other, and run what only they can.
func TestAnother(t *testing.T) {
	t.Parallel()
	outlasttest.Run(t, func(t *testing.T, k *outlasttest.Kit) {
		other, began := k.Another(), time.Now()
		var ran []string
		var mu sync.Mutex
		for name, client := range map[string]*outlast.Client{"here": k.Client, "there": other} {
			outlast.Handle(client, name, func(context.Context, mail) error {
				mu.Lock()
				defer mu.Unlock()
				ran = append(ran, fmt.Sprintf("%s %s", name, time.Since(began).Truncate(time.Minute)))
				return nil
			})
			if err := client.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{"here", "there"} {
			for _, delay := range []time.Duration{time.Second, 6 * time.Hour, 30 * time.Hour} {
				k.Enqueue(outlast.Draft{Type: name, Delay: delay})
			}
		}
		k.After(31 * time.Hour)
		want := []string{"here 0s", "here 30h0m0s", "here 6h0m0s", "there 0s", "there 30h0m0s", "there 6h0m0s"}
		if got := slices.Sorted(slices.Values(ran)); !slices.Equal(got, want) {
			t.Errorf("%q, not %q", got, want)
		}
		nodes, err := k.Client.Inspector().Nodes.List(t.Context())
		if err != nil || len(nodes) != 2 {
			t.Errorf("%d nodes, %v", len(nodes), err)
		}
	})
}

// A pass works what is due in a kit whose client runs nothing by itself.
func TestRunDueOfKit(t *testing.T) {
	t.Parallel()
	outlasttest.Run(t, func(t *testing.T, k *outlasttest.Kit) {
		outlast.Handle(k.Client, "mail", func(context.Context, mail) error { return nil })
		k.Start()
		k.Enqueue(outlast.Draft{Type: "mail", Delay: 5 * time.Hour}, outlast.Draft{Type: "mail", Delay: 50 * time.Hour})
		for hours, want := range []int{0, 1, 0} {
			if counts, err := k.Client.RunDue(t.Context(), outlast.Due{}); err != nil || counts.Succeeded != want {
				t.Errorf("pass %d: %+v, %v", hours, counts, err)
			}
			k.After(6 * time.Hour)
		}
	}, outlast.WithEnqueueOnly())
}

// A request that no target of the test answers goes nowhere, and the test fails.
func TestNoTarget(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		said := &saying{TB: t}
		k := outlasttest.Open(said)
		k.Target("api.example.com", http.NotFoundHandler())
		k.Start()
		once := 1
		k.Enqueue(outlast.Draft{MaxAttempts: &once, Target: &task.Request{URL: "https://elsewhere.example.com/"}})
		k.After(time.Hour)
		if texts := said.texts.Load(); texts == nil {
			t.Error("the test did not fail")
		} else {
			contains(t, *texts, "elsewhere.example.com", "Kit.Target", "there are: api.example.com")
		}
	})
}

// saying is a test whose errors are kept.
type saying struct {
	testing.TB
	texts atomic.Pointer[string]
}

func (s *saying) Error(args ...any) {
	text := fmt.Sprint(args...)
	s.texts.Store(&text)
}

func TestWork(t *testing.T) {
	t.Parallel()
	outlasttest.Run(t, func(t *testing.T, k *outlasttest.Kit) {
		policy := steady(t, time.Minute, 3, retry.PerAttempt(5*time.Second))
		returns := func(err error) func(context.Context, mail) error {
			return func(context.Context, mail) error { return err }
		}
		for name, one := range map[string]struct {
			fn      func(context.Context, mail) error
			attempt int
			want    outlasttest.Verdict
			text    string
		}{
			"success": {returns(nil), 1, outlasttest.Verdict{Outcome: task.OutcomeSucceeded}, "succeeded, attempt 1 of 3"},
			"retry": {returns(errAway), 2,
				outlasttest.Verdict{Outcome: task.OutcomeFailed, Delay: time.Minute}, "failed, attempt 2 of 3, again in 1m0s: unavailable: away"},
			"exhausted": {returns(errNo), 3, outlasttest.Verdict{Outcome: task.OutcomeDead, Reason: task.Exhausted}, "dead (exhausted), attempt 3 of 3: unknown: no"},
			"given up":  {returns(outlast.GiveUp(errNo)), 1, outlasttest.Verdict{Outcome: task.OutcomeDead, Reason: task.Rejected}, "dead (rejected), attempt 1 of 3: unknown: no"},
			"snoozed":   {returns(outlast.Snooze(time.Hour)), 3, outlasttest.Verdict{Outcome: task.OutcomeSnoozed, Delay: time.Hour}, "snoozed, attempt 3 of 3, again in 1h0m0s"},
			"later":     {returns(outlast.RetryAfter(time.Hour, errNo)), 1, outlasttest.Verdict{Outcome: task.OutcomeFailed, Delay: time.Hour}, "failed, attempt 1 of 3, again in 1h0m0s: unknown: no"},
			"canceled":  {returns(outlast.Cancel(errNo)), 1, outlasttest.Verdict{Outcome: task.OutcomeCanceled}, "canceled, attempt 1 of 3: unknown: no"},
			"panic": {func(context.Context, mail) error { panic("oops") }, 1,
				outlasttest.Verdict{Outcome: task.OutcomeFailed, Delay: time.Minute}, "failed, attempt 1 of 3, again in 1m0s: bug: panic: oops"},
			"goexit": {func(context.Context, mail) error { runtime.Goexit(); return nil }, 1,
				outlasttest.Verdict{Outcome: task.OutcomeFailed, Delay: time.Minute}, "failed, attempt 1 of 3, again in 1m0s: unknown: the handler ended"},
			"timeout": {func(ctx context.Context, _ mail) error { <-ctx.Done(); return ctx.Err() }, 1,
				outlasttest.Verdict{Outcome: task.OutcomeFailed, Delay: time.Minute}, "failed, attempt 1 of 3, again in 1m0s: timeout: "},
		} {
			began := time.Now()
			got := outlasttest.WorkFunc(t, one.fn, mail{"a@b.c"}, one.attempt, outlast.Retry(policy))
			if got.Outcome != one.want.Outcome || got.Delay != one.want.Delay || got.Reason != one.want.Reason || got.Attempt != one.attempt || got.MaxAttempts != 3 {
				t.Errorf("%s: %+v", name, got)
			}
			if at := time.Now().Add(got.Delay); got.Delay > 0 && !got.At.Equal(at) || got.Delay == 0 && !got.At.IsZero() {
				t.Errorf("%s: again at %s, not at %s", name, got.At, at)
			}
			if !strings.HasPrefix(got.String(), one.text) {
				t.Errorf("%s: %q, wanted %q", name, got, one.text)
			}
			if took := time.Since(began); took != 0 && name != "timeout" || name == "timeout" && took != 5*time.Second {
				t.Errorf("%s took %s", name, took)
			}
		}
	})
}

// The client's own handler runs with all that the draft says, and nothing is stored.
func TestWorkOfClient(t *testing.T) {
	t.Parallel()
	for _, started := range []bool{true, false} {
		outlasttest.Run(t, func(t *testing.T, k *outlasttest.Kit) {
			var info outlast.RunInfo
			outlast.Define[mail, mail]("mail").Handle(k.Client, func(ctx context.Context, m mail) (mail, error) {
				info, _ = outlast.Info(ctx)
				return m, outlast.Progress(ctx, 1)
			})
			k.Fail("mail", errNo, 5)
			if started {
				k.Start()
			}
			draft := outlasttest.Of("mail", mail{"a@b.c"})
			draft.Key, draft.Metadata, draft.TTL = "k", map[string]string{"tenant": "a"}, time.Hour
			v := outlasttest.Work(t, k.Client, draft, 4)
			if string(v.Result) != `{"to":"a@b.c"}` || v.Err != nil || v.Failure != nil {
				t.Errorf("%+v", v)
			}
			if info.Attempt != 4 || info.Key != "k" || info.Metadata["tenant"] != "a" || !info.Deadline.Equal(time.Now().Add(time.Hour)) || info.MaxAttempts != v.MaxAttempts {
				t.Errorf("%+v", info)
			}
			if v := outlasttest.Work(t, k.Client, draft, 5); !errors.Is(v.Err, errNo) || v.Outcome != task.OutcomeFailed || v.Failure.Category != "unknown" || v.Delay != time.Until(v.At) {
				t.Errorf("%+v", v)
			}
			bad := outlasttest.Of("mail", []byte(`{"to":1}`))
			if v := outlasttest.Work(t, k.Client, bad, 1); v.Outcome != task.OutcomeDead || v.Failure.Code != "bad_payload" {
				t.Errorf("%s", v)
			}
			outlasttest.RefuteEnqueued(t, k.Client, outlasttest.Want{})
			for wants, body := range map[string]func(testing.TB){
				"no attempt 0":         func(tb testing.TB) { outlasttest.Work(tb, k.Client, draft, 0) },
				"nothing on this node": func(tb testing.TB) { outlasttest.Work(tb, k.Client, outlast.Draft{Type: "other"}, 1) },
				"queue":                func(tb testing.TB) { outlasttest.Work(tb, k.Client, outlast.Draft{Type: "mail", Queue: "q"}, 1) },
			} {
				contains(t, refused(t, body), wants)
			}
		})
	}
}

func TestRequireEnqueued(t *testing.T) {
	t.Parallel()
	outlasttest.Run(t, func(t *testing.T, k *outlasttest.Kit) {
		k.Start()
		message := refused(t, func(tb testing.TB) { outlasttest.RequireEnqueued(tb, k.Client, outlasttest.Want{Type: "mail"}) })
		if message != "outlasttest: no such task was enqueued\nwanted with type mail\nthere are no tasks at all" {
			t.Errorf("%q", message)
		}
		one := outlasttest.Of("mail", mail{"a@b.c"})
		one.Key, one.Delay, one.Metadata = "k", time.Hour, map[string]string{"tenant": "a"}
		two := outlasttest.Of("mail", mail{"d@e.f"})
		two.Delay = 2 * time.Hour
		for _, draft := range []outlast.Draft{two, outlasttest.Of("bill", json.RawMessage(`{"n": 1, "m": [2]}`)), one} {
			k.Enqueue(draft)
			k.After(time.Second)
		}
		for _, want := range []outlasttest.Want{
			{}, {Count: 3}, {Type: "mail", Count: 2}, {Type: "mail", Payload: mail{"a@b.c"}, Count: 1}, {Key: "k"}, {Queue: "default", Count: 3},
			{Metadata: map[string]string{"tenant": "a"}, Count: 1}, {Delay: time.Hour, Count: 1}, {Delay: 2 * time.Hour, Type: "mail"},
			{Payload: map[string]any{"m": []int{2}, "n": 1}, Count: 1}, {State: task.Pending, Count: 3},
		} {
			if found := outlasttest.RequireEnqueued(t, k.Client, want); want.Count > 0 && len(found) != want.Count {
				t.Errorf("%s: %d tasks", want, len(found))
			}
		}
		for in, want := range map[string]outlasttest.Want{
			"type": {Type: "no"}, "queue": {Queue: "no"}, "key": {Key: "no"}, "metadata tenant": {Metadata: map[string]string{"tenant": "b"}},
			"schedule": {Schedule: "no"}, "payload": {Payload: mail{"no"}}, "delay": {Delay: time.Minute}, "state": {State: task.Dead},
			"reason": {Reason: task.Exhausted}, "category": {Category: "timeout"},
		} {
			outlasttest.RefuteEnqueued(t, k.Client, want)
			contains(t, refused(t, func(tb testing.TB) { outlasttest.RequireEnqueued(tb, k.Client, want) }), "(another "+in+")", want.String())
		}
		message = refused(t, func(tb testing.TB) {
			outlasttest.RequireEnqueued(tb, k.Client, outlasttest.Want{Type: "mail", Payload: mail{"a@b.c"}, Delay: time.Hour, Count: 2})
		})
		if want := `outlasttest: 1 such task was enqueued
wanted with type mail, delay 1h0m0s, payload {"to":"a@b.c"}, count 2
there are:
  mail in default, pending, delay 1h0m0s, key k, metadata map[tenant:a], payload {"to":"a@b.c"}
  bill in default, pending, payload {"n": 1, "m": [2]}   (another type)
  mail in default, pending, delay 2h0m0s, payload {"to":"d@e.f"}   (another delay)`; message != want {
			t.Errorf("%s\nwanted:\n%s", message, want)
		}
		contains(t, refused(t, func(tb testing.TB) {
			outlasttest.RefuteEnqueued(tb, k.Client, outlasttest.Want{Type: "mail", Count: 9})
		}),
			"2 such tasks were enqueued\nwanted none with type mail\n")
		for range 30 {
			k.Enqueue(outlast.Draft{Type: "more"})
		}
		contains(t, refused(t, func(tb testing.TB) { outlasttest.RequireDead(tb, k.Client, outlasttest.Want{}) }), "state dead", "and 13 more")
		outlasttest.RefuteDead(t, k.Client, outlasttest.Want{})
	})
}

// A test that has opened a bubble itself, and one in real time.
func TestWithoutRun(t *testing.T) {
	t.Parallel()
	work := func(t *testing.T, k *outlasttest.Kit) {
		outlast.Handle(k.Client, "mail", func(context.Context, mail) error { return nil })
		k.Start()
		done, err := k.Client.Run(t.Context(), outlasttest.Of("mail", mail{"a@b.c"}))
		if err != nil || done.State != task.Succeeded {
			t.Errorf("%+v, %v", done, err)
		}
		outlasttest.RequireEnqueued(t, k.Client, outlasttest.Want{Type: "mail", State: task.Succeeded, Count: 1})
	}
	synctest.Test(t, func(t *testing.T) {
		outlasttest.Run(t, work)
		k := outlasttest.Open(t)
		work(t, k)
		began := time.Now()
		time.Sleep(24 * time.Hour) // sleep: virtual
		k.After(time.Hour)
		if time.Since(began) != 25*time.Hour {
			t.Errorf("%s have passed", time.Since(began))
		}
	})
	work(t, outlasttest.Open(t))
	var real *outlasttest.Kit
	contains(t, refused(t, func(tb testing.TB) {
		real = outlasttest.Open(fatal{tb.(*failing)})
		real.After(time.Hour)
	}), "time is real here")
}

// fatal is a failing test whose Fatal is a Fatalf.
type fatal struct{ *failing }

func (f fatal) Fatal(args ...any) { f.Fatalf("%s", fmt.Sprint(args...)) }

func TestFaultsThatCannotBe(t *testing.T) {
	t.Parallel()
	outlasttest.Run(t, func(t *testing.T, _ *outlasttest.Kit) {
		contains(t, refused(t, func(tb testing.TB) { outlasttest.Open(tb).Fail("mail", errNo, 0) }), "no attempt 0")
		contains(t, refused(t, func(tb testing.TB) { outlasttest.Open(fatal{tb.(*failing)}).Fail("mail", nil) }), "needs an error")
	})
}

// A store that is not the kit's can be looked at as well.
func TestOtherClients(t *testing.T) {
	t.Parallel()
	client, err := outlast.Open(t.Context(), memory.New())
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := client.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	if _, err := client.Enqueue(t.Context(), outlasttest.Of("mail", mail{"a@b.c"})); err != nil {
		t.Fatal(err)
	}
	outlasttest.RequireEnqueued(t, client, outlasttest.Want{Type: "mail", Payload: mail{"a@b.c"}, Count: 1})
}

// TestLargeNumbers: ids of 64 bits that are close together are not equal.
func TestLargeNumbers(t *testing.T) {
	outlasttest.Run(t, func(t *testing.T, k *outlasttest.Kit) {
		k.Enqueue(outlasttest.Of("mail", map[string]int64{"id": 1<<53 + 1}))
		outlasttest.RequireEnqueued(t, k.Client, outlasttest.Want{Type: "mail", Payload: map[string]int64{"id": 1<<53 + 1}})
		outlasttest.RefuteEnqueued(t, k.Client, outlasttest.Want{Type: "mail", Payload: map[string]int64{"id": 1 << 53}})
	})
}
