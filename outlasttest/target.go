package outlasttest

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Target answers the requests that tasks and alert channels make to a host, such as
// "api.example.com" or "10.0.0.7:8080", by calling the handler: nothing reaches the network. A
// request to a host without a target fails the test. The handler is called from other
// goroutines, and has the time of the attempt. It may be called at any time, from any
// goroutine.
func (k *Kit) Target(host string, handler http.Handler) {
	k.targets.mu.Lock()
	defer k.targets.mu.Unlock()
	if k.targets.byHost == nil {
		k.targets.byHost = map[string]http.Handler{}
	}
	k.targets.byHost[host] = handler
}

// targets stand for the network. They are safe for concurrent use.
type targets struct {
	t      testing.TB
	mu     sync.Mutex
	byHost map[string]http.Handler
}

// RoundTrip implements [http.RoundTripper].
func (s *targets) RoundTrip(request *http.Request) (*http.Response, error) {
	handler, known := s.of(request.URL.Host)
	if handler == nil {
		err := fmt.Errorf("outlasttest: a request to %s, for which the test has no target: call Kit.Target (there are: %s)",
			request.URL.Host, strings.Join(known, ", "))
		s.t.Error(err)
		return nil, err
	}
	type answer struct {
		response *http.Response
		err      error
	}
	answered := make(chan answer, 1)
	go func() {
		recorder, err := httptest.NewRecorder(), io.ErrUnexpectedEOF // of a handler that panics, as from a server
		defer func() {
			_ = recover()
			answered <- answer{recorder.Result(), err}
		}()
		handler.ServeHTTP(recorder, received(request))
		err = nil
	}()
	select {
	case a := <-answered:
		if a.err != nil {
			return nil, a.err
		}
		a.response.Request = request
		return a.response, nil
	case <-request.Context().Done():
		return nil, request.Context().Err()
	}
}

func (s *targets) of(host string) (handler http.Handler, known []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byHost[host], slices.Sorted(maps.Keys(s.byHost))
}

// received is a request as a server gets it.
func received(request *http.Request) *http.Request {
	got := request.Clone(request.Context())
	got.RequestURI, got.Host = request.URL.RequestURI(), request.URL.Host
	if got.Body == nil {
		got.Body = http.NoBody
	}
	return got
}
