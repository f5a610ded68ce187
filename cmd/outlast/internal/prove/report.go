package prove

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
)

// report is what people and programs are told of a run. Times are in milliseconds, but
// for those that say otherwise.
type report struct {
	Verdict   string  `json:"verdict"` // kept or broken
	Store     string  `json:"store"`   // kind of it
	Seed      uint64  `json:"seed"`
	Nodes     int     `json:"nodes"`
	Seconds   float64 `json:"seconds"`
	Accepted  int     `json:"accepted"`
	Succeeded int     `json:"succeeded"`
	Dead      int     `json:"dead_as_planned"`
	Ordered   int     `json:"with_key"`
	Deduped   int     `json:"handed_in_twice"`
	Calls     int     `json:"calls"`

	Broken     map[promise]int     `json:"broken"` // how often each promise was
	Violations []string            `json:"violations,omitempty"`
	Repeats    map[mishap]*repeats `json:"repeats"`
	Faults     []hurt              `json:"faults"`
	Calm       delays              `json:"start_before_faults"`
	All        delays              `json:"start"`
	Enqueued   float64             `json:"enqueued_per_second"`
	Worked     float64             `json:"worked_per_second"`
}

// hurt is a fault that was made.
type hurt struct {
	At     float64 `json:"at_seconds"`
	Kind   mishap  `json:"kind"`
	Node   string  `json:"node"`
	Lasted float64 `json:"lasted"`
	Back   float64 `json:"ready_after"`      // from its end until the node is ready again
	Cut    int     `json:"runs_cut_off"`     // which were made again
	Waited float64 `json:"work_waited_most"` // of what it cut off from its begin to the next run, of what was due from then to the start
}

// delays are from when tasks were due to their first run.
type delays struct {
	Tasks int     `json:"tasks"`
	P50   float64 `json:"p50"`
	P99   float64 `json:"p99"`
	Max   float64 `json:"max"`
}

