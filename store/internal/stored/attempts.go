package stored

import (
	"encoding/json"
	"time"

	"github.com/outlast-dev/outlast/task"
)

// MostAttempts is how many attempts a dead letter keeps.
const MostAttempts = 100

// Attempt is an attempt in the JSON of a dead letter; times in µs.
type Attempt struct {
	Number    int             `json:"number"`
	Claim     int64           `json:"claim"`
	Node      string          `json:"node,omitempty"`
	StartedAt int64           `json:"started_at,omitempty"`
	EndedAt   int64           `json:"ended_at,omitempty"`
	Outcome   task.Outcome    `json:"outcome"`
	Failure   json.RawMessage `json:"failure,omitempty"`
	NextDelay int64           `json:"next_delay,omitempty"`
	Label     string          `json:"label,omitempty"`
}

// Task is the attempt as the rest of the program knows it.
func (a *Attempt) Task() task.Attempt {
	return task.Attempt{
		Number: a.Number, Claim: a.Claim, Node: a.Node, StartedAt: Time(a.StartedAt), EndedAt: Time(a.EndedAt),
		Outcome: a.Outcome, Failure: FailureOf(a.Failure), NextDelay: time.Duration(a.NextDelay) * time.Microsecond,
		Label: task.ParseLabel(a.Label),
	}
}

// Attempts is the last of a history, which is oldest first, as JSON; nil for
// none.
func Attempts(history []Attempt) ([]byte, error) {
	if len(history) == 0 {
		return nil, nil
	}
	return json.Marshal(history[max(0, len(history)-MostAttempts):])
}

// ParseAttempts reads what Attempts made.
func ParseAttempts(text []byte) (history []Attempt, err error) {
	if text != nil {
		err = json.Unmarshal(text, &history)
	}
	return history, err
}
