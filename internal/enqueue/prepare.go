package enqueue

import (
	"cmp"
	"context"
	"time"

	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/drafts"
	"github.com/outlast-dev/outlast/internal/hints"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Prepare validates a draft and turns it into a row with its place. Nothing of the draft is
// shared with the caller afterwards, except the payload, which is only read. One that was
// promised is a run of a schedule, which was checked when that was put: channels that have
// gone since are no reason to refuse it.
func (e *Enqueuer) Prepare(ctx context.Context, d drafts.Draft, prefix string, promised bool) (store.Insert, error) {
	return e.prepare(ctx, &d, prefix, promised, nil)
}

// prepare prepares and completes one of several drafts, which share what is known of
// channels, or with nil one alone.
func (e *Enqueuer) prepare(ctx context.Context, d *drafts.Draft, prefix string, promised bool, channel accept.ChannelCheck) (store.Insert, error) {
	d.TraceParent = e.tracer.Keep(ctx, d.TraceParent)
	wrong := accept.Complaints{Prefix: prefix, Policies: e.policiesFor(ctx, d)}
	if !promised && !d.IsPlain() {
		if channel == nil {
			channel = e.channels(ctx)
		}
		wrong.Channel, wrong.Calls = channel, e.calls(ctx)
	}
	now := time.Now()
	d.Check(&wrong, now)
	if !promised && d.Target != nil && d.Timeout > e.longest && d.Timeout <= drafts.MaxTimeout { // a schedule's is cut, as a policy's is
		wrong.Add("timeout", d.Timeout.String()+" is longer than a request may take here, "+e.longest.String(), "give it less time, answer at once and report later, or raise push.max_timeout of the server")
	}
	if !d.ID.IsZero() && (d.ID[6]>>4 != 7 || d.ID[8]>>6 != 2) {
		wrong.Add("id", "is not a UUID of version 7", "make it with NewID, or leave it out")
	}
	var queue store.Queue
	if accept.IsName(d.Queue) {
		queue = e.QueueOf(ctx, &wrong, "queue", d.Queue)
	}
	if !d.IsPlain() {
		for path, follow := range d.Follows {
			if accept.IsName(follow.Queue) {
				e.QueueOf(ctx, &wrong, path+".queue", follow.Queue)
			}
		}
	}
	target, err := e.handlers.TargetOf(d.Type, d.Payload, d.Target, d.Names)
	if err != nil {
		wrong.Add("target", err.Error(), accept.NameHint)
	}
	if err := wrong.Err("the task is invalid"); err != nil {
		return store.Insert{}, err
	}
	if queues, bounded := ctx.Value(queuesKey{}).([]string); bounded {
		if err := allowsDraft(queues, d, prefix); err != nil {
			return store.Insert{}, err
		}
		if err := e.allowsGroup(ctx, queues, d.Group); err != nil {
			return store.Insert{}, err
		}
	}
	return d.Row(&queue, target, now, e.policyOf), nil
}

// QueueOf finds a queue. One that is not known is looked for on disk, but not
// at every call, so that a wrong name cannot keep the database busy.
func (e *Enqueuer) QueueOf(ctx context.Context, wrong *accept.Complaints, path, name string) store.Queue {
	queue, ok := e.engine.Queue(name)
	if !ok && e.refreshed.Allow(200*time.Millisecond) {
		if err := e.engine.Refresh(ctx); err == nil {
			queue, ok = e.engine.Queue(name)
		}
	}
	if name == alerts.Queue {
		wrong.Add(path, "the queue "+name+" is that of the engine's own alerts", "name another queue")
	} else if !ok || len(queue.Numbers) == 0 {
		wrong.Add(path, "there is no queue "+task.Quote(name), cmp.Or(e.nearestQueue(name), "create it first: outlast queue create NAME, PUT /v1/queues/{name} or Inspector().Queues.Put"))
	}
	return queue
}

// nearestQueue is a hint with the queue that has nearly this name, "" without one.
func (e *Enqueuer) nearestQueue(name string) string {
	var names []string
	for i := range e.engine.Topology().Queues {
		names = append(names, e.engine.Topology().Queues[i].Name)
	}
	if near := hints.Nearest(name, names); near != "" {
		return "did you mean " + near + "?"
	}
	return ""
}
