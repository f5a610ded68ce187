package storetest

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// reopen opens the same data as another process, or skips the rule.
func (h *harness) reopen() store.Backend {
	h.Helper()
	if h.able.Reopen == nil {
		h.Skip("needs a store that can be opened twice")
	}
	other := h.able.Reopen(h.T, h.s)
	h.Cleanup(func() {
		if err := other.Close(); err != nil {
			h.Errorf("closing the second process: %v", err)
		}
	})
	return other
}

func processRules() []rule {
	return []rule{
		{"process/sees what is committed", "A method that returned nil has committed: another process sees it at once, and works on it.", func(h *harness) {
			other := h.reopen()
			id := h.add()
			t := h.claimOne(id)
			got, err := other.Get(h.ctx, id)
			h.ok(err)
			h.expect(got.State == task.Running && got.Claim == t.Claim, "got %+v", got)
			settled, err := other.Settle(h.ctx, []store.Settlement{settlement(t, task.OutcomeFailed)})
			h.ok(err)
			equal(h, "status", settled[0].Status, store.StatusOK)
			h.state(id, task.Pending)
			equal(h, "queues", len(h.topology().Queues), 1)
		}},
		{"process/claims are exclusive", "A row claimed in one process is gone for another, at the same lane epoch.", func(h *harness) {
			other := h.reopen()
			id := h.add()
			h.claimOne(id)
			claimed, err := other.Claim(h.ctx, store.Claim{Node: "n1", Lanes: h.lanes, Items: items(id)})
			h.ok(err)
			h.expect(len(claimed.Tasks) == 0 && len(claimed.Refused) == 1 && claimed.Refused[0].Reason == store.ReasonGone, "got %+v", claimed)
		}},
		{"process/exact death", "A store that knows for certain shows a node whose process has ended as gone, and no other.", func(h *harness) {
			if h.able.Kill == nil {
				h.Skip("needs a store that knows of deaths")
			}
			other := h.able.Reopen(h.T, h.s)
			h.ok(other.Join(h.ctx, store.Node{ID: "n2"}))
			equal(h, "gone while it lives", h.node("n2").Gone, false)
			h.able.Kill(h.T, other)
			node := h.node("n2")
			h.expect(node.Gone && node.State == store.NodeAlive, "got %+v", node)
			equal(h, "gone of the living", h.node("n1").Gone, false)
			h.bury("n2")
		}},
		{"process/wakes others", "Watch calls wake after another process has committed (and called Notify, if the store has it), from one goroutine, and ends with its context.", func(h *harness) {
			other := h.reopen()
			waker, ok := store.As[store.Waker](h.s)
			if !ok || h.able.Deaf {
				h.Skip("needs a store with Watch that hears others")
			}
			ctx, cancel := context.WithCancel(h.ctx)
			woken, ended := make(chan []store.ChangedLane, 100), make(chan error, 1)
			go func() {
				ended <- waker.Watch(ctx, func(lanes []store.ChangedLane) {
					select {
					case woken <- slices.Clone(lanes):
					default:
					}
				})
			}()
			lane := h.lanes[0].Lane
			timeout := time.After(20 * time.Second)
			for seen := false; !seen; { // the first commits may come before the watch has begun
				_, err := other.Enqueue(h.ctx, []store.Batch{{Items: []store.Insert{{Task: h.task()}}}})
				h.ok(err)
				if notifier, ok := store.As[store.Notifier](other); ok {
					h.ok(notifier.Notify(h.ctx, []store.ChangedLane{{Lane: lane, From: task.Rank(time.Now(), 9)}}))
				}
				select {
				case lanes := <-woken:
					seen = lanes == nil || slices.ContainsFunc(lanes, func(l store.ChangedLane) bool { return l.Lane == lane })
				case <-time.After(50 * time.Millisecond):
				case <-timeout:
					h.Fatal("no wake-up within 20 s")
				}
			}
			cancel()
			select {
			case err := <-ended:
				h.expect(err == nil || errors.Is(err, context.Canceled), "Watch ended with %v", err)
			case <-time.After(20 * time.Second):
				h.Fatal("Watch does not end with its context")
			}
		}},
		{"process/spots new tasks of others", "Spot calls found with the lane into which another process has inserted a task, not with those into which its own store has, and ends with its context.", func(h *harness) {
			other := h.reopen()
			spotter, ok := store.As[store.Spotter](h.s)
			if !ok {
				h.Skip("needs a store with Spot")
			}
			ctx, cancel := context.WithCancel(h.ctx)
			found, ended := make(chan []uint16, 100), make(chan error, 1)
			go func() {
				ended <- spotter.Spot(ctx, func(lanes []uint16) {
					select {
					case found <- slices.Clone(lanes):
					default:
					}
				})
			}()
			theirs, own := h.lanes[0].Lane, h.lanes[1].Lane
			timeout := time.After(2 * time.Minute)
			for seen := 0; seen < 3; { // the first tasks may come before it has begun
				for s, lane := range map[store.Backend]uint16{h.s: own, other: theirs} {
					t := h.task()
					t.ID = t.ID.WithLane(lane)
					_, err := s.Enqueue(h.ctx, []store.Batch{{Items: []store.Insert{{Task: t}}}})
					h.ok(err)
				}
				select {
				case lanes := <-found:
					h.expect(slices.Equal(lanes, []uint16{theirs}), "found %v, not %d", lanes, theirs)
					seen++
				case <-time.After(50 * time.Millisecond):
				case <-timeout:
					h.Fatal("nothing was found within two minutes")
				}
			}
			cancel()
			select {
			case err := <-ended:
				h.expect(err == nil || errors.Is(err, context.Canceled), "Spot ended with %v", err)
			case <-time.After(2 * time.Minute):
				h.Fatal("Spot does not end with its context")
			}
		}},
		{"context/an ended one does nothing", "A call whose context has ended fails, and if it says so, nothing was done.", func(h *harness) {
			ctx, cancel := context.WithCancel(h.ctx)
			cancel()
			t := h.task()
			_, err := h.s.Enqueue(ctx, []store.Batch{{Items: []store.Insert{{Task: t}}}})
			h.expect(err != nil, "the call succeeded")
			h.absent(t.ID)
		}},
	}
}
