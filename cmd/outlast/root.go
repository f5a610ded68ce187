package main

import (
	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/audit"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/bench"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/configs"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/demo"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/doctor"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/groups"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/letters"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/migrate"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/nodes"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/operations"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/policies"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/prove"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/queues"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/schedules"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/serve"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/simulation"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/statistics"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/targets"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/taskgroups"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/tasks"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/tokens"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/workers"
)

func newRoot(c *cli.Env) *cobra.Command {
	root := &cobra.Command{
		Use:   "outlast",
		Short: "Durable retry engine",
		Long: `Outlast is a durable retry engine. Hand it a task and the task outlasts
network jitter, deploys, crashes and outages.

Data goes to standard output, everything else to standard error.
Exit codes: 0 ok, 1 failed, 2 usage, 3 partial, 4 not found, 5 denied,
6 conflict, 7 unavailable.`,
		Example:       "  outlast demo\n  outlast serve\n  outlast task enqueue --url https://example.com/hook --payload '{\"hello\":\"world\"}'",
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cmd.Help()
		},
	}
	return cli.Complete(c, root,
		serve.Command(c), demo.Command(c), tasks.Command(c), letters.Command(c), queues.Command(c), policies.Command(c), configs.Command(c),
		schedules.Command(c), operations.Command(c), targets.Command(c), alerts.Command(c), nodes.Command(c), workers.Command(c), groups.Command(c), taskgroups.Command(c), tokens.Command(c),
		tokens.Whoami(c), simulation.Command(c), statistics.Command(c), migrate.Command(c), doctor.Command(c), bench.Command(c), prove.Command(c), newVersion(c), audit.Command(c),
	)
}
