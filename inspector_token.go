package outlast

import (
	"context"

	"github.com/outlast-dev/outlast/internal/actor"
	"github.com/outlast-dev/outlast/token"
)

// Tokens checks the tokens of requests, for servers; [Inspector.CreateToken]
// and its like are for people.
func (c *Client) Tokens() *token.Keeper { return c.tokens }

// CreateToken makes a token for the API of servers and returns its secret, which
// is shown this once. As soon as there is one, every request needs one. Codes
// "invalid" with fields, and "conflict" when there are too many.
func (i *Inspector) CreateToken(ctx context.Context, spec token.Spec) (*token.Token, token.Secret, error) {
	return i.client.tokens.Create(ctx, spec, actor.Audit(ctx, "", ""))
}

// Tokens lists all tokens by name, also those that expired or were revoked
// within the last 90 days.
func (i *Inspector) Tokens(ctx context.Context) ([]token.Token, error) {
	return i.client.tokens.List(ctx)
}

// RevokeToken ends a token for good, within 2 seconds on all nodes. Code
// "not_found".
func (i *Inspector) RevokeToken(ctx context.Context, id string) (*token.Token, error) {
	return i.client.tokens.Revoke(ctx, id, actor.Audit(ctx, "", ""))
}
