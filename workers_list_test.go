package outlast_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/faulty"
)

// workersSeen are the remote workers as a client lists them: name, count of nodes, tasks in hand.
func (k *kit) workersSeen(c *outlast.Client) (rows []string) {
	k.Helper()
	all, more, err := c.Inspector().Workers.List(k.ctx)
	if err != nil || more != 0 {
		k.Fatal(more, err)
	}
	for i := range all {
		rows = append(rows, fmt.Sprintf("%s %d %d", all[i].Name, len(all[i].Nodes), all[i].InHand))
	}
	return rows
}

func (k *kit) sees(what string, c *outlast.Client, want ...string) {
	k.Helper()
	if got := k.workersSeen(c); !slices.Equal(got, want) {
		k.Errorf("%s: %q, want %q", what, got, want)
	}
}

// polls takes one task of the type mail for a remote worker.
func (k *kit) polls(c *outlast.Client, worker string) outlast.Leased {
	k.Helper()
	leased, err := c.Workers().Poll(k.ctx, outlast.Poll{Worker: worker, Queues: []string{"default"}, Types: []string{"mail"}, Most: 1, Wait: 30 * time.Second, Lease: time.Hour})
	if err != nil || len(leased) != 1 {
		k.Fatalf("the poll of %s: %v, %v", worker, leased, err)
	}
	return leased[0]
}

// Every node lists the workers of all: one that two nodes know is one row. The node that is
// asked knows its own at once; those of one that stops are gone at once, and those of one
// that is cut off when it is known to be dead. A client that has not started lists them too.
func TestRemoteWorkersOfAllNodes(t *testing.T) {
	virtually(t, func(k *kit) {
		k.start()
		second := k.open(k.store.Handle())
		shaky, faults := faulty.Wrap(k.store.Handle(), 1, faulty.Rule{Kind: faulty.Fail, Probability: 1})
		faults.Heal()
		third := k.open(shaky)
		aside := k.open(k.store.Handle())
		for _, c := range []*outlast.Client{second, third} {
			if err := c.Start(k.ctx); err != nil {
				k.Fatal(err)
			}
		}
		for range 4 {
			k.enqueue(outlast.Draft{Type: "mail"})
		}
		first := k.polls(k.client, "both")
		k.polls(second, "both")
		k.polls(second, "w2")
		k.polls(third, "w3")
		k.sees("its own at once", k.client, "both 1 1")
		k.after(11 * time.Second)
		for _, c := range []*outlast.Client{k.client, second, third, aside} {
			k.sees("all of them", c, "both 2 2", "w2 1 1", "w3 1 1")
		}
		all, _, err := third.Inspector().Workers.List(k.ctx)
		if err != nil || len(all[0].Leases) != 2 || !slices.ContainsFunc(all[0].Leases, func(l inspect.WorkerLease) bool {
			return l.Task == first.Task.ID && l.Claim == first.Task.Claim && l.Type == "mail" && l.Queue == "default" && l.Until.After(time.Now().Add(59*time.Minute))
		}) {
			k.Errorf("leases: %+v, %v", all, err)
		}
		if settled, err := second.Workers().Settle(k.ctx, []outlast.Ending{{ID: first.Task.ID, Claim: first.Task.Claim}}); err != nil || settled[0].Status != "ok" {
			k.Fatal(settled, err)
		}
		synctest.Wait()
		k.after(11 * time.Second)
		k.sees("one task has ended", third, "both 2 1", "w2 1 1", "w3 1 1")
		if err := second.Stop(context.Background()); err != nil {
			k.Fatal(err)
		}
		k.sees("its node has stopped", k.client, "both 1 0", "w3 1 1")
		faults.Resume()
		k.after(15 * time.Second)
		k.sees("its node was cut off", k.client, "both 1 0")
		faults.Heal()
		k.after(2 * time.Minute)
		k.sees("silent, and nothing in hand", k.client, "w3 1 1")
	})
}

// Of a token for certain queues, workers of others are not told, nor their tasks.
func TestRemoteWorkersOfQueues(t *testing.T) {
	virtually(t, func(k *kit) {
		k.start()
		k.enqueue(outlast.Draft{Type: "mail"})
		k.polls(k.client, "w")
		of := func(queues ...string) int {
			all, _, err := k.client.Inspector().Workers.List(k.ctx, queues...)
			if err != nil {
				k.Fatal(err)
			}
			for i := range all {
				if all[i].InHand != 0 || !slices.Equal(all[i].Queues, []string{"default"}) || len(all[i].Leases) != 1 {
					k.Errorf("%+v", all[i])
				}
			}
			return len(all)
		}
		if of("default", "other") != 1 || of("other") != 0 {
			k.Error("workers of queues")
		}
	})
}

// What nobody can run is told by queue and type, the oldest first, until somebody can.
func TestStrandedTasks(t *testing.T) {
	virtually(t, func(k *kit) {
		k.start()
		began := time.Now()
		k.enqueue(outlast.Draft{Type: "b"})
		k.after(time.Minute)
		k.enqueue(outlast.Draft{Type: "a"})
		k.enqueue(outlast.Draft{Type: "b"})
		k.enqueue(outlast.Draft{Type: "later", Delay: time.Hour})
		k.after(10 * time.Second)
		rows, more, err := k.client.Inspector().Queues.Stranded(k.ctx)
		if err != nil || more != 0 || len(rows) != 2 {
			k.Fatalf("%+v, %d, %v", rows, more, err)
		}
		if b, a := rows[0], rows[1]; b.Queue != "default" || b.Type != "b" || b.Waiting != 2 || b.Requests || b.Since.Sub(began).Abs() > time.Second ||
			a.Type != "a" || a.Waiting != 1 || a.Since.Sub(began.Add(time.Minute)).Abs() > time.Second {
			k.Errorf("%+v", rows)
		}
		if rows, _, err = k.client.Inspector().Queues.Stranded(k.ctx, "other"); err != nil || len(rows) != 0 {
			k.Errorf("of another queue: %+v, %v", rows, err)
		}
		go func() {
			_, _ = k.client.Workers().Poll(k.ctx, outlast.Poll{Worker: "w", Queues: []string{"default"}, Types: []string{"b"}, Most: 5, Wait: 30 * time.Second, Lease: time.Hour})
		}()
		k.after(10 * time.Second)
		if rows, _, err = k.client.Inspector().Queues.Stranded(k.ctx); err != nil || len(rows) != 1 || rows[0].Type != "a" {
			k.Errorf("with a worker for one of them: %+v, %v", rows, err)
		}
	})
}
