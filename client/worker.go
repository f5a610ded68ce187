package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/outlast-dev/outlast/task"
)

// Poll asks for tasks for a remote worker.
type Poll struct {
	Worker  string   `json:"worker" doc:"Name of the worker, 1 to 128 of the characters A-Z a-z 0-9 . _ : -; each process has its own."`
	Release string   `json:"release,omitempty" doc:"Release of the worker, at most 64 bytes without control characters: attempts and statistics name it instead of the node's."`
	Queues  []string `json:"queues,omitempty" doc:"default when absent."`
	Types   []string `json:"types,omitempty" doc:"What the worker can start. All types but HTTP requests when absent."`
	Max     *int     `json:"max,omitempty" doc:"Tasks at most, 1 to 1000, 1 when absent."`
	Wait    Duration `json:"wait,omitzero" doc:"How long to wait for the first one, at most 60s; 0s asks for what is due now."`
	Lease   Duration `json:"lease,omitzero" given:"leave it out for 30s" doc:"How long the tasks are the worker's unless it extends that, 1s to 1h; 30s when absent."`
}

// Polled are tasks for a worker, none where the time has passed.
type Polled struct {
	Tasks []LeasedTask `json:"tasks" doc:"The tasks, in the order in which they are to start."`
}

// LeasedTask is a task that runs on a remote worker. Claim is what extend and
// settle need; not extended by LeaseUntil, the task runs elsewhere.
type LeasedTask struct {
	Task
	AttemptEnds Time `json:"attempt_ends,omitzero" doc:"When the attempt's timeout or the deadline of the task ends the attempt, by the clock of the server."`
}

// Extend moves the ends of leases.
type Extend struct {
	Items []ExtendItem `json:"items" doc:"1 to 1000 tasks."`
	Lease Duration     `json:"lease,omitzero" given:"leave it out for 30s" doc:"From now, 1s to 1h; 30s when absent."`
}

// ExtendItem names a task that a worker runs.
type ExtendItem struct {
	ID       task.ID         `json:"id" doc:"Id of the task."`
	Claim    int64           `json:"claim" doc:"The claim with which the task came."`
	Progress json.RawMessage `json:"progress,omitempty" doc:"Any JSON of at most 4 KiB; shown with the task while it runs, by the node that leased it."`
}

// Extended answers the items in the same order.
type Extended struct {
	Results []ExtendResult `json:"results" doc:"One result per item, in the same order."`
}

// ExtendResult is the answer to one item.
type ExtendResult struct {
	ID         task.ID `json:"id" doc:"Id of the task."`
	Status     string  `json:"status" enum:"ok,canceled,stale_claim,not_found" doc:"canceled: extended, but somebody wants the task to stop. stale_claim, not_found: stop, the task is not this worker's any more."`
	LeaseUntil Time    `json:"lease_until,omitzero" doc:"When the lease ends now; absent of a task that is lost."`
}

// AddSteps keeps steps that a worker has done.
type AddSteps struct {
	Items []DoneStep `json:"items" doc:"1 to 1000 steps."`
}

// DoneStep is a step that a worker has done of a task that it runs. Its result is on disk
// once the answer is there.
type DoneStep struct {
	ID           task.ID         `json:"id" doc:"Id of the task."`
	Claim        int64           `json:"claim" doc:"The claim with which the task came."`
	Name         string          `json:"name" doc:"What the step does, 1 to 128 characters."`
	Occurrence   int             `json:"occurrence,omitempty" given:"leave it out for 1" doc:"Which of the steps of this name it is in one attempt, from 1; 1 when absent."`
	Result       json.RawMessage `json:"result,omitempty" doc:"JSON of at most 64 KiB. All steps of a task have at most 4 MiB, with the payloads of their compensations."`
	Type         string          `json:"type,omitempty" doc:"That of the result, in the words of the worker's language; at most 128 bytes."`
	StartedAt    Time            `json:"started_at,omitzero" doc:"When it began, if the worker tells."`
	Compensation *Compensation   `json:"compensation,omitempty" doc:"The task that undoes the step if its own dies."`
}

