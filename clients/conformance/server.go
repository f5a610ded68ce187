package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/task"
)

const (
	poll   = "/v1/workers/poll"
	extend = "/v1/workers/extend"
	settle = "/v1/workers/settle"
	steps  = "/v1/workers/steps"
)

// slots is how many tasks a worker program runs at once.
const slots = 4

// polled is one poll.
type polled struct {
	*client.Poll
	hungUp bool // the worker closed its side while it waited
}

// server plays a server for one worker process, as far as a worker sees it.
type server struct {
	url, token string
	http       *http.Server

	mu       sync.Mutex
	changed  chan struct{} // closed, and made anew, when something happens
	polls    []*polled
	due      []*attempt
	late     []*attempt // for a poll that ends without a task, once the worker is to stop
	attempts map[attemptKey]*attempt
	faults   map[string][]fault
	broken   map[string][]string // what was seen of the rules that hold for each call

	skew    time.Duration // of its clock
	extra   bool          // answers have fields that nobody knows
	crammed bool          // polls are given more than they ask for
}

func newServer() (*server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &server{
		url: "http://" + listener.Addr().String(), token: "olt_" + client.NewID().String(), changed: make(chan struct{}),
		attempts: map[attemptKey]*attempt{}, faults: map[string][]fault{}, broken: map[string][]string{},
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+poll, handle(s, s.poll))
	mux.HandleFunc("POST "+extend, handle(s, s.extend))
	mux.HandleFunc("POST "+settle, handle(s, s.settle))
	mux.HandleFunc("POST "+steps, handle(s, s.keep))
	mux.HandleFunc("POST /kit/{event}/{id}/{claim}", s.tell)
	s.http = &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	go func() { _ = s.http.Serve(listener) }() // until it is closed
	return s, nil
}

// happens calls f alone, and wakes those who wait for something.
func (s *server) happens(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
	close(s.changed)
	s.changed = make(chan struct{})
}

// until waits until something is so, and reports whether that came before ctx ended.
func (s *server) until(ctx context.Context, is func() bool) bool {
	for {
		s.mu.Lock()
		so, changed := is(), s.changed
		s.mu.Unlock()
		if so {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}

// breaks notes that a rule is broken.
func (s *server) breaks(rule, seen string) {
	if !slices.Contains(s.broken[rule], seen) {
		s.broken[rule] = append(s.broken[rule], seen)
	}
}

// call is a request of the worker, whose answer comes from work.
type call struct {
	w    http.ResponseWriter
	r    *http.Request
	body any
	work func() any
}

// handle reads a call, and answers it as the next fault wants it.
func handle[Body any](s *server, work func(context.Context, *Body) any) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		sent, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 64<<20))
		if err != nil && !errors.As(err, new(*http.MaxBytesError)) {
			return // whoever sent it is gone: it is no call
		}
		body := new(Body)
		decoder := json.NewDecoder(bytes.NewReader(sent))
		decoder.DisallowUnknownFields()
		wrong := ""
		if err := decoder.Decode(body); err != nil {
			wrong = err.Error()
		} else {
			wrong = invalid(body)
		}
		c := &call{w: w, r: r, body: body, work: func() any { return work(r.Context(), body) }}
		denied := r.Header.Get("Authorization") != "Bearer "+s.token
		var f fault
		s.happens(func() {
			if denied {
				s.breaks("token", r.URL.Path+" came without the token")
			}
			if wrong != "" {
				s.breaks("valid-calls", r.URL.Path+": "+wrong)
			}
			if !denied && wrong == "" {
				f = s.next(c)
				s.note(body, f.refuses)
			}
		})
		switch {
		case denied:
			c.problem(http.StatusUnauthorized, task.CodeUnauthenticated, 0)
		case wrong != "":
			c.problem(http.StatusBadRequest, task.CodeInvalid, 0)
		case f.play != nil:
			f.play(c)
		default:
			c.send(s.decorated(c.work()))
		}
	}
}

var nameForm = regexp.MustCompile(`^[A-Za-z0-9._:-]{1,128}$`)

// invalid says what the API would refuse of a call.
func invalid(body any) string {
	count := 1
	switch b := body.(type) {
	case *client.Poll:
		lease, wait := time.Duration(b.Lease), time.Duration(b.Wait)
		switch {
		case !nameForm.MatchString(b.Worker):
			return "the worker is named " + task.Quote(b.Worker)
		case len(b.Types) == 0:
			return "the poll names no types"
		case b.Max != nil && (*b.Max < 1 || *b.Max > 1000):
			return fmt.Sprintf("max is %d", *b.Max)
		case lease != 0 && (lease < time.Second || lease > time.Hour) || wait < 0 || wait > time.Minute:
			return fmt.Sprintf("lease is %v, wait is %v", lease, wait)
		}
	case *client.Extend:
		count = len(b.Items)
	case *client.AddSteps:
		count = len(b.Items)
	case *client.SettleTasks:
		count = len(b.Results)
		for i := range b.Results {
			if wrong := invalidResult(&b.Results[i]); wrong != "" {
				return wrong
			}
		}
	}
	if count < 1 || count > 1000 {
		return fmt.Sprintf("it has %d items", count)
	}
	return ""
}

var outcomes = []string{"succeeded", "failed", "snoozed", "released", "dead", "canceled"}

func invalidResult(r *client.TaskResult) string {
	switch {
	case !slices.Contains(outcomes, r.Outcome):
		return "an outcome is " + task.Quote(r.Outcome)
	case r.Outcome == "snoozed" && r.RetryAfter == nil:
		return "an outcome is snoozed, and there is no retry_after"
	}
	return ""
}

