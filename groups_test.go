package outlast_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

// member is an endpoint of a worker group that can be away.
type member struct {
	*httptest.Server
	calls atomic.Int64
	away  atomic.Bool
}

func newMember(t *testing.T, away bool) *member {
	m := &member{}
	m.away.Store(away)
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		m.calls.Add(1)
		if m.away.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintf(w, `{"path":%q,"attempt":%q}`, req.URL.Path, req.Header.Get("Outlast-Attempt"))
	}))
	t.Cleanup(m.Close)
	return m
}

// groupNode is a node; settings are of the group "down".
func groupNode(t *testing.T, settings string) *outlast.Client {
	t.Helper()
	s := memory.New()
	if settings != "" {
		put := store.Change{Put: []store.Object{{Kind: "group", Name: "down", Body: []byte(settings)}}}
		if _, err := s.Change(t.Context(), put); err != nil {
			t.Fatal(err)
		}
	}
	c, err := outlast.Open(t.Context(), s, outlast.WithAllQueues(), outlast.WithAllowedTargets(netip.MustParsePrefix("127.0.0.0/8")))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Stop(context.Background()) })
	return c
}

func beat(t *testing.T, c *outlast.Client, name, id, url string) {
	t.Helper()
	if err := c.Workers().PutMember(t.Context(), inspect.Member{Group: name, ID: id, URL: url + "/base", Capacity: 50, TTL: retry.Duration(time.Minute)}); err != nil {
		t.Fatal(err)
	}
}

func groupDraft(name string) outlast.Draft {
	return outlast.Draft{Target: &task.Request{URL: task.GroupURL(name, "/send")}}
}

func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !done(); {
		if time.Now().After(deadline) {
			t.Fatalf("it is not so that %s", what)
		}
		<-time.After(20 * time.Millisecond)
	}
}

// A group that cannot answer is not called again and again, and other groups do not notice:
// whoever waited for it would wait for an hour.
func TestDeadWorkerGroupHoldsNobodyUp(t *testing.T) {
	c := groupNode(t, `{"dispatch": {"steps": ["1h"]}}`)
	down, up := newMember(t, true), newMember(t, false)
	beat(t, c, "down", "m1", down.URL)
	beat(t, c, "up", "m1", up.URL)
	drafts := make([]outlast.Draft, 200)
	for i := range drafts {
		drafts[i] = groupDraft("down")
	}
	if _, err := c.EnqueueMany(t.Context(), drafts, false); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the group is left alone", func() bool {
		views := c.Workers().Groups()
		return views[0].Failures > 0 && views[0].Kind == inspect.DispatchBusy
	})
	for range 20 {
		done, err := c.Run(t.Context(), groupDraft("up"))
		if err != nil || done.State != task.Succeeded || string(done.Result) != `{"path":"/base/send","attempt":"1"}` {
			t.Fatalf("the healthy group: %+v, %v", done, err)
		}
	}
	if calls := down.calls.Load(); calls > 10 {
		t.Errorf("%d calls of a group that is away", calls)
	}
}

// Tasks of a group that was away keep their attempts, and all end when it is back.
func TestDeadWorkerGroup(t *testing.T) {
	t.Parallel()
	c := groupNode(t, `{"dispatch": {"steps": ["300ms", "1s"]}}`)
	ctx, down := t.Context(), newMember(t, true)
	beat(t, c, "down", "m1", down.URL)
	drafts := make([]outlast.Draft, 200)
	for i := range drafts {
		drafts[i] = groupDraft("down")
	}
	receipts, err := c.EnqueueMany(ctx, drafts, false)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the group is left alone", func() bool {
		view, err := c.Inspector().Tasks.Get(ctx, receipts[99].Task.ID)
		return err == nil && view.Waiting == task.InGroupBackoff && view.Held != nil && view.Held.Failures > 0 && view.Held.Error != "" && !view.NextCheck.IsZero()
	})
	eventually(t, "the group was tried a second time", func() bool { views := c.Workers().Groups(); return views[0].Failures >= 2 })
	down.away.Store(false)
	eventually(t, "all tasks are done", func() bool {
		done, err := c.Inspector().Tasks.Count(ctx, store.Filter{State: task.Succeeded, Type: task.HTTPType}, 1000)
		return err == nil && done == len(receipts)
	})
	for _, receipt := range receipts {
		view, err := c.Inspector().Tasks.Get(ctx, receipt.Task.ID)
		if err != nil || view.State != task.Succeeded || view.Attempt != 1 {
			t.Fatalf("a task ended as %s after %d attempts, %v", view.State, view.Attempt, err)
		}
	}
}

