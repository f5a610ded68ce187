package alerts

import (
	"strconv"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/plaintext"
	"github.com/outlast-dev/outlast/store"
)

// Sample is one measurement of everything that aggregates look at.
type Sample struct {
	Letters    *store.DeadStats // nil if they could not be read
	Queues     []QueueSample
	Targets    []RateSample
	Types      []RateSample
	Categories []RateSample
	Groups     []GroupSample
	Blocked    []BlockedSample
	Keys       []KeySample
	Changes    []ChangeSample
}

// QueueSample is one queue.
type QueueSample struct {
	Name      string
	Backlog   int           // pending tasks but for parked ones, counted to Bound
	Aside     int           // of these, tasks with a park mark: nobody can start them now
	Parked    int           // pending tasks behind keys that are held in mode park, counted to Bound
	Bound     int           // where counting stops, 0 for nowhere
	OldestDue time.Duration // how long the oldest has been due; 0 if nothing is
	Stranded  []Stranded    // types of due tasks that no living node can start, by name
	Owned     bool
	Paused    bool
}

// Stranded are the due tasks of a type that no living node can start.
type Stranded struct {
	Type     string
	Requests bool      // they are HTTP requests
	Since    time.Time // when the first of them, by order, was due
}

// StrandedTypes are the names of the types that no living node can start.
func (q *QueueSample) StrandedTypes() []string {
	types := make([]string, len(q.Stranded))
	for i := range q.Stranded {
		types[i] = q.Stranded[i].Type
	}
	return types
}

// RateSample is what happened to one target, type or category in the last
// minute, over all nodes.
type RateSample struct {
	Name        string
	Attempts    int
	Failures    int
	Retries     int
	P99         time.Duration
	RetryGrowth float64
	P99Growth   float64
}

// GroupSample is one worker group.
type GroupSample struct {
	Name    string
	Living  int
	Waiting int // those in the memory of nodes; there may be more
	Failing time.Duration
}

// KeySample is an encryption key that nodes lack.
type KeySample struct {
	Name    string // "" where tasks do not open for another reason
	Waiting int    // tasks that did not open in the last minutes, of each node counted to 10 000
}

// ChangeSample is how long attempts of one number of a type take after a change,
// against before.
type ChangeSample struct {
	Type      string
	Number    int    // of the attempt; 5 stands for all from the fifth on
	By        string // release or policy_version
	From, To  string
	Samples   int // attempts of the side that has fewer
	P99       time.Duration
	P99Before time.Duration
}

// MostCounted is where the tasks of a sample are counted to.
const MostCounted = 10_000

// Occurrences lists the subjects of a sample with the values of the variables.
func (s *Sample) Occurrences(at time.Time) (all []*Occurrence) {
	if s.Letters != nil {
		all = append(all, lettersAt(s.Letters, at))
	}
	for i := range s.Queues {
		all = append(all, s.Queues[i].at(at))
	}
	for i := range s.Targets {
		all = append(all, s.Targets[i].at(alert.OnTarget, "target", at))
	}
	for i := range s.Types {
		all = append(all, s.Types[i].at(alert.OnType, "type", at))
	}
	for i := range s.Categories {
		all = append(all, s.Categories[i].at(alert.OnCategory, "category", at))
	}
	for i := range s.Groups {
		all = append(all, s.Groups[i].at(at))
	}
	for i := range s.Blocked {
		all = append(all, s.Blocked[i].at(at))
	}
	for i := range s.Keys {
		all = append(all, s.Keys[i].at(at))
	}
	for i := range s.Changes {
		all = append(all, s.Changes[i].at(at))
	}
	return all
}

// mostListed bounds the counts by type in a message; the largest come first.
const mostListed = 20

// MostNamed bounds the types in a sentence.
const MostNamed = 3

// deadLetters is the subject of what is said of all of them.
const deadLetters = "dead letters"

func lettersAt(letters *store.DeadStats, at time.Time) *Occurrence {
	o := &Occurrence{On: alert.OnLetters, Subject: deadLetters, Size: letters.Total, At: at, Text: "there is " + plaintext.Counted(letters.Total, "dead letter"), Values: map[string]any{
		"total": letters.Total, "by_type": orEmpty(letters.ByType), "by_reason": orEmpty(letters.ByReason), "by_category": orEmpty(letters.ByCategory),
	}}
	if letters.Total != 1 {
		o.Text = "there are " + plaintext.Counted(letters.Total, "dead letter")
	}
	for _, name := range largest(letters.ByType) {
		o.Fields = append(o.Fields, alert.Field{Name: name, Value: strconv.Itoa(letters.ByType[name])})
	}
	return o
}

