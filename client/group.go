package client

import (
	"context"
	"net/http"
	"net/url"
)

// Member is what an endpoint of a worker group says of itself, again and again: its
// beat.
type Member struct {
	URL      string   `json:"url" doc:"http or https; the paths of tasks are added to its own."`
	Capacity int      `json:"capacity,omitempty" doc:"Tasks at once, 1 when absent."`
	Load     float64  `json:"load,omitempty" doc:"Tasks that it has in hand, whoever gave them."`
	TTL      Duration `json:"ttl,omitzero" given:"leave it out for the group's" doc:"How long it is a member without another beat, 1s to 1h; 15s when absent, unless configured."`
}

// Groups lists worker groups by name.
type Groups struct {
	Groups []Group `json:"groups" doc:"All worker groups, by name."`
}

// Group is a worker group as the node that was asked sees it.
type Group struct {
	Name    string        `json:"name" doc:"Name of the group."`
	State   string        `json:"state" enum:"ready,held,silent" doc:"ready: it takes tasks. held: nobody took the last one, it is left alone until next_at. silent: no member lives."`
	Members []GroupMember `json:"members" doc:"Its members."`
	// Of a group whose tasks nobody takes:
	Failures  int    `json:"failures,omitempty" doc:"Dispatches in a row that nobody took."`
	Kind      string `json:"kind,omitempty" enum:"busy,unreachable,empty" doc:"busy: all members are at capacity, or answer 503. unreachable: there is no connection to any. empty: no member lives."`
	LastError string `json:"last_error,omitempty" doc:"Why nobody took the last task."`
	NextAt    Time   `json:"next_at,omitzero" doc:"The next try."`
}

// GroupMember is a member of a worker group.
type GroupMember struct {
	ID string `json:"id" doc:"Id of the member, which it has chosen itself."`
	Member
	Living   bool `json:"living" doc:"It has beaten lately."`
	SeenAt   Time `json:"seen_at" doc:"Its last beat, by the clock of the node that was asked."`
	InFlight int  `json:"in_flight" doc:"Tasks that the node that was asked has under way there."`
}

func memberPath(group, id string) string {
	return "/v1/groups/" + url.PathEscape(group) + "/workers/" + url.PathEscape(id)
}

// PutMember registers an endpoint in a worker group, or is its beat.
func (c *Client) PutMember(ctx context.Context, group, id string, member Member) error {
	_, err := c.do(ctx, call{method: http.MethodPut, path: memberPath(group, id), body: &member}, nil)
	return err
}

// RemoveMember lets an endpoint leave a worker group.
func (c *Client) RemoveMember(ctx context.Context, group, id string) error {
	_, err := c.do(ctx, call{method: http.MethodDelete, path: memberPath(group, id), once: true}, nil)
	return err
}

// Groups lists worker groups by name.
func (c *Client) Groups(ctx context.Context) ([]Group, error) {
	out, err := get[Groups](ctx, c, "/v1/groups", nil)
	if err != nil {
		return nil, err
	}
	return out.Groups, nil
}
