package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/client"
)

const (
	// longAttempt is an attempt that may hang, where no timeout bounds it.
	longAttempt = 24 * time.Hour
	// timeoutSlack is what an attempt may take to end after its timeout.
	timeoutSlack = time.Minute
)

// examineRunning tells of the oldest attempt among the newest running tasks, and warns
// of one that may hang: nothing else takes its task back while its node lives.
func (r *report) examineRunning(ctx context.Context, p patient) {
	running, err := p.running(ctx)
	if err != nil {
		r.add("oldest attempt", fails, err.Error(), "")
		return
	}
	var oldest *client.Task
	for i := range running {
		if one := &running[i]; !one.StartedAt.IsZero() && (oldest == nil || one.StartedAt.Before(oldest.StartedAt.Time)) {
			oldest = one
		}
	}
	if oldest == nil {
		r.add("oldest attempt", fine, "none runs", "")
		return
	}
	age := time.Since(oldest.StartedAt.Time).Round(time.Second)
	detail := fmt.Sprintf("%s of type %s runs for %s, on %s", oldest.ID, oldest.Type, alert.Span(max(age, 0)), oldest.Node)
	switch timeout := time.Duration(oldest.Timeout); {
	case timeout > 0 && age > timeout+timeoutSlack:
		r.add("oldest attempt", warns, detail+", and its timeout is "+alert.Span(timeout), "its handler does not heed its context, or the clocks differ; stop that node to have the task run elsewhere")
	case timeout == 0 && age > longAttempt:
		r.add("oldest attempt", warns, detail+", and it has no timeout of its own", "outlast task cancel ID ends it, and a timeout in its policy those that come")
	default:
		r.add("oldest attempt", fine, detail, "")
	}
}
