package keeper

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// tidyEvery is how often old state is forgotten.
const tidyEvery = 10 * time.Minute

// tidy deletes state without which nothing would be lost.
func (m *Measures) tidy(ctx context.Context) {
	for _, kind := range []string{kindState, kindFires, kindRates, kindAck, alerts.KindSilence} {
		objects, err := m.Backend.Objects(ctx, kind)
		if err != nil {
			m.failed(ctx, err)
			return
		}
		now := time.Now()
		for i := range objects {
			if !idle(&objects[i], now) {
				continue
			}
			change := store.Change{Quiet: true, Delete: []store.Object{objects[i]}}
			if _, err := m.Backend.Change(ctx, change); err != nil && !errors.Is(err, &task.Error{Code: task.CodeConflict}) {
				m.failed(ctx, err)
				return
			}
		}
	}
}

func idle(object *store.Object, now time.Time) bool {
	switch object.Kind {
	case kindRates:
		var told published
		return json.Unmarshal(object.Body, &told) != nil || now.Sub(told.At) > tidyEvery
	case alerts.KindSilence:
		var silence alert.Silence
		return json.Unmarshal(object.Body, &silence) != nil || now.Sub(silence.Until) > silenceMemory
	case kindAck:
		var ack alert.Ack
		return json.Unmarshal(object.Body, &ack) != nil || now.Sub(ack.At) > ackMemory
	}
	var s alerts.State
	return json.Unmarshal(object.Body, &s) != nil || s.Idle(now)
}
