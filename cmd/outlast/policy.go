package main

import "github.com/spf13/cobra"

func newPolicy(c *cli) *cobra.Command {
	return noun("policy", "Look at retry policies and plan them; needs no server", newPolicyList(c), newPolicyGet(c), newPolicyPlan(c))
}
