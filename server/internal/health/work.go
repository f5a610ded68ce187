package health

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/server/internal/problem"
)

// examineWork tells of tasks that no living node can start, and of critical alerts that
// are not over. It makes no server unready: what can run does.
func (r *readiness) examineWork(ctx context.Context) {
	backlog, err := r.Inspect.Queues.Backlog(ctx)
	var stuck []string
	if err == nil {
		for _, queue := range slices.Sorted(maps.Keys(backlog.Stranded)) {
			stuck = append(stuck, listed(backlog.Stranded[queue])+" (queue "+queue+")")
		}
	}
	r.warn("no worker", err, stuck, "no living node can start tasks of the type ")
	firing, err := r.Inspect.Alerts.Critical(ctx)
	var alerts []string
	for i := range firing {
		alerts = append(alerts, fmt.Sprintf("%s of %s since %s", firing[i].Rule, firing[i].Subject, firing[i].Since.UTC().Format(time.RFC3339)))
	}
	r.warn("critical alerts", err, alerts, "not over: ")
	for i := range firing {
		r.since("critical alerts", firing[i].Since)
	}
}

// warn tells what was found, behind an introduction.
func (r *readiness) warn(name string, err error, found []string, before string) {
	detail := "none"
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		detail = "cannot be told: looking took longer than a probe has, " + storeTimeout.String()
	case err != nil:
		detail = "cannot be told: " + problem.Of(err).Error()
	case len(found) > 0:
		detail = before + listed(found)
	}
	r.health.Checks[name] = client.Check{OK: err == nil && len(found) == 0, Detail: detail}
}

// listed names the first, and says how many more there are.
func listed(found []string) string {
	text := strings.Join(found[:min(len(found), mostNamed)], ", ")
	if more := len(found) - mostNamed; more > 0 {
		text += fmt.Sprintf(", and %d more", more)
	}
	return text
}
