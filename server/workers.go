package server

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/engine"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
	"github.com/outlast-dev/outlast/token"
)

const usualLease = 30 * time.Second

type pollInput struct{ Body client.Poll }

type extendInput struct{ Body client.Extend }

type settleInput struct{ Body client.SettleTasks }

func (s *Server) addWorkers() {
	handle(s, route{
		method: "POST", path: "/v1/workers/poll", id: "poll-tasks", needs: token.Work, scope: byBody, tag: "workers", answers: []int{200},
		summary: "Wait for tasks to run",
		about: "Answers as soon as there is a task, or with none when the time has passed. The tasks of all nodes come, whichever is asked. " +
			"They are leased to the worker: on disk, and not to be lost with this node.",
		errors: []task.Code{task.CodeUnavailable},
	}, s.pollTasks)
	handle(s, route{
		method: "POST", path: "/v1/workers/extend", id: "extend-tasks", needs: token.Work, scope: byBody, tag: "workers", answers: []int{200}, limit: maxBatch,
		summary: "Go on working, and report progress", about: "Any node can be told. The answers say which tasks are to be stopped.",
	}, s.extendTasks)
	handle(s, route{
		method: "POST", path: "/v1/workers/settle", id: "settle-tasks", needs: token.Work, scope: byBody, tag: "workers", answers: []int{200}, limit: maxBatch,
		summary: "Say how attempts ended", about: "Any node can be told. When the answer comes, it is on disk. A repeat of the recorded outcome for the same claim answers ok.",
		errors: []task.Code{task.CodeUnavailable},
	}, s.settleTasks)
}

func (s *Server) pollTasks(ctx context.Context, in *pollInput) (answer[client.Polled], error) {
	poll := engine.Poll{
		Worker: in.Body.Worker, Release: in.Body.Release, Queues: in.Body.Queues, Types: in.Body.Types, Most: 1,
		Wait: time.Duration(in.Body.Wait), Lease: orUsual(in.Body.Lease),
	}
	if in.Body.Queues == nil {
		poll.Queues = []string{task.DefaultQueue}
	}
	if t := scoped(ctx); t != nil {
		for _, queue := range poll.Queues {
			if !t.Covers(queue) {
				return fail[client.Polled](outside(t, "queues"))
			}
		}
	}
	if in.Body.Max != nil {
		poll.Most = *in.Body.Max
	}
	leased, err := s.client.PollTasks(ctx, poll)
	if err != nil {
		return fail[client.Polled](err)
	}
	tasks := make([]*outlast.Task, len(leased))
	for i := range leased {
		tasks[i] = leased[i].Task
	}
	views, err := s.inspect.Tasks.View(ctx, tasks...)
	if err != nil {
		return fail[client.Polled](err)
	}
	out := client.Polled{Tasks: make([]client.LeasedTask, len(leased))}
	for i, view := range views {
		out.Tasks[i] = client.LeasedTask{
			Task: wireTask(view), AttemptEnds: wireTime(leased[i].AttemptEnds),
		}
	}
	return ok(out)
}

func orUsual(lease client.Duration) time.Duration {
	if lease == 0 {
		return usualLease
	}
	return time.Duration(lease)
}

func (s *Server) extendTasks(ctx context.Context, in *extendInput) (answer[client.Extended], error) {
	items := make([]engine.Extension, len(in.Body.Items))
	for i, item := range in.Body.Items {
		items[i] = engine.Extension{ID: item.ID, Claim: item.Claim, Progress: orAbsent(item.Progress)}
	}
	lease := orUsual(in.Body.Lease)
	own, err := s.ownItems(ctx, idsOf(items, func(e *engine.Extension) task.ID { return e.ID }))
	if err != nil {
		return fail[client.Extended](err)
	}
	var results []store.Extended
	if left := only(items, own); len(left) > 0 || len(items) == 0 {
		if results, err = s.client.ExtendLeases(ctx, left, lease); err != nil {
			return fail[client.Extended](err)
		}
	}
	out := client.Extended{Results: make([]client.ExtendResult, len(items))}
	for i, result := range spread(results, own, store.Extended{Status: store.StatusStale}) {
		out.Results[i] = client.ExtendResult{ID: items[i].ID, Status: string(result.Status)}
		if result.Status == store.StatusOK {
			out.Results[i].LeaseUntil = wireTime(time.Now().Add(lease))
		}
		if result.CancelRequested {
			out.Results[i].Status = "canceled"
		}
	}
	return ok(out)
}

