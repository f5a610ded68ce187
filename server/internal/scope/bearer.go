package scope

import (
	"context"

	"github.com/outlast-dev/outlast/inspect"
)

type bearerKey struct{}

// WithBearer gives the context of a request its token.
func WithBearer(ctx context.Context, t *inspect.Token) context.Context {
	return context.WithValue(ctx, bearerKey{}, t)
}

// Bearer is the token of a request, nil where none is needed.
func Bearer(ctx context.Context) *inspect.Token {
	t, _ := ctx.Value(bearerKey{}).(*inspect.Token)
	return t
}

// Narrow is the token of a request that is for certain queues only, else nil.
func Narrow(ctx context.Context) *inspect.Token {
	if t := Bearer(ctx); t != nil && t.Scoped() {
		return t
	}
	return nil
}

// Queues are those that the token of a request is for, nil for all.
func Queues(ctx context.Context) []string {
	if t := Narrow(ctx); t != nil {
		return t.Queues
	}
	return nil
}
