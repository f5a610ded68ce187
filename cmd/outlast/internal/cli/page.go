package cli

import "github.com/spf13/cobra"

// PageFlags steer how much of a list is read.
type PageFlags struct {
	Limit  int    // how many at most
	Cursor string // where an earlier list ended; "" for the beginning
}

// Add defines the flags.
func (p *PageFlags) Add(cmd *cobra.Command) {
	cmd.Flags().IntVar(&p.Limit, "limit", 50, "maximum number of rows")
	cmd.Flags().StringVar(&p.Cursor, "cursor", "", "continue from the cursor of an earlier list")
}

// OnePage refuses a limit that no page of the API has.
func OnePage(limit int) error {
	if limit < 1 || limit > 500 {
		return Usagef("--limit must be 1 to 500")
	}
	return nil
}
