package group_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/group"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
)

// busy keeps a task under way until the call of end.
func busy(t *testing.T, g *group.Groups) (end func()) {
	t.Helper()
	ended := make(chan struct{})
	go func() {
		_ = g.Send(context.Background(), "g", func(context.Context, string, func()) group.Verdict {
			<-ended
			return group.Verdict{}
		})
	}()
	synctest.Wait()
	return sync.OnceFunc(func() { close(ended); synctest.Wait() })
}

// A member that has left gets nothing more from any node a second later, whatever is
// still under way there.
func TestMemberThatHasLeftIsNotCalled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memory.New()
		a, b := node(t, s, nil), node(t, s.Handle(), nil)
		join(t, a, "m", func(m *inspect.Member) { m.TTL = retry.Duration(time.Hour) })
		time.Sleep(6 * time.Second)
		endA, endB := busy(t, a), busy(t, b)
		defer endA()
		defer endB()
		if there, err := a.Remove(t.Context(), "g", "m"); !there || err != nil {
			t.Fatal(there, err)
		}
		time.Sleep(1100 * time.Millisecond)
		for name, g := range map[string]*group.Groups{"that was told": a, "other": b} {
			called, err := send(g, nil)
			if h := held(t, err); len(called) != 0 || h.Kind != inspect.DispatchEmpty || g.Capacity("g") != 0 || g.Tested("g") {
				t.Errorf("the %s node: called %v, held %+v, capacity %d, tested %v", name, called, h, g.Capacity("g"), g.Tested("g"))
			}
			if views := g.List(); len(views) != 1 || len(views[0].Members) != 0 {
				t.Errorf("the %s node: %+v", name, views)
			}
		}
		time.Sleep(10 * time.Second)
		join(t, a, "m", func(m *inspect.Member) { m.Capacity = 2 }) // what it runs since before counts
		time.Sleep(1100 * time.Millisecond)
		for _, g := range []*group.Groups{a, b} {
			if views := g.List(); len(views[0].Members) != 1 || views[0].Members[0].Flying != 1 || !views[0].Members[0].Living || g.Capacity("g") != 2 {
				t.Errorf("after it is back: %+v", views)
			}
		}
		endA()
		endB()
		if views := b.List(); views[0].Members[0].Flying != 0 {
			t.Errorf("after its task has ended: %+v", views)
		}
	})
}

// slow answers a reading of members late.
type slow struct {
	*memory.Store
	read, goOn chan struct{}
}

func (s *slow) Objects(ctx context.Context, kind string) ([]store.Object, error) {
	objects, err := s.Store.Objects(ctx, kind)
	if kind == "member" && s.read != nil {
		close(s.read)
		s.read = nil
		<-s.goOn
	}
	return objects, err
}

// A reading that began before a member left does not bring it back.
func TestOldReadingBringsNobodyBack(t *testing.T) {
	for _, known := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			s := memory.New()
			late := &slow{s.Handle(), make(chan struct{}), make(chan struct{})}
			read := late.read
			g := group.New(late, slog.New(slog.DiscardHandler), func(string) {})
			told := g
			if !known { // the node that is told that it leaves has never heard of it
				told = node(t, s, nil)
			}
			join(t, told, "m", func(m *inspect.Member) { m.TTL = retry.Duration(time.Hour) })
			loaded := make(chan error)
			go func() { loaded <- g.Load(t.Context()) }()
			<-read
			time.Sleep(time.Second)
			if there, err := g.Remove(t.Context(), "g", "m"); !there || err != nil {
				t.Fatal(there, err)
			}
			time.Sleep(time.Second)
			close(late.goOn)
			if err := <-loaded; err != nil {
				t.Fatal(err)
			}
			called, err := send(g, nil)
			if h := held(t, err); len(called) != 0 || h.Kind != inspect.DispatchEmpty || g.Capacity("g") != 0 {
				t.Errorf("known %v: called %v, held %+v, capacity %d", known, called, h, g.Capacity("g"))
			}
			join(t, g, "m", nil) // it comes back
			if called, err := send(g, nil); err != nil || len(called) != 1 {
				t.Errorf("known %v: after it is back, called %v, %v", known, called, err)
			}
		})
	}
}
