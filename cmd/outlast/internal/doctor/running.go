package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/report"
	"github.com/outlast-dev/outlast/internal/plaintext"
)

const (
	// longAttempt is an attempt that may hang, where no timeout bounds it.
	longAttempt = 24 * time.Hour
	// timeoutSlack is what an attempt may take to end after its timeout.
	timeoutSlack = time.Minute
)

// examineRunning tells of the oldest attempt among the newest running tasks, and warns
// of one that may hang: nothing else takes its task back while its node lives.
func (r exam) examineRunning(ctx context.Context, p patient) {
	running, err := p.running(ctx)
	if err != nil {
		r.Add("oldest attempt", report.Fails, err.Error(), "")
		return
	}
	var oldest *client.Task
	for i := range running {
		if one := &running[i]; !one.StartedAt.IsZero() && (oldest == nil || one.StartedAt.Before(oldest.StartedAt.Time)) {
			oldest = one
		}
	}
	if oldest == nil {
		r.Add("oldest attempt", report.Fine, "none is running", "")
		return
	}
	age := time.Since(oldest.StartedAt.Time).Round(time.Second)
	detail := fmt.Sprintf("%s of type %s has run for %s, on %s", oldest.ID, oldest.Type, plaintext.Span(max(age, 0)), oldest.Node)
	switch timeout := time.Duration(oldest.Timeout); {
	case timeout > 0 && age > timeout+timeoutSlack:
		r.Add("oldest attempt", report.Warns, detail+"; its timeout is "+plaintext.Span(timeout), "its handler ignores its context, or the clocks differ; stop that node so that the task runs elsewhere")
	case timeout == 0 && age > longAttempt:
		r.Add("oldest attempt", report.Warns, detail+"; it has no timeout of its own", "end it with outlast task cancel ID, and set a timeout in its policy")
	default:
		r.Add("oldest attempt", report.Fine, detail, "")
	}
}
