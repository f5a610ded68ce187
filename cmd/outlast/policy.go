package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
)

func newPolicy(c *cli) *cobra.Command {
	return noun("policy", "Look at retry policies, plan and change them",
		newPolicyList(c), newPolicyGet(c), newPolicyPlan(c), newPolicyCheck(c), newPolicyApply(c), newPolicyVersions(c),
		newPolicyPromote(c), newPolicyAbort(c), newPolicyDelete(c))
}

// lookTimeout is how long a command that can do without a server waits for one.
const lookTimeout = 3 * time.Second

// look calls the server where that is of use but not needed.
func (c *cli) look(ctx context.Context, do func(ctx context.Context, api *client.Client) error) error {
	api, err := c.connect(client.WithTries(1))
	if err != nil {
		return err
	}
	defer api.Close()
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	return do(ctx, api)
}