// Each try of a group that is away is in the history of the task that tried, with what
// was found.
func TestFailedDispatchesAreRecorded(t *testing.T) {
	c := groupNode(t, "")
	beat(t, c, "busy", "m", newMember(t, true).URL)
	beat(t, c, "unreachable", "m", "http://127.0.0.1:1")
	for kind, category := range map[string]string{"busy": "unavailable", "unreachable": "unsent", "empty": "unavailable"} {
		receipt, err := c.Enqueue(t.Context(), groupDraft(kind))
		if err != nil {
			t.Fatal(err)
		}
		var last task.Attempt
		eventually(t, "the try is recorded", func() bool {
			attempts, err := c.Inspector().Tasks.Attempts(t.Context(), receipt.Task.ID)
			if err != nil || len(attempts) == 0 {
				return false
			}
			last = attempts[0]
			return true
		})
		if f := last.Failure; last.Outcome != task.OutcomeReleased || f == nil || f.Category != category || f.Type != task.DispatchFailure || f.Code != kind ||
			!strings.HasPrefix(f.Message, "the group "+kind+" is "+kind) || f.Fingerprint == "" {
			t.Errorf("%s, %+v", last.Outcome, last.Failure)
		}
	}
}

// A group whose members have all that they take is not one that is away: its tasks
// go on as members end some, also while beats tell of full hands. One that was left
// alone would wait for an hour.
func TestGroupAtItsCapacity(t *testing.T) {
	c := groupNode(t, `{"dispatch": {"steps": ["1h"]}}`)
	var running, refused atomic.Int64
	ten := make(chan struct{}) // closed when so many run at once
	var once sync.Once
	m := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		defer running.Add(-1)
		now := running.Add(1)
		if now > 20 {
			refused.Add(1)
		}
		if now >= 10 {
			once.Do(func() { close(ten) })
		}
		<-ten
		<-time.After(20 * time.Millisecond)
	}))
	t.Cleanup(m.Close)
	beats := func() {
		member := inspect.Member{Group: "down", ID: "m", URL: m.URL, Capacity: 20, Load: float64(running.Load()), TTL: retry.Duration(time.Minute)}
		if err := c.Workers().PutMember(t.Context(), member); err != nil {
			t.Error(err)
		}
	}
	beats()
	drafts := make([]outlast.Draft, 600)
	for i := range drafts {
		drafts[i] = groupDraft("down")
	}
	if _, err := c.EnqueueMany(t.Context(), drafts, false); err != nil {
		t.Fatal(err)
	}
	eventually(t, "all tasks are done", func() bool {
		beats()
		done, err := c.Inspector().Tasks.Count(t.Context(), store.Filter{State: task.Succeeded, Type: task.HTTPType}, 1000)
		return err == nil && done == len(drafts)
	})
	if refused.Load() > 0 {
		t.Errorf("%d calls beyond the capacity", refused.Load())
	}
}

// A task whose deadline would pass before the next try is not kept waiting.
func TestDeadlineEndsTheWaitingForAGroup(t *testing.T) {
	c := groupNode(t, "")
	draft := groupDraft("nobody")
	draft.TTL = 500 * time.Millisecond
	done, err := c.Run(t.Context(), draft)
	if done == nil || done.State != task.Dead || done.DeadReason != task.Expired || done.Attempt != 0 {
		t.Errorf("%+v, %v", done, err)
	}
}

