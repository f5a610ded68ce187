package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/serving"
	"github.com/outlast-dev/outlast/internal/token"
	"github.com/outlast-dev/outlast/server/internal/body"
	"github.com/outlast-dev/outlast/server/internal/scope"
	"github.com/outlast-dev/outlast/task"
)

// checker checks tokens, as [inspect.Tokens] does.
type checker interface {
	Check(ctx context.Context, text string) (*inspect.Token, error)
	Required(ctx context.Context) (bool, error)
}

// gate asks who calls.
type gate struct {
	tokens   checker
	failures token.Limiter
	exposed  bool // reached by others than this machine: a token is always needed
	log      *slog.Logger
}

// authorize lets a request pass or says why not. What passes carries its token
// and who acts.
func (g *gate) authorize(w http.ResponseWriter, req *http.Request, needs inspect.Permission, to scope.Scope) (context.Context, error) {
	ctx := req.Context()
	if needs == inspect.PermissionOpen || needs == inspect.PermissionPeer {
		return ctx, nil
	}
	t, err := g.authenticate(req)
	if err != nil {
		return nil, err
	}
	name := "api"
	if t != nil {
		if err := allowed(t, needs, to); err != nil {
			return nil, err
		}
		name, ctx = t.Actor(), scope.WithBearer(ctx, t)
		if in, some := req.Body.(*body.Inflow); some {
			in.Charge("token " + t.ID)
		}
	}
	if req.Method == http.MethodGet {
		return ctx, nil
	}
	if t != nil && t.Scoped() {
		ctx = serving.WithinQueues(ctx, t.Queues...)
	}
	id := requestID(req)
	w.Header().Set("X-Request-Id", id)
	return outlast.WithActor(ctx, name, callerOf(req).String(), id), nil
}

// authenticate returns the token of a request, nil where none is needed.
func (g *gate) authenticate(req *http.Request) (*inspect.Token, error) {
	required, err := g.tokens.Required(req.Context())
	if err != nil {
		return nil, err
	}
	if !required && !g.exposed {
		return nil, nil
	}
	given := req.Header.Values("Authorization")
	if len(given) == 0 {
		return nil, &task.Error{Code: task.CodeUnauthenticated, Message: "a token is needed"}
	}
	scheme, text, _ := strings.Cut(given[0], " ")
	if len(given) > 1 || !strings.EqualFold(scheme, "Bearer") {
		return nil, &task.Error{Code: task.CodeUnauthenticated, Message: "one header Authorization of the form Bearer TOKEN is needed"}
	}
	t, err := g.tokens.Check(req.Context(), strings.TrimSpace(text))
	if errors.Is(err, &task.Error{Code: task.CodeUnauthenticated}) {
		return nil, g.failed(req, err)
	}
	return t, err
}

// failed counts a token that is not good, tells the log, and puts off who has
// tried too often.
func (g *gate) failed(req *http.Request, err error) error {
	address := callerOf(req)
	if wait := g.failures.Failed(address, time.Now()); wait > 0 {
		return &task.Error{Code: task.CodeRateLimited, Message: "too many invalid tokens from this address", RetryAfter: wait}
	}
	g.log.Warn("auth.failed", slog.String("address", address.String()), slog.String("method", req.Method), slog.String("path", req.URL.Path), slog.Any("error", err))
	return err
}

// rolesWith are the roles that have a permission.
func rolesWith(needs inspect.Permission) string {
	var names []string
	for _, role := range token.Roles {
		if token.May(role, needs) {
			names = append(names, string(role))
		}
	}
	return strings.Join(names, ", ")
}

// allowed compares what a token is for with what is asked.
func allowed(t *inspect.Token, needs inspect.Permission, to scope.Scope) error {
	if !token.May(t.Role, needs) {
		return &task.Error{Code: task.CodeDenied, Message: fmt.Sprintf("the token has the role %s, which lacks the permission %s", t.Role, needs),
			Hint: "use a token with a role that has it: " + rolesWith(needs)}
	}
	if to == scope.Whole && t.Scoped() {
		return &task.Error{Code: task.CodeDenied, Message: "the token is limited to the queues " + strings.Join(t.Queues, ", ") + ", but this concerns all queues",
			Hint: "use a token that is not limited to queues"}
	}
	return nil
}

// callerOf is the address that the request came from: a proxy's, behind one.
func callerOf(req *http.Request) netip.Addr {
	from, _ := netip.ParseAddrPort(req.RemoteAddr) // the zero address for what is no TCP
	return from.Addr().Unmap()
}

// requestID is what the caller calls its request, if it is fit for the audit log,
// else a new one.
func requestID(req *http.Request) string {
	given := req.Header.Get("X-Request-Id")
	for i := range len(given) {
		if c := given[i]; i > 127 || c <= ' ' || c > '~' {
			given = ""
			break
		}
	}
	if given == "" {
		return strconv.FormatUint(rand.Uint64()|1<<63, 16) //nolint:gosec // a name, no secret
	}
	return given
}
