package inspector

import (
	"context"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/actor"
)

// Tokens is [inspect.Tokens].
type Tokens struct{ node *node }

func (ts *Tokens) Create(ctx context.Context, spec inspect.TokenSpec) (*inspect.Token, inspect.TokenSecret, error) {
	return ts.node.Tokens.Create(ctx, spec, actor.Audit(ctx, "", ""))
}

func (ts *Tokens) List(ctx context.Context) ([]inspect.Token, error) {
	return ts.node.Tokens.List(ctx)
}

func (ts *Tokens) Revoke(ctx context.Context, id string) (*inspect.Token, error) {
	return ts.node.Tokens.Revoke(ctx, id, actor.Audit(ctx, "", ""))
}

func (ts *Tokens) Check(ctx context.Context, text string) (*inspect.Token, error) {
	return ts.node.Tokens.Check(ctx, text)
}

func (ts *Tokens) Required(ctx context.Context) (bool, error) { return ts.node.Tokens.Required(ctx) }

func (ts *Tokens) Live(ctx context.Context) (bool, error) { return ts.node.Tokens.Live(ctx) }
