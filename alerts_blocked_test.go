package outlast_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/channel"
	"github.com/outlast-dev/outlast/internal/racetest"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// refusesFirst is a handler that refuses the first task of a key and takes the others.
func refusesFirst(_ context.Context, payload json.RawMessage) error {
	if string(payload) == `"on"` {
		return outlast.GiveUp(errors.New("the credential has expired"))
	}
	return nil
}

// blocks lets a task die of a key, and others wait behind it.
func (k *kit) blocks(policy string, behind int) (dead outlast.ID) {
	k.Helper()
	outlast.Handle(k.client, "lamp", refusesFirst)
	k.start()
	draft := sent(outlast.Draft{Type: "lamp", Key: "lampA", Payload: []byte(`"on"`)}, policy)
	dead = k.enqueue(draft).ID
	for range behind {
		draft.Payload = []byte(`"off"`)
		k.enqueue(draft)
	}
	k.after(20 * time.Second)
	return dead
}

// TestBlockedKeyIsToldAndListed, and that it is over: the light does not stay on unseen.
func TestBlockedKeyIsToldAndListed(t *testing.T) {
	racetest.WithoutDetector(t)
	t.Parallel()
	box := &inbox{}
	virtually(t, func(k *kit) {
		k.putRule(`{"name": "key_blocked", "on": "blocked", "when": "waiting > 0 && key == \"lampA\"", "channels": ["box"]}`)
		dead := k.blocks(`{}`, 2)
		k.after(time.Hour)
		told := box.of("key_blocked")
		if len(told) != 1 || told[0].Subject != "default/lampA" || told[0].Queue != "default" || !strings.Contains(told[0].Text, "2 tasks wait behind it") ||
			!strings.Contains(strings.Join(told[0].Lines(), "\n"), "dead letter: "+dead.String()) {
			t.Fatalf("%+v", told)
		}
		inspector := k.client.Inspector()
		keys, next, err := inspector.Keys.Blocked(k.ctx, nil, false, store.Page{})
		if err != nil || next != "" || len(keys) != 1 || keys[0].Queue != "default" || keys[0].Key != "lampA" || keys[0].Holder != dead || keys[0].Waiting != 2 || keys[0].Mode != "block" {
			t.Errorf("%+v, %q, %v", keys, next, err)
		}
		if others, _, err := inspector.Keys.Blocked(k.ctx, []string{"other"}, true, store.Page{}); err != nil || len(others) != 0 {
			t.Errorf("%+v, %v", others, err)
		}
		k.enqueue(outlast.Draft{Type: "lamp", RunAt: time.Now().Add(time.Hour)})
		waiting, _, err := inspector.Tasks.FindWaiting(k.ctx, task.KeyBlocked, store.Filter{}, store.Page{})
		if err != nil || len(waiting) != 2 || waiting[0].Key != "lampA" {
			t.Errorf("%d wait, %v", len(waiting), err)
		}
		_, _, err = inspector.Tasks.FindWaiting(k.ctx, "key", store.Filter{}, store.Page{})
		wantCode(t, err, task.CodeInvalid)
		if released, err := inspector.Keys.Release(k.ctx, "default", "lampA"); err != nil || !released {
			t.Fatal(released, err)
		}
		k.after(time.Minute)
		if told = box.of("key_blocked"); len(told) != 2 || told[1].Kind != alert.Recovered {
			t.Errorf("%+v", told)
		}
		if keys, _, err = inspector.Keys.Blocked(k.ctx, nil, true, store.Page{}); err != nil || len(keys) != 0 {
			t.Errorf("%+v, %v", keys, err)
		}
	}, outlast.WithAlertFunc("box", box.send))
}

// TestParkedTasksAreNoBacklog: not for rules, nor for how long the oldest has been due;
// redriven, their head goes first and they follow.
func TestParkedTasksAreNoBacklog(t *testing.T) {
	t.Parallel()
	for mode, backlog := range map[string]int{"block": 3, "park": 0} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			box := &inbox{}
			virtually(t, func(k *kit) {
				dead := k.blocks(`{"order_on_dead": "`+mode+`"}`, 3)
				k.putRule(`{"name": "busy", "on": "queue", "when": "backlog > 0 || oldest_due > duration(\"10s\")", "channels": ["box"]}`)
				k.after(10 * time.Minute)
				if told := box.of("busy"); (len(told) > 0) != (backlog > 0) {
					t.Errorf("%+v", told)
				}
				stands, err := k.client.Inspector().Queues.Backlog(k.ctx)
				if err != nil || (stands.OldestDue > 0) != (backlog > 0) {
					t.Errorf("%+v, %v", stands, err)
				}
				k.enqueue(outlast.Draft{Type: "unknown"}) // real backlog beside it
				k.after(time.Minute)
				if told := box.of("busy"); len(told) == 0 || backlog == 0 && !strings.Contains(told[0].Text, "has 1 pending task, ") {
					t.Errorf("%+v", told)
				}
				if released, err := k.client.Inspector().Keys.Release(k.ctx, "default", "lampA"); err != nil || !released {
					t.Fatal(released, err)
				}
				k.after(time.Minute)
				done, err := k.client.Inspector().Tasks.Count(k.ctx, store.Filter{State: task.Succeeded, Key: "lampA"}, 10)
				if err != nil || done != 3 || k.get(dead).State != task.Dead {
					t.Errorf("%d of 3 have run, %v", done, err)
				}
			}, outlast.WithAlertFunc("box", box.send))
		})
	}
}

// TestChannelsWithoutADefaultAreWarnedOf: what is built in would go to the log only.
func TestChannelsWithoutADefaultAreWarnedOf(t *testing.T) {
	t.Parallel()
	virtually(t, func(k *kit) {
		k.start()
		put := func(text string) string {
			k.Helper()
			spec, err := channel.Parse([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := k.client.Inspector().Alerts.Channels.Put(k.ctx, *spec); err != nil {
				t.Fatal(err)
			}
			return strings.Join(k.client.Inspector().Alerts.Problems(), "\n")
		}
		if said := k.client.Inspector().Alerts.Problems(); len(said) != 0 {
			t.Errorf("without channels: %v", said)
		}
		if said := put(`{"name": "ops", "kind": "log"}`); !strings.Contains(said, "no channel is a default one") || !strings.Contains(said, "set default: true for ops") {
			t.Errorf("one that is no default: %q", said)
		}
		if said := put(`{"name": "ops", "kind": "log", "default": true}`); said != "" {
			t.Errorf("a default one: %s", said)
		}
	})
}