// note records what a call says, whether its answer arrives or not.
func (s *server) note(body any, refused bool) {
	switch b := body.(type) {
	case *client.Poll:
		s.notePoll(b)
	case *client.SettleTasks:
		for _, result := range b.Results {
			if a := s.named(result.ID, result.Claim, "settle"); a != nil && !refused {
				a.told = append(a.told, result)
			}
		}
	case *client.Extend:
		for _, item := range b.Items {
			s.named(item.ID, item.Claim, "extend")
		}
	case *client.AddSteps:
		for _, item := range b.Items {
			s.named(item.ID, item.Claim, "steps")
		}
	}
}

func (s *server) notePoll(p *client.Poll) {
	if len(s.polls) > 0 && s.polls[0].Worker != p.Worker {
		s.breaks("own-name", fmt.Sprintf("one process polled as %s and as %s", s.polls[0].Worker, p.Worker))
	}
	running := 0
	for _, a := range s.attempts {
		if a.runs() {
			running++
		}
	}
	most := 1
	if p.Max != nil {
		most = *p.Max
	}
	if !s.crammed && running+most > slots {
		s.breaks("free-slots", fmt.Sprintf("a poll asked for %d while %d of %d handlers ran", most, running, slots))
	}
	s.polls = append(s.polls, &polled{Poll: p})
}

// named finds the attempt that a call is about.
func (s *server) named(id task.ID, claim int64, what string) *attempt {
	a := s.attempts[attemptKey{id, claim}]
	if a == nil {
		s.breaks("exact-claim", fmt.Sprintf("%s named a task and a claim (%d) that were not given", what, claim))
	}
	return a
}

// poll waits for tasks.
func (s *server) poll(ctx context.Context, p *client.Poll) any {
	limit := time.Duration(p.Wait)
	waits, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	s.until(waits, func() bool { return len(s.due) > 0 })
	out := []client.LeasedTask{}
	s.happens(func() {
		for _, one := range s.polls {
			one.hungUp = one.hungUp || one.Poll == p && ctx.Err() != nil
		}
		from := &s.due
		if len(s.due) == 0 || ctx.Err() != nil {
			from = &s.late
		}
		most := 1
		if p.Max != nil {
			most = *p.Max
		}
		if s.crammed {
			most = len(*from)
		}
		for len(*from) > 0 && len(out) < most {
			out = append(out, s.give((*from)[0], time.Duration(p.Lease)))
			*from = (*from)[1:]
		}
	})
	return client.Polled{Tasks: out}
}

// give leases a task to the worker.
func (s *server) give(a *attempt, lease time.Duration) client.LeasedTask {
	a.given = true
	a.lease()
	s.attempts[a.key()] = a
	now := time.Now().Add(s.skew)
	a.task.StartedAt, a.task.LeaseUntil = client.Time{Time: now}, client.Time{Time: now.Add(lease)}
	if a.limit > 0 {
		a.task.AttemptEnds = client.Time{Time: now.Add(a.limit)}
	}
	return a.task
}

func (s *server) extend(_ context.Context, e *client.Extend) any {
	out := client.Extended{}
	s.happens(func() {
		until := client.Time{Time: time.Now().Add(s.skew + time.Duration(e.Lease))}
		for _, item := range e.Items {
			result := client.ExtendResult{ID: item.ID, Status: "not_found"}
			if a := s.attempts[attemptKey{item.ID, item.Claim}]; a != nil {
				result.Status = a.extend()
			}
			if result.Status == "ok" || result.Status == "canceled" {
				result.LeaseUntil = until
			}
			out.Results = append(out.Results, result)
		}
	})
	return out
}

func (s *server) settle(_ context.Context, t *client.SettleTasks) any {
	out := client.Settled{}
	s.happens(func() {
		for i := range t.Results {
			result := &t.Results[i]
			answer := client.SettleResult{ID: result.ID, Status: "not_found"}
			if a := s.attempts[attemptKey{result.ID, result.Claim}]; a != nil {
				answer.Status = a.settle(result)
			}
			out.Results = append(out.Results, answer)
		}
	})
	return out
}

func (s *server) keep(_ context.Context, add *client.AddSteps) any {
	out := client.AddedSteps{}
	s.happens(func() {
		for _, item := range add.Items {
			answer := client.StepResult{ID: item.ID, Name: item.Name, Occurrence: max(1, item.Occurrence), Status: "not_found"}
			if a := s.attempts[attemptKey{item.ID, item.Claim}]; a != nil {
				answer.Status = "ok"
				if a.isLost() {
					answer.Status = a.status
				} else {
					a.kept = append(a.kept, item)
				}
			}
			out.Results = append(out.Results, answer)
		}
	})
	return out
}

// tell hears what handlers do, and says whether they are to end.
func (s *server) tell(w http.ResponseWriter, r *http.Request) {
	var claim int64
	id, err := task.ParseID(r.PathValue("id"))
	if err == nil {
		_, err = fmt.Sscan(r.PathValue("claim"), &claim)
	}
	s.happens(func() {
		a := s.attempts[attemptKey{id, claim}]
		if err != nil || a == nil {
			s.breaks("exact-claim", "a handler was given a task and a claim that were not handed out")
			return
		}
		switch event := r.PathValue("event"); event {
		case "started":
			a.started++
		case "working":
			a.ending = a.ending || a.end
			if a.end {
				fmt.Fprint(w, "end")
			}
		case "stopped":
			a.stopped = true
		default:
			a.steps = append(a.steps, event)
		}
	})
}
