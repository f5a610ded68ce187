//go:build unix

package examples

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/internal/binarytest"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

// The presets of people who come from elsewhere are planned by the command line and
// followed by a server, with the same first wait.
func TestPresetsOfOthers(t *testing.T) {
	down := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }))
	t.Cleanup(down.Close)
	s := shell{T: t, dir: t.TempDir()}
	s.server = s.serve("--allow-target", "127.0.0.0/8", "--store", "sqlite:"+filepath.Join(s.dir, "outlast.db"))
	api, err := client.New(s.server)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(api.Close)
	for preset, retries := range map[string]int{"snailjob-26": 26, "rocketmq-16": 16, "easyjob(30s, 2, 5)": 5} {
		first := s.planned(preset, retries)
		draft := client.Draft{Target: &client.Target{URL: down.URL}, Retry: json.RawMessage(`{"preset": "` + preset + `"}`)}
		if _, err := retry.Preset(preset); err == nil {
			draft.Retry, draft.Policy = nil, preset // by its name
		}
		accepted, _, err := api.Enqueue(t.Context(), draft)
		if err != nil {
			t.Fatal(err)
		}
		if wait := s.firstWait(api, accepted.ID); wait < first || wait > first+first/5 {
			t.Errorf("%s: the first wait is %s, planned are %s", preset, wait, first)
		}
	}
}

// planned is the first wait that the command line shows.
func (s shell) planned(preset string, retries int) time.Duration {
	s.Helper()
	out, err := exec.Command(binarytest.Path(), "policy", "plan", "--preset", preset, "--output", "json").Output()
	if err != nil {
		s.Fatal(err)
	}
	var plan struct {
		Delays []struct{ Nominal retry.Duration }
	}
	if err := json.Unmarshal(out, &plan); err != nil {
		s.Fatal(err)
	}
	if len(plan.Delays) != retries {
		s.Errorf("%s: %d retries are planned, not %d", preset, len(plan.Delays), retries)
	}
	return time.Duration(plan.Delays[0].Nominal)
}

// firstWait is the time from the end of the first attempt to the second one.
func (s shell) firstWait(api *client.Client, id task.ID) time.Duration {
	s.Helper()
	for deadline := time.After(patience); ; {
		attempts, err := api.Attempts(s.Context(), id)
		if err != nil {
			s.Fatal(err)
		}
		if len(attempts.Attempts) > 0 {
			t, err := api.Task(s.Context(), id)
			if err != nil {
				s.Fatal(err)
			}
			return t.RunAt.Sub(attempts.Attempts[0].EndedAt.Time)
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-deadline:
			s.Fatalf("%s has not been attempted", id)
		}
	}
}
