package outlast_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	oteltrace "go.opentelemetry.io/otel/trace"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/enqueue"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/sqlite"
	"github.com/outlast-dev/outlast/task"
)

// tenantKey is the key of what middleware of these tests puts into a context.
type tenantKey struct{}

func tenantOf(ctx context.Context) string {
	tenant, _ := ctx.Value(tenantKey{}).(string)
	return tenant
}

// handles is middleware around handlers.
type handles = func(ctx context.Context, payload []byte, next func(context.Context, []byte) error) error

// enqueues is middleware around enqueues.
type enqueues = func(ctx context.Context, all []outlast.Draft, next func(context.Context, []outlast.Draft) ([]outlast.Receipt, error)) ([]outlast.Receipt, error)

// TestMiddlewareOrder: the first is outermost, that of a type innermost. Context and payload
// are those that were handed on, the result goes past, and observers see the context.
func TestMiddlewareOrder(t *testing.T) {
	seen := newSpans()
	var steps []string
	step := func(name string) handles {
		return func(ctx context.Context, payload []byte, next func(context.Context, []byte) error) error {
			info, _ := outlast.Info(ctx)
			steps = append(steps, name+" "+info.Type+" "+string(payload))
			err := next(context.WithValue(ctx, tenantKey{}, tenantOf(ctx)+name), append(slices.Clip(payload[:len(payload)-1]), name+`"`...))
			steps = append(steps, name+" ends")
			return err
		}
	}
	told := func(event string) func(ctx context.Context) {
		return func(ctx context.Context) {
			span := ""
			if oteltrace.SpanContextFromContext(ctx).IsValid() {
				span = " with a span"
			}
			steps = append(steps, event+" of "+tenantOf(ctx)+span)
			if ctx.Err() != nil {
				t.Errorf("%s: %v", event, ctx.Err())
			}
		}
	}
	observer := outlast.Observer{
		AttemptStarted: func(ctx context.Context, _ *task.Task, _ time.Duration) { told("started")(ctx) },
		Settled:        func(ctx context.Context, _ outlast.Outcome) { told("settled")(ctx) },
	}
	virtually(t, func(k *kit) {
		outlast.Define[string, string]("t").Handle(k.client, func(ctx context.Context, text string) (string, error) {
			if _, ok := outlast.Info(ctx); !ok {
				k.Error("the handler does not know its attempt")
			}
			steps = append(steps, "handler of "+tenantOf(ctx)+" "+text)
			return "done", nil
		}, outlast.Around(step("c")))
		k.start()
		id := k.enqueue(outlast.Draft{Type: "t", Payload: []byte(`"-"`)}).ID
		k.after(time.Second)
		if got := k.get(id); got.State != task.Succeeded || string(got.Result) != `"done"` || string(got.Payload) != `"-"` {
			k.Errorf("%s with %s, payload %s", got.State, got.Result, got.Payload)
		}
	}, outlast.WithTracerProvider(seen.provider), outlast.WithObserver(observer), outlast.WithMiddleware(outlast.Middleware{Handle: step("a")}, outlast.Middleware{}), outlast.WithMiddleware(outlast.Middleware{Handle: step("b")}))
	want := []string{"started of  with a span", `a t "-"`, `b t "-a"`, `c t "-ab"`, "handler of abc -abc", "c ends", "b ends", "a ends", "settled of abc with a span"}
	if !slices.Equal(steps, want) {
		t.Errorf("got  %q\nwant %q", steps, want)
	}
}

