package client

import (
	"context"
	"net/url"
	"strconv"

	"github.com/outlast-dev/outlast/task"
)

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
