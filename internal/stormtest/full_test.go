//go:build storm

package stormtest

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/internal/chart"
)

// docs is where the pictures and the table go.
var docs = cmp.Or(os.Getenv("OUTLAST_STORM_DOCS"), filepath.Join("..", "..", "docs"))

// fixedTask is what the control does: again every 100 ms, without guards.
const fixedTask = `{"timeout": "1s", "unlimited": true, "backoff": {"kind": "fixed", "initial": "100ms", "jitter": "none"}, "budget": "none", "breaker": "none"}`

// capacity is how many requests a second the receiver can serve.
const capacity = int(slots * time.Second / serviceTime)

// long is the shape of the runs that are shown.
func long(outage mode) plan {
	return plan{outage: outage, before: 10 * time.Second, broken: 10 * time.Second, after: 30 * time.Second}
}

// TestFull makes the long runs, demands the same of them, and shows them.
func TestFull(t *testing.T) {
	rows := &table{}
	for _, outage := range []mode{fails, hangs, closed} {
		t.Run("clients/"+string(outage), func(t *testing.T) {
			ours, control := carryOut(t, long(outage), guarded(t)), carryOut(t, long(outage), fixed(t))
			ours.checkClients(t, inFlight)
			if after, ok := control.fullGoodput(); ok {
				t.Errorf("the control recovers after %v\n%s", after, control)
			}
			t.Log("guarded: ", ours, "\ncontrol: ", control)
			rows.add("1000 clients", ours, control)
			if outage == fails {
				draw(t, "clients", "1000 clients, 10 s of failures", ours, control)
			}
		})
	}
	for _, outage := range []mode{fails, hangs, closed} {
		t.Run("tasks/"+string(outage), func(t *testing.T) {
			run := func(policy string) *result {
				return carryOut(t, long(outage), &tasks{t: t, policy: policy, over: 40 * time.Second})
			}
			ours, control := run(guardedTask), run(fixedTask)
			ours.checkTasks(t)
			for _, r := range []*result{ours, control} {
				if served := r.arrived.between(0, r.end).Served; served < taskCount {
					t.Errorf("%d of %d tasks were served\n%s", served, taskCount, r)
				}
			}
			t.Log("guarded: ", ours, "\ncontrol: ", control)
			rows.add("5000 tasks", ours, control)
			if outage == fails {
				draw(t, "tasks", "5000 tasks, 10 s of failures", ours, control)
			}
		})
	}
	rows.write(t)
}

// table are the measured numbers.
type table struct{ text string }

const heading = `| receiver | run | attempts/s before | attempts/s in the outage | worst 10 s until it works | worst 10 s of all | full goodput after |
|---|---|---|---|---|---|---|
`

func (rows *table) add(who string, ours, control *result) {
	for i, run := range []*result{ours, control} {
		before, during := run.rates(run.sent)
		recovered := fmt.Sprintf("not within %v", run.after)
		if after, ok := run.fullGoodput(); ok {
			recovered = fmt.Sprintf("%.1f s", after.Seconds())
		}
		rows.text += fmt.Sprintf("| %s | %s, %s | %.0f | %.0f | %s | %s | %s |\n", run.outage, who, [...]string{"guarded", "every 100 ms"}[i],
			before, during, worst(run.arrived.until(run.recovered)), worst(run.arrived), recovered)
	}
}

// worst shows the retries of the worst window of those that are allowed.
func worst(h history) string {
	_, retries, most := allowed.worst(h)
	return fmt.Sprintf("%d of %.0f", retries, most)
}

// write replaces the table of the document.
func (rows *table) write(t *testing.T) {
	const begin, end = "<!-- begin: measured by make storm -->\n", "<!-- end -->"
	file := filepath.Join(docs, "explanation", "storm.md")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := bytes.Cut(text, []byte(begin))
	_, tail, closed := bytes.Cut(rest, []byte(end))
	if !ok || !closed {
		t.Fatalf("%s has no place for the table", file)
	}
	where := fmt.Sprintf("\nMeasured on %s with %s on %d cores, both processes on the same machine.\n",
		time.Now().UTC().Format(time.DateOnly), runtime.Version(), runtime.NumCPU())
	parts := []string{string(head), begin, "\n", heading, rows.text, where, "\n", end, string(tail)}
	if err := os.WriteFile(file, []byte(strings.Join(parts, "")), 0o644); err != nil { //nolint:gosec // a document
		t.Fatal(err)
	}
}

// draw writes the two pictures of a run and its control.
func draw(t *testing.T, name, title string, ours, control *result) {
	for _, p := range []struct {
		file, what, note string
		of               func(bucket) int
	}{
		{"attempts", "what arrives", "First attempts and retries, counted by the receiver.", func(b bucket) int { return b.First + b.Retry }},
		{"goodput", "what is served in time", "Answers that somebody still waited for, counted by the receiver.", func(b bucket) int { return b.Served }},
	} {
		picture := chart.Chart{
			Title:       title + ": " + p.what,
			Note:        p.note,
			Description: "The guarded run beside the control, which retries every 100 ms without guards. The receiver does not work in the shaded time.",
			X:           chart.Axis{Label: "time", Unit: chart.Seconds},
			Y:           chart.Axis{Label: "per second"},
			Series: []chart.Series{
				{Name: "guarded", Points: ours.points(p.of)},
				{Name: "fixed 100 ms, no guards", Points: control.points(p.of)},
			},
			Markers: []chart.Marker{{X: ours.failed.Seconds(), To: ours.recovered.Seconds(), Label: "outage"}},
			Levels:  []chart.Level{{Y: float64(capacity), Label: "capacity"}},
		}
		file := filepath.Join(docs, "pictures", "storm-"+name+"-"+p.file+".svg")
		if err := os.WriteFile(file, picture.SVG(), 0o644); err != nil { //nolint:gosec // a picture
			t.Fatal(err)
		}
	}
}

// points are rates over half seconds.
func (r *result) points(of func(bucket) int) []chart.Point {
	const over = 500 * time.Millisecond
	var points []chart.Point
	for at := time.Duration(0); at+over <= r.arrived.length(); at += over {
		points = append(points, chart.Point{X: (at + over/2).Seconds(), Y: perSecond(of(r.arrived.between(at, at+over)), over)})
	}
	return points
}