// TestMiddlewareDecides: what middleware returns is what became of the attempt, and a panic
// in it is one of the attempt.
func TestMiddlewareDecides(t *testing.T) {
	type call = func(ctx context.Context, next func(context.Context) error) error
	failed := errors.New("no")
	cases := map[string]struct {
		handler error
		around  call
		state   task.State
		attempt int
		text    string // of the error
	}{
		"passes":   {failed, func(ctx context.Context, next func(context.Context) error) error { return next(ctx) }, task.Dead, 2, ""},
		"swallows": {failed, func(ctx context.Context, next func(context.Context) error) error { _ = next(ctx); return nil }, task.Succeeded, 1, ""},
		"gives up": {failed, func(ctx context.Context, next func(context.Context) error) error { return outlast.GiveUp(next(ctx)) }, task.Dead, 1, ""},
		"cancels":  {nil, func(context.Context, func(context.Context) error) error { return outlast.Cancel(failed) }, task.Canceled, 1, ""},
		"snoozes":  {nil, func(context.Context, func(context.Context) error) error { return outlast.Snooze(24 * time.Hour) }, task.Pending, 0, ""},
		"waits": {nil, func(context.Context, func(context.Context) error) error {
			return outlast.RetryAfter(24*time.Hour, failed)
		}, task.Pending, 1, ""},
		"fails": {nil, func(ctx context.Context, next func(context.Context) error) error {
			return errors.Join(next(ctx), failed)
		}, task.Dead, 2, ""},
		"panics":  {nil, func(context.Context, func(context.Context) error) error { panic("middleware") }, task.Dead, 2, "panic: middleware"},
		"forgets": {nil, func(_ context.Context, next func(context.Context) error) error { return next(context.Background()) }, task.Dead, 2, "context of its own"},
	}
	virtually(t, func(k *kit) {
		ids := map[string]outlast.ID{}
		for name, c := range cases {
			outlast.Handle(k.client, strings.ReplaceAll(name, " ", "-"), func(context.Context, mail) error { return c.handler }, outlast.MaxAttempts(2), outlast.Interval(time.Second),
				outlast.Around(func(ctx context.Context, payload []byte, next func(context.Context, []byte) error) error {
					return c.around(ctx, func(ctx context.Context) error { return next(ctx, payload) })
				}))
		}
		k.start()
		for name := range cases {
			ids[name] = k.enqueue(outlast.Draft{Type: strings.ReplaceAll(name, " ", "-")}).ID
		}
		k.after(time.Minute)
		for name, want := range cases {
			got := k.get(ids[name])
			if got.State != want.state || got.State.Final() && got.Attempt != want.attempt || want.text != "" && !strings.Contains(got.LastError.Message, want.text) {
				k.Errorf("%s: %s after %d attempts, %+v", name, got.State, got.Attempt, got.LastError)
			}
		}
	})
}

// TestMiddlewareSeesBadPayload: it stands around the decoding too, and not around requests.
func TestMiddlewareSeesBadPayload(t *testing.T) {
	var seen []error
	around := outlast.WithMiddleware(outlast.Middleware{Handle: func(ctx context.Context, payload []byte, next func(context.Context, []byte) error) error {
		err := next(ctx, payload)
		seen = append(seen, err)
		return err
	}})
	virtually(t, func(k *kit) {
		outlast.Handle(k.client, "t", func(context.Context, mail) error { return nil })
		k.start()
		id := k.enqueue(outlast.Draft{Type: "t", Payload: []byte("no JSON")}).ID
		request := k.enqueue(outlast.Draft{Target: &task.Request{URL: task.GroupURL("nobody", "/mail")}}).ID
		k.after(time.Minute)
		if got := k.get(id); got.State != task.Dead || got.LastError.Code != "bad_payload" || len(seen) != 1 || seen[0] == nil {
			k.Errorf("%s, %+v, seen %v", got.State, got.LastError, seen)
		}
		if got := k.get(request); got.State != task.Pending {
			k.Errorf("the request is %s", got.State)
		}
	}, around)
}

// TestMiddlewareRefused: a function that is nil is a mistake of the registration.
func TestMiddlewareRefused(t *testing.T) {
	virtually(t, func(k *kit) {
		outlast.Handle(k.client, "t", func(context.Context, mail) error { return nil }, outlast.Around(nil))
		err := wantCode(k.T, k.client.Start(k.ctx), task.CodeInvalid)
		if len(err.Fields) != 1 || err.Fields[0].Path != "around" {
			k.Errorf("got %+v", err.Fields)
		}
	})
}

// stamp is middleware that names the tenant of the context in the drafts, and tells what it sees.
func stamp(told *[]string) outlast.Option {
	return outlast.WithMiddleware(outlast.Middleware{Enqueue: func(ctx context.Context, all []outlast.Draft, next func(context.Context, []outlast.Draft) ([]outlast.Receipt, error)) ([]outlast.Receipt, error) {
		for i := range all {
			all[i].Metadata["tenant"] = tenantOf(ctx)
			if all[i].Target != nil {
				all[i].Target.Headers = map[string]string{"X-Tenant": tenantOf(ctx)}
			}
		}
		receipts, err := next(ctx, all)
		var types []string
		for i := range receipts {
			if types = append(types, all[i].Type); receipts[i].Err != nil {
				types[i] += " refused"
			}
		}
		*told = append(*told, strings.Join(types, ", "))
		return receipts, err
	}})
}

