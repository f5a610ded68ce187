package client

import "context"

// Self is what the caller may do, and who answers.
type Self struct {
	Open        bool       `json:"open" doc:"No token is needed: everybody who reaches the server may do everything."`
	Role        string     `json:"role,omitempty" enum:"viewer,operator,admin,enqueuer,worker" doc:"Role of the token; absent where none is needed."`
	Queues      []string   `json:"queues" doc:"That the token is for; all when empty."`
	Permissions []string   `json:"permissions" enum:"known,follow,view,enqueue,work,operate,administer" doc:"As x-permission of the calls."`
	Token       *SelfToken `json:"token" doc:"null where none is needed."`
	Server      SelfServer `json:"server" doc:"The server that answers."`
}

// SelfToken is the token of the caller.
type SelfToken struct {
	ID        string `json:"id" doc:"Id of the token."`
	Prefix    string `json:"prefix" doc:"What its text begins with."`
	Name      string `json:"name" doc:"Who or what bears it."`
	ExpiresAt Time   `json:"expires_at,omitzero" doc:"Absent for one that does not."`
}

// SelfServer is the server that answers.
type SelfServer struct {
	Version   string     `json:"version" doc:"Version of the program."`
	Release   string     `json:"release,omitempty" doc:"Of the application."`
	Node      string     `json:"node" doc:"Id of the node."`
	Store     string     `json:"store,omitempty" doc:"The kind of the store."`
	Safety    SelfSafety `json:"safety" doc:"What becomes of an acknowledged task when the machine fails."`
	StartedAt Time       `json:"started_at,omitzero" doc:"When the server started."`
	Time      Time       `json:"time" doc:"By the clock of the server."`
}

// SelfSafety is what becomes of an acknowledged task when the machine fails.
type SelfSafety struct {
	Mode string `json:"mode" enum:"full,server,none" doc:"As outlast_data_safety of the metrics."`
	Loss string `json:"loss" doc:"What can be lost at worst."`
}

// Self tells what the caller may do, and who answers.
func (c *Client) Self(ctx context.Context) (*Self, error) {
	return get[Self](ctx, c, "/v1/self", nil)
}