// AddedSteps answers the items in the same order.
type AddedSteps struct {
	Results []StepResult `json:"results" doc:"One result per step, in the same order."`
}

// StepResult is what became of one step. A repeat under the same claim is ok.
type StepResult struct {
	ID         task.ID `json:"id" doc:"Id of the task."`
	Name       string  `json:"name" doc:"Name of the step."`
	Occurrence int     `json:"occurrence" doc:"Which of the steps of this name it is, from 1."`
	Status     string  `json:"status" enum:"ok,stale_claim,not_found,error" doc:"stale_claim, not_found: stop, the task is not this worker's any more, and the step is not kept. error: the step is not kept, error says why."`
	Error      *Error  `json:"error,omitempty" doc:"Why the step is not kept; only of status error."`
}

// SettleTasks ends attempts.
type SettleTasks struct {
	Results []TaskResult `json:"results" doc:"1 to 1000 results."`
}

// TaskResult says how one attempt ended.
type TaskResult struct {
	ID         task.ID         `json:"id" doc:"Id of the task."`
	Claim      int64           `json:"claim" doc:"The claim with which the task came."`
	Outcome    string          `json:"outcome" enum:"succeeded,failed,snoozed,released,dead,canceled" doc:"released: hand it back, at no cost. snoozed: run it again after retry_after, at no cost."`
	Error      *TaskError      `json:"error,omitempty" doc:"Of outcomes that are not success."`
	RetryAfter *Duration       `json:"retry_after,omitempty" doc:"Of failed: in place of the policy's delay. Of snoozed: required."`
	Result     json.RawMessage `json:"result,omitempty" doc:"JSON of at most 64 KiB, kept with a task that succeeded."`
}

// TaskError is a failure as its worker saw it.
type TaskError struct {
	Message  string `json:"message" doc:"What failed, for people; at most 16 KiB are kept."`
	Category string `json:"category,omitempty" doc:"network, timeout, conflict, throttled, unavailable, permanent, ...; found from type and message when absent."`
	Type     string `json:"type,omitempty" doc:"Class of the error."`
	Code     string `json:"code,omitempty" doc:"HTTP status, SQLSTATE, errno."`
	Stack    string `json:"stack,omitempty" doc:"Where it failed; it helps to tell failures apart and is not kept."`
}

// Settled answers the results in the same order.
type Settled struct {
	Results []SettleResult `json:"results" doc:"One result per attempt, in the same order."`
}

// SettleResult is what became of one result. A repeat of a recorded outcome for
// the same claim is ok.
type SettleResult struct {
	ID     task.ID `json:"id" doc:"Id of the task."`
	Status string  `json:"status" enum:"ok,stale_claim,not_found" doc:"ok: it is on disk. stale_claim, not_found: the task is not this worker's any more, and the result is not kept."`
	State  string  `json:"state,omitempty" enum:"pending,running,succeeded,dead,canceled" doc:"What the task is now."`
}

// Poll waits for tasks. A lost answer is not asked for again: its tasks, if there
// were any, come back when their lease has ended.
func (c *Client) Poll(ctx context.Context, poll Poll) ([]LeasedTask, error) {
	out, err := exchange[Polled](ctx, c, call{method: http.MethodPost, path: "/v1/workers/poll", body: &poll, once: true})
	if err != nil {
		return nil, err
	}
	return out.Tasks, nil
}

// Extend moves the ends of leases to the given time from now, one answer per item.
func (c *Client) Extend(ctx context.Context, items []ExtendItem, lease time.Duration) ([]ExtendResult, error) {
	out, err := exchange[Extended](ctx, c, call{method: http.MethodPost, path: "/v1/workers/extend", body: &Extend{Items: items, Lease: Duration(lease)}})
	if err != nil {
		return nil, err
	}
	return out.Results, nil
}

