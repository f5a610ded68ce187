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
	a.call("POST", "/v1/tasks?wait=30s", `{"type":"mail","max_attempts":1}`).is(200)
	for told := false; !told; {
		select {
		case body := <-bodies:
			told = strings.Contains(body, `"rule":"bad_mail"`) && strings.Contains(body, "the rule exhausted")
		case <-time.After(2 * time.Minute):
			t.Fatal("nobody is told")
		}
	}
	var events client.AlertEvents
	for deadline := time.Now().Add(2 * time.Minute); ; {
		a.call("GET", "/v1/alerts/events", "").is(200).into(&events)
		if len(events.Events) == 1 && events.Events[0].State == "sent" {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%+v", events.Events)
		}
	}
	for query, want := range map[string]int{"rule=bad_*": 1, "rule=bad": 0, "channel=ops&state=sent&subject=mail": 1, "state=failed": 0, "since=2126-01-01T00:00:00Z": 0} {
		var some client.AlertEvents
		if a.call("GET", "/v1/alerts/events?"+query, "").is(200).into(&some); len(some.Events) != want {
			t.Errorf("%s: %+v", query, some.Events)
		}
	}
	a.call("GET", "/v1/alerts/events?state=snet", "").problem(400, "invalid", "state")
	var preview client.AlertSilencePreview
	a.call("POST", "/v1/alerts/silences/preview", `{"rule":"bad_*"}`).is(200).into(&preview)
	if preview.Messages != 1 || preview.More || len(preview.Rules) != 1 || len(preview.Subjects) != 1 || preview.Subjects[0].Subject != "mail" || preview.Subjects[0].Rule != "bad_mail" {
		t.Errorf("%+v", preview)
	}
	a.call("POST", "/v1/alerts/silences/preview", `{}`).problem(400, "invalid", "rule")
	var acked client.AlertEvent
	a.call("POST", "/v1/alerts/events/"+events.Events[0].ID+"/ack", "").is(200).into(&acked)
	if acked.AckedBy != "api" || acked.AckedAt.IsZero() || acked.ID != events.Events[0].ID {
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
	if len(rules.Rules) < 6 || !rules.Rules[0].Builtin || len(rules.Variables) < 20 {
		t.Errorf("%+v", rules)
	}
	if v := rules.Variables[0]; v.Name != "type" && v.Name != "event" || v.Type != "string" || v.Doc == "" {
		t.Errorf("%+v", v)
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
	a.call("PUT", "/v1/alerts/channels/c", `{"kind":"slack","url_file":"/etc/passwd"}`).problem(400, "invalid", "url_file")
	a.call("PUT", "/v1/alerts/channels/c", `{"kind":"slack","url_env":"OUTLAST_KEY_1"}`).problem(400, "invalid", "url_env")
	a.call("PUT", "/v1/alerts/channels/c", `{"kind":"dingtalk","url_env":"OUTLAST_SECRET_U","secret_env":"OUTLAST_STORE"}`).problem(400, "invalid", "secret_env")
	a.call("PUT", "/v1/alerts/channels/c", `{"kind":"email","address":"a:25","username":"u","password_env":"PATH","from":"a@b.c","to":["d@e.f"]}`).problem(400, "invalid", "password_env")
	a.call("PUT", "/v1/alerts/channels/c", `{"kind":"slack","url_env":"OUTLAST_SECRET_U_HOSTS"}`).problem(400, "invalid", "url_env")
	a.call("PUT", "/v1/alerts/rules/exhausted", `{"on":"dead","disabled":true}`).is(200)
	if own := a.call("GET", "/v1/alerts/rules/exhausted", "").is(200); own.get("builtin") != "false" || own.get("replaces") != "true" {
		t.Errorf("in place of a built-in one: %s", own.body)
	}
	a.call("DELETE", "/v1/alerts/rules/exhausted", "").is(200)
	if again := a.call("GET", "/v1/alerts/rules/exhausted", "").is(200); again.get("builtin") != "true" || again.get("replaces") != "" {
		t.Errorf("the built-in one again: %s", again.body)
	}
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

func TestAlertSilences(t *testing.T) {
	a := start(t)
	made := a.call("POST", "/v1/alerts/silences", `{"target":"bank.*","for":"2h","reason":"a new gateway"}`).is(201)
	if made.get("state") != `"active"` || made.get("by") != `"api"` || made.get("target") != `"bank.*"` {
		t.Errorf("made %s", made.body)
	}
	a.call("POST", "/v1/alerts/silences", `{"for":"2h","reason":"x"}`).problem(400, "invalid", "rule")
	a.call("POST", "/v1/alerts/silences", `{"rule":"x","reason":"x"}`).problem(400, "invalid", "until")
	a.call("POST", "/v1/alerts/silences", `{"rule":"x","for":"-1s","reason":"x"}`).problem(400, "invalid", "for")
	a.call("POST", "/v1/alerts/silences", `{"rule":"x","for":"1s","until":"2126-01-01T00:00:00Z","reason":"x"}`).problem(400, "invalid", "for")
	a.call("POST", "/v1/alerts/silences", `{"rule":"x","for":"721h","reason":"x"}`).problem(400, "invalid", "until")
	if ended := a.call("DELETE", "/v1/alerts/silences/"+made.id(), "").is(200); ended.get("state") != `"ended"` || ended.get("ended_by") != `"api"` {
		t.Errorf("ended %s", ended.body)
	}
	a.call("DELETE", "/v1/alerts/silences/none", "").problem(404, "not_found")
	if listed := string(a.call("GET", "/v1/alerts/silences", "").is(200).body); strings.Count(listed, `"state":"ended"`) != 1 {
		t.Errorf("listed %s", listed)
	}
}

// A pause of the queue that alerts travel in is seen: nobody else could tell of it.
func TestPausedAlertsAreSeen(t *testing.T) {
	a := start(t)
	check := func(want bool, parts ...string) {
		t.Helper()
		var health client.Health
		a.call("GET", "/readyz?verbose", "").is(200).into(&health)
		got := health.Checks["alerts"]
		for _, part := range parts {
			if got.OK != want || !strings.Contains(got.Detail, part) {
				t.Errorf("%+v, want %s", got, part)
			}
		}
	}
	check(true, "every channel delivers")
	a.call("POST", "/v1/queues/outlast.alerts/pause", "").is(200)
	check(false, "alerts are not delivered: the queue outlast.alerts has been paused since "+time.Now().UTC().Format("2006-01-02T"))
	a.call("POST", "/v1/queues/outlast.alerts/resume", "").is(200)
	check(true, "every channel delivers")
}
