package sim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/internal/sim/internal/world"
	"github.com/outlast-dev/outlast/retry"
)

// letterLine writes a task with attempts that begin at the given seconds and take
// 100 ms; the last one of a succeeded task works.
func letterLine(t *testing.T, target string, worked bool, category string, starts ...float64) string {
	t.Helper()
	type attempt map[string]any
	var attempts []attempt
	for i, s := range starts {
		begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(world.Seconds(s))
		a := attempt{"number": i + 1, "started_at": begin, "ended_at": begin.Add(100 * time.Millisecond), "outcome": "failed", "category": category}
		if worked && i == len(starts)-1 {
			a["outcome"] = "succeeded"
			delete(a, "category")
		}
		attempts = append(attempts, a)
	}
	data, err := json.Marshal(map[string]any{"type": "push", "target": map[string]string{"url": target}, "attempts": attempts})
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// outageLines is a target that answers nothing from 10 s to 40 s; a task comes
// every second and tries again every ten.
func outageLines(t *testing.T) string {
	var lines []string
	for due := range 60 {
		starts := []float64{float64(due)}
		for last := due; last >= 10 && last < 40; {
			last += 10
			starts = append(starts, float64(last))
		}
		lines = append(lines, letterLine(t, "https://a.example/hook", true, "unavailable", starts...))
	}
	return strings.Join(lines, "\n")
}

func read(t *testing.T, text string) *History {
	t.Helper()
	h, err := ReadHistory(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestHistoryKnowsOutages(t *testing.T) {
	h := read(t, outageLines(t)+"\n"+letterLine(t, "https://b.example/", true, "", 3)+"\n\n"+`{"type": "never ran", "attempts": []}`)
	if h.Tasks() != 61 || h.Skipped != 1 {
		t.Errorf("%d tasks, %d skipped", h.Tasks(), h.Skipped)
	}
	got := h.Outages(time.Second)
	if len(got) != 1 || got[0].Target != "a.example" || !got[0].Ended || got[0].To.Sub(got[0].From) != 30*time.Second {
		t.Errorf("outages %+v", got)
	}
}

// TestTargetsOfHistory: a target has the name that the engine gives it.
func TestTargetsOfHistory(t *testing.T) {
	for target, want := range map[string]string{
		`"payments"`:                          "payments",
		`{"url": "https://A.example/hook"}`:   "a.example",
		`{"url": "https://a.example:443/x"}`:  "a.example",
		`{"url": "http://a.example:80"}`:      "a.example",
		`{"url": "http://a.example:443"}`:     "a.example:443",
		`{"url": "https://A.example:8443/"}`:  "a.example:8443",
		`{"url": "http://[2001:DB8::1]"}`:     "2001:db8::1",
		`{"url": "http://[2001:DB8::1]:81/"}`: "[2001:db8::1]:81",
		`{"url": ":"}`:                        "push", `{"url": "/only"}`: "push", `{}`: "push", `null`: "push", `""`: "push",
	} {
		h := read(t, `{"type": "push", "target": `+target+`, "attempts": [{"started_at": "2026-01-01T00:00:00Z", "ended_at": "2026-01-01T00:00:01Z", "outcome": "succeeded"}]}`)
		if got := h.targets[0].name; got != want {
			t.Errorf("%s is %q, want %q", target, got, want)
		}
	}
}

// TestReplay: fewer attempts are wasted with longer waits, and guards waste fewer
// still; every task succeeds in the end.
func TestReplay(t *testing.T) {
	policy := func(wait, guards string) *retry.Policy {
		text := `{"max_attempts": 50, "backoff": {"kind": "fixed", "initial": "` + wait + `", "jitter": "none"}` + guards + `}`
		return world.Must(world.Must(retry.ParseSpec([]byte(text))).Policy())
	}
	const none = `, "budget": "none", "breaker": "none"`
	c := Replay(read(t, outageLines(t)), 1, []Contender{{"1 s", policy("1s", none)}, {"10 s", policy("10s", none)}, {"guarded", policy("1s", "")}})
	if len(c.Variants) != 4 {
		t.Fatalf("%d variants", len(c.Variants))
	}
	recorded, hasty, same, guarded := c.Variants[0], c.Variants[1], c.Variants[2], c.Variants[3]
	for _, v := range c.Variants {
		if v.Metrics.Offered != 60 || v.Metrics.Good != 60 {
			t.Errorf("%s: %d of %d are well", v.Name, v.Metrics.Good, v.Metrics.Offered)
		}
	}
	if recorded.Metrics.Attempts != same.Metrics.Attempts || recorded.Figures[0] != same.Figures[0] {
		t.Errorf("the same waits give %d attempts, recorded were %d", same.Metrics.Attempts, recorded.Metrics.Attempts)
	}
	if w := hasty.Figures[0].Value; w < 400 || w > 500 { // 30 tasks for 15 s on average
		t.Errorf("%v attempts wasted by a retry each second", w)
	}
	if hasty.Metrics.P50 >= same.Metrics.P50 {
		t.Errorf("p50 %v with 1 s, %v with 10 s", hasty.Metrics.P50, same.Metrics.P50)
	}
	if w := guarded.Figures[0].Value; w > 60 {
		t.Errorf("%v attempts wasted with a budget and a breaker", w)
	}
	if g := same.Figures[1].Value; g != 0 {
		t.Errorf("%v attempts without evidence", g)
	}
}

// TestReplayOfDoomedTasks: what was the task's own fault stays so.
func TestReplayOfDoomedTasks(t *testing.T) {
	h := read(t, letterLine(t, "https://a.example/", false, "permanent", 1)+"\n"+letterLine(t, "https://a.example/", true, "", 2))
	c := Replay(h, 1, []Contender{{"default", retry.Default()}})
	for _, v := range c.Variants {
		if v.Metrics.Good != 1 || v.Metrics.Failed != 1 || v.Metrics.Attempts != 2 {
			t.Errorf("%s: %+v", v.Name, v.Metrics)
		}
	}
}

// TestReplayPaysForEveryRetry: the retries of tasks are paid for, also the first one
// after a connection that was refused.
func TestReplayPaysForEveryRetry(t *testing.T) {
	var lines []string
	for i := range 500 {
		lines = append(lines, letterLine(t, "https://a.example/", false, "unsent", float64(i)/20))
	}
	policy := world.Must(retry.New(retry.Attempts(50), retry.Fixed(time.Second), retry.TaskBreaker(nil)))
	c := Replay(read(t, strings.Join(lines, "\n")), 1, []Contender{{"patient", policy}})
	offered, attempts := 0.0, 0.0
	for i := range 20 { // while tasks come
		offered, attempts = offered+c.Variants[1].Series.Offered[i], attempts+c.Variants[1].Series.Attempts[i]
	}
	if got := attempts / offered; got <= 1 || got > 1.15 {
		t.Errorf("%v attempts per task", got)
	}
}

// TestReplayShowsWhatMatters: the table has no columns that say nothing about a
// history.
func TestReplayShowsWhatMatters(t *testing.T) {
	c := Replay(read(t, outageLines(t)), 1, []Contender{{"default", retry.Default()}})
	if got := strings.Join(c.Columns(), ", "); got != strings.Join(whatIfColumns, ", ") {
		t.Errorf("columns %s", got)
	}
	for _, row := range c.Rows() {
		if len(row) != len(whatIfColumns) || strings.Contains(row[3], "–") {
			t.Errorf("row %q", row)
		}
	}
}

// TestReplayEnds: an unlimited policy would repeat a bug for ever.
func TestReplayEnds(t *testing.T) {
	h := read(t, letterLine(t, "https://a.example/", false, "bug", 1))
	c := Replay(h, 1, []Contender{{"dispatch", world.Must(retry.Preset("dispatch"))}})
	if m := c.Variants[1].Metrics; m.Failed != 1 || m.Attempts < 5 || m.Attempts > 20 {
		t.Errorf("%+v", m)
	}
}

// TestHistoryInAnyOrder: an export is newest first. What comes of a history does not
// depend on the order of its lines.
func TestHistoryInAnyOrder(t *testing.T) {
	const same = `{"type": "same", "state": "dead", "attempts": [{"started_at": "2026-01-01T00:00:05Z", "ended_at": "2026-01-01T00:00:06Z", "outcome": "dead", "category": %q}]}`
	lines := strings.Split(outageLines(t), "\n")
	lines = append(lines, letterLine(t, "https://b.example/", true, "permanent", 2, 3), letterLine(t, "https://b.example/", false, "permanent", 2), fmt.Sprintf(same, "bug"), fmt.Sprintf(same, "timeout"), fmt.Sprintf(same, "permanent"))
	contenders := []Contender{{"default", retry.Default()}, {"dispatch", world.Must(retry.Preset("dispatch"))}}
	played := func(lines []string) *Comparison { return Replay(read(t, strings.Join(lines, "\n")), 1, contenders) }
	want := played(lines)
	if m := want.Variants[0].Metrics; m.Good != 61 || m.Failed != 4 {
		t.Errorf("as recorded: %+v", m)
	}
	slices.Reverse(lines)
	for range 5 {
		if got := played(lines); !bytes.Equal(world.Must(json.Marshal(got)), world.Must(json.Marshal(want))) {
			t.Fatalf("as recorded: %+v, in another order %+v", want.Variants[0].Metrics, got.Variants[0].Metrics)
		}
		rand.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	}
}

// TestReplayOfOpenTasks: a task that was waiting when it was recorded has not ended
// badly; one that was canceled has not spent its attempts.
func TestReplayOfOpenTasks(t *testing.T) {
	failed := letterLine(t, "https://a.example/", false, "unavailable", 1)
	in := func(state string) string { return strings.Replace(failed, "{", `{"state": "`+state+`", `, 1) }
	h := read(t, strings.Join([]string{in("pending"), in("running"), in("canceled"), in("dead"), letterLine(t, "https://a.example/", true, "", 2)}, "\n"))
	c := Replay(h, 1, []Contender{{"default", retry.Default()}})
	recorded, ours := c.Variants[0], c.Variants[1]
	if got := recorded.Metrics; got.Good != 1 || got.Failed != 2 || len(got.Denied) != 2 || recorded.Figures[2] != (Figure{Name: "not ended", Value: 2}) {
		t.Errorf("as recorded %+v, %+v", got, recorded.Figures)
	}
	if got := ours.Metrics; got.Good != 5 || ours.Figures[2].Value != 0 {
		t.Errorf("ours %+v, %+v", got, ours.Figures)
	}
}

func TestBadHistory(t *testing.T) {
	attempt := `{"started_at": "2026-01-01T00:00:00Z", "ended_at": "2026-01-01T00:00:01Z", "outcome": %q, "category": %q}`
	for text, want := range map[string]string{
		"":         "no task",
		"{}":       "no task",
		"nonsense": "line 1",
		"{}\n[1]":  "line 2",
		`{"attempts": [` + fmt.Sprintf(attempt, "failed", "weird") + `]}`:                                                                                             "weird",
		`{"attempts": [` + fmt.Sprintf(attempt, "exploded", "") + `]}`:                                                                                                "exploded",
		`{"attempts": [` + fmt.Sprintf(attempt, "failed", "") + `, {"started_at": "0001-01-02T00:00:00Z", "ended_at": "2026-01-01T00:00:01Z", "outcome": "failed"}]}`: "50 years",
	} {
		if _, err := ReadHistory(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// FuzzReadHistory: whatever a file says, reading and replaying it ends, and every
// task has an end.
func FuzzReadHistory(f *testing.F) {
	attempt := func(start, end, outcome, category string) string {
		return fmt.Sprintf(`{"started_at": %q, "ended_at": %q, "outcome": %q, "category": %q}`, start, end, outcome, category)
	}
	const day, later = "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z"
	f.Add(`{"type": "a", "attempts": [` + attempt(day, day, "failed", "timeout") + "," + attempt(day, later, "succeeded", "") + `]}`)
	f.Add(`{"target": {"url": "https://a.example"}, "attempts": [` + attempt(later, day, "dead", "permanent") + `]}` + "\n{}")
	f.Add(`{"target": {"url": ":"}, "attempts": [` + attempt(day, later, "dead", "") + `]}`)
	policies := []Contender{{"default", retry.Default()}, {"dispatch", world.Must(retry.Preset("dispatch"))}, {"fixed", world.Must(retry.New(retry.Fixed(time.Hour), retry.Attempts(3), retry.TaskBudget(nil), retry.TaskBreaker(nil)))}}
	f.Fuzz(func(t *testing.T, text string) {
		h, err := ReadHistory(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, v := range Replay(h, 1, policies).Variants {
			if m := v.Metrics; m.Good+m.Failed+int64(v.Figures[2].Value) != int64(h.Tasks()) {
				t.Errorf("%s: %d of %d tasks have an end", v.Name, m.Good+m.Failed, h.Tasks())
			}
			if len(v.Series.Offered) > world.MostBins {
				t.Errorf("%d steps", len(v.Series.Offered))
			}
		}
	})
}
