package doctor

import (
	"cmp"
	"context"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/report"
	"github.com/outlast-dev/outlast/task"
)

// patient is what the checks look at: a server or a store.
type patient struct {
	pending func(ctx context.Context) ([]client.Task, error) // some, newest first
	newest  func(ctx context.Context) ([]client.Task, error)
	running func(ctx context.Context) ([]client.Task, error) // some
	dead    func(ctx context.Context) (*client.DeadStats, error)
}

// clockSlack is how far in the future a task may have been made before the
// clock is suspected.
const clockSlack = 5 * time.Second

// examineWork looks at what tasks tell.
func (r exam) examineWork(ctx context.Context, p patient) {
	newest, err := p.newest(ctx)
	switch {
	case err != nil:
		r.Add("clock", report.Fails, err.Error(), "")
	case len(newest) > 0 && newest[0].CreatedAt.After(time.Now().Add(clockSlack)):
		r.Add("clock", report.Warns, "the newest task was created at "+cli.When(newest[0].CreatedAt)+", which is in the future by this clock", "synchronise the clocks (NTP); this one may have been set back")
	default:
		r.Add("clock", report.Fine, time.Now().UTC().Format(time.RFC3339), "")
	}
	stats, err := p.dead(ctx)
	switch {
	case err != nil:
		r.Add("dead letters", report.Fails, err.Error(), "")
	case stats.Total > 0:
		r.Add("dead letters", report.Warns, cli.Plural(stats.Total, "dead letter"), "outlast dead groups; outlast dead redrive")
	default:
		r.Add("dead letters", report.Fine, "none", "")
	}
	r.examineRunning(ctx, p)
	pending, err := p.pending(ctx)
	if err != nil {
		r.Add("work", report.Fails, err.Error(), "")
		return
	}
	r.examinePending(pending)
}

// mostLooked is how many of the newest tasks are looked at.
const mostLooked = 500

// examinePending reports queues that no node serves, types that nothing can
// start, and paused queues, among the newest pending tasks.
func (r exam) examinePending(pending []client.Task) {
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
	r.counted("unowned queues", queues, more, "start a node that serves them, for example outlast serve")
	r.counted("types that nothing can start", types, more, "start the application that handles them")
	r.counted("paused queues with work", paused, more, "outlast queue resume NAME")
	r.examineMissing(keys, more)
}
