package server_test

import (
	"slices"
	"testing"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
)

// workers lists them just after one has polled, since a silent one is listed for a minute.
func (g *guarded) workers(bearer string) (list client.RemoteWorkers) {
	g.t.Helper()
	g.as(g.admin, "POST", "/v1/workers/poll", `{"worker":"w2","queues":["red","other"],"wait":"0s"}`).is(200)
	g.as(bearer, "GET", "/v1/workers", "").is(200).into(&list)
	return list
}

// Remote workers are listed with what they have in hand, and beside them what nobody can run.
// A token for certain queues is told of these alone.
func TestRemoteWorkersAreListed(t *testing.T) {
	g := startGuarded(t)
	red, blue := g.token(inspect.Viewer, "red"), g.token(inspect.Viewer, "blue")
	id := g.as(g.admin, "POST", "/v1/tasks", `{"type":"mail","queue":"red"}`).is(201).id()
	g.as(g.admin, "POST", "/v1/tasks", `{"type":"nobodys","queue":"blue"}`).is(201)
	var polled client.Polled
	g.as(g.admin, "POST", "/v1/workers/poll", `{"worker":"w1","release":"1.4","queues":["red"],"types":["mail"],"wait":"30s","lease":"1m"}`).is(200).into(&polled)

	list := g.workers(g.admin)
	if len(list.Workers) != 2 || list.Total != 2 {
		t.Fatalf("%+v", list)
	}
	w1, w2 := list.Workers[0], list.Workers[1]
	if w1.Name != "w1" || w1.Release != "1.4" || !slices.Equal(w1.Queues, []string{"red"}) || !slices.Equal(w1.Types, []string{"mail"}) || len(w1.Nodes) != 1 ||
		w1.Since.IsZero() || w1.LastPoll.IsZero() || w1.Waiting || *w1.InHand != 1 || len(w1.Leases) != 1 {
		t.Fatalf("%+v", w1)
	}
	if l := w1.Leases[0]; l.ID.String() != id || l.Claim != polled.Tasks[0].Claim || l.Type != "mail" || l.Queue != "red" || l.LeaseUntil.IsZero() {
		t.Errorf("%+v", l)
	}
	if w2.Name != "w2" || !slices.Equal(w2.Types, []string{"*"}) || *w2.InHand != 0 || len(w2.Leases) != 0 {
		t.Errorf("%+v", w2)
	}
	eventually(t, func() bool { return len(g.workers(g.admin).Stranded) == 1 })
	if s := g.workers(g.admin).Stranded[0]; s.Queue != "blue" || s.Type != "nobodys" || s.Waiting != 1 || s.Since.IsZero() || s.Requests {
		t.Errorf("%+v", s)
	}

	list = g.workers(red)
	if len(list.Workers) != 2 || len(list.Stranded) != 0 || list.Workers[0].InHand != nil || !slices.Equal(list.Workers[1].Queues, []string{"red"}) {
		t.Errorf("to a token for red: %+v", list)
	}
	if list = g.workers(blue); len(list.Workers) != 0 || len(list.Stranded) != 1 {
		t.Errorf("to a token for blue: %+v", list)
	}
	g.workers(g.admin)
	if g.as(g.admin, "GET", "/v1/workers?limit=1", "").is(200).into(&list); len(list.Workers) != 1 || list.Total != 2 {
		t.Errorf("the first of them: %+v", list)
	}
	g.as(g.admin, "GET", "/v1/workers?limit=0", "").problem(400, "invalid", "limit")
}
