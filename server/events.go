package server

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
	"github.com/outlast-dev/outlast/token"
)

// The measures of streams of events.
const (
	mostStreams      = 200 // of a node
	mostTokenStreams = 20  // of one token
	mostEventTasks   = 100 // in one message
	eventTimeout     = 10 * time.Second
	beatEvery        = 10 * time.Second
	tokenEvery       = 5 * time.Second
	taskEvery        = time.Second
)

type eventsInput struct {
	Queue  string          `query:"queue" doc:"Changes of tasks of this queue only."`
	Type   string          `query:"type" doc:"Of this type only."`
	State  task.State      `query:"state" doc:"Into this state only."`
	Target string          `query:"target" doc:"Of tasks that call this target only."`
	Task   task.ID         `query:"task" doc:"Of this task only, on whichever node it runs; without stats and changed."`
	For    client.Duration `query:"for" doc:"End the stream after so long; it goes on until the caller goes when absent."`
	LastID string          `header:"Last-Event-ID" doc:"The id of the last message that was received: what came since is told again, if it is still there."`
}

func (s *Server) addEvents() {
	r := route{
		method: "GET", path: "/v1/events", id: "watch-events", needs: token.View, scope: filtered, tag: "events", answers: []int{200}, media: "text/event-stream", endless: true,
		summary: "Tell what happens, as it happens: server-sent events",
		about: "Each message is named hello, tasks, stats, changed or resync, and its data is the field of that name below. Changes of tasks are those of the node that answers; " +
			"stats and changed are of all nodes. At most 200 streams a node, and 20 a token; a token that expires or is revoked ends its streams within 10 seconds.",
		errors: []task.Code{task.CodeNotFound},
	}
	plan := planOf(reflect.TypeFor[eventsInput](), r)
	s.document(r, plan, reflect.TypeFor[client.Event]())
	s.serve(r, func(w http.ResponseWriter, req *http.Request) error {
		in := &eventsInput{}
		if err := plan.read(req, reflect.ValueOf(in).Elem()); err != nil {
			return err
		}
		return s.watch(w, req, in)
	})
}

// watch checks what is asked for, and streams until the caller or the token goes.
func (s *Server) watch(w http.ResponseWriter, req *http.Request, in *eventsInput) error {
	ctx := req.Context()
	if err := s.watchable(ctx, in); err != nil {
		return err
	}
	leave, err := s.streams.join(bearer(ctx))
	if err != nil {
		return err
	}
	defer leave()
	if in.For > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(in.For))
		defer cancel()
	}
	listener, resumed := s.client.Feed().Listen(in.LastID)
	defer listener.Close()
	st := &stream{server: s, ctx: ctx, out: w, control: http.NewResponseController(w), in: in, token: bearer(ctx), listener: listener}
	_, st.secret, _ = strings.Cut(req.Header.Get("Authorization"), " ")
	st.run(resumed)
	return nil
}

// watchable refuses what cannot match, and what the token is not for.
func (s *Server) watchable(ctx context.Context, in *eventsInput) error {
	if in.State != "" && !in.State.Valid() {
		return task.Invalid("state", task.Quote(string(in.State))+" is no state", "one of pending, running, succeeded, dead, canceled")
	}
	if in.For < 0 {
		return task.Invalid("for", "is negative", "leave it out for a stream without end")
	}
	if _, err := scopedFilter(ctx, store.Filter{Queue: in.Queue}); err != nil {
		return err
	}
	if in.Task.IsZero() {
		return nil
	}
	if err := s.coversTask(ctx, in.Task); err != nil {
		return err
	}
	_, err := s.inspect.Tasks.Row(ctx, in.Task)
	return err
}

// streams counts those that are open.
type streams struct {
	mu      sync.Mutex
	all     int
	byToken map[string]int
}

// join takes a place, until leave is called.
func (s *streams) join(t *token.Token) (leave func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := ""
	if t != nil {
		id = t.ID
	}
	if s.all >= mostStreams {
		return nil, tooManyStreams("the node", mostStreams)
	}
	if id != "" && s.byToken[id] >= mostTokenStreams {
		return nil, tooManyStreams("the token", mostTokenStreams)
	}
	if s.byToken == nil {
		s.byToken = map[string]int{}
	}
	s.all++
	s.byToken[id]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.all--
		if s.byToken[id]--; s.byToken[id] == 0 {
			delete(s.byToken, id)
		}
	}, nil
}

func tooManyStreams(whose string, most int) error {
	wait := 5*time.Second + rand.N(5*time.Second) //nolint:gosec // spreads callers; nothing is secret
	return &task.Error{Code: task.CodeRateLimited, Message: fmt.Sprintf("%s has %d streams of events already", whose, most), RetryAfter: wait.Round(time.Second),
		Hint: "close one, or read the lists every few seconds instead"}
}