func (q *QueueSample) at(at time.Time) *Occurrence {
	text := "queue " + q.Name + " has "
	if q.Bound > 0 && q.Backlog >= q.Bound {
		text += "at least "
	}
	text += plaintext.Counted(q.Backlog, "pending task")
	if q.OldestDue > 0 {
		text += ", the oldest due for " + plaintext.Span(q.OldestDue.Round(time.Second))
	}
	if !q.Owned {
		text += "; no node works on it"
	}
	o := &Occurrence{On: alert.OnQueue, Subject: q.Name, Size: q.Backlog, At: at, Queue: q.Name, Values: map[string]any{
		"queue": q.Name, "backlog": q.Backlog, "oldest_due": q.OldestDue, "owned": q.Owned, "paused": q.Paused, "stranded": len(q.Stranded),
	}}
	if types := q.StrandedTypes(); len(types) > 0 {
		text += "; no living node can start " + plaintext.Counted(len(types), "type") + " of them: " + strings.Join(types[:min(len(types), MostNamed)], ", ")
		if more := len(types) - MostNamed; more > 0 {
			text += " and " + strconv.Itoa(more) + " more"
		}
		o.Fields = Fields("types", strings.Join(types[:min(len(types), mostListed)], ", "))
	}
	o.Text = text
	return o
}

func (r *RateSample) at(on alert.On, noun string, at time.Time) *Occurrence {
	share := func(n int) float64 { return float64(n) / float64(max(r.Attempts, 1)) }
	return &Occurrence{
		On: on, Subject: r.Name, At: at,
		Text: noun + " " + r.Name + ": " + plaintext.Counted(r.Attempts, "attempt") + " in the last minute, " + percent(share(r.Failures)) +
			" failed, " + percent(share(r.Retries)) + " were retries",
		Values: map[string]any{
			noun: r.Name, "attempts": r.Attempts, "failures": r.Failures, "retries": r.Retries, "rate": float64(r.Attempts) / window.Seconds(),
			"failure_share": share(r.Failures), "retry_share": share(r.Retries), "p99": r.P99, "retry_growth": r.RetryGrowth, "p99_growth": r.P99Growth,
		},
		Fields: Fields("p99", r.P99.String(), "retries", strconv.Itoa(r.Retries)+", "+times(r.RetryGrowth)+" those of the minutes before",
			"p99 growth", times(r.P99Growth)),
	}
}

func (g *GroupSample) at(at time.Time) *Occurrence {
	waiting := "no task waits"
	switch {
	case g.Waiting == 1:
		waiting = "at least 1 task waits"
	case g.Waiting > 1:
		waiting = "at least " + plaintext.Counted(g.Waiting, "task") + " wait"
	}
	return &Occurrence{
		On: alert.OnGroup, Subject: g.Name, Size: g.Waiting, At: at,
		Text:   "group " + g.Name + " has " + plaintext.Counted(g.Living, "living member") + "; " + waiting,
		Values: map[string]any{"group": g.Name, "living": g.Living, "waiting": g.Waiting, "failing": g.Failing},
	}
}

func (s *KeySample) at(at time.Time) *Occurrence {
	waiting := plaintext.Counted(s.Waiting, "task")
	if s.Waiting >= MostCounted {
		waiting = "at least " + waiting
	}
	subject, text := s.Name, waiting+" cannot be read for want of the encryption key "+s.Name
	if s.Name == "" {
		subject, text = "payloads", waiting+" cannot be read: damaged, or in the clear where nothing may be"
	}
	return &Occurrence{On: alert.OnKey, Subject: subject, Size: s.Waiting, At: at, Text: text, Values: map[string]any{"key": s.Name, "waiting": s.Waiting}}
}

func (c *ChangeSample) at(at time.Time) *Occurrence {
	growth := 1.0
	if c.P99 > 0 && c.P99Before > 0 {
		growth = float64(c.P99) / float64(c.P99Before)
	}
	attempt := "attempt " + strconv.Itoa(c.Number)
	noun := "release"
	if c.By != noun {
		noun = "policy"
	}
	return &Occurrence{
		On: alert.OnChange, Subject: c.Type + " " + attempt + " " + c.To, At: at,
		Text: c.Type + ": the p99 of " + attempt + " is " + times(growth) + " that before " + noun + " " + c.To,
		Values: map[string]any{
			"type": c.Type, "attempt": c.Number, "by": c.By, "from": c.From, "to": c.To, "samples": c.Samples,
			"p99": c.P99, "p99_before": c.P99Before, "p99_growth": growth,
		},
		Fields: Fields("before", c.From, "after", c.To, "p99 before", c.P99Before.String(), "p99", c.P99.String(), "samples", strconv.Itoa(c.Samples)),
	}
}

func percent(share float64) string { return strconv.FormatFloat(100*share, 'f', 0, 64) + "%" }

func times(growth float64) string { return strconv.FormatFloat(growth, 'f', 1, 64) + " times" }

func orEmpty(counts map[string]int) map[string]int {
	if counts == nil {
		return map[string]int{}
	}
	return counts
}
