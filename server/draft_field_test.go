package server_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/client"
)

var inAYear = time.Now().UTC().AddDate(1, 0, 0).Format(`"2006-01-02T15:04:05.000000Z"`)

// draftSamples are a value for each field of a draft, and how a task answers it where that is
// not under the same name: "" for not at all.
var draftSamples = map[string]struct{ given, answered string }{
	"id":            {`"01890a5d-ac96-774b-bcce-b302099a8057"`, ""}, // its end becomes the lane
	"type":          {`"mail"`, "type"},
	"queue":         {`"other"`, "queue"},
	"payload":       {`{"a": 1}`, "payload"},
	"delay":         {`"1h"`, ""}, // it becomes run_at
	"run_at":        {inAYear, "run_at"},
	"priority":      {`7`, "priority"},
	"key":           {`"k"`, "key"},
	"share_key":     {`"acme"`, "share_key"},
	"dedupe_key":    {`"d"`, "dedupe_key"},
	"dedupe_window": {`"2h0m0s"`, "dedupe_window"},
	"policy":        {`"short"`, "policy"},
	"retry":         {`{"max_attempts":3}`, "retry"},
	"max_attempts":  {`4`, "max_attempts"},
	"timeout":       {`"3s"`, "timeout"},
	"deadline":      {inAYear, "deadline"},
	"ttl":           {`"10h"`, ""}, // it becomes deadline
	"metadata":      {`{"a":"b"}`, "metadata"},
	"target":        {`{"url":"https://example.com/a","method":"PUT"}`, "target"},
	"fallback":      {`{"type":"a","payload":1}`, "fallback"},
	"on_success":    {`{"type":"b","payload":2}`, "on_success"},
	"on_dead":       {`{"type":"c","payload":3}`, "on_dead"},
	"alert":         {`{"when":"attempt > 3"}`, "alert"},
	"group":         {`"` + sampleGroup + `"`, "group"},
	"trace_parent":  {`"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"`, "trace_parent"},
}

const sampleGroup = "01900000-0000-7000-8000-000000000001"

// Every field of a draft reaches the store and comes back: it is listed by hand on the way
// there, on the way back, and where specs are kept.
func TestEveryFieldOfADraftComesBack(t *testing.T) {
	a := start(t)
	a.call("PUT", "/v1/queues/other", `{}`)
	a.call("POST", "/v1/task-groups", `{"id":"`+sampleGroup+`","callback":{"type":"closing"}}`).is(201)
	for field := range reflect.TypeFor[client.Draft]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		sample, known := draftSamples[name]
		if !known {
			t.Errorf("add a sample of %s", name)
			continue
		}
		body := `{"` + name + `":` + sample.given
		if name != "type" && name != "target" {
			body += `,"type":"mail"`
		}
		if name == "dedupe_window" {
			body += `,"dedupe_key":"w"`
		}
		id := a.call("POST", "/v1/tasks", body+`}`).is(201).id()
		if got := a.call("GET", "/v1/tasks/"+id, "").is(200); sample.answered != "" && got.get(sample.answered) != sample.given {
			t.Errorf("%s: given %s, answered %s", name, sample.given, got.get(sample.answered))
		}
	}
}
