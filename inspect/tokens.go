package inspect

import (
	"context"

	"github.com/outlast-dev/outlast/internal/actor"
	"github.com/outlast-dev/outlast/token"
)

// Tokens makes, shows and revokes tokens of the API.
type Tokens struct{ node *node }

// Create makes a token for the API of servers and returns its secret, which
// is shown this once. As soon as there is one, every request needs one. Codes
// "invalid" with fields, and "conflict" when there are too many.
func (ts *Tokens) Create(ctx context.Context, spec token.Spec) (*token.Token, token.Secret, error) {
	return ts.node.Tokens.Create(ctx, spec, actor.Audit(ctx, "", ""))
}

// List lists all tokens by name, also those that expired or were revoked
// within the last 90 days.
func (ts *Tokens) List(ctx context.Context) ([]token.Token, error) {
	return ts.node.Tokens.List(ctx)
}

// Revoke ends a token for good, within 2 seconds on all nodes. Code
// "not_found".
func (ts *Tokens) Revoke(ctx context.Context, id string) (*token.Token, error) {
	return ts.node.Tokens.Revoke(ctx, id, actor.Audit(ctx, "", ""))
}
