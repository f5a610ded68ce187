package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/client"
)

// A poll that a stop ends is still read over https, where other calls share a connection
// of HTTP/2: a task that comes then is handed back. More is tested by clients/conformance.
func TestStopOverTLS(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	id := client.NewID()
	var released sync.Once
	settled := make(chan client.TaskResult, 1)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/workers/poll", func(w http.ResponseWriter, r *http.Request) {
		var poll client.Poll
		if err := json.NewDecoder(r.Body).Decode(&poll); err != nil {
			t.Error(err)
		}
		released.Do(stop)
		<-r.Context().Done()
		fmt.Fprintf(w, `{"tasks":[{"id":%q,"type":"work","claim":3,"state":"running"}]}`, id)
	})
	mux.HandleFunc("POST /v1/workers/settle", func(w http.ResponseWriter, r *http.Request) {
		var body client.SettleTasks
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		settled <- body.Results[0]
		fmt.Fprintf(w, `{"results":[{"id":%q,"status":"ok"}]}`, id)
	})
	server := httptest.NewUnstartedServer(mux)
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	c, err := client.New(server.URL, client.WithHTTPClient(server.Client()))
	if err != nil {
		t.Fatal(err)
	}
	work := func(context.Context, *client.LeasedTask) (any, error) { return nil, errors.New("it was started") }
	if err := c.Work(ctx, map[string]client.WorkHandler{"work": work}, client.WorkOptions{Lease: time.Minute}); err != nil {
		t.Fatal(err)
	}
	select {
	case got := <-settled:
		if got.ID != id || got.Claim != 3 || got.Outcome != "released" {
			t.Errorf("settled %+v", got)
		}
	default:
		t.Error("the task was dropped")
	}
}

// A worker whose server has gone away can be stopped: it gives up what it cannot tell once
// no lease of it can hold any more.
func TestStopWithoutServer(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	id := client.NewID()
	var given sync.Once
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		answer := ""
		if r.URL.Path == "/v1/workers/poll" {
			given.Do(func() { answer = fmt.Sprintf(`{"tasks":[{"id":%q,"type":"work","claim":3,"state":"running"}]}`, id) })
		}
		if answer == "" {
			panic(http.ErrAbortHandler) // nothing is answered any more
		}
		fmt.Fprint(w, answer)
	})
	work := func(context.Context, *client.LeasedTask) (any, error) { stop(); return nil, nil }
	if err := c.Work(ctx, map[string]client.WorkHandler{"work": work}, client.WorkOptions{Lease: time.Second}); err != nil {
		t.Fatal(err)
	}
}
