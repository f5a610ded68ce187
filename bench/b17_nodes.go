package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// nodesTogether: what more processes add, or cost, where one server does for all.
var nodesTogether = bench{
	id: "B17", title: "one, two and four processes burn down a backlog of n together", n: 300_000, slots: 10_000, store: postgres, work: running,
	run: func(ctx context.Context, s *session) error {
		fleets, runs := []int{1, 2, 4}, map[int]fleetRun{}
		for i := range fleets { // they too begin in turns
			nodes := fleets[(i+s.run)%len(fleets)]
			run, err := s.burnTogether(ctx, nodes)
			if err != nil {
				return fmt.Errorf("%d nodes: %w", nodes, err)
			}
			if err := s.leave(ctx, 0); err != nil {
				return err
			}
			runs[nodes] = run
		}
		set := settings{
			"history": "on", "fencing": "on", "budget": "default", "breaker": "default", "slots of each": s.slotCount(), "share": 1,
			"clock": "from the end of a pause in which the nodes have shared the lanes",
		}
		n := s.tasks()
		for i, nodes := range fleets {
			name, run := "nodes-"+strconv.Itoa(nodes), runs[nodes]
			s.record(name, run.rate, "tasks/s", n, "", set)
			s.record(name+"-server-cpu", run.serverCPU, "µs/task", n, "", set)
			s.record(name+"-least", run.least, "of its part", n, "", set)
			if i > 0 {
				fewer := fleets[i-1]
				s.record(fmt.Sprintf("%d-against-%d", nodes, fewer), run.rate/runs[fewer].rate, "", n, ">= 1", set)
			}
		}
		return nil
	},
}

// fleetRun is what so many nodes did.
type fleetRun struct {
	rate      float64
	serverCPU float64 // µs of the server for a task
	least     float64 // what the node that did least has done of an even part
}

// burnTogether has nodes burn down a fresh backlog. They wait in a pause until each has
// its part of the lanes; how long that takes is not what is measured.
func (s *session) burnTogether(ctx context.Context, nodes int) (run fleetRun, err error) {
	at, err := s.place(ctx)
	if err != nil {
		return run, err
	}
	if !at.shared() {
		return run, errors.New("other processes cannot reach the memory of this one")
	}
	n := s.tasks()
	if err := s.prefill(ctx, at, n, job{payload: noop}); err != nil {
		return run, err
	}
	looker, err := openOutlast(ctx, at, nodeOptions{enqueueOnly: true})
	if err != nil {
		return run, err
	}
	defer func() { err = errors.Join(err, looker.stop(context.WithoutCancel(ctx))) }()
	if _, err := looker.client.Inspector().Queues.Pause(ctx, task.DefaultQueue, true); err != nil {
		return run, err
	}
	if at.meter != nil {
		if err := at.meter.settle(ctx); err != nil {
			return run, err
		}
	}
	fleet := make(fleet, nodes)
	for i := range fleet {
		if fleet[i], err = s.spawn(ctx, childFlags{kind: "burn", store: at.url, n: s.slotCount()}); err != nil {
			return run, err
		}
	}
	if err := fleet.share(ctx, looker); err != nil {
		return run, err
	}
	stop, err := clock(ctx, at.meter)
	if err != nil {
		return run, err
	}
	took, least, err := fleet.burn(ctx, n)
	if err != nil {
		return run, err
	}
	stretch, err := stop()
	if err != nil {
		return run, err
	}
	for _, p := range fleet {
		if err := p.finish(ctx); err != nil {
			return run, err
		}
	}
	succeeded, err := looker.succeeded(ctx)
	if err == nil && succeeded != n {
		err = fmt.Errorf("history shows %d successes of %d", succeeded, n)
	}
	return fleetRun{perSecond(n, took), float64(stretch.server.cpu.Microseconds()) / float64(n), float64(least*nodes) / float64(n)}, err
}

// fleet are nodes in processes of their own, see burnChild.
type fleet []*process

// share waits until every node is ready and has its part of the lanes.
func (f fleet) share(ctx context.Context, looker *outlastNode) error {
	for _, p := range f {
		if _, err := p.expect(ctx, "ready", time.Minute); err != nil {
			return err
		}
	}
	return until(ctx, 50*time.Millisecond, func() (bool, error) {
		topology, err := looker.client.Inspector().Nodes.Topology(ctx)
		return err == nil && sharedEvenly(topology, len(f)), err
	})
}

// sharedEvenly reports whether so many nodes have the lanes of the default queue, each as many
// as another or one more.
func sharedEvenly(topology *store.Topology, nodes int) bool {
	owned, lanes := map[string]int{}, 0
	for _, lane := range topology.Lanes {
		if lane.Queue == task.DefaultQueue {
			owned[lane.Owner]++
			lanes++
		}
	}
	for _, count := range owned {
		if count < lanes/nodes {
			return false
		}
	}
	return len(owned) == nodes && owned[""] == 0
}

// burn ends the pause on all nodes at once, and waits for the last end of a task.
func (f fleet) burn(ctx context.Context, n int) (took time.Duration, least int, err error) {
	began := time.Now()
	for _, p := range f {
		if _, err := io.WriteString(p.stdin, "go\n"); err != nil {
			return 0, 0, err
		}
	}
	for _, p := range f {
		if _, err := p.expect(ctx, "go", time.Minute); err != nil {
			return 0, 0, err
		}
	}
	counts, last := make([]int, len(f)), int64(0)
	err = until(ctx, 10*time.Millisecond, func() (bool, error) {
		sum := 0
		for i, p := range f {
			seen, err := p.ask(ctx, "count", time.Minute)
			if err != nil {
				return false, err
			}
			counts[i], last = seen.Count, max(last, seen.Nanos)
			sum += seen.Count
		}
		return sum >= n, nil
	})
	return time.Unix(0, last).Sub(began), slices.Min(counts), err
}
