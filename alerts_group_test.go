package outlast_test

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/racetest"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

// Without any configuration it is told that tasks wait for a worker group that nobody
// belongs to, and when that is over.
func TestGroupWithoutMembersAlerts(t *testing.T) {
	racetest.WithoutDetector(t)
	t.Parallel()
	virtually(t, func(k *kit) {
		k.start()
		made := k.enqueue(outlast.Draft{Target: &task.Request{URL: task.GroupURL("mailers", "/send")}})
		k.after(2 * time.Minute)
		alerts := ruled(k.log.events(t, "alert"), "dead_group")
		if len(alerts) != 1 || alerts[0]["subject"] != "mailers" || !strings.Contains(alerts[0]["text"].(string), "0 living members") {
			t.Fatalf("%v", alerts)
		}
		if _, err := k.client.Inspector().Tasks.Cancel(k.ctx, made.ID); err != nil {
			t.Fatal(err)
		}
		k.after(30 * time.Minute)
		alerts = ruled(k.log.events(t, "alert"), "dead_group")
		if last := alerts[len(alerts)-1]; last["kind"] != "recovered" || len(alerts) > 3 {
			t.Errorf("half an hour after the last task was canceled: %v", alerts)
		}
	})
}

// A group whose members live but take nothing is told of after a minute, and not
// before; one that nothing waits for never.
func TestGroupThatBacksOffAlerts(t *testing.T) {
	t.Parallel()
	virtually(t, func(k *kit) {
		k.start()
		for _, name := range []string{"mailers", "idle"} {
			if err := k.client.Workers().PutMember(k.ctx, inspect.Member{Group: name, ID: "m", URL: "http://127.0.0.1:1", TTL: retry.Duration(time.Hour)}); err != nil {
				t.Fatal(err)
			}
		}
		k.enqueue(outlast.Draft{Target: &task.Request{URL: task.GroupURL("mailers", "/send")}})
		k.after(50 * time.Second)
		if alerts := ruled(k.log.events(t, "alert"), "dead_group"); len(alerts) != 0 {
			t.Fatalf("too early: %v", alerts)
		}
		k.after(50 * time.Second)
		alerts := ruled(k.log.events(t, "alert"), "dead_group")
		if len(alerts) != 1 || alerts[0]["subject"] != "mailers" || !strings.Contains(alerts[0]["text"].(string), "1 living member;") {
			t.Errorf("%v", alerts)
		}
	}, outlast.WithAllowedTargets(netip.MustParsePrefix("127.0.0.0/8")), outlast.WithAllQueues())
}
