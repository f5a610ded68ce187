package outlast_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// starts is the order in which tasks have started.
type starts struct {
	mu   sync.Mutex
	at   map[string]int // of the first of each share key, by how many had started
	all  int
	much map[string]int
}

func (s *starts) handle(c *outlast.Client, takes time.Duration) {
	outlast.Handle(c, "work", func(ctx context.Context, _ string) error {
		info, _ := outlast.Info(ctx)
		s.mu.Lock()
		s.all++
		if s.much[info.ShareKey]++; s.much[info.ShareKey] == 1 {
			s.at[info.ShareKey] = s.all
		}
		s.mu.Unlock()
		<-time.After(takes)
		return nil
	})
}

func (s *starts) count() (all, keys int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all, len(s.at)
}

func newStarts() *starts { return &starts{at: map[string]int{}, much: map[string]int{}} }

func (k *kit) enqueueShare(key string, count int) {
	k.Helper()
	drafts := make([]outlast.Draft, count)
	for i := range drafts {
		drafts[i] = outlast.Draft{Type: "work", Payload: []byte(`""`), ShareKey: key}
	}
	for len(drafts) > 0 {
		some := drafts[:min(len(drafts), 10_000)]
		if _, err := k.client.EnqueueMany(k.ctx, some, true); err != nil {
			k.Fatal(err)
		}
		drafts = drafts[len(some):]
	}
}

// One key's backlog, more than memory has room for, delays no other: neither those that
// were behind it when the node started nor those that come later.
func TestABacklogOfOneShareKeyDelaysNobody(t *testing.T) {
	const greedy, keys, slots = 20_000, 100, 20
	for _, memory := range []int{1000, 100_000} {
		virtually(t, func(k *kit) { greedyBacklog(k, greedy, keys, slots) }, outlast.WithTuning(outlast.Tuning{Slots: slots, NearFuture: memory}))
	}
}

func greedyBacklog(k *kit, greedy, keys, slots int) {
	s := newStarts()
	s.handle(k.client, 10*time.Millisecond)
	k.enqueueShare("greedy", greedy)
	for i := range keys {
		k.enqueueShare(fmt.Sprint("there ", i), 1)
	}
	k.start()
	for _, came := range s.until(k, keys+1) {
		if came > 2*keys+3*slots {
			k.Errorf("one that was there has started as number %d", came)
		}
	}
	before, _ := s.count()
	for i := range keys {
		k.enqueueShare(fmt.Sprint("came ", i), 1)
	}
	for key, came := range s.until(k, 2*keys+1) {
		if key != "greedy" && came > before && came-before > 2*keys+3*slots {
			k.Errorf("one that came has started %d starts later", came-before)
		}
	}
}

// until waits for so many share keys of which something has started.
func (s *starts) until(k *kit, keys int) map[string]int {
	k.Helper()
	for range 1000 {
		if _, got := s.count(); got == keys {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.at
		}
		k.after(10 * time.Millisecond)
	}
	all, got := s.count()
	k.Fatalf("of %d keys, %d have started something after %d starts", keys, got, all)
	return nil
}

// Limits of the share keys of a queue hold as they are changed, and a task that waits for
// one says so.
func TestLimitsOfShareKeys(t *testing.T) {
	virtually(t, func(k *kit) {
		s := newStarts()
		s.handle(k.client, time.Minute)
		queues := k.client.Inspector().Queues
		put := func(limits store.ShareLimits) {
			t.Helper()
			if _, err := queues.Put(k.ctx, store.Queue{Name: "default", Lanes: 8, Shares: limits}); err != nil {
				t.Fatal(err)
			}
		}
		put(store.ShareLimits{Concurrency: 2})
		k.start()
		k.enqueueShare("a", 10)
		k.enqueueShare("b", 1)
		last := k.enqueue(outlast.Draft{Type: "work", Payload: []byte(`""`), ShareKey: "a"})
		k.after(5 * time.Second)
		if s.much["a"] != 2 || s.much["b"] != 1 {
			t.Errorf("%v have started under 2 at once", s.much)
		}
		if why := k.get(last.ID).Waiting; why != "share limit" {
			t.Errorf("the last one waits for %q", why)
		}
		shares := queues.Shares("default", 10)
		if a := shares.Shares[0]; shares.Total != 2 || a.Key != "a" || a.Running != 2 || a.Ready != 9 || a.Held.Why != "share limit" {
			t.Errorf("the shares are %+v", shares)
		}
		put(store.ShareLimits{Rate: "60/h"})
		k.after(time.Minute + 10*time.Second)
		if n := s.much["a"]; n < 4 || n > 5 {
			t.Errorf("%d have started a minute later under one a minute", n)
		}
		put(store.ShareLimits{})
		k.after(10 * time.Second)
		if s.much["a"] != 11 {
			t.Errorf("%d of 11 have started without a limit", s.much["a"])
		}
		k.after(2 * time.Minute)
	})
}

// What follows a task is in its share, as is what undoes its steps.
func TestWhatFollowsIsInTheShareOfItsTask(t *testing.T) {
	virtually(t, func(k *kit) {
		s := newStarts()
		s.handle(k.client, 0)
		outlast.Handle(k.client, "dies", func(context.Context, string) error { return outlast.GiveUp(fmt.Errorf("no way")) })
		k.start()
		k.enqueue(outlast.Draft{Type: "dies", Payload: []byte(`""`), ShareKey: "acme", Fallback: &task.Follow{Type: "work", Payload: []byte(`""`)}})
		k.after(time.Second)
		if s.much["acme"] != 1 {
			t.Errorf("%v have started", s.much)
		}
	})
}
