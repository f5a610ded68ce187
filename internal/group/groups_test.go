package group_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/group"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// node is a node's view of the groups of a store.
func node(t *testing.T, s *memory.Store, opened func(string)) *group.Groups {
	t.Helper()
	if opened == nil {
		opened = func(string) {}
	}
	g := group.New(s.Handle(), slog.New(slog.DiscardHandler), opened)
	g.Start(t.Context())
	t.Cleanup(g.Stop)
	return g
}

func join(t *testing.T, g *group.Groups, id string, change func(*inspect.Member)) {
	t.Helper()
	m := inspect.Member{Group: "g", ID: id, URL: "http://" + id, Capacity: 10, TTL: retry.Duration(15 * time.Second)}
	if change != nil {
		change(&m)
	}
	if err := g.Put(t.Context(), m); err != nil {
		t.Fatal(err)
	}
}

// send returns who was called, and how it ended.
func send(g *group.Groups, answer func(url string) group.Verdict) (called []string, err error) {
	err = g.Send(context.Background(), "g", func(_ context.Context, url string, _ func()) group.Verdict {
		called = append(called, url)
		if answer == nil {
			return group.Verdict{}
		}
		return answer(url)
	})
	return called, err
}

func held(t *testing.T, err error) *group.Held {
	t.Helper()
	h := new(group.Held)
	if !errors.As(err, &h) {
		t.Fatalf("the dispatch ended with %v", err)
	}
	return h
}

func refuses(kind inspect.DispatchKind) func(string) group.Verdict {
	return func(string) group.Verdict { return group.Verdict{Kind: kind, Message: "no"} }
}

func TestLeastLoadIsChosen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := node(t, memory.New(), nil)
		join(t, g, "half", func(m *inspect.Member) { m.Load = 5 })
		join(t, g, "most", func(m *inspect.Member) { m.Load = 9 })
		join(t, g, "large", func(m *inspect.Member) { m.Capacity, m.Load = 100, 20 })
		if called, err := send(g, nil); err != nil || len(called) != 1 || called[0] != "http://large" {
			t.Errorf("called %v, %v", called, err)
		}
		called, err := send(g, func(url string) group.Verdict {
			if url != "http://most" {
				return group.Verdict{Kind: inspect.DispatchUnreachable}
			}
			return group.Verdict{}
		})
		if err != nil || strings.Join(called, " ") != "http://large http://half http://most" {
			t.Errorf("called %v, %v", called, err)
		}
	})
}

func TestTasksUnderWayCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := node(t, memory.New(), nil)
		join(t, g, "a", func(m *inspect.Member) { m.Capacity = 2 })
		join(t, g, "b", func(m *inspect.Member) { m.Capacity = 2 })
		calls, end := map[string]int{}, make(chan struct{})
		begun := make(chan string, 4)
		for range 4 {
			go func() {
				_ = g.Send(context.Background(), "g", func(_ context.Context, url string, _ func()) group.Verdict {
					begun <- url
					<-end
					return group.Verdict{}
				})
			}()
			calls[<-begun]++
		}
		if calls["http://a"] != 2 || calls["http://b"] != 2 {
			t.Errorf("calls %v", calls)
		}
		_, err := send(g, nil) // all are at capacity
		if h := held(t, err); h.Kind != inspect.DispatchBusy || h.For != time.Second {
			t.Errorf("held %+v", h)
		}
		close(end)
	})
}

// A group is tested by a living member that has taken a task, also before that has ended;
// members that come after it has gone have to show that they do. A call that panics
// gives its place back.
func TestTestedMembers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := node(t, memory.New(), nil)
		join(t, g, "a", func(m *inspect.Member) { m.Capacity = 1 })
		if _, err := send(g, refuses(inspect.DispatchBusy)); held(t, err).Kind != inspect.DispatchBusy || g.Tested("g") {
			t.Errorf("tested %v, %v", g.Tested("g"), err)
		}
		time.Sleep(2 * time.Second)
		func() {
			defer func() { _ = recover() }()
			_ = g.Send(t.Context(), "g", func(_ context.Context, _ string, taken func()) group.Verdict {
				taken()
				if !g.Tested("g") {
					t.Error("nobody knows that it has taken a task")
				}
				panic("the handler")
			})
		}()
		if called, err := send(g, nil); err != nil || len(called) != 1 {
			t.Errorf("after a panic: called %v, %v", called, err)
		}
		time.Sleep(10 * time.Second)
		join(t, g, "b", nil)
		if !g.Tested("g") {
			t.Error("a new member makes the old ones unknown")
		}
		time.Sleep(10 * time.Second)
		if g.Tested("g") {
			t.Error("tested although the only one that took a task is gone")
		}
	})
}

