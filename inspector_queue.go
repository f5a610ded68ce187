package outlast

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/actor"
	"github.com/outlast-dev/outlast/policy"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Limits of a queue's settings.
const (
	maxLanes       = 256
	maxConcurrency = 1_000_000
	maxWeight      = 1000
	// mostQueueCounted is where the counts of [QueueStats] stop.
	mostQueueCounted = 10_000
)

// QueueStats counts the tasks of a queue.
type QueueStats struct {
	// Over all nodes, from the store, each counted no further than 10 000.
	Pending, Running, Dead int
	// Pending tasks behind keys that are held in mode park: they are not in Pending.
	Parked int
	// What of it is in the memory of this node.
	Lanes, Known, RunningHere int
}

// Queues returns all queues by name, but for the one that alerts travel in.
func (i *Inspector) Queues(ctx context.Context) ([]Queue, error) {
	queues, err := i.client.backend.Queues(ctx)
	return slices.DeleteFunc(queues, func(q Queue) bool { return isInternal(q.Name) }), err
}

// PutQueue creates a queue or changes one. It takes effect everywhere within
// about a second; lanes can only be raised. Codes "invalid" with fields, and
// "managed_by_file" for a queue of the configuration file.
func (i *Inspector) PutQueue(ctx context.Context, queue Queue) (*Queue, error) {
	set, err := i.client.readPolicies(ctx)
	if err != nil {
		return nil, err
	}
	if err := checkQueue(&queue, set); err != nil {
		return nil, err
	}
	filed, err := i.client.backend.Object(ctx, "queue", queue.Name)
	switch {
	case err == nil && filed.Managed != "":
		return nil, managedByFile("queue", queue.Name)
	case err != nil && !errors.Is(err, &Error{Code: task.CodeNotFound}):
		return nil, err
	}
	stored, err := i.client.backend.PutQueue(ctx, queue, actor.Audit(ctx, "queue.put", "queue/"+queue.Name))
	if err == nil {
		i.refresh(ctx)
	}
	return stored, err
}

// refresh lets this node see a change at once. Others, and this one if it
// fails, see it at their next look.
func (i *Inspector) refresh(ctx context.Context) {
	if i.client.state.Load() == started {
		_ = i.client.engine.Refresh(ctx)
		i.client.engine.Stir(ctx)
	}
}

func checkQueue(queue *Queue, policies *policy.Set) error {
	c := accept.Complaints{Policies: policies}
	within := func(path string, value, least, most int) {
		if value < least || value > most {
			c.Add(path, strconv.Itoa(value)+" is outside "+strconv.Itoa(least)+" to "+strconv.Itoa(most), "0 means the default")
		}
	}
	c.Name("name", queue.Name)
	within("lanes", queue.Lanes, 0, maxLanes)
	within("concurrency", queue.Concurrency, 0, maxConcurrency)
	within("weight", queue.Weight, 0, maxWeight)
	if queue.MaxPending < 0 {
		c.Add("max_pending", "is negative", "0 is no limit")
	}
	switch queue.UnknownType {
	case "", "park", "dead":
	default:
		c.Add("unknown_type", task.Quote(queue.UnknownType)+" is neither park nor dead", "park keeps tasks until something can start them")
	}
	if queue.Policy != "" {
		c.PolicyName("policy", queue.Policy)
	}
	return c.Err("the queue is invalid")
}

// PauseQueue stops the start of further attempts in a queue, or lets them go
// on; within about a second everywhere. Enqueues are still accepted.
func (i *Inspector) PauseQueue(ctx context.Context, name string, paused bool) (*Queue, error) {
	action := "queue.resume"
	if paused {
		action = "queue.pause"
	}
	queue, err := i.client.backend.PauseQueue(ctx, name, paused, actor.Audit(ctx, action, "queue/"+name))
	if err == nil {
		i.refresh(ctx)
	}
	return queue, err
}

// QueueStats counts the tasks of every queue, by name.
func (i *Inspector) QueueStats(ctx context.Context) (map[string]QueueStats, error) {
	queues, err := i.Queues(ctx)
	if err != nil {
		return nil, err
	}
	here := i.client.engine.Stats().Queues
	all := make(map[string]QueueStats, len(queues))
	for _, queue := range queues {
		own := here[queue.Name]
		stats := QueueStats{Lanes: own.Lanes, Known: own.Known, RunningHere: own.Running}
		waits, err := i.client.backend.Backlog(ctx, queue.Numbers, mostQueueCounted)
		if err != nil {
			return nil, err
		}
		stats.Pending, stats.Parked = waits.Pending, waits.Parked
		for state, count := range map[task.State]*int{task.Running: &stats.Running, task.Dead: &stats.Dead} {
			filter := store.Filter{Queue: queue.Name, State: state}
			if *count, err = i.client.backend.Count(ctx, filter, mostQueueCounted); err != nil {
				return nil, err
			}
		}
		all[queue.Name] = stats
	}
	return all, nil
}

// keyAudit is what the audit log says of an ordering key.
type keyAudit struct {
	Key     string `json:"key"`
	Blocked bool   `json:"blocked"`
}

// ReleaseKey lets the tasks behind a dead one of an ordering key go on; the
// dead letter stays. It reports whether the key was blocked.
func (i *Inspector) ReleaseKey(ctx context.Context, queue, key string) (bool, error) {
	row := actor.Audit(ctx, "key.release", "queue/"+queue)
	row.Before, _ = json.Marshal(keyAudit{key, true}) // plain values
	row.After, _ = json.Marshal(keyAudit{key, false})
	released, err := i.client.backend.ReleaseKey(ctx, queue, key, row)
	if err != nil || !released {
		return released, err
	}
	topology, err := i.Topology(ctx)
	if err != nil {
		return true, nil //nolint:nilerr // the key is released; its owner finds out by its poll
	}
	for n := range topology.Queues {
		if q := &topology.Queues[n]; q.Name == queue && len(q.Numbers) > 0 {
			i.client.engine.Wake(accept.KeyLane(q, key))
		}
	}
	return true, nil
}

// Topology returns who there is and who owns what, as read within the last
// second. Callers must not change it.
func (i *Inspector) Topology(ctx context.Context) (*store.Topology, error) {
	why := whyWaiting{client: i.client}
	if err := why.readTopology(ctx); err != nil {
		return nil, err
	}
	return why.view.Topology, nil
}
