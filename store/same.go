package store

import (
	"bytes"

	"github.com/outlast-dev/outlast/task"
)

// SameContent reports whether an enqueue with the id of a task repeats the one
// that made it: queue, type, key, payload and what the task calls are the same.
// Targets that are named differently are the same for one URL, and for one handler,
// since an earlier version may have named them by other rules.
func SameContent(existing, repeat *task.Task) bool {
	return existing.Queue == repeat.Queue && existing.Type == repeat.Type && existing.Key == repeat.Key &&
		bytes.Equal(existing.Payload, repeat.Payload) && (existing.Target == repeat.Target || sameURL(existing.Spec.HTTP, repeat.Spec.HTTP) || sameHandler(existing, repeat))
}

func sameURL(a, b *task.Request) bool { return a != nil && b != nil && a.URL == b.URL }

// sameHandler reports whether a handler has named the target of one of two tasks, and
// none of them makes a request.
func sameHandler(a, b *task.Task) bool {
	return (task.IsNamed(a.Target) || task.IsNamed(b.Target)) && a.Spec.HTTP == nil && b.Spec.HTTP == nil
}
