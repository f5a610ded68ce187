// Package doctor is outlast doctor: what is wrong with a server or a store, and what to
// do about it.
package doctor

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/report"
)

// Command makes outlast doctor.
func Command(c *cli.Env) *cobra.Command {
	var url string
	var deep, dial, ready bool
	cmd := &cobra.Command{
		Use: "doctor", Short: "Check a server, or a store with --store", Args: cobra.NoArgs,
		Long: `Check the server at --server: whether it is ready, whether retries are on, which
policies and types have no retries, no timeout or no alert, how many dead letters there
are, and which tasks nothing can run.

With --store, check the store itself instead, also while servers use it. This adds its
integrity, versions, disk space and lanes without an owner.

With --ready, only ask whether the server is ready. This needs no token and suits the
health check of a container.

Exit codes: 0 nothing is broken (there may be warnings), 1 something is broken,
7 the server or store cannot be reached.`,
		RunE: c.Act(func(ctx context.Context, _ []string) error {
			r := exam{report.New()}
			var err error
			switch {
			case url != "" && ready:
				return cli.Usagef("--ready checks a server, --store checks a store: choose one")
			case url != "":
				err = examineStore(ctx, c, r, url, deep)
			default:
				err = examineServer(ctx, c, r, dial, ready)
			}
			if err != nil && len(r.Findings) == 0 {
				return err
			}
			if showErr := r.Show(c); showErr != nil {
				return showErr
			}
			if err == nil && r.Status == report.Fails {
				err = errors.New("something is broken; see above")
			}
			return err
		}),
	}
	cmd.Flags().StringVar(&url, "store", "", "check this store instead of a server, such as sqlite:outlast.db")
	cmd.Flags().BoolVar(&dial, "dial", false, "have the server connect to its alert channels; nothing is sent")
	cmd.Flags().BoolVar(&ready, "ready", false, "only ask whether the server is ready; needs no token")
	cmd.Flags().BoolVar(&deep, "integrity", true, "with --store: read and recount the whole store, which takes time if it is large")
	return cmd
}

func examineServer(ctx context.Context, c *cli.Env, r exam, dial, ready bool) error {
	api, err := c.Connect(client.WithTries(1))
	if err != nil {
		return err
	}
	defer api.Close()
	health, err := api.Ready(ctx, !ready)
	if err != nil {
		return r.refusedBy(err)
	}
	status := report.Fine
	if health.Status != "ready" {
		status = report.Fails
	}
	r.Add("server", status, c.Server+" is "+health.Status, "see its log")
	if ready {
		return nil
	}
	for _, name := range []string{"store", "migrations", "clock", "pool", "days", "engine", "lanes"} {
		check, known := health.Checks[name]
		if !known {
			continue
		}
		status := report.Fine
		if !check.OK {
			status = report.Fails
		}
		if name == "clock" { // which is ours below
			name = "database clock"
		}
		r.Add(name, status, check.Detail, "see its log")
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