// A beat that was on its way while tasks of this node ended does not make the member
// look as full as it was.
func TestLateBeatIsNoBusyMember(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := node(t, memory.New(), nil)
		join(t, g, "a", nil)
		begun, end := make(chan bool), make(chan struct{})
		for range 10 {
			go func() {
				_ = g.Send(context.Background(), "g", func(context.Context, string, func()) group.Verdict {
					begun <- true
					<-end
					return group.Verdict{}
				})
			}()
			<-begun
		}
		full := func(m *inspect.Member) { m.Load = 10 }
		time.Sleep(10 * time.Second)
		join(t, g, "a", full)
		close(end)
		synctest.Wait()
		time.Sleep(100 * time.Millisecond)
		join(t, g, "a", full) // counted before they ended
		if _, err := send(g, nil); err != nil {
			t.Error(err)
		}
		time.Sleep(2 * time.Second)
		join(t, g, "a", full) // these are others'
		if _, err := send(g, nil); held(t, err).Kind != inspect.DispatchBusy {
			t.Error("it is not found at its capacity")
		}
	})
}

func TestSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := node(t, memory.New(), nil)
		join(t, g, "a", func(m *inspect.Member) { m.TTL = retry.Duration(time.Hour) })
		for i, want := range []time.Duration{1, 5, 10, 60, 60} {
			_, err := send(g, refuses(inspect.DispatchUnreachable))
			if h := held(t, err); h.For != want*time.Second || h.Failures != i+1 || h.Kind != inspect.DispatchUnreachable || h.Error() != "the group g is unreachable: no" {
				t.Fatalf("failure %d: %+v", i+1, h)
			}
			time.Sleep(want * time.Second)
		}
		if _, err := send(g, nil); err != nil {
			t.Fatal(err)
		}
		if d := g.Dispatch("g"); d != (inspect.Dispatch{}) {
			t.Errorf("after a success %+v", d)
		}
		_, err := send(g, func(string) group.Verdict { return group.Verdict{Kind: inspect.DispatchBusy, After: time.Hour} })
		if h := held(t, err); h.For != 300*time.Second || h.Kind != inspect.DispatchBusy {
			t.Errorf("a group that asks for an hour: %+v", h)
		}
	})
}

// Tasks that were under way when the group went away tell of one outage.
func TestFailuresOfOneOutageCountOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := node(t, memory.New(), nil)
		join(t, g, "a", nil)
		end, ended := make(chan struct{}), make(chan error)
		for range 9 {
			go func() {
				_, err := send(g, func(string) group.Verdict { <-end; return group.Verdict{Kind: inspect.DispatchUnreachable} })
				ended <- err
			}()
		}
		synctest.Wait()
		close(end)
		for range 9 {
			if h := held(t, <-ended); h.Failures != 1 || h.For != time.Second {
				t.Errorf("held %+v", h)
			}
		}
	})
}

// Where only other nodes may call the members, nothing is said of the group. One that this
// node may call, and that does not take the task, counts as ever.
func TestMembersOfOtherNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := node(t, memory.New(), nil)
		join(t, g, "a", nil)
		_, err := send(g, refuses(inspect.DispatchUnreachable))
		_ = held(t, err)
		time.Sleep(time.Second)
		elsewhere := func(string) group.Verdict { return group.Verdict{Kind: inspect.DispatchUnreachable, Elsewhere: true} }
		for range 3 {
			if called, err := send(g, elsewhere); !errors.Is(err, group.ErrElsewhere) || len(called) != 1 {
				t.Errorf("%v were called, %v", called, err)
			}
		}
		if g.Dispatch("g") != (inspect.Dispatch{}) || !g.Tested("g") {
			t.Errorf("%+v, tested %v", g.Dispatch("g"), g.Tested("g"))
		}
		join(t, g, "b", nil)
		for first := range 2 { // whichever is called first
			called := 0
			_, err := send(g, func(string) group.Verdict {
				if called++; called-1 == first {
					return group.Verdict{Kind: inspect.DispatchBusy}
				}
				return elsewhere("")
			})
			if h := held(t, err); h.Failures != first+1 || called != 2 {
				t.Errorf("%d members were called, held %+v", called, h)
			}
			time.Sleep(5 * time.Second)
		}
	})
}

