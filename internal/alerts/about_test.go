package alerts

import (
	"fmt"
	"testing"

	"github.com/outlast-dev/outlast/alert"
)

// A message leads to what it is about, and to where its like is silenced.
func TestLinks(t *testing.T) {
	const base, id = "https://retry.example.com/ops/", "0199f000-0000-7000-8000-000000000001"
	for name, c := range map[string]struct {
		message alert.Message
		want    string
	}{
		"a death": {
			alert.Message{TaskType: "mail", Target: "mail", Queue: "a b", Fields: Fields("task", id, "reason", "exhausted")},
			"task tasks/" + id + ", letters dead/letters?type=mail, target targets/mail, queue queues/a%20b",
		},
		"deaths, told later":    {alert.Message{Kind: alert.Held, TaskType: "mail/x&y"}, "letters dead/letters?type=mail%2Fx%26y"},
		"a crash":               {alert.Message{TaskType: "mail", Fields: Fields("task", id, "node", "n")}, "task tasks/" + id + ", tasks tasks?type=mail, nodes workers"},
		"a breaker":             {alert.Message{Target: "api.example.com:8443", Fields: Fields("target", "api.example.com:8443")}, "target targets/api.example.com:8443"},
		"a queue":               {alert.Message{Queue: "mail"}, "queue queues/mail"},
		"an ordering key":       {alert.Message{Queue: "mail", Fields: Fields("queue", "mail", "key", "c7", "dead letter", id)}, "task tasks/" + id + ", keys queues?queue=mail&tab=keys, queue queues/mail"},
		"a redrive":             {alert.Message{Fields: Fields("operation", "op1")}, "redrive operations/op1"},
		"a schedule":            {alert.Message{Fields: Fields("schedule", "nightly/1")}, "schedule schedules/nightly%2F1"},
		"the dead letters":      {alert.Message{Subject: deadLetters, Fields: Fields("mail", "3")}, "letters dead"},
		"nothing that is shown": {alert.Message{Subject: "payloads"}, ""},
		"a recovery":            {alert.Message{Kind: alert.Recovered, Queue: "mail"}, "queue queues/mail"},
		"a test":                {alert.Message{Kind: alert.Test, Fields: Fields("node", "n")}, ""},
	} {
		m := c.message
		m.Rule = "r s"
		if m.Kind == "" {
			m.Kind = alert.Raised
		}
		if Links("", &m) != nil {
			t.Errorf("%s: links without an address", name)
		}
		got, silence := "", false
		for _, link := range Links(base, &m) {
			if link.Name == alert.LinkSilence {
				silence = true
				continue
			}
			if got != "" {
				got += ", "
			}
			got += fmt.Sprint(link.Name, " ", link.URL[len(base+"#/"):])
		}
		if got != c.want {
			t.Errorf("%s: %s\nwant %s", name, got, c.want)
		}
		if want := m.Kind == alert.Raised || m.Kind == alert.Held; silence != want {
			t.Errorf("%s: leads to a silence: %v", name, silence)
		}
	}
}
