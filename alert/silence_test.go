package alert

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

func TestGlob(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"", "", true}, {"a", "a", true}, {"a", "ab", false}, {"ab", "a", false}, {"*", "", true}, {"*", "a/b", true},
		{"mail.*", "mail.send", true}, {"mail.*", "email.send", false}, {"*.send", "mail.send.send", true}, {"*.send", "mail.sent", false},
		{"a*b*c", "aXbbYc", true}, {"a*b*c", "aXcYb", false}, {"**", "x", true}, {"é*", "éa", true},
	} {
		if got := glob(c.pattern, c.text); got != c.want {
			t.Errorf("%q of %q: %v", c.pattern, c.text, got)
		}
	}
	if glob(strings.Repeat("*a", 250)+"b", strings.Repeat("a", 10_000)) {
		t.Error("a pattern that cannot match does")
	}
}

func TestEndedSilencesAreForgotten(t *testing.T) {
	now := time.Now()
	for after, want := range map[time.Duration]bool{0: false, 29 * 24 * time.Hour: false, 31 * 24 * time.Hour: true} {
		body, err := json.Marshal(Silence{Rule: "*", Until: now})
		if err != nil {
			t.Fatal(err)
		}
		if got := idle(&store.Object{Kind: KindSilence, Body: body}, now.Add(after)); got != want {
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
		d.Backend = deaf
		now := time.Now()
		made, err := d.AddSilence(d.Context(), Silence{Rule: "r", Reason: "known", From: now, Until: now.Add(time.Hour)}, store.Audit{Actor: "me", Action: "silence.add"})
		if err != nil || made == nil {
			t.Fatalf("%+v, %v", made, err)
		}
		deaf.changed = false
		if err := d.Load(d.Context()); err != nil || len(d.book.Load().silences) != 1 {
			t.Errorf("%v, %v", d.book.Load().silences, err)
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