func (s *Server) settleTasks(ctx context.Context, in *settleInput) (answer[client.Settled], error) {
	endings := make([]engine.Ending, len(in.Body.Results))
	var fields []task.Field
	for i := range in.Body.Results {
		r := &in.Body.Results[i]
		wrong, err := endOf(r, fmt.Sprintf("results[%d].", i))
		if wrong != nil && len(fields) < maxComplaints {
			fields = append(fields, *wrong)
		}
		endings[i] = engine.Ending{ID: r.ID, Claim: r.Claim, Result: orAbsent(r.Result), Err: err}
	}
	if len(fields) > 0 {
		return fail[client.Settled](&task.Error{Code: task.CodeInvalid, Message: "the results are not valid", Fields: fields, Hint: fieldsHint})
	}
	own, err := s.ownItems(ctx, idsOf(endings, func(e *engine.Ending) task.ID { return e.ID }))
	if err != nil {
		return fail[client.Settled](err)
	}
	var settled []store.Settled
	if left := only(endings, own); len(left) > 0 || len(endings) == 0 {
		if settled, err = s.client.SettleTasks(ctx, left); err != nil {
			return fail[client.Settled](err)
		}
	}
	out := client.Settled{Results: make([]client.SettleResult, len(endings))}
	for i, result := range spread(settled, own, store.Settled{Status: store.StatusNotFound}) {
		out.Results[i] = client.SettleResult{ID: endings[i].ID, Status: string(result.Status), State: string(result.State)}
	}
	return ok(out)
}

// endOf is what is wrong with the result, and what a handler would have returned.
func endOf(r *client.TaskResult, path string) (wrong *task.Field, end error) {
	after := time.Duration(0)
	if r.RetryAfter != nil {
		after = time.Duration(*r.RetryAfter)
	}
	complain := func(field, message string) (*task.Field, error) {
		return &task.Field{Path: path + field, Message: message}, nil
	}
	switch {
	case after < 0:
		return complain("retry_after", "must not be negative")
	case r.Error != nil && r.Error.Category != "" && !retry.Category(r.Error.Category).Valid():
		return complain("error.category", task.Quote(r.Error.Category)+" is no category")
	}
	failure := failureOf(r.Error)
	switch task.Outcome(r.Outcome) {
	case task.OutcomeSucceeded:
		return nil, nil
	case task.OutcomeFailed:
		if r.RetryAfter != nil {
			return nil, outlast.RetryAfter(after, failure)
		}
		return nil, failure
	case task.OutcomeSnoozed:
		if r.RetryAfter == nil {
			return complain("retry_after", "is required with the outcome snoozed")
		}
		return nil, outlast.Snooze(after)
	case task.OutcomeReleased:
		return nil, engine.ErrReleased
	case task.OutcomeDead:
		return nil, outlast.Dead(failure)
	case task.OutcomeCanceled:
		return nil, outlast.Cancel(failure)
	}
	return complain("outcome", task.Quote(r.Outcome)+" is none of succeeded, failed, snoozed, released, dead and canceled")
}

// orAbsent is nil for null.
func orAbsent(value json.RawMessage) json.RawMessage {
	if string(value) == "null" {
		return nil
	}
	return value
}

// workerError is a failure that a remote worker has reported.
type workerError struct{ of client.TaskError }

func failureOf(e *client.TaskError) error {
	if e == nil {
		return &workerError{client.TaskError{Message: "the worker gave no reason"}}
	}
	return &workerError{*e}
}

// Error is the message, with the stack, if there is one, below it.
func (e *workerError) Error() string {
	if e.of.Stack == "" {
		return e.of.Message
	}
	return strings.TrimRight(e.of.Message, "\n") + "\n" + e.of.Stack
}

// RetryVerdict implements [retry.Verdictor]: the category is what the worker says,
// else what its error class, else what its message tells.
func (e *workerError) RetryVerdict() retry.Verdict {
	verdict := retry.Verdict{Category: retry.Category(e.of.Category), Effect: retry.Maybe, Type: e.of.Type, Code: e.of.Code}
	if verdict.Category == "" {
		if known, ok := retry.CategoryOfType(e.of.Type); ok {
			verdict.Category = known
		} else {
			verdict.Category = retry.Classify(fmt.Errorf("%s", e.of.Message)).Category
		}
	}
	if verdict.Type == "" {
		verdict.Type = "remote"
	}
	return verdict
}
