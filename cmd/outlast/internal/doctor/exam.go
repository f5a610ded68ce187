package doctor

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/report"
)

// exam fills a report.
type exam struct{ *report.Report }

func (r exam) counted(check string, counts map[string]int, more bool, fix string) {
	status := report.Fine
	if len(counts) > 0 {
		status = report.Warns
	}
	r.Add(check, status, counted(counts, more), fix)
}

// counted names what there is, with the numbers; there may be more where only the
// newest tasks were looked at.
func counted(counts map[string]int, more bool) string {
	if len(counts) == 0 {
		return "none"
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		count := cli.Plural(counts[name], "task")
		if more {
			count = "at least " + count
		}
		parts = append(parts, name+" ("+count+")")
	}
	return strings.Join(parts, ", ")
}

// day is what ends of certificates and of tables are counted in.
const day = 24 * time.Hour
