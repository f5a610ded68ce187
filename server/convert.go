package server

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"time"
	"unicode/utf8"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/bulk"
	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/dead"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

func draftOf(d *client.Draft) outlast.Draft {
	return outlast.Draft{
		ID: d.ID, Type: d.Type, Queue: d.Queue, Payload: d.Payload,
		Delay: time.Duration(d.Delay), RunAt: d.RunAt.Time, Priority: d.Priority,
		Key: d.Key, DedupeKey: d.DedupeKey, DedupeWindow: time.Duration(d.DedupeWindow),
		Policy: d.Policy, Retry: d.Retry, MaxAttempts: d.MaxAttempts, Timeout: time.Duration(d.Timeout),
		Deadline: d.Deadline.Time, TTL: time.Duration(d.TTL), Metadata: d.Metadata, Target: requestOf(d.Target),
		Fallback: followOf(d.Fallback), OnSuccess: followOf(d.OnSuccess), OnDead: followOf(d.OnDead),
		Alert: d.Alert, TraceParent: d.TraceParent,
	}
}

func requestOf(t *client.Target) *task.Request {
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

func targetOf(r *task.Request) *client.Target {
	if r == nil {
		return nil
	}
	out := &client.Target{URL: r.URL, Method: r.Method, Headers: task.HideHeaders(r.Headers), Success: r.Success}
	if name, path, ok := task.GroupOf(r.URL); ok {
		out.URL, out.Group, out.Path = "", name, path
	}
	return out
}

func followOf(f *client.Follow) *task.Follow {
	if f == nil {
		return nil
	}
	return &task.Follow{Type: f.Type, Queue: f.Queue, Policy: f.Policy, Payload: f.Payload, HTTP: requestOf(f.Target)}
}

func wireFollow(f *task.Follow) *client.Follow {
	if f == nil {
		return nil
	}
	return &client.Follow{Type: f.Type, Queue: f.Queue, Policy: f.Policy, Payload: f.Payload, Target: targetOf(f.HTTP)}
}

func wireTask(v *inspect.View) client.Task {
	t := v.Task
	out := client.Task{
		ID: t.ID, Type: t.Type, Queue: t.Queue, State: t.State, Priority: t.Priority, RunAt: wireTime(t.RunAt),
		Key: t.Key, DedupeKey: t.Spec.DedupeKey, DedupeWindow: client.Duration(t.Spec.DedupeWindow),
		Policy: t.Policy, Retry: client.PlainJSON(t.Spec.Retry), MaxAttempts: v.MaxAttempts, Timeout: client.Duration(t.Spec.Timeout),
		Deadline: wireTime(t.Spec.Deadline), Metadata: t.Spec.Metadata, Target: targetOf(t.Spec.HTTP),
		Fallback: wireFollow(t.Spec.Fallback), OnSuccess: wireFollow(t.Spec.OnSuccess), OnDead: wireFollow(t.Spec.OnDead),
		Alert: client.PlainJSON(t.Spec.Alert), TraceParent: t.Spec.TraceParent, Attempt: t.Attempt, Crashes: t.Crashes, Claim: t.Claim,
		StartedAt: wireTime(t.StartedAt), CancelRequested: t.CancelRequested, Waiting: string(v.Waiting), NextCheck: wireTime(v.NextCheck), MissingKey: v.MissingKey,
		CreatedAt: wireTime(t.CreatedAt), UpdatedAt: wireTime(t.UpdatedAt), FinishedAt: wireTime(t.FinishedAt),
		LastError: wireFailure(t.LastError), LastFailedAt: wireTime(t.LastFailedAt), DeadReason: string(t.DeadReason), Result: t.Result, Progress: v.Progress, LeaseUntil: wireTime(v.LeaseUntil),
		FallbackTask: t.FallbackTask, FallbackState: string(v.FallbackState), Parent: t.Spec.Parent,
		CallbackTask: v.CallbackTask, CallbackState: string(v.CallbackState), Follows: string(t.Spec.Follows),
	}
	out.Node, out.Worker, _ = task.Runner(t.Node)
	if v.Held != nil {
		out.Dispatch = &client.Dispatch{Failures: v.Held.Failures, LastError: v.Held.Error, NextAt: wireTime(v.Held.Next)}
	}
	if v.PolicyName != "" {
		out.Policy = v.PolicyName
		if v.PolicyName != "inline" {
			out.PolicyVersion = int(max(v.PolicyVersion, 1)) // presets have one version
		}
	}
	if v.FallbackError != nil {
		out.FallbackError = v.FallbackError.Message
	}
	if v.CallbackError != nil {
		out.CallbackError = v.CallbackError.Message
	}
	switch {
	case len(t.Payload) == 0:
	case utf8.Valid(t.Payload) && json.Valid(t.Payload):
		out.Payload = t.Payload
	default:
		out.PayloadBase64 = base64.StdEncoding.EncodeToString(t.Payload)
	}
	return out
}

func wireTasks(views []*inspect.View) []client.Task {
	out := make([]client.Task, len(views))
	for i, view := range views {
		out[i] = wireTask(view)
	}
	return out
}

func wireTime(t time.Time) client.Time { return client.Time{Time: t} }

func wireFailure(f *task.Failure) *client.Failure {
	if f == nil {
		return nil
	}
	return &client.Failure{
		Category: f.Category, Type: f.Type, Code: f.Code, Effect: f.Effect, Message: f.Message,
		Fingerprint: f.Fingerprint, At: wireTime(f.At), Delay: client.Duration(f.Delay),
	}
}

func wireAttempts(attempts []outlast.Attempt) []client.Attempt {
	out := make([]client.Attempt, len(attempts))
	for i, a := range attempts {
		out[i] = client.Attempt{
			Number: a.Number, Claim: a.Claim, StartedAt: wireTime(a.StartedAt), EndedAt: wireTime(a.EndedAt),
			Outcome: string(a.Outcome), NextDelay: client.Duration(a.NextDelay), Policy: a.Policy, PolicyVersion: a.PolicyVersion,
		}
		var release string
		out[i].Node, out[i].Worker, release = task.Runner(a.Node)
		out[i].Release = cmp.Or(a.Release, release)
		out[i].Error = a.Lost()
		if f := a.Failure; f != nil {
			out[i].Category, out[i].Error, out[i].Type, out[i].Code = f.Category, f.Message, f.Type, f.Code
			out[i].Effect, out[i].Fingerprint = f.Effect, f.Fingerprint
		}
	}
	return out
}

func wireQueue(q *outlast.Queue) client.Queue {
	return client.Queue{
		Name: q.Name, Lanes: q.Lanes, Paused: q.Paused, Policy: q.Policy, UnknownType: q.UnknownType,
		Concurrency: q.Concurrency, MaxPending: q.MaxPending, Weight: q.Weight, UpdatedAt: wireTime(q.UpdatedAt),
	}
}

func wireOperation(o *store.Operation) client.Operation {
	out := client.Operation{
		ID: o.ID, Kind: o.Kind, State: string(o.State), Matched: o.Matched, Done: o.Done, Error: o.Error,
		CreatedAt: wireTime(o.CreatedAt), UpdatedAt: wireTime(o.UpdatedAt), FinishedAt: wireTime(o.FinishedAt),
	}
	if p, ok := dead.ProgressOf(o); ok {
		out.Sent, out.Skipped, out.Waiting = p.Sent, p.Skipped, p.Waiting
		if r, _ := dead.RequestOf(o); r != nil && r.Watches() {
			out.Succeeded, out.Failing = &p.Succeeded, &p.Failing
		}
	}
	if p, ok := bulk.ProgressOf(o); ok {
		out.Changed, out.Skipped, out.Waiting = p.Changed, p.Skipped, p.Waiting
		out.Bulk, out.Named = wireBulk(o)
		return out
	}
	out.Request, out.Named = wireRequest(o)
	return out
}

// wireRequest gives the request that an operation keeps the form in which it
// was made; nil for one that cannot be read. Ids are not kept: named is how many
// they were.
func wireRequest(o *store.Operation) (request *client.Redrive, named int) {
	r, named := dead.RequestOf(o)
	if r == nil {
		return nil, 0
	}
	out := &client.Redrive{Rate: r.Rate, Canary: r.Canary, StopIfFailing: r.StopIfFailing, KeepAttempts: r.KeepAttempts}
	if f := r.Filter; f != nil {
		out.Filter = &client.DeadFilter{
			Type: f.Type, Queue: f.Queue, Key: f.Key, Category: f.Category, Trace: f.Trace, Since: wireTime(f.Since),
			Until: wireTime(f.Until), Reason: string(f.Reason), Fingerprint: f.Fingerprint, DiedBefore: wireTime(f.DiedBefore), FailedSince: wireTime(f.FailedSince), FailedUntil: wireTime(f.FailedUntil),
			Target: f.Target, AttemptMin: f.AttemptMin, Metadata: f.Metadata, Q: f.Search,
		}
	}
	if json.Valid(r.Payload) { // one that a Go program gave need not be JSON
		out.Payload = r.Payload
	}
	return out, named
}

func wireSamples(samples []dead.Sample, now time.Time) []client.RedriveSample {
	out := make([]client.RedriveSample, len(samples))
	for i, s := range samples {
		out[i] = client.RedriveSample{
			ID: s.ID, Type: s.Type, Queue: s.Queue, Key: s.Key, Reason: string(s.Reason), Category: s.Category, Message: s.Message,
			DiedAt: wireTime(s.DiedAt), Age: max(0, now.Sub(s.DiedAt)).Truncate(time.Second).String(),
		}
	}
	return out
}

func wireItems(items []dead.Item) []client.OperationItem {
	out := make([]client.OperationItem, len(items))
	for i := range items {
		item := &items[i]
		out[i] = client.OperationItem{
			Place: item.Place, ID: item.ID, Status: string(item.Status), Type: item.Type, Queue: item.Queue, Key: item.Key,
			Attempt: item.Attempt, Reason: string(item.Reason), Error: wireFailure(item.Error), At: wireTime(item.At),
		}
	}
	return out
}

func deadFilter(f *client.DeadFilter) *store.Filter {
	if f == nil {
		return nil
	}
	return &store.Filter{
		Type: f.Type, Queue: f.Queue, Key: f.Key, Category: f.Category, Trace: f.Trace, Since: f.Since.Time,
		Until: f.Until.Time, Reason: task.DeadReason(f.Reason), Fingerprint: f.Fingerprint, DiedBefore: f.DiedBefore.Time, FailedSince: f.FailedSince.Time, FailedUntil: f.FailedUntil.Time,
		Target: f.Target, AttemptMin: f.AttemptMin, Metadata: f.Metadata, Search: f.Q,
	}
}
