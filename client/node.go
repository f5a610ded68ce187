package client

import (
	"context"
	"net/url"
	"strconv"
)

// Node is a process that runs tasks.
type Node struct {
	ID        string    `json:"id" doc:"Id of the node."`
	Address   string    `json:"address,omitempty" doc:"Where its API listens."`
	Version   string    `json:"version,omitempty" doc:"Version of the program."`
	Release   string    `json:"release,omitempty" doc:"Of the application."`
	Kind      string    `json:"kind" enum:"server,embedded" doc:"embedded: an application with the library inside."`
	State     string    `json:"state" enum:"alive,left,dead" doc:"Nodes that left or died are shown for an hour."`
	Self      bool      `json:"self" doc:"The node that answers."`
	StartedAt Time      `json:"started_at" doc:"When it started."`
	Silent    *Duration `json:"silent,omitempty" doc:"For how long the node that answers has seen no beat of this one. A node is dead after 5s."`
	Lanes     int       `json:"lanes" doc:"That it owns."`
	Running   *int      `json:"running,omitempty" doc:"Attempts in progress, at its last beat; 0 for one that left or died. Absent for a token for certain queues, since they are of all."`
	Slots     int       `json:"slots" doc:"Attempts at most; 0 for one that left or died."`
	Queues    []string  `json:"queues" doc:"That it takes part in."`
	Types     []string  `json:"types" doc:"That it can start; @http makes the requests of tasks with a target, * stands for every type."`

	AllowTargets []string `json:"allow_targets,omitempty" doc:"Address ranges that it may call beside public ones."`
	Signs        []string `json:"signs,omitempty" doc:"Hosts whose requests it signs."`
	Leaving      bool     `json:"leaving,omitempty" doc:"It stops, and starts nothing more."`
}

// Nodes lists nodes, living ones first.
type Nodes struct {
	Nodes []Node `json:"nodes" doc:"The nodes, living ones first."`
	Total int    `json:"total" doc:"How many there are, also beyond the limit."`
	AsOf  Time   `json:"as_of" doc:"When the node that answers has read this from the store."`
	Stale bool   `json:"stale,omitempty" doc:"That was more than 5s ago: the store does not answer, and things may stand otherwise by now."`
}

// Lane is a slice of a queue.
type Lane struct {
	Number     int    `json:"number" doc:"Number of the lane."`
	Queue      string `json:"queue" doc:"Name of the queue."`
	Owner      string `json:"owner,omitempty" doc:"Node that orders and starts its tasks; absent while it has none."`
	OwnerState string `json:"owner_state,omitempty" enum:"alive,left,dead" doc:"The lane of a node that is not alive is free, and will be taken."`
	Epoch      int64  `json:"epoch" doc:"Rises with every owner."`
	Known      *int   `json:"known,omitempty" doc:"Tasks of it in memory, running ones included, where the node that answers owns it."`
}

// Lanes is a page of lanes by number.
type Lanes struct {
	Lanes      []Lane `json:"lanes" doc:"The lanes of the page."`
	NextCursor string `json:"next_cursor" doc:"Of the next page; empty at the end."`
	AsOf       Time   `json:"as_of" doc:"When the node that answers has read this from the store."`
	Stale      bool   `json:"stale,omitempty" doc:"That was more than 5s ago: the store does not answer, and things may stand otherwise by now."`
}

// Wake is what one node tells another.
type Wake struct {
	Lanes []int `json:"lanes" doc:"Numbers of lanes whose rows changed, at most 4096; none for anything."`
}

// Woken is the answer to [Wake].
type Woken struct{}

// Nodes lists at most limit nodes (100 for 0), living ones first.
func (c *Client) Nodes(ctx context.Context, limit int) (*Nodes, error) {
	query := url.Values{}
	if limit != 0 {
		query.Set("limit", strconv.Itoa(limit))
	}
	return get[Nodes](ctx, c, "/v1/nodes", query)
}

// Lanes returns a page of lanes by number, of one queue and one node where they
// are given, at most limit of them (100 for 0).
func (c *Client) Lanes(ctx context.Context, queue, node, cursor string, limit int) (*Lanes, error) {
	query := url.Values{}
	for name, value := range map[string]string{"queue": queue, "node": node, "cursor": cursor} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if limit != 0 {
		query.Set("limit", strconv.Itoa(limit))
	}
	return get[Lanes](ctx, c, "/v1/lanes", query)
}
