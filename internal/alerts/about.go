package alerts

import (
	"net/url"
	"strings"

	"github.com/outlast-dev/outlast/alert"
)

// About is one thing that a message is about.
type About struct {
	Kind  string // task, letters, tasks, target, queue, keys, schedule, redrive or nodes
	Name  string // of it; "" for all of the kind
	Place string // that shows it in the console: its address behind #/
}

// AboutOf is what a message is about, the closest first.
func AboutOf(m *alert.Message) (all []About) {
	add := func(kind, name, place string) { all = append(all, About{kind, name, place}) }
	part := url.PathEscape
	of := map[string]string{}
	for _, field := range m.Fields {
		of[field.Name] = field.Value
	}
	for _, name := range [...]string{"task", "dead letter"} {
		if id := of[name]; id != "" {
			add("task", id, "tasks/"+part(id))
		}
	}
	if id := of["operation"]; id != "" {
		add("redrive", id, "operations/"+part(id))
	}
	if name := of["schedule"]; name != "" {
		add("schedule", name, "schedules/"+part(name))
	}
	if m.Subject == deadLetters {
		add("letters", "", "dead")
	}
	if of["key"] != "" && of["dead letter"] != "" {
		add("keys", m.Queue, "queues?"+url.Values{"tab": {"keys"}, "queue": {m.Queue}}.Encode())
	}
	if m.TaskType != "" {
		// What is told of later has no details: most of it are deaths.
		kind, place := "tasks", "tasks"
		if of["reason"] != "" || len(m.Fields) == 0 {
			kind, place = "letters", "dead/letters"
		}
		add(kind, m.TaskType, place+"?"+url.Values{"type": {m.TaskType}}.Encode())
	}
	if m.Target != "" {
		add("target", m.Target, "targets/"+part(m.Target))
	}
	if m.Queue != "" {
		add("queue", m.Queue, "queues/"+part(m.Queue))
	}
	if of["node"] != "" && m.Kind != alert.Test {
		add("nodes", "", "workers")
	}
	return all
}

// Several is the rule of a message that stands for others, of any rules.
const Several = "several"

// Links are the addresses of what a message is about, and of the form that silences its
// like, in the console that people reach at base; none without that.
func Links(base string, m *alert.Message) (links []alert.Link) {
	if base == "" {
		return nil
	}
	console := strings.TrimRight(base, "/") + "/#/"
	for _, about := range AboutOf(m) {
		links = append(links, alert.Link{Name: about.Kind, URL: console + about.Place})
	}
	if (m.Kind == alert.Raised || m.Kind == alert.Held) && m.Rule != Several {
		links = append(links, alert.Link{Name: alert.LinkSilence, URL: console + "alerts?" + url.Values{"tab": {"silences"}, "rule": {m.Rule}, "subject": {m.Subject}}.Encode()})
	}
	return links
}
