package membership

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/internal/topology"
	"github.com/outlast-dev/outlast/store"
)

// Messages for a node that is being called wait together, and one that could not be told
// is left alone for a second.
func TestCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told [][]uint16
		var fails error
		answer := make(chan struct{})
		c := newCalls(t.Context(), func(_ context.Context, to *topology.Message) error {
			told = append(told, to.Lanes())
			<-answer
			return fails
		})
		v := topology.New(&store.Topology{
			Queues: []store.Queue{{Name: "q"}}, Nodes: []store.Node{{ID: "n", State: store.NodeAlive, Address: "n:1", WakeKey: "k"}},
			Lanes: []store.Lane{{Number: 1, Queue: "q", Owner: "n"}, {Number: 2, Queue: "q", Owner: "n"}, {Number: 3, Queue: "q", Owner: "n"}},
		})
		say := func(lanes ...uint16) {
			var changes topology.Changes
			for _, number := range lanes {
				changes.Owner(number, store.AnyRank)
			}
			c.add(v.Audience(changes, "me"), time.Now())
			c.start()
			synctest.Wait()
		}
		say(1)
		say(2)
		say(3)
		if len(told) != 1 {
			t.Fatalf("two calls at once: %v", told)
		}
		answer <- struct{}{}
		c.end(<-c.ended)
		c.start()
		synctest.Wait()
		if len(told) != 2 || !slices.Equal(told[1], []uint16{2, 3}) {
			t.Fatalf("what came up meanwhile: %v", told)
		}
		fails = errors.New("away")
		answer <- struct{}{}
		c.end(<-c.ended)
		if say(1); len(told) != 2 {
			t.Errorf("it rests, and was called: %v", told)
		}
		fails = nil
		time.Sleep(wakeupRest)
		if say(3); len(told) != 3 || !slices.Equal(told[2], []uint16{3}) {
			t.Errorf("after its rest: %v", told)
		}
		close(answer)
		c.running.Wait()
	})
}
