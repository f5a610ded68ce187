package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
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

// patient is what the checks look at: a server or a store.
type patient struct {
	pending func(ctx context.Context) ([]client.Task, error) // some, newest first
	newest  func(ctx context.Context) ([]client.Task, error)
	running func(ctx context.Context) ([]client.Task, error) // some
	dead    func(ctx context.Context) (*client.DeadStats, error)
}

func newDoctor(c *cli) *cobra.Command {
	var url string
	var deep, dial bool
	cmd := &cobra.Command{
		Use: "doctor", Short: "Check a server, or a store with --store", Args: cobra.NoArgs,
		Long: `Check the server at --server: is it ready, are retries on, which policies and
types have none, may run for ever or die unheard, how many dead letters are
there, is there work that nobody can do. With --store it looks at the store
itself instead, also while servers use it: integrity, versions, disk space and
lanes without an owner as well.

Exit codes: 0 nothing is broken (there may be warnings), 1 something is,
7 the server or store cannot be reached.`,
		RunE: c.act(func(ctx context.Context, _ []string) error {
			r := &report{Status: fine}
			var err error
			if url != "" {
				err = c.examineStore(ctx, r, url, deep)
			} else {
				err = c.examineServer(ctx, r, dial)
			}
			if err != nil && len(r.Findings) == 0 {
				return err
			}
			if showErr := c.showReport(r); showErr != nil {
				return showErr
			}
			if err == nil && r.Status == fails {
				err = errors.New("something is broken, see above")
			}
			return err
		}),
	}
	cmd.Flags().StringVar(&url, "store", "", "look at this store instead of a server, such as sqlite:outlast.db")
	cmd.Flags().BoolVar(&dial, "dial", false, "have the server connect to who takes the messages of its alert channels; nothing is sent")
	cmd.Flags().BoolVar(&deep, "integrity", true, "with --store: read the whole store and recount; takes time on a large one")
	return cmd
}

func (c *cli) showReport(r *report) error {
	return list(c, r, r.Findings, func(w io.Writer) {
		row(w, "STATUS", "CHECK", "DETAIL", "FIX")
		for _, f := range r.Findings {
			row(w, f.Status, clean(f.Check), clean(f.Detail), clean(f.Fix))
		}
	})
}

func (c *cli) examineServer(ctx context.Context, r *report, dial bool) error {
	api, err := c.connect(client.WithTries(1))
	if err != nil {
		return err
	}
	defer api.Close()
	health, err := api.Ready(ctx)
	if err != nil {
		return r.refusedBy(err)
	}
	status := fine
	if health.Status != "ready" {
		status = fails
	}
	r.add("server", status, c.server+" is "+health.Status, "its log says more")
	for _, name := range []string{"store", "migrations", "clock", "pool", "days", "engine", "lanes"} {
		check, known := health.Checks[name]
		if !known {
			continue
		}
		status := fine
		if !check.OK {
			status = fails
		}
		if name == "clock" { // which is ours below
			name = "database clock"
		}
		r.add(name, status, check.Detail, "its log says more")
	}
	if check, known := health.Checks["encryption"]; known {
		r.examineKeys(check.OK, check.Detail)
	}
	for _, doubt := range doubts {
		if check, known := health.Checks[doubt.check]; known {
			r.doubt(doubt, check.OK, check.Detail)
		}
	}
	r.examineCertificate(ctx, api)
	r.examineNodes(ctx, api)
	r.examineTargets(ctx, api)
	r.examineGroups(ctx, api)
	r.examineChannels(ctx, api, dial)
	r.examineWork(ctx, patient{
		pending: func(ctx context.Context) ([]client.Task, error) {
			return newestTasks(ctx, api, client.Filter{State: "pending"}, mostLooked)
		},
		newest: func(ctx context.Context) ([]client.Task, error) { return newestTasks(ctx, api, client.Filter{}, 1) },
		running: func(ctx context.Context) ([]client.Task, error) {
			return newestTasks(ctx, api, client.Filter{State: "running"}, 500)
		},
		dead: api.DeadStats,
	})
	return nil
}

// newestTasks reads up to so many of the tasks that match, without their payloads and
// results: pages of large ones are short.
func newestTasks(ctx context.Context, api *client.Client, filter client.Filter, most int) (all []client.Task, err error) {
	for cursor := ""; len(all) < most; {
		page, err := api.Tasks(ctx, filter, most-len(all), cursor)
		if err != nil {
			return nil, err
		}
		for i := range page.Tasks {
			page.Tasks[i].Payload, page.Tasks[i].PayloadBase64, page.Tasks[i].Result = nil, "", nil
		}
		all = append(all, page.Tasks...)
		if cursor = page.NextCursor; cursor == "" {
			break
		}
	}
	return all, nil
}

// clockSlack is how far in the future a task may have been made before the
// clock is suspected.
const clockSlack = 5 * time.Second

// examineWork looks at what tasks tell.
func (r *report) examineWork(ctx context.Context, p patient) {
	newest, err := p.newest(ctx)
	switch {
	case err != nil:
		r.add("clock", fails, err.Error(), "")
	case len(newest) > 0 && newest[0].CreatedAt.After(time.Now().Add(clockSlack)):
		r.add("clock", warns, "the newest task was made at "+when(newest[0].CreatedAt)+", which is in the future here", "synchronise the clocks (NTP); this one may have gone back")
	default:
		r.add("clock", fine, time.Now().UTC().Format(time.RFC3339), "")
	}
	stats, err := p.dead(ctx)
	switch {
	case err != nil:
		r.add("dead letters", fails, err.Error(), "")
	case stats.Total > 0:
		r.add("dead letters", warns, plural(stats.Total, "dead letter"), "outlast dead groups; outlast dead redrive")
	default:
		r.add("dead letters", fine, "none", "")
	}
	r.examineRunning(ctx, p)
	pending, err := p.pending(ctx)
	if err != nil {
		r.add("work", fails, err.Error(), "")
		return
	}
	r.examinePending(pending)
}

// mostLooked is how many of the newest tasks are looked at.
const mostLooked = 500

// examinePending reports queues that no node serves, types that nothing can
// start, and paused queues, among the newest pending tasks.
func (r *report) examinePending(pending []client.Task) {
	queues, types, paused, keys := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	for i := range pending {
		switch task.Waiting(pending[i].Waiting) {
		case task.Unowned:
			queues[pending[i].Queue]++
		case task.NoWorker:
			types[pending[i].Type]++
		case task.QueuePaused:
			paused[pending[i].Queue]++
		case task.NoKey:
			keys[cmp.Or(pending[i].MissingKey, "see last_error")]++
		}
	}
	more := len(pending) >= mostLooked
	r.counted("unowned queues", queues, more, "start a node that serves them, such as outlast serve")
	r.counted("types that nothing can start", types, more, "start the application that handles them")
	r.counted("paused queues with work", paused, more, "outlast queue resume NAME")
	r.examineMissing(keys, more)
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
		count := plural(counts[name], "task")
		if more {
			count = "at least " + count
		}
		parts = append(parts, name+" ("+count+")")
	}
	return strings.Join(parts, ", ")
}
