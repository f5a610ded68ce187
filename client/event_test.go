package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/task"
)

// TestEventsTakeUpAStreamThatBreaksOff has a server that ends streams, one in the middle
// of a message, and refuses the third.
func TestEventsTakeUpAStreamThatBreaksOff(t *testing.T) {
	var calls atomic.Int64
	var after [5]string
	c := serve(t, func(w http.ResponseWriter, req *http.Request) {
		call := calls.Add(1)
		after[call] = req.Header.Get("Last-Event-ID")
		if req.URL.String() != "/v1/events?queue=q&state=dead" {
			t.Errorf("asked for %s", req.URL)
		}
		if call == 3 {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"status":401,"code":"unauthenticated","title":"x"}`))
			return
		}
		_, _ = fmt.Fprintf(w, "retry: 1\nevent: hello\nid: a-%d\ndata: {\"node\":\"n\"}\n\n: beat\n\nid: a-%d\n\nevent: novelty\nid: a-%d\ndata: {}\n\n", call, call+10, call+20)
		_, _ = fmt.Fprintf(w, "event: tasks\nid: a-%d\ndata: {\"seen\":3,\"left_out\":2,\"tasks\":[{\"what\":\"dead\",\"code\":\"%d\"}]}\n\nevent: tasks\nid: a-99\ndata: {", call+30, call)
	})
	var told []string
	for event, err := range c.Events(t.Context(), client.EventFilter{Queue: "q", State: task.Dead}) {
		switch {
		case err != nil:
			var e *client.Error
			if told = append(told, "error"); errors.As(err, &e) {
				told = append(told, string(e.Code))
			}
		case event.Hello != nil:
			told = append(told, event.Name, event.Hello.Node)
		case event.Tasks != nil:
			told = append(told, event.Name, event.ID, event.Tasks.Tasks[0].Code)
		}
	}
	want := "hello n tasks a-31 1 error hello n tasks a-32 2 error error unauthenticated"
	if got := strings.Join(told, " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if after[1] != "" || after[2] != "a-31" || after[3] != "a-32" {
		t.Errorf("after %q", after)
	}
}

// TestEventsOfAConnectionThatDiedInSilence has a server that beats for a while, and then
// says nothing more.
func TestEventsOfAConnectionThatDiedInSilence(t *testing.T) {
	defer client.Silence(300 * time.Millisecond)()
	var calls atomic.Int64
	c := serve(t, func(w http.ResponseWriter, req *http.Request) {
		_, _ = fmt.Fprintf(w, "retry: 1\nevent: hello\nid: a-%d\ndata: {\"node\":\"n\"}\n\n", calls.Add(1))
		beat := time.NewTicker(100 * time.Millisecond)
		defer beat.Stop()
		for range 5 {
			<-beat.C
			_, _ = w.Write([]byte(": beat\n\n"))
			_ = http.NewResponseController(w).Flush()
		}
		<-req.Context().Done()
	})
	told := ""
	for event, err := range c.Events(t.Context(), client.EventFilter{}) {
		if err != nil {
			told += "error "
			continue
		}
		if told += event.Name + " "; calls.Load() == 2 {
			break
		}
	}
	if told != "hello error hello " {
		t.Errorf("told %q", told)
	}
}

func TestEventsEndWithTheLoopAndTheContext(t *testing.T) {
	ended := make(chan struct{}, 2)
	c := serve(t, func(w http.ResponseWriter, req *http.Request) {
		_, _ = w.Write([]byte("event: hello\nid: a-1\ndata: {}\n\n"))
		_ = http.NewResponseController(w).Flush()
		<-req.Context().Done()
		ended <- struct{}{}
	})
	for range c.Events(t.Context(), client.EventFilter{}) {
		break
	}
	<-ended
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, err := range c.Events(ctx, client.EventFilter{}) {
		if err != nil {
			t.Errorf("after the end of the context: %v", err)
		}
		cancel()
	}
	<-ended
}