// A member that comes while its group is left alone gets the tasks at once.
func TestNewMemberOfAnEmptyGroup(t *testing.T) {
	c := groupNode(t, `{"dispatch": {"steps": ["200ms", "5m"]}}`)
	receipt, err := c.Enqueue(t.Context(), groupDraft("down"))
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the group was tried twice", func() bool { views := c.Workers().Groups(); return len(views) == 1 && views[0].Failures >= 2 })
	beat(t, c, "down", "m", newMember(t, false).URL)
	eventually(t, "the task is done", func() bool {
		view, err := c.Inspector().Tasks.Get(t.Context(), receipt.Task.ID)
		return err == nil && view.State == task.Succeeded && view.Attempt == 1
	})
}

// A group that has come back gets its tasks although none of them has ended yet.
func TestRecoveredGroupWithLongTasks(t *testing.T) {
	t.Parallel()
	c := groupNode(t, `{"dispatch": {"steps": ["200ms", "500ms"]}}`)
	var away atomic.Bool
	away.Store(true)
	var running atomic.Int64
	end := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if away.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		running.Add(1)
		<-end
	}))
	t.Cleanup(slow.Close)
	beat(t, c, "down", "m", slow.URL)
	for range 5 {
		if _, err := c.Enqueue(t.Context(), groupDraft("down")); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "the group was tried a second time", func() bool { return c.Workers().Groups()[0].Failures >= 2 })
	away.Store(false)
	eventually(t, "all tasks run", func() bool { return running.Load() == 5 })
	if failures := c.Workers().Groups()[0].Failures; failures != 0 {
		t.Errorf("%d failures of a group that takes tasks", failures)
	}
	close(end)
	eventually(t, "all tasks are done", func() bool {
		done, err := c.Inspector().Tasks.Count(t.Context(), store.Filter{State: task.Succeeded, Type: task.HTTPType}, 10)
		return err == nil && done == 5
	})
}

// A node that may not call the members leaves tasks of the group to one that may, at no
// cost, and when that one is gone they wait.
func TestTasksOfAGroupGoToNodesThatMayCall(t *testing.T) {
	t.Parallel()
	data, log, m := memory.New(), &logBook{}, newMember(t, false)
	closed := reaching(t, data, log, outlast.WithAllQueues())
	open := reaching(t, data.Handle(), log, outlast.WithAllQueues(), loopback)
	beat(t, open, "g", "m", m.URL)
	var ids []outlast.ID
	for i := range 40 {
		draft := groupDraft("g")
		if i%4 == 0 {
			draft.Key = "k"
		}
		receipt, err := closed.Enqueue(t.Context(), draft)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, receipt.Task.ID)
	}
	for _, id := range ids {
		eventually(t, "the task is done", func() bool {
			view, err := closed.Inspector().Tasks.Get(t.Context(), id)
			return err == nil && view.State == task.Succeeded && view.Attempt == 1
		})
	}
	if calls := m.calls.Load(); calls != int64(len(ids)) {
		t.Errorf("%d calls for %d tasks", calls, len(ids))
	}
	if views := closed.Workers().Groups(); len(views) != 1 || views[0].Failures != 0 {
		t.Errorf("the group is well, and known as %+v", views)
	}
	if err := open.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	receipt, err := closed.Enqueue(t.Context(), groupDraft("g"))
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the task waits for the group", func() bool {
		view, err := closed.Inspector().Tasks.Get(t.Context(), receipt.Task.ID)
		return err == nil && view.State == task.Pending && view.Attempt == 0 && closed.Workers().Groups()[0].Kind == inspect.DispatchUnreachable
	})
}

