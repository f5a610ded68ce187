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

// What keeps an incident until it is over is told of that, silence or not, and each by itself.
func TestRecoveriesEndWhatIsKept(t *testing.T) {
	t.Parallel()
	for stateful, want := range map[bool]int{false: 0, true: 1} {
		settings := perSecond1
		settings.Stateful = stateful
		onDesk(t, settings, func(d *desk) {
			now := time.Now()
			if _, err := d.Desk.AddSilence(d.Context(), alert.Silence{Rule: "r", Reason: "known", From: now, Until: now.Add(time.Hour)}, store.Audit{Actor: "me", Action: "silence.add"}); err != nil {
				t.Fatal(err)
			}
			if err := d.Book.Load(d.Context()); err != nil {
				t.Fatal(err)
			}
			for _, kind := range []alert.MessageKind{alert.Raised, alert.Recovered} {
				id := task.NewID(time.Now(), random{})
				payload, err := json.Marshal(delivery{Message: &alert.Message{ID: id.String(), Kind: kind, Rule: "r", Subject: "s", At: now}})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := d.Sender.Send(d.Context(), id, "ops", payload); err != nil {
					t.Fatal(err)
				}
			}
			if len(d.got) != want || want == 1 && d.got[0].Kind != alert.Recovered {
				t.Errorf("stateful %v: got %+v", stateful, d.got)
			}
		})
	}
}