// TestMiddlewareOfEnqueues: every way to hand tasks in goes through it, once a call; what
// nobody hands in does not.
func TestMiddlewareOfEnqueues(t *testing.T) {
	var told []string
	virtually(t, func(k *kit) {
		instead := outlast.Define[string, outlast.None]("f.instead")
		instead.Handle(k.client, outlast.NoResult(func(context.Context, string) error { return nil }))
		f := outlast.Define[string, outlast.None]("f").Fallback(instead)
		f.Handle(k.client, outlast.NoResult(func(context.Context, string) error { return outlast.GiveUp(errors.New("no")) }))
		outlast.Handle(k.client, "t", func(context.Context, mail) error { return nil })
		k.start()
		ctx := context.WithValue(k.ctx, tenantKey{}, "acme")
		theirs := map[string]string{"a": "b"}
		draft := outlast.Draft{Type: "t", Metadata: theirs, Target: nil}
		one, err := k.client.Enqueue(ctx, draft)
		if err != nil || one.Task.Spec.Metadata["tenant"] != "acme" || len(theirs) != 1 {
			k.Errorf("%+v, %v, the caller's map is %v", one.Task, err, theirs)
		}
		target := &task.Request{URL: "https://example.com/"}
		for _, atomic := range []bool{true, false} {
			all, err := k.client.EnqueueMany(ctx, []outlast.Draft{draft, {Target: target, Delay: time.Hour}}, atomic)
			if err != nil || all[1].Task.Spec.HTTP.Headers["X-Tenant"] != "acme" || target.Headers != nil {
				k.Errorf("%+v, %v, %v", all, err, target)
			}
		}
		if all, err := k.client.EnqueueMany(ctx, []outlast.Draft{{Type: "t"}, {Type: "no name"}}, false); err != nil || all[0].Task == nil || all[1].Err == nil {
			k.Errorf("%+v, %v", all, err)
		}
		if _, err := f.Enqueue(ctx, k.client, "x"); err != nil {
			k.Error(err)
		}
		if _, err := k.client.EnqueueMany(ctx, nil, true); err != nil {
			k.Error(err)
		}
		k.put(inspect.Schedule{Name: "s", Every: time.Minute, Task: inspect.ScheduledTask{Type: "t"}})
		k.after(3 * time.Minute)
	}, stamp(&told))
	want := []string{"t", "t, ", "t, ", "t, no name refused", "f"}
	if !slices.Equal(told, want) {
		t.Errorf("seen %q, want %q", told, want)
	}
}

// TestMiddlewareOfTransactions: a call in a transaction goes through it too.
func TestMiddlewareOfTransactions(t *testing.T) {
	var told []string
	path := filepath.Join(t.TempDir(), "app.db")
	backend, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = backend.Close() })
	ctx, client := really(t, backend, stamp(&told))
	db, err := sql.Open("sqlite3", "file:"+path+"?_txlock=immediate&_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	receipts, err := client.EnqueueTx(context.WithValue(ctx, tenantKey{}, "acme"), tx, outlast.Draft{Type: "t"}, outlast.Draft{Type: "u"})
	if err != nil || receipts[1].Task.Spec.Metadata["tenant"] != "acme" || !slices.Equal(told, []string{"t, u"}) {
		t.Errorf("%+v, %v, seen %q", receipts, err, told)
	}
	if err := tx.Rollback(); err != nil {
		t.Error(err)
	}
}

