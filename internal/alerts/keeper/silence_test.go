package keeper

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

func TestEndedSilencesAreForgotten(t *testing.T) {
	now := time.Now()
	for after, want := range map[time.Duration]bool{0: false, 29 * 24 * time.Hour: false, 31 * 24 * time.Hour: true} {
		body, err := json.Marshal(alert.Silence{Rule: "*", Until: now})
		if err != nil {
			t.Fatal(err)
		}
		if got := idle(&store.Object{Kind: alerts.KindSilence, Body: body}, now.Add(after)); got != want {
			t.Errorf("after %s: %v", after, got)
		}
	}
}

// A silence that is on disk is made, although the store does not answer any more when it
// is read back: who is told of an error makes it twice.
func TestSilenceThatIsThereIsNoError(t *testing.T) {
	t.Parallel()
	onDesk(t, perSecond1, func(d *desk) {
		deaf := &deafStore{Backend: d.store}
		d.Desk.Backend, d.Book.config.Backend = deaf, deaf
		now := time.Now()
		made, err := d.Desk.AddSilence(d.Context(), alert.Silence{Rule: "r", Reason: "known", From: now, Until: now.Add(time.Hour)}, store.Audit{Actor: "me", Action: "silence.add"})
		if err != nil || made == nil {
			t.Fatalf("%+v, %v", made, err)
		}
		deaf.changed = false
		if err := d.Book.Load(d.Context()); err != nil || len(d.Book.edition.Load().silences) != 1 {
			t.Errorf("%v, %v", d.Book.edition.Load().silences, err)
		}
	})
}

// deafStore lists nothing from the first change on.
type deafStore struct {
	store.Backend
	changed bool
}

func (s *deafStore) Change(ctx context.Context, change store.Change) (*store.Changed, error) {
	s.changed = true
	return s.Backend.Change(ctx, change)
}

func (s *deafStore) Objects(ctx context.Context, kind string) ([]store.Object, error) {
	if s.changed {
		return nil, task.Invalid("store", "does not answer", "")
	}
	return s.Backend.Objects(ctx, kind)
}
