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
	"github.com/outlast-dev/outlast/task"
	"github.com/outlast-dev/outlast/token"
)

// Rule is who may call a route.
type Rule struct {
	Method, Path string
	ID           string // of the operation in the OpenAPI document
	Permission   token.Permission
	Queues       string // what it is to a token for certain queues
}

// scope says what a route is to a token for certain queues.
type scope string

// The scopes. A route without one is not served.
const (
	shared   scope = "everything: it tells nothing of tasks"
	unsigned scope = "everything but who made it: it tells nothing of tasks"
	partly   scope = "everything but what tells of other queues"
	whole    scope = "refused: it is about all queues"
	byTask   scope = "tasks of its queues; others are not found"
	byQueue  scope = "its queues; others are not found"
	byBody   scope = "what its queues are for; the rest is refused or not found"
	filtered scope = "what belongs to its queues"
)

// serve is the one way to add a route: who may call it is asked before
// anything else, and counted with its answers.
func (s *Server) serve(r route, do func(http.ResponseWriter, *http.Request) error) {
	s.mux.Handle(r.method+" "+r.path, s.measured(r, s.guarded(r, do)))
}

// guarded asks who calls before it does anything. A route that says not who
// may call it makes [New] fail.
func (s *Server) guarded(r route, do func(http.ResponseWriter, *http.Request) error) func(http.ResponseWriter, *http.Request) error {
	if r.needs == "" || r.scope == "" {
		s.undeclared = append(s.undeclared, r.method+" "+r.path)
	}
	s.rules = append(s.rules, Rule{r.method, r.path, r.id, r.needs, string(r.scope)})
	if r.verbose != "" {
		s.rules = append(s.rules, Rule{r.method, r.path + "?verbose", r.id, r.verbose, string(whole)})
	}
	return func(w http.ResponseWriter, req *http.Request) error {
		needs, to := r.needs, r.scope
		if r.verbose != "" && req.URL.RawQuery != "" {
			needs, to = r.verbose, whole // whatever the query says, it asks for more
		}
		ctx, err := s.authorize(w, req, needs, to)
		if err != nil {
			return err
		}
		return do(w, req.WithContext(ctx))
	}
}

// Rules are those of all routes, in the order of their making.
func (s *Server) Rules() []Rule { return append([]Rule(nil), s.rules...) }

// Guard puts a permission before a handler of somebody else, such as the
// profiler, who serves it on an address of its own.
func (s *Server) Guard(needs token.Permission, handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		in, req := s.open(w, req)
		defer in.close()
		err := s.admit(req)
		ctx := req.Context()
		if err == nil {
			ctx, err = s.authorize(w, req, needs, guardScope(needs))
		}
		if err != nil {
			s.problem(w, req, err)
			return
		}
		handler.ServeHTTP(w, req.WithContext(ctx))
	})
}

// guardScope lets tokens for certain queues see what every token may see.
func guardScope(needs token.Permission) scope {
	if needs == token.Known {
		return shared
	}
	return whole
}

type bearerKey struct{}

// bearer is the token of a request, nil where none is needed.
func bearer(ctx context.Context) *token.Token {
	t, _ := ctx.Value(bearerKey{}).(*token.Token)
	return t
}

// authorize lets a request pass or says why not. What passes carries its token
// and who acts.
func (s *Server) authorize(w http.ResponseWriter, req *http.Request, needs token.Permission, to scope) (context.Context, error) {
	ctx := req.Context()
	if needs == token.Open || needs == token.Peer {
		return ctx, nil
	}
	t, err := s.authenticate(req)
	if err != nil {
		return nil, err
	}
	name := "api"
	if t != nil {
		if err := allowed(t, needs, to); err != nil {
			return nil, err
		}
		name, ctx = t.Actor(), context.WithValue(ctx, bearerKey{}, t)
	}
	if req.Method == http.MethodGet {
		return ctx, nil
	}
	if t != nil && t.Scoped() {
		ctx = outlast.WithinQueues(ctx, t.Queues...)
	}
	id := requestID(req)
	w.Header().Set("X-Request-Id", id)
	return outlast.WithActor(ctx, name, callerOf(req).String(), id), nil
}

// authenticate returns the token of a request, nil where none is needed.
func (s *Server) authenticate(req *http.Request) (*token.Token, error) {
	required, err := s.tokens.Required(req.Context())
	if err != nil {
		return nil, err
	}
	if !required && !s.exposed {
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
	t, err := s.tokens.Check(req.Context(), strings.TrimSpace(text))
	if errors.Is(err, &task.Error{Code: task.CodeUnauthenticated}) {
		return nil, s.failed(req, err)
	}
	return t, err
}

// failed counts a token that is not good, tells the log, and puts off who has
// tried too often.
func (s *Server) failed(req *http.Request, err error) error {
	address := callerOf(req)
	if wait := s.failures.Failed(address, time.Now()); wait > 0 {
		return &task.Error{Code: task.CodeRateLimited, Message: "too many tokens from this address were not good", RetryAfter: wait}
	}
	s.log.Warn("auth.failed", slog.String("address", address.String()), slog.String("method", req.Method), slog.String("path", req.URL.Path), slog.Any("error", err))
	return err
}

// rolesWith are the roles that have a permission.
func rolesWith(needs token.Permission) string {
	var names []string
	for _, role := range token.Roles {
		if role.May(needs) {
			names = append(names, string(role))
		}
	}
	return strings.Join(names, ", ")
}

// allowed compares what a token is for with what is asked.
func allowed(t *token.Token, needs token.Permission, to scope) error {
	if !t.Role.May(needs) {
		return &task.Error{Code: task.CodeDenied, Message: fmt.Sprintf("the token is of the role %s, which has not the permission %s", t.Role, needs),
			Hint: "use a token of a role that has it: " + rolesWith(needs)}
	}
	if to == whole && t.Scoped() {
		return &task.Error{Code: task.CodeDenied, Message: "the token is for the queues " + strings.Join(t.Queues, ", ") + " only, and this is about all",
			Hint: "use a token without queues"}
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
