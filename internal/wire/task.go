package wire

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"unicode/utf8"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/task"
)

// Task is a task as it is seen.
func Task(v *inspect.View) client.Task {
	t := v.Task
	out := client.Task{
		ID: t.ID, Type: t.Type, Queue: t.Queue, State: t.State, Priority: t.Priority, RunAt: Time(t.RunAt),
		Key: t.Key, ShareKey: t.Spec.ShareKey, DedupeKey: t.Spec.DedupeKey, DedupeWindow: client.Duration(t.Spec.DedupeWindow),
		Policy: t.Policy, Retry: client.PlainJSON(t.Spec.Retry), MaxAttempts: v.MaxAttempts, Timeout: client.Duration(t.Spec.Timeout),
		Deadline: Time(t.Spec.Deadline), Metadata: t.Spec.Metadata, Target: Target(t.Spec.HTTP),
		Fallback: Follow(t.Spec.Fallback), OnSuccess: Follow(t.Spec.OnSuccess), OnDead: Follow(t.Spec.OnDead),
		Alert: client.PlainJSON(t.Spec.Alert), TraceParent: t.Spec.TraceParent, Group: t.Spec.Group, Attempt: t.Attempt, Crashes: t.Crashes, Claim: t.Claim,
		StartedAt: Time(t.StartedAt), CancelRequested: t.CancelRequested, Waiting: string(v.Waiting), NextCheck: Time(v.NextCheck), MissingKey: v.MissingKey,
		CreatedAt: Time(t.CreatedAt), UpdatedAt: Time(t.UpdatedAt), FinishedAt: Time(t.FinishedAt),
		LastError: Failure(t.LastError), LastFailedAt: Time(t.LastFailedAt), DeadReason: string(t.DeadReason), Result: t.Result, Progress: v.Progress, LeaseUntil: Time(v.LeaseUntil),
		FallbackTask: t.FallbackTask, FallbackState: string(v.FallbackState), Parent: t.Spec.Parent,
		CallbackTask: v.CallbackTask, CallbackState: string(v.CallbackState), Follows: string(t.Spec.Follows),
		Steps: Steps(v.Steps, t.Spec.Undone), CompensationTask: v.CompensationTask, CompensationState: string(v.CompensationState),
	}
	out.Node, out.Worker, _ = task.Runner(t.Node)
	if v.Held != nil {
		out.Dispatch = &client.Dispatch{Failures: v.Held.Failures, LastError: v.Held.Error, NextAt: Time(v.Held.Next)}
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

// Tasks are several of them.
func Tasks(views []*inspect.View) []client.Task {
	out := make([]client.Task, len(views))
	for i, view := range views {
		out[i] = Task(view)
	}
	return out
}

// Failure is how an attempt failed.
func Failure(f *task.Failure) *client.Failure {
	if f == nil {
		return nil
	}
	return &client.Failure{
		Category: f.Category, Type: f.Type, Code: f.Code, Effect: f.Effect, Message: f.Message,
		Fingerprint: f.Fingerprint, At: Time(f.At), Delay: client.Duration(f.Delay),
	}
}

// Attempts are those of one task.
func Attempts(attempts []task.Attempt) []client.Attempt {
	out := make([]client.Attempt, len(attempts))
	for i, a := range attempts {
		out[i] = client.Attempt{
			Number: a.Number, Claim: a.Claim, StartedAt: Time(a.StartedAt), EndedAt: Time(a.EndedAt),
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