// A member that the node may not call is refused when it registers. One that another node let
// in costs no task its life: nobody has taken it.
func TestMemberThatMayNotBeCalled(t *testing.T) {
	t.Parallel()
	s := memory.New()
	open := func(opts ...outlast.Option) *outlast.Client {
		c, err := outlast.Open(t.Context(), s.Handle(), append(opts, outlast.WithAllQueues())...)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Stop(context.Background()) })
		return c
	}
	closed := open()
	for _, url := range []string{"http://127.0.0.1:1", "http://localhost:1/x", "http://10.0.0.7:8080", "http://[::1]:80"} {
		err := closed.Workers().PutMember(t.Context(), inspect.Member{Group: "g", ID: "m", URL: url})
		if e := wantCode(t, err, task.CodeInvalid); len(e.Fields) != 1 || e.Fields[0].Path != "url" || !strings.Contains(e.Hint, "--allow-target") {
			t.Errorf("%s: %+v (%s)", url, e.Fields, e.Hint)
		}
	}
	m := newMember(t, false)
	wide := open(outlast.WithAllowedTargets(netip.MustParsePrefix("127.0.0.0/8")))
	beat(t, wide, "g", "m", m.URL)
	if err := wide.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	receipt, err := closed.Enqueue(t.Context(), groupDraft("g"))
	if err != nil {
		t.Fatal(err)
	}
	// The failure is counted before the task is given back.
	eventually(t, "the group was tried, and the task is given back", func() bool {
		views := closed.Workers().Groups()
		if len(views) != 1 || views[0].Failures < 1 || views[0].Kind != inspect.DispatchUnreachable {
			return false
		}
		view, err := closed.Inspector().Tasks.Get(t.Context(), receipt.Task.ID)
		return err == nil && view.State == task.Pending && view.Attempt == 0
	})
}

// TestGroupCallsAreSigned: a call of a member is signed as every push is, by the secret of
// its group, else by that of its host; no other is.
func TestGroupCallsAreSigned(t *testing.T) {
	type signed struct{ id, timestamp, signature, body string }
	calls := make(chan signed, 1)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		calls <- signed{req.Header.Get("Webhook-Id"), req.Header.Get("Webhook-Timestamp"), req.Header.Get("Webhook-Signature"), string(body)}
	}))
	defer receiver.Close()
	host := strings.TrimPrefix(receiver.URL, "http://")
	ofGroup, ofHost := []byte("a secret of the group alone"), []byte("a secret of a host and port")
	for name, row := range map[string]struct {
		secrets map[string][]byte
		want    []byte
	}{
		"none":              {nil, nil},
		"another group":     {map[string][]byte{"group:others": ofGroup}, nil},
		"host":              {map[string][]byte{"127.0.0.1": ofHost}, ofHost},
		"host and port":     {map[string][]byte{host: ofHost}, ofHost},
		"group":             {map[string][]byte{"group:mailers": ofGroup}, ofGroup},
		"group before host": {map[string][]byte{"group:mailers": ofGroup, host: ofHost}, ofGroup},
	} {
		t.Run(name, func(t *testing.T) {
			options := []outlast.Option{outlast.WithAllQueues(), outlast.WithAllowedTargets(netip.MustParsePrefix("127.0.0.0/8"))}
			for place, secret := range row.secrets {
				options = append(options, outlast.WithTargetSecret(place, secret))
			}
			c, err := outlast.Open(t.Context(), memory.New(), options...)
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			defer c.Stop(context.Background())
			beat(t, c, "mailers", "m1", receiver.URL)
			draft := groupDraft("mailers")
			draft.Payload = []byte(`{"to":"ada"}`)
			done, err := c.Run(t.Context(), draft)
			if err != nil {
				t.Fatal(err)
			}
			got, want := <-calls, ""
			if row.want != nil {
				mac := hmac.New(sha256.New, row.want)
				mac.Write([]byte(got.id + "." + got.timestamp + "." + got.body))
				want = "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
			}
			if got.signature != want || got.id != done.ID.String() || got.body != `{"to":"ada"}` {
				t.Errorf("called with %+v, want the signature %q", got, want)
			}
		})
	}
}
