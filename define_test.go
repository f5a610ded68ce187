package outlast_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

type order struct {
	ID    string `json:"id"`
	Cents int    `json:"cents"`
}

type chargeID string

// charging is what a package would declare that both sides import.
var charging = outlast.Define[order, chargeID]("shop.charge", outlast.MaxAttempts(2), outlast.Interval(time.Second), outlast.Aliases("charge"),
	outlast.InQueue("payments")).Key(func(o order) string { return o.ID })

func charge(_ context.Context, o order) (chargeID, error) {
	if o.Cents < 0 {
		return "", errBroken
	}
	return chargeID("charge of " + o.ID), nil
}

// apart runs a test in virtual time with a producer that does not start and knows no handler,
// and a worker on the same store.
func apart(t *testing.T, body func(k *kit, worker *outlast.Client)) {
	t.Helper()
	virtually(t, func(k *kit) {
		worker := k.open(k.store.Handle(), outlast.WithQueues("default", "payments"))
		charging.Handle(worker, charge)
		if err := worker.Start(k.ctx); err != nil {
			k.Fatal(err)
		}
		body(k, worker)
	})
}

// One definition serves those who enqueue and those who run, and results have their type.
func TestDefinitionServesBothSides(t *testing.T) {
	apart(t, func(k *kit, worker *outlast.Client) {
		made, err := charging.Enqueue(k.ctx, k.client, order{"A-1", 100})
		if err != nil {
			k.Fatal(err)
		}
		if made.Task.Type != "shop.charge" || made.Task.Queue != "payments" || made.Task.Key != "A-1" || string(made.Task.Payload) != `{"id":"A-1","cents":100}` {
			k.Errorf("made %+v", made.Task)
		}
		if id, err := made.Wait(k.ctx); err != nil || id != "charge of A-1" {
			k.Errorf("got %q, %v", id, err)
		}
		if id, err := charging.Run(k.ctx, k.client, order{"A-2", 100}); err != nil || id != "charge of A-2" {
			k.Errorf("got %q, %v", id, err)
		}
		all, err := charging.EnqueueAll(k.ctx, k.client, []order{{"A-3", 1}, {"A-4", 1}})
		if err != nil || len(all) != 2 {
			k.Fatalf("got %d calls, %v", len(all), err)
		}
		for i, want := range []chargeID{"charge of A-3", "charge of A-4"} {
			if id, err := all[i].Wait(k.ctx); err != nil || id != want {
				k.Errorf("got %q, %v", id, err)
			}
		}
		// The policy is that of the side that runs.
		_, err = charging.Run(k.ctx, k.client, order{"A-5", -1})
		if dead, ok := errors.AsType[*outlast.DeadError](err); !ok || dead.Attempt != 2 || dead.Reason != task.Exhausted {
			k.Errorf("got %v", err)
		}
	})
}

// All payloads of a batch are accepted, or none.
func TestDefinitionBatchIsAtomic(t *testing.T) {
	apart(t, func(k *kit, _ *outlast.Client) {
		odd := outlast.Define[any, outlast.None]("odd")
		for name, last := range map[string]struct {
			payload any
			opts    []outlast.CallOption
			path    string
		}{
			"no JSON form": {payload: make(chan int), path: "tasks[1].payload"},
			"a bad option": {payload: 1, opts: []outlast.CallOption{outlast.Delay(-1)}, path: "tasks[0].delay"},
		} {
			_, err := odd.EnqueueAll(k.ctx, k.client, []any{1, last.payload}, last.opts...)
			if wrong := wantCode(k.T, err, task.CodeInvalid); len(wrong.Fields) == 0 || wrong.Fields[0].Path != last.path {
				k.Errorf("%s: %v", name, err)
			}
		}
		if found, _, err := k.client.Inspector().Tasks.Find(k.ctx, store.Filter{Type: "odd"}, store.Page{}); err != nil || len(found) != 0 {
			k.Errorf("there are %d tasks, %v", len(found), err)
		}
	})
}

