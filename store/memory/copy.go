package memory

import (
	"bytes"
	"maps"
	"slices"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// clone copies a task so that nothing is shared.
func clone(t *task.Task) *task.Task {
	c := *t
	c.Payload = bytes.Clone(t.Payload)
	c.Result = bytes.Clone(t.Result)
	c.LastError = cloneFailure(t.LastError)
	c.Spec.Retry = bytes.Clone(t.Spec.Retry)
	c.Spec.Metadata = maps.Clone(t.Spec.Metadata)
	c.Spec.HTTP = cloneRequest(t.Spec.HTTP)
	c.Spec.Fallback = cloneFollow(t.Spec.Fallback)
	c.Spec.OnSuccess = cloneFollow(t.Spec.OnSuccess)
	c.Spec.OnDead = cloneFollow(t.Spec.OnDead)
	return &c
}

func cloneFailure(f *task.Failure) *task.Failure {
	if f == nil {
		return nil
	}
	c := *f
	return &c
}

func cloneRequest(r *task.Request) *task.Request {
	if r == nil {
		return nil
	}
	c := *r
	c.Headers = maps.Clone(r.Headers)
	return &c
}

func cloneFollow(f *task.Follow) *task.Follow {
	if f == nil {
		return nil
	}
	c := *f
	c.Payload = bytes.Clone(f.Payload)
	c.HTTP = cloneRequest(f.HTTP)
	return &c
}

func cloneAttempts(attempts []task.Attempt) []task.Attempt {
	out := slices.Clone(attempts)
	for i := range out {
		out[i].Failure = cloneFailure(out[i].Failure)
	}
	return out
}

func cloneServes(serves store.Serves) store.Serves {
	out := maps.Clone(serves)
	for queue, s := range out {
		s.Types, s.Wants = slices.Clone(s.Types), slices.Clone(s.Wants)
		out[queue] = s
	}
	return out
}

func (d *data) cloneQueue(q *queue) store.Queue {
	out := q.Queue
	out.Numbers = slices.Clone(q.Numbers)
	if q.MaxPending > 0 {
		out.Pending = min(d.backlog(q.Numbers).Pending, q.MaxPending)
	}
	return out
}

func cloneOperation(o store.Operation) store.Operation {
	o.Request = bytes.Clone(o.Request)
	return o
}
