package outlasttest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Want says which tasks are meant. Zero fields leave it open.
type Want struct {
	Type     string
	Queue    string
	Key      string            // ordering key
	Metadata map[string]string // each of these pairs
	Schedule string            // the tasks that the schedule of this name has made
	// Payload is compared by its JSON form, whatever the order of fields; []byte and
	// [json.RawMessage] are such a form.
	Payload any
	// Delay is the wait between the acceptance and the first attempt, to the second. It is
	// known of tasks that have not been tried yet.
	Delay time.Duration
	State task.State
	// Reason and Category are why a task is dead, and what its last failure was.
	Reason   task.DeadReason
	Category string
	// Count is how many there are, exactly; 0 for at least one.
	Count int
}

// RequireEnqueued ends the test unless tasks like these were enqueued, with a list of those
// that were. It returns the tasks, the newest first. Tasks that have ended count for as long
// as the client keeps them: a kit's for ever, else a day. The steps of alerts do not. It looks
// at what a client finds, the newest 10 000 tasks.
func RequireEnqueued(t testing.TB, client *outlast.Client, want Want) []*outlast.Task {
	t.Helper()
	all := tasksOf(t, client)
	found, others := want.among(t, all)
	if len(found) == 0 || want.Count > 0 && len(found) != want.Count {
		t.Fatalf("outlasttest: %s\nwanted %s\n%s", counted(len(found)), want, listed(found, others))
	}
	return found
}

// RefuteEnqueued ends the test if a task like this was enqueued. A Count is left aside.
func RefuteEnqueued(t testing.TB, client *outlast.Client, want Want) {
	t.Helper()
	if found, _ := want.among(t, tasksOf(t, client)); len(found) > 0 {
		want.Count = 0
		t.Fatalf("outlasttest: %s\nwanted none %s\n%s", counted(len(found)), want, listed(found, nil))
	}
}

// RequireDead is [RequireEnqueued] for dead letters.
func RequireDead(t testing.TB, client *outlast.Client, want Want) []*outlast.Task {
	t.Helper()
	want.State = task.Dead
	return RequireEnqueued(t, client, want)
}

// RefuteDead is [RefuteEnqueued] for dead letters.
func RefuteDead(t testing.TB, client *outlast.Client, want Want) {
	t.Helper()
	want.State = task.Dead
	RefuteEnqueued(t, client, want)
}

// mostTasks bounds what is looked at, mostListed what a failure lists.
const (
	mostTasks  = 10_000
	mostListed = 20
)

// tasksOf are the tasks of a client's store, the newest first.
func tasksOf(t testing.TB, client *outlast.Client) (all []*outlast.Task) {
	t.Helper()
	for page := (store.Page{Limit: 500}); len(all) < mostTasks; {
		views, next, err := client.Inspector().Tasks.Find(t.Context(), store.Filter{Without: alerts.Queue}, page)
		if err != nil {
			t.Fatalf("outlasttest: the tasks cannot be read: %v", err)
		}
		for _, view := range views {
			all = append(all, view.Task)
		}
		if page.Cursor = next; next == "" {
			break
		}
	}
	return all
}

// other is a task that is not wanted, and in what it differs.
type other struct {
	*outlast.Task
	in string
}

// among parts tasks into those that are wanted and others.
func (w *Want) among(t testing.TB, all []*outlast.Task) (found []*outlast.Task, others []other) {
	t.Helper()
	var payload any
	if w.Payload != nil {
		text, err := encode(w.Payload)
		if err == nil {
			payload, err = decoded(text)
		}
		if err != nil {
			t.Fatalf("outlasttest: the wanted payload has no JSON form: %v", err)
		}
	}
	for _, one := range all {
		if in := w.differs(one, payload); in != "" {
			others = append(others, other{one, in})
		} else {
			found = append(found, one)
		}
	}
	return found, others
}

