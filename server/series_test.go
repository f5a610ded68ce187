package server_test

import (
	"context"
	"errors"
	"net/url"
	"path/filepath"
	"testing"
	"time"

	_ "github.com/ncruces/go-sqlite3/driver"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/store/sqlite"
)

// startOnFile runs a server on a database of its own.
func startOnFile(t testing.TB, handlers ...func(*outlast.Client)) *api {
	t.Helper()
	backend, err := sqlite.Open(context.Background(), filepath.Join(t.TempDir(), "outlast.db"))
	must(t, err)
	return startOn(t, backend, handlers...)
}

// What the attempts of a node came to is there after it has ended, by queue, and
// where nobody counted everything is null.
func TestSeries(t *testing.T) {
	a := startOnFile(t, func(node *outlast.Client) {
		outlast.Handle(node, "ends", func(_ context.Context, well bool) error {
			if well {
				return nil
			}
			return outlast.GiveUp(errors.New("no way"))
		})
	})
	a.call("PUT", "/v1/queues/other", `{"lanes":2}`).is(201)
	begun := time.Now()
	for _, well := range []string{"true", "true", "false"} {
		a.call("POST", "/v1/tasks?wait=10s", `{"type":"ends","payload":`+well+`}`).is(200)
	}
	waits := a.call("POST", "/v1/tasks", `{"type":"ends","queue":"other","delay":"1h"}`).is(201).id()
	a.call("POST", "/v1/tasks/"+waits+"/cancel", "").is(200)
	must(t, a.node.Stop(t.Context()))

	about := url.Values{"from": {begun.Add(-2 * time.Minute).UTC().Format(time.RFC3339)}, "to": {begun.Add(3 * time.Minute).UTC().Format(time.RFC3339)}}
	var all, one, both client.Series
	a.call("GET", "/v1/stats/series?"+about.Encode(), "").is(200).into(&all)
	about.Set("queue", "default")
	a.call("GET", "/v1/stats/series?"+about.Encode(), "").is(200).into(&one)
	a.call("GET", "/v1/stats/series?step=7s", "").problem(400, "invalid", "step")
	_, secret, err := a.node.Inspector().Tokens.Create(t.Context(), inspect.TokenSpec{Name: "two", Role: inspect.Viewer, Queues: []string{"other", "none"}})
	must(t, err)
	about.Del("queue")
	a.call("GET", "/v1/stats/series?"+about.Encode(), "", "Authorization", "Bearer "+secret.Reveal()).is(200).into(&both)
	sum := func(s *client.Series) (well, dead, canceled, attempts, failed int) {
		for i := range s.Points {
			p := &s.Points[i]
			if p.Nodes == 0 {
				if p.Attempts != nil || p.Finished != nil || p.Backlog != nil {
					t.Errorf("a gap has values: %+v", p)
				}
				continue
			}
			of := func(rate float64) int { return int(rate*time.Duration(s.Step).Seconds() + 0.5) }
			well, dead, canceled = well+of(p.Finished.Succeeded), dead+of(p.Finished.Dead), canceled+of(p.Finished.Canceled)
			attempts, failed = attempts+of(*p.Attempts), failed+of(*p.Failed)
		}
		return well, dead, canceled, attempts, failed
	}
	if w, d, c, n, f := sum(&all); w != 2 || d != 1 || c != 1 || n != 3 || f != 1 {
		t.Errorf("all queues: %d %d %d %d %d", w, d, c, n, f)
	}
	if w, d, c, n, f := sum(&one); w != 2 || d != 1 || c != 0 || n != 3 || f != 1 {
		t.Errorf("one queue: %d %d %d %d %d", w, d, c, n, f)
	}
	if w, d, c, n, f := sum(&both); w != 0 || d != 0 || c != 1 || n != 0 || f != 0 || both.Queue != "" {
		t.Errorf("the queues of a token: %d %d %d %d %d", w, d, c, n, f)
	}
	if all.Source != "all nodes" || len(all.Points) != 5 || all.Points[0].Nodes != 0 || time.Duration(all.Step) != time.Minute {
		t.Errorf("%+v", all)
	}
}

// A queue tells how long its oldest task has been due, and how late attempts start.
func TestDelaysOfQueues(t *testing.T) {
	a := startOnFile(t, func(node *outlast.Client) {
		outlast.Handle(node, "ends", func(context.Context, bool) error { return nil })
	})
	a.call("POST", "/v1/tasks?wait=10s", `{"type":"ends","payload":true}`).is(200)
	a.call("PUT", "/v1/queues/stuck", "").is(201)
	a.call("POST", "/v1/tasks", `{"type":"nobodys","queue":"stuck"}`).is(201)
	var queues client.Queues
	eventually(t, func() bool {
		queues = client.Queues{}
		a.call("GET", "/v1/queues", "").is(200).into(&queues)
		well, stuck := queues.Queues[0], queues.Queues[1]
		return well.Recent != nil && well.Recent.Wait != nil && stuck.Recent != nil && stuck.OldestDue > 0
	})
	well, stuck := queues.Queues[0], queues.Queues[1]
	if well.Name != "default" || *well.Recent.Attempts <= 0 || well.Recent.Wait.P99 <= 0 || well.OldestDue != 0 {
		t.Errorf("%+v, %+v", well, well.Recent)
	}
	if stuck.Name != "stuck" || *stuck.Recent.Attempts != 0 || stuck.Recent.Wait != nil {
		t.Errorf("%+v, %+v", stuck, stuck.Recent)
	}
	var one client.Queue
	if a.call("GET", "/v1/queues/stuck", "").is(200).into(&one); one.OldestDue < stuck.OldestDue {
		t.Errorf("%+v", one)
	}
}

func TestSeriesOfThisNode(t *testing.T) {
	a := start(t)
	var s client.Series
	a.call("GET", "/v1/stats/series?step=10s", "").is(200).into(&s)
	if s.Source != "this node" || len(s.Points) != 360 {
		t.Errorf("%s, %d points", s.Source, len(s.Points))
	}
}

func TestSeriesOfATokensQueues(t *testing.T) {
	g := startGuarded(t)
	two := g.token(inspect.Viewer, "red", "blue")
	for queue, want := range map[string]string{"": `""`, "?queue=red": `"red"`} {
		if got := g.as(two, "GET", "/v1/stats/series"+queue, "").is(200).get("queue"); got != want {
			t.Errorf("%s: %s", queue, got)
		}
	}
	g.as(two, "GET", "/v1/stats/series?queue=green", "").problem(403, "denied", "queue")
	g.as(g.token(inspect.Viewer, "red"), "GET", "/v1/stats/series?queue=blue", "").problem(403, "denied", "queue")
}
