package wire

import (
	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/task"
)

// RequestOf is the request that a target asks for.
func RequestOf(t *client.Target) *task.Request {
	if t == nil {
		return nil
	}
	url := t.URL
	if url != "" && t.Group+t.Path != "" {
		return &task.Request{URL: task.GroupURL(t.Group+" beside an url", t.Path)} // which is refused
	}
	if t.Group != "" || t.Path != "" {
		url = task.GroupURL(t.Group, t.Path)
	}
	return &task.Request{URL: url, Method: t.Method, Headers: t.Headers, Success: t.Success}
}

// Target is a request without what is secret in it.
func Target(r *task.Request) *client.Target {
	if r == nil {
		return nil
	}
	out := &client.Target{URL: r.URL, Method: r.Method, Headers: task.HideHeaders(r.Headers), Success: r.Success}
	if name, path, ok := task.GroupOf(r.URL); ok {
		out.URL, out.Group, out.Path = "", name, path
	}
	return out
}

// FollowOf is the task that follows another.
func FollowOf(f *client.Follow) *task.Follow {
	if f == nil {
		return nil
	}
	return &task.Follow{Type: f.Type, Queue: f.Queue, Policy: f.Policy, Payload: f.Payload, HTTP: RequestOf(f.Target)}
}

// Follow is the reverse of [FollowOf].
func Follow(f *task.Follow) *client.Follow {
	if f == nil {
		return nil
	}
	return &client.Follow{Type: f.Type, Queue: f.Queue, Policy: f.Policy, Payload: f.Payload, Target: Target(f.HTTP)}
}