// differs says in what a task is not the wanted one, "" if it is.
func (w *Want) differs(t *outlast.Task, payload any) string {
	for _, field := range []struct{ name, want, is string }{
		{"type", w.Type, t.Type}, {"queue", w.Queue, t.Queue}, {"key", w.Key, t.Key}, {"schedule", w.Schedule, t.Spec.Metadata[scheduleName]},
		{"state", string(w.State), string(t.State)}, {"reason", string(w.Reason), string(t.DeadReason)}, {"category", w.Category, categoryOf(t)},
	} {
		if field.want != "" && field.want != field.is {
			return field.name
		}
	}
	for name, value := range w.Metadata {
		if is, has := t.Spec.Metadata[name]; !has || is != value {
			return "metadata " + name
		}
	}
	if w.Delay != 0 && (t.Attempt > 0 || (t.RunAt.Sub(t.CreatedAt)-w.Delay).Abs() > time.Second) {
		return "delay"
	}
	if w.Payload != nil {
		if is, err := decoded(t.Payload); err != nil || !reflect.DeepEqual(is, payload) {
			return "payload"
		}
	}
	return ""
}

// decoded is JSON without its spaces and the order of its fields. Large numbers stay what they are.
func decoded(text []byte) (value any, err error) {
	read := json.NewDecoder(bytes.NewReader(text))
	read.UseNumber()
	err = read.Decode(&value)
	return value, err
}

// scheduleName is the metadata by which tasks tell their schedule.
const scheduleName = "outlast.schedule"

func categoryOf(t *outlast.Task) string {
	if t.LastError == nil {
		return ""
	}
	return t.LastError.Category
}

// String says what is wanted.
func (w Want) String() string {
	var parts []string
	add := func(name string, value any) { parts = append(parts, fmt.Sprintf("%s %v", name, value)) }
	for _, field := range []struct{ name, value string }{
		{"type", w.Type}, {"queue", w.Queue}, {"key", w.Key}, {"schedule", w.Schedule}, {"state", string(w.State)},
		{"reason", string(w.Reason)}, {"category", w.Category},
	} {
		if field.value != "" {
			add(field.name, field.value)
		}
	}
	if len(w.Metadata) > 0 {
		add("metadata", w.Metadata)
	}
	if w.Delay != 0 {
		add("delay", w.Delay)
	}
	if text, err := encode(w.Payload); w.Payload != nil && err == nil {
		add("payload", string(text))
	}
	if w.Count > 0 {
		add("count", w.Count)
	}
	if len(parts) == 0 {
		return "any task"
	}
	return "with " + strings.Join(parts, ", ")
}

func counted(n int) string {
	switch n {
	case 0:
		return "no such task was enqueued"
	case 1:
		return "1 such task was enqueued"
	}
	return fmt.Sprintf("%d such tasks were enqueued", n)
}

// listed are the first tasks as lines, those that are wanted first.
func listed(found []*outlast.Task, others []other) string {
	if len(found)+len(others) == 0 {
		return "there are no tasks at all"
	}
	lines := []string{"there are:"}
	for _, t := range found {
		lines = append(lines, "  "+line(t))
	}
	for _, t := range others {
		lines = append(lines, "  "+line(t.Task)+"   (another "+t.in+")")
	}
	if left := len(lines) - 1 - mostListed; left > 0 {
		lines = append(lines[:1+mostListed], fmt.Sprintf("  and %d more", left))
	}
	return strings.Join(lines, "\n")
}

// line is a task for people.
func line(t *outlast.Task) string {
	text := fmt.Sprintf("%s in %s, %s", t.Type, t.Queue, t.State)
	if t.DeadReason != "" {
		text += " (" + string(t.DeadReason) + ")"
	}
	if t.Attempt > 0 {
		text += fmt.Sprintf(", attempt %d", t.Attempt)
	} else if delay := t.RunAt.Sub(t.CreatedAt); delay > 0 {
		text += ", delay " + delay.Round(time.Millisecond).String()
	}
	if t.Key != "" {
		text += ", key " + t.Key
	}
	if len(t.Spec.Metadata) > 0 {
		text += fmt.Sprintf(", metadata %v", t.Spec.Metadata)
	}
	if t.LastError != nil {
		text += ", " + t.LastError.Category + ": " + short(t.LastError.Message)
	}
	return text + ", payload " + short(string(t.Payload))
}

// short is a text of one line that is not long.
func short(text string) string {
	const most = 200
	text, _, cut := strings.Cut(strings.TrimSpace(text), "\n")
	if len(text) > most {
		text, cut = text[:most], true
	}
	if cut {
		text = strings.ToValidUTF8(text, "") + "…"
	}
	return text
}