func delaysOf(waits []time.Duration) delays {
	return delays{len(waits), millis(quantile(waits, 0.5)), millis(quantile(waits, 0.99)), millis(quantile(waits, 1))}
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func newReport(j *judgement, store string, o *options) *report {
	r := &report{Verdict: j.verdict(), Store: store, Seed: o.Seed, Nodes: o.Nodes, Seconds: time.Since(j.began).Seconds(), Calls: len(j.calls),
		Broken: map[promise]int{}, Violations: j.lines(5), Repeats: j.repeats, Faults: []hurt{}, Calm: delaysOf(j.calm), All: delaysOf(j.all)}
	for _, p := range promises {
		r.Broken[p.promise] = len(j.broken[p.promise])
	}
	for _, o := range j.orders {
		if o.acked.IsZero() {
			continue
		}
		r.Accepted++
		if o.place > 0 {
			r.Ordered++
		}
		if o.draft.DedupeKey != "" {
			r.Deduped++
		}
		for _, row := range j.rows[o.n] {
			switch row.State {
			case "succeeded":
				r.Succeeded++
			case "dead":
				r.Dead++
			}
		}
	}
	for at := range j.troubles {
		t := &j.troubles[at]
		r.Faults = append(r.Faults, hurt{t.from.Sub(j.began).Seconds(), t.fault.kind, t.node, millis(t.until.Sub(t.from)), millis(t.back), j.cut[at], millis(j.waited[at])})
	}
	return r
}

// tell judges a run and tells people. What went wrong beside it does not change the
// verdict.
func (t *trial) tell(store string, beside error) error {
	j := judge(t.history)
	r := newReport(j, store, t.options)
	r.Enqueued, r.Worked = t.accepted, t.worked
	err := t.Show(r, r.table)
	if t.Output == "table" && err == nil {
		err = t.Table(r.text)
	}
	beside = errors.Join(beside, err, t.writePage(r, j))
	switch {
	case r.Verdict != "kept":
		if beside != nil {
			t.Say("%s", cli.Clean(beside.Error()))
		}
		return errors.New("a promise was broken; the seed of this run is " + fmt.Sprint(r.Seed))
	case beside != nil:
		return cli.Partialf("every promise was kept, but: %s", cli.Clean(beside.Error()))
	}
	return nil
}

func (t *trial) writePage(r *report, j *judgement) error {
	if t.options.html == "" {
		return nil
	}
	page, err := r.page(j)
	if err == nil {
		err = os.WriteFile(t.options.html, page, 0o644) //nolint:gosec // a report for everybody to see
	}
	if err != nil {
		return fmt.Errorf("--html: %w", err)
	}
	t.Say("the report is in %s", cli.Clean(t.options.html))
	return nil
}

func (r *report) table(w io.Writer) {
	cli.Row(w, "AT", "FAULT", "LASTED", "RUNS CUT OFF", "WORK WAITED AT MOST", "NODE READY AFTER")
	for _, f := range r.Faults {
		cli.Row(w, fmt.Sprintf("%.1fs", f.At), f.Node+": "+says[f.Kind], span(f.Lasted), f.Cut, span(f.Waited), span(f.Back))
	}
}

// text is the rest of the report, below its table.
func (r *report) text(w io.Writer) {
	cli.Line(w, "")
	for _, line := range r.summary() {
		cli.Row(w, line[0], line[1])
	}
	cli.Line(w, "")
	for _, line := range r.Violations {
		cli.Line(w, cli.Clean(line))
	}
	cli.Line(w, r.last())
}

// summary is the report without its faults: a name and a value a line.
func (r *report) summary() [][2]string {
	lines := [][2]string{
		{"accepted", fmt.Sprintf("%d tasks on %s, %d with an ordering key, %d handed in twice with a dedupe key", r.Accepted, cli.Plural(r.Nodes, "node"), r.Ordered, r.Deduped)},
		{"ended", fmt.Sprintf("%d succeeded, %d died as planned, after %d calls", r.Succeeded, r.Dead, r.Calls)},
	}
	for _, p := range promises {
		lines = append(lines, [2]string{p.broken, fmt.Sprint(r.Broken[p.promise])})
	}
	for _, k := range slices.Sorted(maps.Keys(r.Repeats)) {
		lines = append(lines, [2]string{"repeated, their node " + was[k], fmt.Sprintf("%s, %d of them after the receiver had answered", cli.Plural(r.Repeats[k].Runs, "run"), r.Repeats[k].Answered)})
	}
	return append(lines,
		[2]string{"from due to start, before the first fault", r.Calm.String()},
		[2]string{"from due to start, all", r.All.String()},
		[2]string{"as fast as it goes", fmt.Sprintf("%.0f tasks/s accepted, %.0f tasks/s accepted and worked", r.Enqueued, r.Worked)})
}

// was is what befell the node of a run that was made again.
var was = map[mishap]string{killed: "was killed", stopped: "was stopped", paused: "stood still", silent: "was cut off", broken: "had lost its connections"}

func (d delays) String() string {
	return fmt.Sprintf("p50 %s, p99 %s, max %s (%d tasks)", span(d.P50), span(d.P99), span(d.Max), d.Tasks)
}

func span(millis float64) string {
	d := time.Duration(millis * float64(time.Millisecond))
	if d < 100*time.Millisecond {
		return fmt.Sprintf("%.1fms", millis)
	}
	return cli.Span(client.Duration(d.Round(10 * time.Millisecond)))
}

func (r *report) last() string {
	made := map[mishap]int{}
	for _, f := range r.Faults {
		made[f.Kind]++
	}
	var faults []string
	for _, k := range slices.Sorted(maps.Keys(made)) {
		faults = append(faults, fmt.Sprintf("%d × %s", made[k], says[k]))
	}
	verdict, what := "Kept", "nothing lost, nothing repeated without a reason, keys in order"
	if r.Verdict != "kept" {
		verdict, what = "BROKEN", cli.Plural(len(r.Violations), "line")+" above"
	}
	return fmt.Sprintf("%s under %s (%s): %s. Seed %d.", verdict, cli.Plural(len(r.Faults), "fault"), strings.Join(faults, ", "), what, r.Seed)
}
