package faulttest

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/internal/servertest"
)

// TestScheduleKills kills two servers on one database in turn, at random moments
// and on both sides of the commit of a tick. A schedule of every second, with
// fire_all, must have one task for each of its ticks, none left out; each must
// have run.
func TestScheduleKills(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"sqlite", "postgres"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t)
			if name == "postgres" {
				h.store = servertest.Postgres(t)
			}
			h.killTickers(name == "sqlite")
		})
	}
}

func (h *harness) killTickers(points bool) {
	h.Helper()
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	h.Cleanup(receiver.Close)
	first := h.node(nodeConfig{Server: true})
	rule := client.ScheduleRule{
		Every: client.Duration(time.Second), Misfire: "fire_all",
		Task: client.ScheduledTask{Type: "tick", Target: &client.Target{URL: receiver.URL}, Retry: policy(100*time.Millisecond, 5, `,"max_crashes":1000`)},
	}
	began := time.Now()
	if _, err := first.api.PutSchedule(h.ctx, "s", rule); err != nil {
		h.Fatal(err)
	}
	made := time.Now()
	second := h.node(nodeConfig{Server: true})
	for round := range max(4, cycles()/7) {
		config := nodeConfig{Server: true}
		if points && round%2 == 0 {
			config.KillAt = fmt.Sprintf("change.%s:%d", []string{"before_commit", "after_commit"}[round/2%2], 1+round%3)
		}
		time.Sleep(time.Duration(500+h.random.IntN(2500)) * time.Millisecond) // sleep: a random moment
		first.kill()
		first = h.doomed(config)
		if h.random.IntN(3) == 0 { // nobody is left for a while
			second.kill()
			first.gone(3 * time.Second)
			second = h.node(nodeConfig{Server: true})
		}
		first, second = second, first
	}
	first.kill()
	second.kill()
	last := h.node(nodeConfig{Server: true})
	time.Sleep(3 * time.Second) // sleep: ticks go on
	h.checkTicks(last, began, made)
}

// doomed starts a node that may kill itself before it is known to be ready.
func (h *harness) doomed(config nodeConfig) *process {
	h.Helper()
	p, err := h.tryNode(config)
	if config.KillAt != "" && errors.Is(err, errEnded) {
		return p
	}
	return h.started(p, err)
}

// checkTicks compares the tasks with the ticks that must have been, of a schedule that
// was made between two moments.
func (h *harness) checkTicks(p *process, began, made time.Time) {
	h.Helper()
	if _, err := p.api.PauseSchedule(h.ctx, "s", true); err != nil {
		h.Fatal(err)
	}
	view, err := p.api.Schedule(h.ctx, "s")
	if err != nil {
		h.Fatal(err)
	}
	h.drainTicks(p)
	var ticks []string
	for cursor := ""; ; {
		page, err := p.api.Tasks(h.ctx, client.Filter{DeadFilter: client.DeadFilter{Type: "tick"}}, 500, cursor)
		if err != nil {
			h.Fatal(err)
		}
		for _, t := range page.Tasks {
			ticks = append(ticks, t.Metadata["outlast.tick"])
			if t.State != "succeeded" {
				h.violation("I8: the tick %s is %s", t.Metadata["outlast.tick"], t.State)
			}
		}
		if cursor = page.NextCursor; cursor == "" {
			break
		}
	}
	slices.Sort(ticks)
	if len(ticks) == 0 || int64(len(ticks)) != view.Fired || view.Missed != 0 || view.Skipped != 0 {
		h.violation("I11: %d tasks, but %d fired, %d missed, %d skipped", len(ticks), view.Fired, view.Missed, view.Skipped)
	}
	at := began.UTC().Truncate(time.Second).Add(time.Second)
	for i, tick := range ticks {
		for i == 0 && tick != at.Format(time.RFC3339Nano) && at.Before(made.Add(time.Second)) {
			at = at.Add(time.Second) // it took so long to make the schedule
		}
		if want := at.Format(time.RFC3339Nano); tick != want {
			h.violation("tick %d of %d is %s, not %s: %s", i, len(ticks), tick, want, strings.Join(ticks[max(0, i-2):min(len(ticks), i+3)], " "))
			return
		}
		at = at.Add(time.Second)
	}
	if last := view.Last.UTC().Format(time.RFC3339Nano); len(ticks) > 0 && ticks[len(ticks)-1] != last {
		h.violation("the last tick is %s, not %s", ticks[len(ticks)-1], last)
	}
	h.Logf("%d ticks, each once", len(ticks))
}

// drainTicks waits until no tick is pending or running.
func (h *harness) drainTicks(p *process) {
	h.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(100 * time.Millisecond) { // sleep: another process works
		left := 0
		for _, state := range []string{"pending", "running"} {
			page, err := p.api.Tasks(h.ctx, client.Filter{State: state, DeadFilter: client.DeadFilter{Type: "tick"}}, 10, "")
			if err != nil {
				h.Fatal(err)
			}
			left += len(page.Tasks)
		}
		if left == 0 {
			return
		}
	}
	h.violation("I8: ticks are left")
}
