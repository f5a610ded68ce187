package server

import (
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/task"
)

func parseQuery(raw string) (url.Values, error) {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return nil, task.Invalid("query", "the query of the URL is not well formed", "percent-encode names and values, and separate pairs by &")
	}
	return values, nil
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
	defer in.close()
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
		in.unwanted(w)
		writeProblem(w, problemOf(&task.Error{Code: task.CodeInternal, Message: "the server met an unexpected error", Hint: "the server's log has it"}))
	}()
	// The deadline of the last answer on this connection is over.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Time{}) // unknown to the writers of tests
	w.Header()["X-Content-Type-Options"] = noSniff
	if err := s.admit(req); err != nil {
		s.problem(w, req, err)
		return
	}
	if p := req.URL.Path; p != "/" && path.Clean(p) != p || req.RequestURI == "*" {
		s.notFound(w, req) // and no redirect, which would hide a caller's mistake
		return
	}
	s.mux.ServeHTTP(w, req)
}

var noSniff = []string{"nosniff"}

// problem answers with an error and logs those that are ours.
func (s *Server) problem(w http.ResponseWriter, req *http.Request, err error) {
	problem := problemOf(err)
	about := []any{slog.Any("error", err), slog.String("method", req.Method), slog.String("path", req.URL.Path)}
	if problem.Status == http.StatusInternalServerError {
		s.log.Error("a request failed", about...)
	} else if problem.Code == task.CodeUnavailable && !named(err) {
		s.log.Warn("the store did not answer a request", about...)
	}
	if problem.Status == http.StatusUnauthorized {
		w.Header()["Www-Authenticate"] = []string{`Bearer realm="outlast"`}
	}
	if in, some := req.Body.(*inflow); some {
		in.unwanted(w)
	}
	deadline(w, answerTimeout)
	writeProblem(w, problem)
}

// admit refuses what a web page of somebody else could make a browser send:
// a request with a foreign Origin, and, against DNS rebinding, one whose Host
// is not an address that we were asked to listen on.
func (s *Server) admit(req *http.Request) error {
	if !s.exposed && !s.hostAllowed(req.Host) {
		return &task.Error{Code: task.CodeDenied, Message: "requests for the host " + task.Quote(req.Host) + " are not answered here",
			Hint: "use the address that the server listens on, such as http://127.0.0.1:7070"}
	}
	if ofConsole(req) {
		return nil // a link from elsewhere may lead to it: it is the same for everybody
	}
	origin := req.Header.Get("Origin")
	if origin == "" && req.Header.Get("Sec-Fetch-Site") != "cross-site" {
		return nil
	}
	if from, err := url.Parse(origin); err == nil && from.Host != "" && strings.EqualFold(from.Host, req.Host) {
		return nil
	}
	return &task.Error{Code: task.CodeDenied, Message: "requests of web pages from " + task.Quote(origin) + " are not answered",
		Hint: "only pages that this server itself serves may call it"}
}

func (s *Server) hostAllowed(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.Trim(host, "[]"))
	if host == "localhost" || slices.Contains(s.hosts, host) {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Unmap().IsLoopback()
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
	s.problem(w, req, &task.Error{Code: codeMethod, Message: "the method " + task.Quote(req.Method) + " does not fit here", Hint: "use " + strings.Join(allowed, " or ")})
}

// named reports whether an error says itself, to callers, what it is.
func named(err error) bool {
	_, ok := errors.AsType[*task.Error](err)
	return ok
}
