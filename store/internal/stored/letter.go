package stored

import (
	"cmp"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Letter is what the counters of dead letters need to know of one.
type Letter struct {
	ID          task.ID
	Type        string
	Reason      string
	Category    string
	Message     string
	Fingerprint string
	At          int64 // µs
}

// NewLetter makes a letter of a task that died at a time in µs; failure is
// the last one, nil for none.
func NewLetter(id task.ID, taskType string, reason task.DeadReason, failure *task.Failure, at int64) Letter {
	l := Letter{ID: id, Type: taskType, Reason: string(cmp.Or(reason, task.Rejected)), At: at}
	if failure == nil {
		l.Fingerprint = task.Fingerprint(taskType, &task.Failure{Category: l.Reason})
		return l
	}
	l.Category, l.Message = failure.Category, failure.Message
	l.Fingerprint = cmp.Or(failure.Fingerprint, task.Fingerprint(taskType, failure))
	return l
}

// Counters are the counters that the letter is part of, as kind and name, in
// the order in which they are to be locked.
func (l *Letter) Counters() [4][2]string {
	return [4][2]string{{"category", l.Category}, {"reason", l.Reason}, {"total", ""}, {"type", l.Type}}
}

// NewStats is the statistics of no dead letters.
func NewStats() *store.DeadStats {
	return &store.DeadStats{ByType: map[string]int{}, ByReason: map[string]int{}, ByCategory: map[string]int{}}
}

// Count puts one counter, of those that [Letter.Counters] names, into stats.
func Count(stats *store.DeadStats, kind, name string, n int) {
	switch kind {
	case "total":
		stats.Total = n
	case "type":
		stats.ByType[name] = n
	case "reason":
		stats.ByReason[name] = n
	case "category":
		stats.ByCategory[name] = n
	}
}