func TestSettings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memory.New()
		body := []byte(`{"dispatch":{"steps":["2s","4s"],"max":"3s"},"empty":{"steps":["7s"],"max":"10s"},"member_ttl":"30s"}`)
		if _, err := s.Change(t.Context(), store.Change{Put: []store.Object{{Kind: "group", Name: "g", Body: body}}}); err != nil {
			t.Fatal(err)
		}
		g := node(t, s, nil)
		synctest.Wait()
		_, err := send(g, nil)
		if h := held(t, err); h.For != 7*time.Second || h.Kind != inspect.DispatchEmpty {
			t.Errorf("empty: %+v", h)
		}
		join(t, g, "a", func(m *inspect.Member) { m.TTL = 0 })
		time.Sleep(20 * time.Second)
		_, err = send(g, refuses(inspect.DispatchBusy))
		if h := held(t, err); h.For != 3*time.Second || h.Kind != inspect.DispatchBusy {
			t.Errorf("busy: %+v", h)
		}
	})
}

// Settings that are taken away hold no more, and what cannot be read changes nothing.
func TestSettingsChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memory.New()
		change := func(c store.Change) int64 {
			t.Helper()
			changed, err := s.Change(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(6 * time.Second)
			if len(changed.Put) == 0 {
				return 0
			}
			return changed.Put[0].Version
		}
		put := func(body string, version int64) int64 {
			return change(store.Change{Put: []store.Object{{Kind: "group", Name: "g", Body: []byte(body), Version: version}}})
		}
		g := node(t, s, nil)
		waits := func(want time.Duration) {
			t.Helper()
			_, err := send(g, nil)
			if h := held(t, err); h.For != want {
				t.Errorf("the group waits %v, want %v", h.For, want)
			}
			time.Sleep(want)
			join(t, g, "a", func(m *inspect.Member) { m.TTL = retry.Duration(time.Second) })
			if _, err := send(g, nil); err != nil { // the row of failures ends
				t.Fatal(err)
			}
			time.Sleep(2 * time.Second)
		}
		version := put(`{"dispatch": {"steps": ["7s"]}}`, 0)
		waits(7 * time.Second)
		version = put(`{"dispatch": {"steps": "often"}}`, version)
		waits(7 * time.Second)
		version = put(`{"dispatch": {"steps": ["9s"]}}`, version)
		waits(9 * time.Second)
		change(store.Change{Delete: []store.Object{{Kind: "group", Name: "g", Version: version}}})
		waits(time.Second)
	})
}

func TestMembersExpireAndAreKnownToAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memory.New()
		var opened atomic.Int64
		a, b := node(t, s, nil), node(t, s, func(string) { opened.Add(1) })
		join(t, a, "m", nil)
		time.Sleep(6 * time.Second)
		if called, err := send(b, nil); err != nil || len(called) != 1 {
			t.Fatalf("called %v, %v", called, err)
		}
		for range 5 {
			time.Sleep(10 * time.Second)
			join(t, a, "m", nil) // it beats
			time.Sleep(2 * time.Second)
			if called, err := send(b, nil); err != nil || len(called) != 1 {
				t.Fatalf("called %v, %v", called, err)
			}
		}
		time.Sleep(20 * time.Second)
		for _, g := range []*group.Groups{a, b} {
			_, err := send(g, nil)
			if h := held(t, err); h.Kind != inspect.DispatchEmpty {
				t.Errorf("held %+v", h)
			}
		}
		time.Sleep(1100 * time.Millisecond) // between two readings of the store
		_, err := send(b, nil)
		if h := held(t, err); h.For != 5*time.Second {
			t.Errorf("held %+v", h)
		}
		join(t, a, "m", nil) // it is back, before the group was to be tried again
		_, err = send(b, nil)
		_ = held(t, err)
		time.Sleep(2 * time.Second)
		if called, err := send(b, nil); err != nil || len(called) != 1 || opened.Load() == 0 {
			t.Errorf("called %v, %v, opened %d times", called, err, opened.Load())
		}
		if there, err := a.Remove(t.Context(), "g", "m"); !there || err != nil {
			t.Error(there, err)
		}
		if there, err := a.Remove(t.Context(), "g", "m"); there || err != nil {
			t.Error(there, err)
		}
		time.Sleep(10 * time.Second)
		if views := b.List(); len(views) != 1 || len(views[0].Members) != 0 {
			t.Errorf("after it left: %+v", views)
		}
	})
}

