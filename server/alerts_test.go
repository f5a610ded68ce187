package server_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/client"
)

// A dead letter is told to a channel that was put by HTTP, and the delivery log
// says so.
func TestAlerts(t *testing.T) {
	bodies := make(chan string, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies <- string(body)
	}))
	defer receiver.Close()
	a := start(t, func(c *outlast.Client) {
		outlast.Handle(c, "mail", func(context.Context, any) error { return errors.New("no such address") })
	})
	a.call("PUT", "/v1/alerts/channels/ops", `{"kind":"webhook","url":"`+receiver.URL+`","default":true}`).is(200)
	a.call("POST", "/v1/alerts/channels/ops/test", "").is(200)
	if body := <-bodies; !strings.Contains(body, `"kind":"test"`) {
		t.Errorf("the test: %s", body)
	}
	a.call("PUT", "/v1/alerts/rules/bad_mail", `{"on":"dead","when":"type == \"mail\" && message.contains(\"address\")","severity":"critical"}`).is(200)
	a.call("POST", "/v1/tasks?wait=5s", `{"type":"mail","max_attempts":1}`).is(200)
	for told := map[string]bool{}; !told["bad_mail"] || !told["exhausted"]; {
		select {
		case body := <-bodies:
			for _, rule := range []string{"bad_mail", "exhausted"} {
				told[rule] = told[rule] || strings.Contains(body, `"rule":"`+rule+`"`)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("told: %v", told)
		}
	}
	var events client.AlertEvents
	for deadline := time.Now().Add(5 * time.Second); ; {
		a.call("GET", "/v1/alerts/events", "").is(200).into(&events)
		if len(events.Events) == 2 && events.Events[0].State == "sent" && events.Events[1].State == "sent" {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%+v", events.Events)
		}
	}
	var acked client.AlertEvent
	a.call("POST", "/v1/alerts/events/"+events.Events[0].Task+"/ack", "").is(200).into(&acked)
	if acked.AckedBy != "api" || acked.AckedAt.IsZero() || acked.Task != events.Events[0].Task {
		t.Errorf("%+v", acked)
	}
	a.call("POST", "/v1/alerts/events/x/ack", "").problem(400, "invalid", "id")
	a.call("POST", "/v1/alerts/events/01890000-0000-7000-8000-000000000001/ack", "").problem(404, "not_found")
	if e := events.Events[0]; e.Channel != "ops" || e.Subject != "mail" || e.Kind != "raised" || e.Attempts != 1 {
		t.Errorf("%+v", e)
	}
	a.call("DELETE", "/v1/alerts/channels/ops", "").is(200)
	a.call("GET", "/v1/alerts/channels/ops", "").problem(404, "not_found")
}

func TestAlertRulesAreChecked(t *testing.T) {
	a := start(t)
	var rules client.AlertRules
	a.call("GET", "/v1/alerts/rules", "").is(200).into(&rules)
	if len(rules.Rules) < 6 || !rules.Rules[0].Builtin {
		t.Errorf("%+v", rules)
	}
	for body, path := range map[string]string{
		`{"on":"dead","when":"attemt > 1"}`:         "when",
		`{"on":"dead","chanels":["ops"]}`:           "chanels",
		`{"on":"ded"}`:                              "on",
		`{"on":"dead","channels":["nobody"]}`:       "channels[0]",
		`{"on":"dead","cooldown":"x"}`:              "cooldown",
		`{"on":"dead","name":"other"}`:              "name",
		`{"on":"dead","when":"type + 1 == type"}`:   "when",
		`{"on":"letters","when":"reason == \"x\""}`: "when",
	} {
		a.call("PUT", "/v1/alerts/rules/r", body).problem(400, "invalid", path)
	}
	a.call("PUT", "/v1/alerts/rules/a%2Fb", `{"on":"dead"}`).problem(400, "invalid", "name")
	a.call("GET", "/v1/alerts/rules/r", "").problem(404, "not_found")
	a.call("PUT", "/v1/alerts/channels/c", `{"kind":"slack","url":"https://hooks.slack.com/services/T/B/X"}`).problem(400, "invalid", "url")
	a.call("PUT", "/v1/alerts/channels/c", `{"kind":"slack","url_file":"/etc/passwd"}`).problem(400, "invalid", "secret_file")
	a.call("PUT", "/v1/alerts/rules/exhausted", `{"on":"dead","disabled":true}`).is(200)
	a.call("GET", "/v1/alerts/rules/exhausted", "").is(200).into(&rules)
	a.call("DELETE", "/v1/alerts/rules/exhausted", "").is(200)
	a.call("DELETE", "/v1/alerts/rules/exhausted", "").problem(404, "not_found")
	a.call("POST", "/v1/tasks", `{"type":"a","alert":{"when":"attempt > 1 && attempt < 5","channels":["ops"]}}`).is(201)
	a.call("POST", "/v1/tasks", `{"type":"a","alert":{"when":"attempt >"}}`).problem(400, "invalid", "alert.when")
}

// A channel that does not deliver shows in /readyz?verbose, and makes no server
// unready.
func TestReadyzTellsOfChannels(t *testing.T) {
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }))
	defer receiver.Close()
	a := start(t)
	a.call("PUT", "/v1/alerts/channels/ops", `{"kind":"webhook","url":"`+receiver.URL+`"}`).is(200)
	a.call("POST", "/v1/alerts/channels/ops/test", "").problem(503, "unavailable")
	var health client.Health
	a.call("GET", "/readyz?verbose", "").is(200).into(&health)
	if check := health.Checks["alerts"]; check.OK || !strings.Contains(check.Detail, "channel ops does not deliver") {
		t.Errorf("%+v", health)
	}
}
