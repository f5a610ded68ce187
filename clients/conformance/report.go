package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// report writes what was found, or what there is to find.
func report(out io.Writer, found []finding, asJSON, list bool) {
	if asJSON {
		encoder := json.NewEncoder(out)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		_ = encoder.Encode(found) // the reader may have gone
		return
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, f := range found {
		level := "must"
		if !f.Must {
			level = "should"
		}
		if list {
			fmt.Fprintf(table, "%s\t%s\t%s\n", f.ID, level, f.Says)
			continue
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", f.ID, level, f.Verdict, seen(f.Seen))
	}
	_ = table.Flush() // the reader may have gone
}

// seen is what was seen of a rule, in one line.
func seen(all []string) string {
	if len(all) > 2 {
		return fmt.Sprintf("%s; and in %d more scenarios", all[0], len(all)-1)
	}
	return strings.Join(all, "; ")
}
