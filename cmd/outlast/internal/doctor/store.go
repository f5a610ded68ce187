package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/report"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/stores"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

func examineStore(ctx context.Context, c *cli.Env, r exam, url string, deep bool) (err error) {
	k, err := stores.Durable(url)
	if err != nil {
		return err
	}
	if proceed, err := k.Examine(ctx, r.Report, url); err != nil || !proceed {
		return err
	}
	backend, err := k.Open(ctx, url, true)
	if err != nil {
		return r.Unreachable(err)
	}
	defer func() { err = errors.Join(err, backend.Close()) }()
	if !r.examineMigrations(ctx, backend) {
		return nil // nothing else can be read
	}
	r.examineDays(ctx, backend)
	r.examineTopology(ctx, backend)
	if err := r.examineTasks(ctx, backend); err != nil {
		return err
	}
	if deep {
		r.examineIntegrity(ctx, backend)
	}
	return nil
}

// examineTasks looks at what tasks tell, as a node would.
func (r exam) examineTasks(ctx context.Context, backend store.Backend) error {
	node, err := outlast.Open(ctx, backend, outlast.WithEnqueueOnly())
	if err != nil {
		return err
	}
	inspector := node.Inspector()
	r.examinePolicies(ctx, inspector)
	r.examineAlerts(ctx, inspector)
	r.examineBlocked(ctx, inspector)
	r.examineSeal(ctx, inspector)
	r.examineWork(ctx, patient{
		pending: func(ctx context.Context) ([]client.Task, error) {
			return found(inspector.Tasks.Find(ctx, store.Filter{State: task.Pending}, store.Page{Limit: mostLooked, Bare: true}))
		},
		newest: func(ctx context.Context) ([]client.Task, error) {
			return found(inspector.Tasks.Find(ctx, store.Filter{}, store.Page{Limit: 1, Bare: true}))
		},
		running: func(ctx context.Context) ([]client.Task, error) {
			return found(inspector.Tasks.Find(ctx, store.Filter{State: task.Running}, store.Page{Limit: 500, Bare: true}))
		},
		dead: func(ctx context.Context) (*client.DeadStats, error) {
			stats, err := inspector.Letters.Stats(ctx)
			if err != nil {
				return nil, err
			}
			return (*client.DeadStats)(stats), nil
		},
	})
	return nil
}

// found takes from views what the checks look at.
func found(views []*inspect.View, _ string, err error) ([]client.Task, error) {
	tasks := make([]client.Task, len(views))
	for i, view := range views {
		tasks[i] = client.Task{ID: view.ID, Type: view.Type, Queue: view.Queue, Waiting: string(view.Waiting), MissingKey: view.MissingKey, Node: view.Node,
			Timeout: client.Duration(view.Spec.Timeout), StartedAt: client.Time{Time: view.StartedAt}, CreatedAt: client.Time{Time: view.CreatedAt}}
	}
	return tasks, err
}

func (r exam) examineMigrations(ctx context.Context, backend store.Backend) bool {
	migrator, ok := backend.(store.Migrator)
	if !ok {
		return true
	}
	all, err := migrator.Migrations(ctx)
	if err != nil {
		r.Add("schema", report.Fails, err.Error(), "")
		return false
	}
	missing := 0
	for _, m := range all {
		if !m.Applied {
			missing++
		}
	}
	if missing > 0 {
		r.Add("schema", report.Fails, cli.Plural(missing, "migration")+" missing", "outlast migrate up")
		return false
	}
	r.Add("schema", report.Fine, cli.Plural(len(all), "migration")+" applied", "")
	return true
}

// examineDays looks for the table of tomorrow, where days have tables: tasks that
// end on a day without one stay running.
func (r exam) examineDays(ctx context.Context, backend store.Backend) {
	prober, ok := backend.(store.Prober)
	if !ok {
		return
	}
	probe, err := prober.Probe(ctx)
	switch until := "tables exist for tasks that end until " + probe.Until.UTC().Format(time.DateOnly); {
	case err != nil:
		r.Add("days", report.Fails, err.Error(), "")
	case probe.Until.IsZero():
	case probe.Until.Before(time.Now().Add(probe.Ahead + day)):
		r.Add("days", report.Fails, until+" only", "outlast migrate up, as the role that owns the tables; nodes that are members of that role create them by themselves")
	default:
		r.Add("days", report.Fine, until, "")
	}
}

// examineTopology looks for queues with lanes that no living node owns.
func (r exam) examineTopology(ctx context.Context, s store.Store) {
	topology, err := s.Topology(ctx)
	if err != nil {
		r.Add("lanes", report.Fails, err.Error(), "")
		return
	}
	r.examinePools(topology)
	alive := map[string]bool{}
	for _, node := range topology.Nodes {
		alive[node.ID] = node.State == store.NodeAlive && !node.Gone
	}
	free := map[string]bool{}
	for _, lane := range topology.Lanes {
		if !alive[lane.Owner] {
			free[lane.Queue] = true
		}
	}
	if len(topology.Lanes) == 0 {
		r.Add("lanes", report.Fine, "none: there is no queue yet", "")
		return
	}
	if len(free) == 0 {
		r.Add("lanes", report.Fine, cli.Plural(len(topology.Lanes), "lane")+", all owned", "")
		return
	}
	var names []string
	for name := range free {
		names = append(names, name)
	}
	slices.Sort(names)
	r.Add("lanes", report.Warns, "without an owner: queues "+strings.Join(names, ", "), "start a node that serves them, for example outlast serve")
}

func (r exam) examineIntegrity(ctx context.Context, s store.Query) {
	wrong, err := s.Check(ctx)
	switch {
	case err != nil:
		r.Add("integrity", report.Fails, err.Error(), "")
	case len(wrong) > 0:
		r.Add("integrity", report.Fails, cli.Plural(len(wrong), "finding")+", such as "+wrong[0], "stop the servers, copy the file and look for a backup")
	default:
		r.Add("integrity", report.Fine, "checks and recounts agree", "")
	}
}

// examinePools compares the pools of living nodes with what the server takes.
func (r exam) examinePools(topology *store.Topology) {
	if r.Limit == 0 {
		return
	}
	alive := 0
	for _, node := range topology.Nodes {
		if node.State == store.NodeAlive {
			alive++
		}
	}
	detail := fmt.Sprintf("%s with up to %d connections each if all use this URL; the server allows %d", cli.Plural(alive, "living node"), r.Pool, r.Limit)
	if alive*r.Pool > r.Limit {
		r.Add("pools", report.Warns, detail, "raise max_connections, or set a smaller pool_max_conns in the store URL")
		return
	}
	r.Add("pools", report.Fine, detail, "")
}
