// Package policies is outlast policy: look at retry policies, plan and change them.
package policies

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
)

// Command makes outlast policy and the commands below it.
func Command(c *cli.Env) *cobra.Command {
	return cli.Noun("policy", "List, plan and change retry policies",
		newList(c), newGet(c), newPlan(c), newCheck(c), newApply(c), newVersions(c),
		newPromote(c), newAbort(c), newDelete(c))
}

// lookTimeout is how long a command that can do without a server waits for one.
const lookTimeout = 3 * time.Second

// look calls the server where that is of use but not needed.
func look(ctx context.Context, c *cli.Env, do func(ctx context.Context, api *client.Client) error) error {
	api, err := c.Connect(client.WithTries(1))
	if err != nil {
		return err
	}
	defer api.Close()
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	return do(ctx, api)
}