// Names come from whoever enqueues: a group that nobody asks for is forgotten, one that is
// configured is not.
// A node knows the capacity of groups before it starts anything.
func TestMembersAreKnownFromTheStart(t *testing.T) {
	s := memory.New()
	join(t, node(t, s, nil), "a", nil)
	g := group.New(s.Handle(), slog.New(slog.DiscardHandler), func(string) {})
	if err := g.Load(t.Context()); err != nil || g.Capacity("g") != 10 {
		t.Errorf("capacity %d, %v", g.Capacity("g"), err)
	}
}

func TestGroupsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memory.New()
		if _, err := s.Change(t.Context(), store.Change{Put: []store.Object{{Kind: "group", Name: "kept", Body: []byte(`{}`)}}}); err != nil {
			t.Fatal(err)
		}
		g := node(t, s, nil)
		for _, name := range []string{"typo", "kept"} {
			_ = g.Send(t.Context(), name, nil)
		}
		time.Sleep(50 * time.Minute)
		if views := g.List(); len(views) != 2 {
			t.Errorf("after 50 minutes %+v", views)
		}
		time.Sleep(20 * time.Minute)
		if views := g.List(); len(views) != 1 || views[0].Name != "kept" {
			t.Errorf("after 70 minutes %+v", views)
		}
	})
}

// A member that has been silent for long is deleted from the store.
func TestSilentMembersAreDeleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memory.New()
		g := node(t, s, nil)
		join(t, g, "m", func(m *inspect.Member) { m.TTL = retry.Duration(time.Second) })
		time.Sleep(15 * time.Second)
		if left, err := s.Objects(t.Context(), "member"); err != nil || len(left) != 0 {
			t.Errorf("%d members are left, %v", len(left), err)
		}
	})
}

// When a member comes while a dispatch fails, the next one need not wait: this one may not have
// asked it.
func TestMemberThatComesWhileADispatchFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := node(t, memory.New(), nil)
		join(t, g, "a", nil)
		_, err := send(g, func(string) group.Verdict {
			time.Sleep(time.Millisecond)
			join(t, g, "b", func(m *inspect.Member) { m.Load = 1 })
			time.Sleep(time.Millisecond)
			return group.Verdict{Kind: inspect.DispatchUnreachable}
		})
		if h := held(t, err); h.Failures != 1 || h.For != 0 {
			t.Errorf("held %+v", h)
		}
	})
}

// A beat that comes while tasks are handed to the member changes nothing of what they
// are told: each goes to one of its addresses. The race detector sees the rest.
func TestBeatsDuringDispatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := node(t, memory.New(), nil)
		addresses := []string{"http://m", "http://m.moved.elsewhere"}
		join(t, g, "m", nil)
		var dispatches sync.WaitGroup
		dispatches.Go(func() {
			for range 200 {
				called, err := send(g, nil)
				if err != nil || len(called) != 1 || !slices.Contains(addresses, called[0]) {
					t.Errorf("called %v, %v", called, err)
				}
			}
		})
		for i := range 200 {
			join(t, g, "m", func(m *inspect.Member) { m.URL = addresses[i%2] })
		}
		dispatches.Wait()
	})
}

// TestStateOfAGroup: a group whose only member is silent takes no tasks, and its tasks
// are told why.
func TestStateOfAGroup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := node(t, memory.New(), nil)
		state := func(want string) {
			t.Helper()
			if got := g.List(); len(got) != 1 || got[0].State() != want {
				t.Errorf("the groups are %+v, not %s", got, want)
			}
		}
		join(t, g, "m1", nil)
		state(inspect.GroupReady)
		if _, err := send(g, refuses(inspect.DispatchBusy)); held(t, err).Kind != inspect.DispatchBusy {
			t.Error(err)
		}
		state(inspect.GroupHeld)
		time.Sleep(2 * time.Second)
		if _, err := send(g, nil); err != nil {
			t.Error(err)
		}
		state(inspect.GroupReady)
		time.Sleep(15 * time.Second)
		state(inspect.GroupSilent)
		if _, err := send(g, nil); held(t, err).Error() != "the group g is empty: its member is silent" {
			t.Error(err)
		}
		state(inspect.GroupSilent)
		join(t, g, "m1", nil)
		state(inspect.GroupHeld) // until somebody has taken a task
		if _, err := send(g, nil); err != nil {
			t.Error(err)
		}
		state(inspect.GroupReady)
	})
}
