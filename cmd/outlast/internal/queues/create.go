package queues

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
)

func newCreate(c *cli.Env) *cobra.Command {
	var lanes, concurrency, pending, weight int
	var shareConcurrency int
	var policy, unknown, shareRate string
	var flags *pflag.FlagSet
	cmd := oneQueue(c, "create", "Create a queue, or change the settings that are given", func(ctx context.Context, api *client.Client, name string) (*client.Queue, error) {
		change, shares := client.QueueChange{}, client.ShareLimitsChange{}
		for flag, set := range map[string]func(){
			"lanes":             func() { change.Lanes = &lanes },
			"concurrency":       func() { change.Concurrency = &concurrency },
			"max-pending":       func() { change.MaxPending = &pending },
			"weight":            func() { change.Weight = &weight },
			"share-concurrency": func() { shares.Concurrency, change.Shares = &shareConcurrency, &shares },
			"share-rate":        func() { shares.Rate, change.Shares = &shareRate, &shares },
			"policy":            func() { change.Policy = &policy },
			"unknown-type":      func() { change.UnknownType = &unknown },
		} {
			if flags.Changed(flag) {
				set()
			}
		}
		return api.PutQueue(ctx, name, change)
	})
	flags = cmd.Flags()
	flags.IntVar(&lanes, "lanes", 8, "number of lanes, 1 to 256; it can only be raised")
	flags.IntVar(&concurrency, "concurrency", 0, "most tasks that run at once on all nodes; 0 for no limit")
	flags.IntVar(&pending, "max-pending", 0, "most pending tasks; more are refused; 0 for no limit")
	flags.IntVar(&weight, "weight", 1, "weight against other queues when a node shares out its slots")
	flags.IntVar(&shareConcurrency, "share-concurrency", 0, "most tasks of one share key that run at once on all nodes; 0 for no limit")
	flags.StringVar(&shareRate, "share-rate", "", "most starts of one share key on all nodes, such as 50/s; empty for no limit")
	flags.StringVar(&policy, "policy", "", "default retry policy")
	flags.StringVar(&unknown, "unknown-type", "park", "what to do with tasks that nothing can run: park or dead")
	return cmd
}
