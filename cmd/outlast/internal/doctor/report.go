package doctor

import (
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/task"
)

// The verdicts of a finding.
const (
	fine  = "ok"
	warns = "warn"
	fails = "fail"
)

// finding is one line of the report.
type finding struct {
	Check  string `json:"check"`
	Status string `json:"status"` // ok, warn or fail
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitempty"`
}

type report struct {
	Status   string    `json:"status"` // the worst of all
	Findings []finding `json:"findings"`

	// Of a database server: how many connections a node may open, and how many
	// the server takes.
	pool, limit int
}

func (r *report) add(check, status, detail, fix string) {
	if status == fine {
		fix = ""
	}
	r.Findings = append(r.Findings, finding{check, status, detail, fix})
	if r.Status != fails && status != fine {
		r.Status = status
	}
}

func showReport(c *cli.Env, r *report) error {
	return cli.List(c, r, r.Findings, func(w io.Writer) {
		cli.Row(w, "STATUS", "CHECK", "DETAIL", "FIX")
		for _, f := range r.Findings {
			cli.Row(w, f.Status, cli.Clean(f.Check), cli.Clean(f.Detail), cli.Clean(f.Fix))
		}
	})
}

// unreachable is a store that cannot be looked at.
func (r *report) unreachable(err error) error {
	code, fix := task.CodeUnavailable, "check the URL, and that this user may read and write there"
	message := err.Error()
	var typed *task.Error
	if errors.As(err, &typed) && typed.Hint != "" {
		bare := *typed
		bare.Hint = ""
		code, message, fix = typed.Code, bare.Error(), typed.Hint
	}
	r.add("store", fails, message, fix)
	return &task.Error{Code: code, Message: "the store cannot be opened", Err: err}
}

func (r *report) counted(check string, counts map[string]int, more bool, fix string) {
	status := fine
	if len(counts) > 0 {
		status = warns
	}
	r.add(check, status, counted(counts, more), fix)
}

// counted names what there is, with the numbers; there may be more where only the
// newest tasks were looked at.
func counted(counts map[string]int, more bool) string {
	if len(counts) == 0 {
		return "none"
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		count := cli.Plural(counts[name], "task")
		if more {
			count = "at least " + count
		}
		parts = append(parts, name+" ("+count+")")
	}
	return strings.Join(parts, ", ")
}

// day is what ends of certificates and of tables are counted in.
const day = 24 * time.Hour
