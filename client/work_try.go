package client

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"
)

// Verdict is how an attempt ended, as the server would be told.
type Verdict struct {
	TaskResult
	Steps    []Step          // all that are done, those that came with the task included
	Progress json.RawMessage // the last that was reported
}

// Try runs one attempt of a handler without a server, for its tests. Of the task, what the
// handler looks at has to be set. For the next attempt give it the steps of the verdict: a
// signal that has come is a [Step] with its name, Occurrence 0 and the type "signal". Whether
// a failure is retried is decided by the server.
func Try(ctx context.Context, handler WorkHandler, t LeasedTask) *Verdict {
	began := time.Now()
	if t.ID.IsZero() {
		t.ID = NewID()
	}
	v := &Verdict{Steps: t.Steps}
	var mu sync.Mutex // steps may run at once
	w := &working{handlers: map[string]WorkHandler{t.Type: handler}, options: WorkOptions{Logger: slog.New(slog.DiscardHandler)}}
	v.TaskResult = w.attempt(&workContext{
		Context: ctx, task: &t, steps: newStepLog(t.Steps),
		now: func() time.Time {
			if t.StartedAt.IsZero() {
				return time.Now()
			}
			return t.StartedAt.Add(time.Since(began))
		},
		keep: func(s *DoneStep) error {
			mu.Lock()
			defer mu.Unlock()
			v.Steps = append(v.Steps, Step{Name: s.Name, Occurrence: s.Occurrence, Result: s.Result, Type: s.Type, Compensation: s.Compensation})
			return nil
		},
		progress: func(text []byte) {
			mu.Lock()
			defer mu.Unlock()
			v.Progress = text
		},
	}, &t)
	return v
}
