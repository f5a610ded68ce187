package server

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/task"
	"github.com/outlast-dev/outlast/token"
)

type tokenInput struct{ Body client.TokenSpec }

type tokenID struct {
	ID string `path:"id" doc:"Id of the token."`
}

// errFirstToken refuses a first token that would lock everybody out.
var errFirstToken = task.Invalid("role", "the first token must be an admin's, for all queues: from then on nobody else could make or revoke any",
	"make an admin's token first, and then this one with it")

func (s *Server) addTokens() {
	handle(s, route{
		method: "POST", path: "/v1/tokens", id: "create-token", needs: token.Administer, scope: whole, tag: "tokens", answers: []int{201},
		summary: "Make a token; its secret is shown this once", errors: []task.Code{task.CodeConflict},
		about: "From then on every request needs a token, those from this machine included. The roles are viewer, operator, admin, enqueuer and worker; " +
			"x-permission says of each call what it needs.",
	}, func(ctx context.Context, in *tokenInput) (answer[client.NewToken], error) {
		if bearer(ctx) == nil && (in.Body.Role != string(token.Admin) || len(in.Body.Queues) > 0) {
			return fail[client.NewToken](errFirstToken)
		}
		made, secret, err := s.inspect.Tokens.Create(ctx, token.Spec{
			ID: in.Body.ID, Name: in.Body.Name, Role: token.Role(in.Body.Role), Queues: in.Body.Queues, TTL: time.Duration(in.Body.TTL),
		})
		if err != nil {
			return fail[client.NewToken](err)
		}
		return ok(client.NewToken{Token: wireToken(made), Secret: secret.Reveal()})
	})
	handle(s, route{
		method: "GET", path: "/v1/tokens", id: "list-tokens", needs: token.Administer, scope: whole, tag: "tokens", answers: []int{200},
		summary: "List tokens by name", about: "Also those that expired or were revoked within the last 90 days.",
	}, func(ctx context.Context, _ *none) (answer[client.Tokens], error) {
		tokens, err := s.inspect.Tokens.List(ctx)
		if err != nil {
			return fail[client.Tokens](err)
		}
		out := client.Tokens{Tokens: make([]client.Token, len(tokens))}
		for i := range tokens {
			out.Tokens[i] = wireToken(&tokens[i])
		}
		return ok(out)
	})
	handle(s, route{
		method: "DELETE", path: "/v1/tokens/{id}", id: "revoke-token", needs: token.Administer, scope: whole, tag: "tokens", answers: []int{200},
		summary: "Revoke a token for good", about: "Within 2 seconds no node lets its bearer in.", errors: []task.Code{task.CodeNotFound},
	}, func(ctx context.Context, in *tokenID) (answer[client.Token], error) {
		revoked, err := s.inspect.Tokens.Revoke(ctx, in.ID)
		if err != nil {
			return fail[client.Token](err)
		}
		return ok(wireToken(revoked))
	})
}

func wireToken(t *token.Token) client.Token {
	return client.Token{
		ID: t.ID, Name: t.Name, Role: string(t.Role), Queues: t.Queues, State: string(t.State(time.Now())), CreatedAt: wireTime(t.CreatedAt),
		CreatedBy: t.CreatedBy, ExpiresAt: wireTime(t.ExpiresAt), RevokedAt: wireTime(t.RevokedAt), RevokedBy: t.RevokedBy,
	}
}