// TestMiddlewareRefuses: an error of middleware is that of the call, and a refusal; what it
// makes of drafts and receipts must belong to the call.
func TestMiddlewareRefuses(t *testing.T) {
	denied := &outlast.Error{Code: task.CodeDenied, Message: "no tenant"}
	late := errors.New("too late")
	var around enqueues
	var refused []error
	opts := []outlast.Option{
		outlast.WithMiddleware(outlast.Middleware{Enqueue: func(ctx context.Context, all []outlast.Draft, next func(context.Context, []outlast.Draft) ([]outlast.Receipt, error)) ([]outlast.Receipt, error) {
			return around(ctx, all, next)
		}}),
		outlast.WithObserver(outlast.Observer{Refused: func(_ context.Context, err error) { refused = append(refused, err) }}),
	}
	type next = func(context.Context, []outlast.Draft) ([]outlast.Receipt, error)
	virtually(t, func(k *kit) {
		k.start()
		for _, c := range []struct {
			name   string
			around enqueues
			want   error
			told   int
		}{
			{"refuses", func(context.Context, []outlast.Draft, next) ([]outlast.Receipt, error) { return nil, denied }, denied, 1},
			{"refuses each", func(context.Context, []outlast.Draft, next) ([]outlast.Receipt, error) {
				return []outlast.Receipt{{Err: denied}}, nil
			}, denied, 1},
			{"leaves out", func(ctx context.Context, _ []outlast.Draft, do next) ([]outlast.Receipt, error) { return do(ctx, nil) }, &task.Error{Code: task.CodeInternal}, 1},
			{"keeps receipts", func(ctx context.Context, all []outlast.Draft, do next) ([]outlast.Receipt, error) {
				_, err := do(ctx, all)
				return nil, err
			}, &task.Error{Code: task.CodeInternal}, 0},
			{"fails late", func(ctx context.Context, all []outlast.Draft, do next) ([]outlast.Receipt, error) {
				_, err := do(ctx, all)
				return nil, errors.Join(err, late)
			}, late, 0},
			{"bad draft", func(ctx context.Context, all []outlast.Draft, do next) ([]outlast.Receipt, error) {
				all[0].Type = "no name"
				return do(ctx, all)
			}, &task.Error{Code: task.CodeInvalid}, 1},
			{"leaves the bounds", func(_ context.Context, all []outlast.Draft, do next) ([]outlast.Receipt, error) {
				return do(context.Background(), all)
			}, &task.Error{Code: task.CodeDenied}, 1},
		} {
			around, refused = c.around, nil
			ctx := enqueue.Within(k.ctx, "other")
			if c.name != "leaves the bounds" {
				ctx = k.ctx
			}
			if _, err := k.client.Enqueue(ctx, outlast.Draft{Type: "t"}); !errors.Is(err, c.want) || len(refused) != c.told {
				k.Errorf("%s: %v, refused %v", c.name, err, refused)
			}
		}
		around = func(ctx context.Context, all []outlast.Draft, do next) ([]outlast.Receipt, error) {
			return do(ctx, all)
		}
		letters := 0
		for range k.tasks(store.Filter{Type: "t"}) {
			letters++
		}
		if letters != 2 { // of those that failed when next had returned
			k.Errorf("%d tasks are on disk", letters)
		}
	}, opts...)
}

// tasks are those that a filter finds.
func (k *kit) tasks(filter store.Filter) []*outlast.Task {
	k.Helper()
	all, _, err := k.store.Find(k.ctx, filter, store.Page{Limit: 100})
	if err != nil {
		k.Fatal(err)
	}
	return all
}

// TestObserversOfEnqueues: they get the context that middleware has passed on, with the span
// of the call.
func TestObserversOfEnqueues(t *testing.T) {
	seen := newSpans()
	var told []string
	note := func(ctx context.Context, what string) {
		if oteltrace.SpanContextFromContext(ctx).IsValid() {
			what += " with a span"
		}
		told = append(told, what+" of "+tenantOf(ctx))
	}
	virtually(t, func(k *kit) {
		k.start()
		k.enqueue(outlast.Draft{Type: "t"})
		_, err := k.client.Enqueue(k.ctx, outlast.Draft{Type: "no name"})
		wantCode(k.T, err, task.CodeInvalid)
	}, outlast.WithTracerProvider(seen.provider), outlast.WithObserver(outlast.Observer{
		Enqueued: func(ctx context.Context, _ *task.Task, _ bool) { note(ctx, "enqueued") },
		Refused:  func(ctx context.Context, _ error) { note(ctx, "refused") },
	}), outlast.WithMiddleware(outlast.Middleware{Enqueue: func(ctx context.Context, all []outlast.Draft, next func(context.Context, []outlast.Draft) ([]outlast.Receipt, error)) ([]outlast.Receipt, error) {
		return next(context.WithValue(ctx, tenantKey{}, "acme"), all)
	}}))
	if want := []string{"enqueued with a span of acme", "refused with a span of acme"}; !slices.Equal(told, want) {
		t.Errorf("told %q", told)
	}
}