// AddSteps keeps steps that a worker has done, one answer per step. It may be repeated as
// it stands. The steps that came with a task ([LeasedTask]) are not to be done again. Hand in
// a step before the end of its attempt is told.
func (c *Client) AddSteps(ctx context.Context, items []DoneStep) ([]StepResult, error) {
	out, err := exchange[AddedSteps](ctx, c, call{method: http.MethodPost, path: "/v1/workers/steps", body: &AddSteps{Items: items}})
	if err != nil {
		return nil, err
	}
	return out.Results, nil
}

// Settle says how attempts ended, one answer per result. It may be repeated as it
// stands.
func (c *Client) Settle(ctx context.Context, results []TaskResult) ([]SettleResult, error) {
	out, err := exchange[Settled](ctx, c, call{method: http.MethodPost, path: "/v1/workers/settle", body: &SettleTasks{Results: results}})
	if err != nil {
		return nil, err
	}
	return out.Results, nil
}

// RemoteWorker is a program that asks nodes for tasks.
type RemoteWorker struct {
	Name     string        `json:"name" doc:"The name under which it polls."`
	Release  string        `json:"release,omitempty" doc:"Release that it told in its last poll."`
	Queues   []string      `json:"queues" doc:"Queues whose tasks it asks for."`
	Types    []string      `json:"types" doc:"Types that it asks for; * stands for every one but HTTP requests."`
	Nodes    []string      `json:"nodes" doc:"Ids of the nodes that it polls, or has leases of."`
	Since    Time          `json:"since" doc:"When it began to poll. After a minute of silence that begins anew."`
	LastPoll Time          `json:"last_poll" doc:"When it waited for tasks last."`
	Waiting  bool          `json:"waiting" doc:"It waits for tasks now."`
	InHand   *int          `json:"in_hand,omitempty" doc:"Tasks that living nodes have leased to it and that have not ended. Absent for a token for certain queues, since they are of all."`
	Leases   []WorkerLease `json:"leases" doc:"The first of these tasks, at most 20, the earliest end of a lease first."`
}

// WorkerLease is a task that a remote worker runs.
type WorkerLease struct {
	ID         task.ID `json:"id" doc:"Id of the task."`
	Claim      int64   `json:"claim" doc:"The claim with which the task was handed out."`
	Type       string  `json:"type" doc:"Type of the task."`
	Queue      string  `json:"queue" doc:"Queue of the task."`
	LeaseUntil Time    `json:"lease_until,omitzero" doc:"When the lease ends. Absent where the worker may have extended it by another node than the one that gave it."`
}

// StrandedTasks are due tasks that no living node or worker can run.
type StrandedTasks struct {
	Queue    string `json:"queue" doc:"Queue of the tasks."`
	Type     string `json:"type,omitempty" doc:"Type of the tasks; absent where no living node works on the queue."`
	Requests bool   `json:"requests,omitempty" doc:"They are HTTP requests, which no living node makes for this queue."`
	Since    Time   `json:"since" doc:"When the first of them, by order, was due."`
	Waiting  int    `json:"waiting" doc:"Pending tasks of the type in the queue, counted to 10000."`
}

// RemoteWorkers lists remote workers by name, and what nobody can run.
type RemoteWorkers struct {
	Workers      []RemoteWorker  `json:"workers" doc:"The workers by name."`
	Total        int             `json:"total" doc:"How many there are, also beyond the limit. One that several nodes know may count more than once where a node knows more than 200."`
	Stranded     []StrandedTasks `json:"stranded" doc:"Due tasks that no living node or worker can run, a row for each type of a queue, at most 50, the oldest first."`
	StrandedMore int             `json:"stranded_more,omitempty" doc:"How many rows more there are."`
}

// RemoteWorkers lists at most limit remote workers (100 for 0) by name.
func (c *Client) RemoteWorkers(ctx context.Context, limit int) (*RemoteWorkers, error) {
	query := url.Values{}
	if limit != 0 {
		query.Set("limit", strconv.Itoa(limit))
	}
	return get[RemoteWorkers](ctx, c, "/v1/workers", query)
}
