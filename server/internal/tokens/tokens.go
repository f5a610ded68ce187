// Package tokens is the calls about tokens, and about who calls with one.
package tokens

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/wire"
	"github.com/outlast-dev/outlast/server/internal/route"
	"github.com/outlast-dev/outlast/server/internal/scope"
	"github.com/outlast-dev/outlast/task"
)

type tokenInput struct{ Body client.TokenSpec }

type tokenID struct {
	ID string `path:"id" doc:"Id of the token."`
}

// errFirstToken refuses a first token that would lock everybody out.
var errFirstToken = task.Invalid("role", "the first token must be an admin's, for all queues: from then on nobody else could make or revoke any",
	"make an admin's token first, and then this one with it")

// Add adds the calls about tokens.
func Add(to *route.Table, tokens inspect.Tokens) {
	route.Handle(to, route.Route{
		Method: "POST", Path: "/v1/tokens", ID: "create-token", Needs: inspect.PermissionAdminister, Scope: scope.Whole, Tag: "tokens", Answers: []int{201},
		Summary: "Create a token; its secret is shown only once", Errors: []task.Code{task.CodeConflict},
		About: "From then on every request needs a token, also requests from the same machine. The roles are viewer, operator, admin, enqueuer and worker; " +
			"x-permission names the permission that each call needs.",
	}, func(ctx context.Context, in *tokenInput) (*route.Answer[client.NewToken], error) {
		if scope.Bearer(ctx) == nil && (in.Body.Role != string(inspect.Admin) || len(in.Body.Queues) > 0) {
			return nil, errFirstToken
		}
		made, secret, err := tokens.Create(ctx, inspect.TokenSpec{
			ID: in.Body.ID, Name: in.Body.Name, Role: inspect.Role(in.Body.Role), Queues: in.Body.Queues, TTL: time.Duration(in.Body.TTL),
		})
		if err != nil {
			return nil, err
		}
		return route.OK(client.NewToken{Token: wireToken(made), Secret: secret.Reveal()})
	})
	route.Handle(to, route.Route{
		Method: "GET", Path: "/v1/tokens", ID: "list-tokens", Needs: inspect.PermissionAdminister, Scope: scope.Whole, Tag: "tokens",
		Summary: "List tokens by name", About: "Also those that expired or were revoked within the last 90 days.",
	}, func(ctx context.Context, _ *route.None) (*route.Answer[client.Tokens], error) {
		found, err := tokens.List(ctx)
		if err != nil {
			return nil, err
		}
		return route.OK(client.Tokens{Tokens: wire.Each(found, wireToken)})
	})
	route.Handle(to, route.Route{
		Method: "DELETE", Path: "/v1/tokens/{id}", ID: "revoke-token", Needs: inspect.PermissionAdminister, Scope: scope.Whole, Tag: "tokens",
		Summary: "Revoke a token for good", About: "No node accepts it after 2 seconds.", Errors: []task.Code{task.CodeNotFound},
	}, func(ctx context.Context, in *tokenID) (*route.Answer[client.Token], error) {
		return route.As(wireToken)(tokens.Revoke(ctx, in.ID))
	})
}

func wireToken(t *inspect.Token) client.Token {
	return client.Token{
		ID: t.ID, Name: t.Name, Role: string(t.Role), Queues: t.Queues, State: string(t.State(time.Now())), CreatedAt: wire.Time(t.CreatedAt),
		CreatedBy: t.CreatedBy, ExpiresAt: wire.Time(t.ExpiresAt), RevokedAt: wire.Time(t.RevokedAt), RevokedBy: t.RevokedBy,
	}
}
