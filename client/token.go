package client

import (
	"context"
	"net/http"
	"net/url"
)

// TokenSpec is what a new token is to be.
type TokenSpec struct {
	ID     string   `json:"id,omitempty" doc:"8 of the characters a-z and 2-7, chosen at random; made when absent. Who gives it knows what to revoke if the answer is lost: a repeat is a conflict."`
	Name   string   `json:"name" doc:"Who or what bears the token, for people: 1 to 128 characters."`
	Role   string   `json:"role" enum:"viewer,operator,admin,enqueuer,worker" doc:"What its bearer may do."`
	Queues []string `json:"queues,omitempty" doc:"The queues that it is for; all when absent. Not for admins."`
	TTL    Duration `json:"ttl,omitzero" doc:"How long it is good, at most 10 years; forever when absent."`
}

// Token is what is known of a token beside its secret.
type Token struct {
	ID        string   `json:"id" doc:"Id of the token, which is no secret."`
	Name      string   `json:"name" doc:"Who or what bears it."`
	Role      string   `json:"role" enum:"viewer,operator,admin,enqueuer,worker" doc:"What its bearer may do."`
	Queues    []string `json:"queues,omitempty" doc:"All when absent."`
	State     string   `json:"state" enum:"live,expired,revoked" doc:"live, expired or revoked."`
	CreatedAt Time     `json:"created_at" doc:"When it was made."`
	CreatedBy string   `json:"created_by,omitempty" doc:"Who made it."`
	ExpiresAt Time     `json:"expires_at,omitzero" doc:"When it stops being good; absent of one that does not."`
	RevokedAt Time     `json:"revoked_at,omitzero" doc:"When it was revoked; absent if it was not."`
	RevokedBy string   `json:"revoked_by,omitempty" doc:"Who revoked it."`
}

// NewToken is a token that was just made.
type NewToken struct {
	Token
	Secret string `json:"token" doc:"What its bearer sends. It is shown this once."`
}

// Tokens is a list of tokens.
type Tokens struct {
	Tokens []Token `json:"tokens" doc:"The tokens, by name."`
}

// CreateToken makes a token; its secret is in the answer, and nowhere else. The
// call is not repeated: a token whose secret was lost on the way is of no use. With
// an id of your own in the spec you can revoke it then.
func (c *Client) CreateToken(ctx context.Context, spec TokenSpec) (*NewToken, error) {
	return exchange[NewToken](ctx, c, call{method: http.MethodPost, path: "/v1/tokens", body: spec, once: true})
}

// Tokens lists all tokens by name, also those that expired or were revoked
// within the last 90 days.
func (c *Client) Tokens(ctx context.Context) (*Tokens, error) {
	return get[Tokens](ctx, c, "/v1/tokens", nil)
}

// RevokeToken ends a token for good, within 2 seconds on all nodes.
func (c *Client) RevokeToken(ctx context.Context, id string) (*Token, error) {
	return exchange[Token](ctx, c, call{method: http.MethodDelete, path: "/v1/tokens/" + url.PathEscape(id)})
}

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
