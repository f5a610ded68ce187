package outlast_test

import (
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
)

// A critical alert is named while it fires; one that is not critical is not.
func TestCriticalAlertsAreNamed(t *testing.T) {
	t.Parallel()
	virtually(t, func(k *kit) {
		k.start()
		k.putRule(`{"name": "slow", "on": "queue", "when": "backlog > 0", "for": "1m", "severity": "warning"}`)
		k.enqueue(outlast.Draft{Type: "mial"})
		k.after(3 * time.Minute)
		firing, err := k.client.Inspector().Alerts.Critical(k.ctx)
		if err != nil || len(firing) != 1 || firing[0].Rule != "no_worker" || firing[0].Subject != "default" {
			t.Errorf("%+v, %v", firing, err)
		}
		backlog, err := k.client.Inspector().Queues.Backlog(k.ctx)
		if err != nil || backlog.Due != 1 || backlog.OldestDue < 2*time.Minute || len(backlog.Stranded["default"]) != 1 {
			t.Errorf("%+v, %v", backlog, err)
		}
	})
}