// A handler runs tasks of the names that its type had before, and its node says so.
func TestAliases(t *testing.T) {
	apart(t, func(k *kit, worker *outlast.Client) {
		done, err := k.client.Run(k.ctx, outlast.Draft{Type: "charge", Queue: "payments", Payload: []byte(`{"id": "old"}`)})
		if err != nil {
			k.Fatal(err)
		}
		if id, err := charging.Result(done); err != nil || id != "charge of old" {
			k.Errorf("got %q, %v", id, err)
		}
		nodes, err := worker.Inspector().Nodes.List(k.ctx)
		if err != nil || len(nodes) != 1 || !slices.Contains(nodes[0].Types, "charge") {
			k.Errorf("got %+v, %v", nodes, err)
		}
		for _, names := range [][]string{{"a b"}, {"shop.charge"}, {"other"}} {
			client := k.open(k.store.Handle())
			outlast.Handle(client, "other", func(context.Context, int) error { return nil })
			charging.Handle(client, charge, outlast.Aliases(names...))
			wantCode(k.T, client.Start(k.ctx), task.CodeInvalid)
		}
	})
}

// Only a task that has succeeded has a result, and only one that fits.
func TestResultOfATask(t *testing.T) {
	for name, c := range map[string]struct {
		task *outlast.Task
		want chargeID
		code task.Code
	}{
		"succeeded":      {&outlast.Task{State: task.Succeeded, Result: []byte(`"x"`)}, "x", ""},
		"without result": {&outlast.Task{State: task.Succeeded}, "", ""},
		"another type":   {&outlast.Task{State: task.Succeeded, Result: []byte(`7`)}, "", task.CodeInvalid},
		"not ended":      {&outlast.Task{State: task.Running}, "", task.CodeConflict},
		"canceled":       {&outlast.Task{State: task.Canceled}, "", task.CodeConflict},
		"none":           {nil, "", task.CodeInvalid},
		"of other calls": {&outlast.Task{Type: "refund", State: task.Succeeded, Result: []byte(`"x"`)}, "", task.CodeInvalid},
	} {
		if c.task != nil && c.task.Type == "" {
			c.task.Type = charging.Name()
		}
		got, err := charging.Result(c.task)
		if got != c.want {
			t.Errorf("%s: got %q", name, got)
		}
		if c.code != "" {
			wantCode(t, err, c.code)
		} else if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := charging.Result(&outlast.Task{Type: charging.Name(), State: task.Dead, DeadReason: task.Rejected})
	if dead, ok := errors.AsType[*outlast.DeadError](err); !ok || dead.Reason != task.Rejected {
		t.Errorf("dead: %v", err)
	}
	_, err = outlast.Call[int]{}.Wait(t.Context())
	wantCode(t, err, task.CodeConflict)
}

// A definition with None keeps no result.
func TestNoResult(t *testing.T) {
	virtually(t, func(k *kit) {
		send := outlast.Define[mail, outlast.None]("mail.send")
		send.Handle(k.client, outlast.NoResult(func(context.Context, mail) error { return nil }))
		k.start()
		call, err := send.Enqueue(k.ctx, k.client, mail{To: "ann"})
		if err != nil {
			k.Fatal(err)
		}
		if _, err := call.Wait(k.ctx); err != nil {
			k.Error(err)
		}
		if got := k.get(call.Task.ID); len(got.Result) != 0 {
			k.Errorf("the result is %s", got.Result)
		}
	})
	virtually(t, func(k *kit) {
		outlast.Define[mail, outlast.None]("mail.send").Handle(k.client, outlast.NoResult[mail](nil))
		wantCode(k.T, k.client.Start(k.ctx), task.CodeInvalid)
	})
}

// A call says what it wants otherwise than its definition, which does not change.
func TestCallOptions(t *testing.T) {
	apart(t, func(k *kit, _ *outlast.Client) {
		at := time.Now().Add(time.Hour)
		usual := outlast.Define[int, int]("t", outlast.Delay(time.Minute), nil)
		keyed := usual.Key(func(int) string { return "k" }).Dedupe(func(int) string { return "d" })
		for name, c := range map[string]struct {
			of   *outlast.Definition[int, int]
			opts []outlast.CallOption
			want outlast.Draft
		}{
			"nothing":      {usual, nil, outlast.Draft{Delay: time.Minute}},
			"by payload":   {keyed, nil, outlast.Draft{Delay: time.Minute, Key: "k", DedupeKey: "d"}},
			"run at":       {usual, []outlast.CallOption{outlast.RunAt(at)}, outlast.Draft{RunAt: at}},
			"the last":     {usual, []outlast.CallOption{outlast.RunAt(at), nil, outlast.Delay(time.Second)}, outlast.Draft{Delay: time.Second}},
			"key, queue":   {keyed, []outlast.CallOption{outlast.Key("l"), outlast.InQueue("q")}, outlast.Draft{Delay: time.Minute, Key: "l", DedupeKey: "d", Queue: "q"}},
			"any function": {usual, []outlast.CallOption{func(d *outlast.Draft) { d.TTL = time.Hour }}, outlast.Draft{Delay: time.Minute, TTL: time.Hour}},
		} {
			got, err := c.of.Draft(7, c.opts...)
			if err != nil || got.Type != "t" || string(got.Payload) != "7" || got.Delay != c.want.Delay || !got.RunAt.Equal(c.want.RunAt) ||
				got.Key != c.want.Key || got.DedupeKey != c.want.DedupeKey || got.Queue != c.want.Queue || got.TTL != c.want.TTL {
				k.Errorf("%s: got %+v, %v", name, got, err)
			}
		}
		if usual.Name() != "t" {
			k.Errorf("it is %q", usual.Name())
		}
	})
}

// What follows goes to the queue of its own definition.
func TestFallbackHasAQueueOfItsOwn(t *testing.T) {
	t.Parallel()
	refund := outlast.Define[order, chargeID]("shop.refund", outlast.InQueue("payments"))
	told := outlast.Define[task.Ended, outlast.None]("shop.told")
	draft, err := outlast.Define[order, outlast.None]("t").Fallback(refund).OnDead(told).Draft(order{})
	if err != nil || draft.Fallback.Type != "shop.refund" || draft.Fallback.Queue != "payments" || draft.OnDead.Type != "shop.told" || draft.OnDead.Queue != "" || draft.OnSuccess != nil {
		t.Errorf("got %+v, %v", draft, err)
	}
}

// The target is named where the call is made, also by a producer without the handler.
func TestDefinitionNamesItsTarget(t *testing.T) {
	apart(t, func(k *kit, _ *outlast.Client) {
		for name, want := range map[string]string{"stripe": "@stripe", "": "pay", "a b": ""} {
			pay := outlast.Define[order, outlast.None]("pay", outlast.Target(func(order) string { return name }))
			call, err := pay.Enqueue(k.ctx, k.client, order{})
			if want == "" {
				wantCode(k.T, err, task.CodeInvalid)
			} else if err != nil || call.Task.Target != want {
				k.Errorf("%q: got %+v, %v", name, call.Task, err)
			}
		}
		pay := outlast.Define[order, outlast.None]("pay", outlast.Target(func(order) string { panic("no") }))
		_, err := pay.Enqueue(k.ctx, k.client, order{})
		wantCode(k.T, err, task.CodeInvalid)
	})
}

// A handler enqueues what follows by the client that runs it.
func TestClientOfAHandler(t *testing.T) {
	if outlast.ClientOf(t.Context()) != nil {
		t.Error("there is a client outside of handlers")
	}
	_, err := charging.Enqueue(t.Context(), outlast.ClientOf(t.Context()), order{})
	wantCode(t, err, task.CodeInvalid)
	virtually(t, func(k *kit) {
		var ran []int
		count := outlast.Define[int, outlast.None]("count")
		count.Handle(k.client, outlast.NoResult(func(ctx context.Context, n int) error {
			if ran = append(ran, n); n == 0 {
				return nil
			}
			_, err := count.Enqueue(ctx, outlast.ClientOf(ctx), n-1)
			return err
		}))
		k.start()
		if _, err := count.Run(k.ctx, k.client, 2); err != nil {
			k.Fatal(err)
		}
		k.after(time.Second)
		if !slices.Equal(ran, []int{2, 1, 0}) {
			k.Errorf("ran %v", ran)
		}
	})
}

// A policy that is given as a value is stored with the task, and holds where it runs.
func TestPolicyOfATask(t *testing.T) {
	apart(t, func(k *kit, _ *outlast.Client) {
		policy, err := retry.New(retry.Attempts(3), retry.Fixed(2*time.Second), retry.TaskBreaker(nil),
			retry.Rules(retry.Rule{When: []retry.Category{retry.Permanent}, Then: retry.GiveUp}))
		if err != nil {
			k.Fatal(err)
		}
		began := time.Now()
		_, err = charging.Run(k.ctx, k.client, order{"A-1", -1}, func(d *outlast.Draft) { d.Retry = policy })
		dead, ok := errors.AsType[*outlast.DeadError](err)
		if !ok || dead.Attempt != 3 {
			k.Fatalf("got %v", err)
		}
		if took := time.Since(began); took < 4*time.Second {
			k.Errorf("it took %s", took)
		}
		spec, err := retry.ParseSpec(k.get(dead.ID).Spec.Retry)
		if err != nil {
			k.Fatal(err)
		}
		if want, _ := policy.Spec(); !sameJSON(k.T, spec, want) {
			k.Errorf("stored is %s", k.get(dead.ID).Spec.Retry)
		}
	})
}

func sameJSON(t *testing.T, a, b any) bool {
	t.Helper()
	one, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	other, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	return string(one) == string(other)
}

type bizError struct{ error }

// What of a policy a task cannot store is refused by name, in a draft. A handler may have it.
func TestPolicyThatCannotBeStored(t *testing.T) {
	apart(t, func(k *kit, _ *outlast.Client) {
		limit, err := retry.NewLimit(retry.LimitConfig{Max: 1})
		if err != nil {
			k.Fatal(err)
		}
		for part, opt := range map[string]retry.Option{
			"backoff":               retry.Custom(func(int, retry.Attempt) time.Duration { return time.Second }),
			"outlast_test.bizError": retry.OnType[bizError](retry.Rule{Then: retry.GiveUp}),
			"as planned":            retry.OnError(errors.New("as planned"), retry.Rule{Then: retry.GiveUp}),
			"Classifiers":           retry.Classifiers(func(error) (retry.Verdict, bool) { return retry.Verdict{}, false }),
			"rules[0]":              retry.Rules(retry.Rule{When: []retry.Category{retry.Network}, Backoff: retry.Custom(func(int, retry.Attempt) time.Duration { return 0 })}),
			"breaker":               retry.TaskBreaker(&retry.BreakerConfig{OnChange: func(retry.BreakerChange) {}}),
			"Hedge":                 retry.Hedge(retry.HedgeConfig{After: time.Second}),
			"WithLimit":             retry.WithLimit(limit),
			"NotIdempotent":         retry.NotIdempotent(),
		} {
			policy, err := retry.New(opt)
			if err != nil {
				k.Fatal(part, err)
			}
			_, err = k.client.Enqueue(k.ctx, outlast.Draft{Type: "t", Retry: policy})
			wrong := wantCode(k.T, err, task.CodeInvalid)
			if len(wrong.Fields) != 1 || wrong.Fields[0].Path != "retry" || !strings.Contains(wrong.Fields[0].Message, part) {
				k.Errorf("%s: %v", part, err)
			}
		}
		for name, policy := range map[string]*retry.Policy{"empty": {}, "large": steps(k.T)} {
			_, err = k.client.Enqueue(k.ctx, outlast.Draft{Type: "t", Retry: policy})
			if wrong := wantCode(k.T, err, task.CodeInvalid); len(wrong.Fields) != 1 || wrong.Fields[0].Path != "retry" {
				k.Errorf("%s: %v", name, err)
			}
		}
	})
}

// steps is a policy with more waits than a task may bring.
func steps(t *testing.T) *retry.Policy {
	t.Helper()
	waits := retry.Steps(slices.Repeat([]time.Duration{1234567 * time.Nanosecond}, 1000)...)
	policy, err := retry.New(retry.Rules(slices.Repeat([]retry.Rule{{When: []retry.Category{retry.Network}, Backoff: waits}}, 10)...))
	if err != nil {
		t.Fatal(err)
	}
	return policy
}
