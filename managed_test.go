package outlast_test

import (
	"testing"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/policy"
	"github.com/outlast-dev/outlast/internal/schedules"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// What the configuration file owns is changed there: neither put nor deleted by
// the library, and left as it is.
func TestManagedByFile(t *testing.T) {
	t.Parallel()
	virtually(t, func(k *kit) {
		k.start()
		bodies := map[string]string{
			policy.Kind: `{"ttl": "1m"}`, "queue": `{"weight": 2}`, alerts.KindRule: `{"on": "dead"}`, alerts.KindChannel: `{"kind": "log"}`,
			schedules.Kind: `{"every": "1h", "task": {"type": "report"}}`,
		}
		for kind, body := range bodies {
			if _, err := k.store.Change(k.ctx, store.Change{Put: []store.Object{{Kind: kind, Name: "owned", Body: []byte(body), Managed: policy.ManagedByFile}}}); err != nil {
				t.Fatal(err)
			}
		}
		inspector := k.client.Inspector()
		for what, change := range map[string]func() error{
			"put policy": func() error {
				_, _, err := inspector.Policies.Put(k.ctx, inspect.PolicyChange{Name: "owned", Form: []byte(`{}`)})
				return err
			},
			"delete policy": func() error { return inspector.Policies.Delete(k.ctx, inspect.PolicyChange{Name: "owned"}) },
			"put queue":     func() error { _, err := inspector.Queues.Put(k.ctx, store.Queue{Name: "owned"}); return err },
			"put rule": func() error {
				_, err := inspector.Alerts.Rules.Put(k.ctx, alert.Rule{Name: "owned", On: alert.OnDead})
				return err
			},
			"delete rule": func() error { return inspector.Alerts.Rules.Delete(k.ctx, "owned") },
			"put channel": func() error {
				_, err := inspector.Alerts.Channels.Put(k.ctx, alert.ChannelSpec{Name: "owned", Kind: alert.ToLog})
				return err
			},
			"delete channel": func() error { return inspector.Alerts.Channels.Delete(k.ctx, "owned") },
			"put schedule": func() error {
				_, err := inspector.Schedules.Put(k.ctx, inspect.Schedule{Name: "owned", Every: time.Hour, Task: inspect.ScheduledTask{Type: "report"}})
				return err
			},
			"delete schedule": func() error { _, err := inspector.Schedules.Delete(k.ctx, "owned"); return err },
		} {
			t.Log(what)
			wantCode(t, change(), task.CodeManagedByFile)
		}
		for kind, body := range bodies {
			if o, err := k.store.Object(k.ctx, kind, "owned"); err != nil || string(o.Body) != body || o.Version != 1 {
				t.Errorf("%s: %+v, %v", kind, o, err)
			}
		}
	})
}
