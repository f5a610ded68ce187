package server

import (
	"fmt"
	"log/slog"
	"net/http"
	"path"
	"runtime/debug"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/server/internal/body"
	"github.com/outlast-dev/outlast/server/internal/problem"
	"github.com/outlast-dev/outlast/server/internal/route"
	"github.com/outlast-dev/outlast/server/internal/scope"
	"github.com/outlast-dev/outlast/task"
)

// mount serves the calls of a table, the one way to serve any: who may make a call is
// asked before anything else.
func (s *Server) mount(table *route.Table) error {
	var undeclared []string
	for i := range table.Calls {
		call := &table.Calls[i]
		name := call.Method + " " + call.Path
		if call.Needs == "" || call.Scope == "" {
			undeclared = append(undeclared, name)
		}
		s.rules = append(s.rules, rulesOf(&call.Route)...)
		s.mux.Handle(name, s.handler(call))
	}
	if len(undeclared) > 0 {
		return fmt.Errorf("server: routes that say not who may call them: %s", strings.Join(undeclared, ", "))
	}
	return nil
}

// handler makes a handler of a call, which may fail.
func (s *Server) handler(call *route.Call) http.Handler {
	if call.Plain {
		return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			if err := s.guarded(call, w, req); err != nil {
				s.problem(w, req, err)
			}
		})
	}
	count := s.meter.of(&call.Route)
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		start := time.Now()
		out := &statusWriter{ResponseWriter: w}
		if err := s.guarded(call, out, req); err != nil {
			if out.status != 0 { // too late for a problem: cut the answer off
				s.log.Warn("an answer was cut off", "error", err, "route", call.Method+" "+call.Path)
				panic(http.ErrAbortHandler)
			}
			s.problem(out, req, err)
		}
		count(out.status, time.Since(start))
	})
}

// guarded asks who calls before it does anything.
func (s *Server) guarded(call *route.Call, w http.ResponseWriter, req *http.Request) error {
	needs, to := call.Needs, call.Scope
	if call.Verbose != "" && req.URL.RawQuery != "" {
		needs, to = call.Verbose, scope.Whole // whatever the query says, it asks for more
	}
	ctx, err := s.gate.authorize(w, req, needs, to)
	if err != nil {
		return err
	}
	return call.Do(w, req.WithContext(ctx))
}

// Guard puts a permission before a handler of somebody else, such as the
// profiler, who serves it on an address of its own.
func (s *Server) Guard(needs inspect.Permission, handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		in, req := s.open(w, req)
		defer in.End()
		err := s.entry.admit(req)
		ctx := req.Context()
		if err == nil {
			ctx, err = s.gate.authorize(w, req, needs, guardScope(needs))
		}
		if err != nil {
			s.problem(w, req, err)
			return
		}
		handler.ServeHTTP(w, req.WithContext(ctx))
	})
}

// guardScope lets tokens for certain queues see what every token may see.
func guardScope(needs inspect.Permission) scope.Scope {
	if needs == inspect.PermissionKnown {
		return scope.Shared
	}
	return scope.Whole
}

// ServeHTTP implements [http.Handler]: a place, guards, then the routes.
func (s *Server) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if req.ProtoMajor < 2 {
		s.answer(w, req)
		return
	}
	// With HTTP/2, connections alone would bound a 250th of what callers hold.
	leave, ok := s.connections.Request(req.RemoteAddr)
	if !ok {
		w.Header()["Retry-After"] = []string{"1"}
		w.WriteHeader(http.StatusServiceUnavailable) // without a body: who takes no answers cannot hold this one
		return
	}
	defer leave()
	s.answer(w, req)
	_ = http.NewResponseController(w).Flush() // the place is taken until the caller has the answer
}

// answer is the guards, and then the routes.
func (s *Server) answer(w http.ResponseWriter, req *http.Request) {
	in, req := s.open(w, req)
	defer in.End()
	defer func() {
		cause := recover()
		if cause == nil {
			return
		}
		if cause == http.ErrAbortHandler { //nolint:errorlint // net/http compares it in the same way
			panic(cause)
		}
		s.log.Error("a request handler panicked", slog.Any("panic", cause),
			slog.String("method", req.Method), slog.String("path", req.URL.Path), slog.String("stack", string(debug.Stack())))
		in.Unwanted(w)
		problem.Write(w, problem.Of(&task.Error{Code: task.CodeInternal, Message: "the server met an unexpected error", Hint: "see the server's log"}))
	}()
	// The deadline of the last answer on this connection is over.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Time{}) // unknown to the writers of tests
	w.Header()["X-Content-Type-Options"] = noSniff
	if err := s.entry.admit(req); err != nil {
		s.problem(w, req, err)
		return
	}
	if p := req.URL.Path; p != "/" && p != docsPath && path.Clean(p) != p || req.RequestURI == "*" {
		s.notFound(w, req) // and no redirect, which would hide a caller's mistake
		return
	}
	s.mux.ServeHTTP(w, req)
}

var noSniff = []string{"nosniff"}

// open bounds the body of a request; nil for one without.
func (s *Server) open(w http.ResponseWriter, req *http.Request) (*body.Inflow, *http.Request) {
	in, req := body.Open(w, req, s.bodies)
	if in != nil {
		in.Charge(callerOf(req).String())
	}
	return in, req
}

// problem answers with an error and logs those that are ours.
func (s *Server) problem(w http.ResponseWriter, req *http.Request, err error) {
	told := problem.Of(err)
	about := []any{slog.Any("error", err), slog.String("method", req.Method), slog.String("path", req.URL.Path)}
	if told.Status == http.StatusInternalServerError {
		s.log.Error("a request failed", about...)
	} else if told.Code == task.CodeUnavailable && !problem.Named(err) {
		s.log.Warn("the store did not answer a request", about...)
	}
	if told.Status == http.StatusUnauthorized {
		w.Header()["Www-Authenticate"] = []string{`Bearer realm="outlast"`}
	}
	if in, some := req.Body.(*body.Inflow); some {
		in.Unwanted(w)
	}
	route.Deadline(w, route.AnswerTimeout)
	problem.Write(w, told)
}

var methods = [...]string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete}

// notFound answers what no route matches: 405 where another method would.
func (s *Server) notFound(w http.ResponseWriter, req *http.Request) {
	var allowed []string
	for _, method := range methods {
		probe := &http.Request{Method: method, URL: req.URL, Host: req.Host}
		if _, pattern := s.mux.Handler(probe); pattern != "" && pattern != "/" && path.Clean(req.URL.Path) == req.URL.Path {
			allowed = append(allowed, method)
		}
	}
	if len(allowed) == 0 {
		s.problem(w, req, &task.Error{Code: task.CodeNotFound, Message: "no route " + req.Method + " " + task.Quote(req.URL.Path), Hint: "the routes are listed at /openapi.json"})
		return
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	s.problem(w, req, &task.Error{Code: problem.CodeMethod, Message: "the method " + task.Quote(req.Method) + " does not fit here", Hint: "use " + strings.Join(allowed, " or ")})
}
