package server_test

import (
	"testing"

	"github.com/outlast-dev/outlast/client"
)

// A share key comes in by the API and is shown; limits of share keys are settings of a
// queue, and the share keys that wait are listed, those first of which the most does.
func TestShareKeys(t *testing.T) {
	g := startGuarded(t)
	put := g.as(g.admin, "PUT", "/v1/queues/red", `{"shares":{"concurrency":3,"rate":"50/s"}}`).is(200)
	if q := decoded[client.Queue](put); q.Shares != (client.ShareLimits{Concurrency: 3, Rate: "50/s"}) {
		t.Errorf("the limits are %+v", q.Shares)
	}
	put = g.as(g.admin, "PUT", "/v1/queues/red", `{"shares":{"rate":""},"weight":2}`).is(200)
	if q := decoded[client.Queue](put); q.Shares != (client.ShareLimits{Concurrency: 3}) {
		t.Errorf("without a rate the limits are %+v", q.Shares)
	}
	for _, rate := range []string{"50", "0/s", "5/d", "-1/s", "50/s/s"} {
		g.as(g.admin, "PUT", "/v1/queues/red", `{"shares":{"rate":"`+rate+`"}}`).is(400)
	}
	g.as(g.admin, "POST", "/v1/queues/red/pause", "").is(200)
	for _, key := range []string{"acme", "acme", "bolt", ""} {
		made := g.as(g.admin, "POST", "/v1/tasks", `{"type":"dies","queue":"red","payload":"","share_key":"`+key+`"}`)
		if key == "" {
			made.is(400) // written out, it would read as absent
			made = g.as(g.admin, "POST", "/v1/tasks", `{"type":"dies","queue":"red","payload":""}`)
		}
		if shown := decoded[client.Task](made.is(201)); shown.ShareKey != key {
			t.Errorf("the share key %q is shown as %q", key, shown.ShareKey)
		}
	}
	shares := decoded[client.QueueShares](g.as(g.admin, "GET", "/v1/queues/red/shares?limit=2", "").is(200))
	if len(shares.Shares) != 2 || shares.Total != 3 || shares.Queue != "red" || shares.Node == "" || shares.Shares[0] != (client.QueueShare{ShareKey: "acme", Ready: 2, Known: 2}) {
		t.Errorf("the shares are %+v", shares)
	}
	g.as(g.admin, "GET", "/v1/queues/none/shares", "").is(404)
}

// decoded is an answer as a value.
func decoded[T any](a *answer) (out T) {
	a.into(&out)
	return out
}
