package outlast_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/racetest"
)

// die lets a task of type mail die at once, with an alert of its own if there is one.
func (k *kit) die(own string) {
	k.Helper()
	d := outlast.Draft{Type: "mail"}
	if own != "" {
		d.Alert = json.RawMessage(own)
	}
	k.diesAs(d)
}

// take empties the inbox.
func (b *inbox) take() []alert.Message {
	b.mu.Lock()
	defer b.mu.Unlock()
	got := b.got
	b.got = nil
	return got
}

// alsoOf says by whom else a message was asked for.
func alsoOf(m alert.Message) string {
	for _, field := range m.Fields {
		if field.Name == "also told by" {
			return field.Value
		}
	}
	return ""
}

// TestOneDeathIsOneMessage: a channel that rules and the task's own alert name is told
// once, and by which; one that only one of them names is told of that one alone.
func TestOneDeathIsOneMessage(t *testing.T) {
	racetest.WithoutDetector(t)
	t.Parallel()
	box, night, day := &inbox{}, &inbox{}, &inbox{}
	virtually(t, func(k *kit) {
		outlast.Handle(k.client, "mail", failing)
		k.start()
		k.putRule(`{"name": "exhausted", "on": "dead", "when": "type == \"mail\"", "channels": ["box", "night"], "severity": "critical"}`)
		k.putRule(`{"name": "slow", "on": "dead", "when": "type == \"mail\"", "channels": ["box"], "cooldown": "1h"}`)
		k.die(`{"channels": ["box", "day"], "cooldown": "1m"}`)
		if told := box.take(); len(told) != 1 || told[0].Rule != "task" || told[0].Severity != alert.Critical || alsoOf(told[0]) != "the rule exhausted, the rule slow" {
			t.Errorf("the box got %+v", told)
		}
		if told := night.take(); len(told) != 1 || told[0].Rule != "exhausted" || alsoOf(told[0]) != "the task's own alert, the rule slow" && alsoOf(told[0]) != "" {
			t.Errorf("at night %+v", told)
		}
		if told := day.take(); len(told) != 1 || told[0].Rule != "task" || told[0].Severity != alert.Warning || alsoOf(told[0]) != "" {
			t.Errorf("at day %+v", told)
		}
		k.after(2 * time.Hour)
		k.die("") // two rules
		if told := box.take(); len(told) != 1 || told[0].Rule != "exhausted" || alsoOf(told[0]) != "the rule slow" {
			t.Errorf("of two rules the box got %+v", told)
		}
	}, outlast.WithAlertFunc("box", box.send), outlast.WithAlertFunc("night", night.send), outlast.WithAlertFunc("day", day.send))
}

// TestSilencedRuleSpeaksForNoOther: a silence of one rule keeps a channel from nothing
// that another rule tells it.
func TestSilencedRuleSpeaksForNoOther(t *testing.T) {
	t.Parallel()
	box := &inbox{}
	virtually(t, func(k *kit) {
		outlast.Handle(k.client, "mail", failing)
		k.start()
		k.putRule(`{"name": "exhausted", "on": "dead", "when": "type == \"mail\"", "channels": ["box"], "severity": "critical", "cooldown": "1m"}`)
		k.putRule(`{"name": "slow", "on": "dead", "when": "type == \"mail\"", "channels": ["box"], "cooldown": "10m"}`)
		if _, err := k.client.Inspector().Alerts.Silences.Add(k.ctx, alert.Silence{Rule: "exhausted", Until: time.Now().Add(time.Hour), Reason: "known"}); err != nil {
			t.Fatal(err)
		}
		k.die("")
		if told := box.take(); len(told) != 1 || told[0].Rule != "slow" {
			t.Errorf("told: %+v", told)
		}
		k.after(2 * time.Minute)
		k.die("") // the other one's cool-down goes on
		if told := box.take(); len(told) != 0 {
			t.Errorf("within the cool-down: %+v", told)
		}
		k.after(10 * time.Minute)
		if told := box.take(); len(told) != 1 || told[0].Rule != "slow" || told[0].HeldBack != 1 {
			t.Errorf("after the cool-down: %+v", told)
		}
	}, outlast.WithAlertFunc("box", box.send))
}

// TestSecondDeathBehindOwnCooldown: an alert that is held back does not keep a rule from
// telling that is not, whichever of the two it is.
func TestSecondDeathBehindOwnCooldown(t *testing.T) {
	racetest.WithoutDetector(t)
	t.Parallel()
	box := &inbox{}
	virtually(t, func(k *kit) {
		outlast.Handle(k.client, "mail", failing)
		k.start()
		const own = `{"channels": ["box"], "cooldown": "1h"}`
		k.putRule(`{"name": "exhausted", "on": "dead", "when": "type == \"none\"", "channels": ["box"]}`)
		k.die(own)
		k.putRule(`{"name": "exhausted", "on": "dead", "when": "type == \"mail\"", "channels": ["box"], "cooldown": "2h"}`)
		k.after(2 * time.Second)
		box.take()
		k.die(own)
		if told := box.take(); len(told) != 1 || told[0].Rule != "exhausted" || alsoOf(told[0]) != "the task's own alert" {
			t.Errorf("behind the task's own cool-down: %+v", told)
		}
		k.after(90 * time.Minute)
		if told := box.take(); len(told) != 0 {
			t.Errorf("told again of what the rule has told: %+v", told)
		}
		k.die(own)
		if told := box.take(); len(told) != 1 || told[0].Rule != "task" {
			t.Errorf("behind the rule's cool-down: %+v", told)
		}
	}, outlast.WithAlertFunc("box", box.send))
}

// TestHeldBackDeathsAreToldOnce: what all rules hold back is told by the first that may
// tell again, and not by the others too.
func TestHeldBackDeathsAreToldOnce(t *testing.T) {
	racetest.WithoutDetector(t)
	t.Parallel()
	box, night := &inbox{}, &inbox{}
	virtually(t, func(k *kit) {
		outlast.Handle(k.client, "mail", failing)
		k.start()
		k.putRule(`{"name": "exhausted", "on": "dead", "when": "type == \"mail\"", "channels": ["box"], "cooldown": "10m"}`)
		for range 20 { // more than one node puts on disk one by one
			k.die(`{"channels": ["night", "box"], "cooldown": "30m"}`)
		}
		k.after(2 * time.Hour)
		count := func(told []alert.Message) (deaths int, rules []string) {
			for _, m := range told {
				deaths += max(m.HeldBack, 1)
				rules = append(rules, m.Rule)
			}
			return deaths, rules
		}
		if deaths, rules := count(box.take()); deaths != 20 || strings.Join(rules, " ") != "task exhausted" {
			t.Errorf("the box was told of %d deaths by %v", deaths, rules)
		}
		if deaths, rules := count(night.take()); deaths != 20 || strings.Join(rules, " ") != "task task" {
			t.Errorf("at night of %d deaths by %v", deaths, rules)
		}
	}, outlast.WithAlertFunc("box", box.send), outlast.WithAlertFunc("night", night.send))
}

// TestTasksDoNotShareTheirCooldown: the alert of one task waits for no other's that tells
// somebody else.
func TestTasksDoNotShareTheirCooldown(t *testing.T) {
	t.Parallel()
	box, night := &inbox{}, &inbox{}
	virtually(t, func(k *kit) {
		outlast.Handle(k.client, "mail", failing)
		k.start()
		k.putRule(`{"name": "exhausted", "on": "dead", "disabled": true}`)
		k.die(`{"channels": ["box"]}`)
		k.die(`{"channels": ["night"]}`)
		k.die(`{"channels": ["night"]}`)
		if a, b := box.take(), night.take(); len(a) != 1 || len(b) != 1 {
			t.Errorf("box %+v, night %+v", a, b)
		}
		k.after(6 * time.Minute)
		if a, b := box.take(), night.take(); len(a) != 0 || len(b) != 1 || b[0].HeldBack != 1 || b[0].Rule != "task" {
			t.Errorf("held back: box %+v, night %+v", a, b)
		}
	}, outlast.WithAlertFunc("box", box.send), outlast.WithAlertFunc("night", night.send))
}

// TestRuleThatCollectsIsToldAtOnceByAnother where both name a channel, and of the rest by
// its collection.
func TestRuleThatCollectsIsToldAtOnceByAnother(t *testing.T) {
	t.Parallel()
	box, night := &inbox{}, &inbox{}
	virtually(t, func(k *kit) {
		outlast.Handle(k.client, "mail", failing)
		k.start()
		k.putRule(`{"name": "exhausted", "on": "dead", "when": "type == \"mail\"", "channels": ["box", "night"], "digest": "10m"}`)
		k.putRule(`{"name": "now", "on": "dead", "when": "type == \"mail\"", "channels": ["box"], "cooldown": "0s"}`)
		k.die("")
		k.die("")
		k.after(15 * time.Minute)
		rules := func(told []alert.Message) (of []string) {
			for _, m := range told {
				of = append(of, m.Rule)
			}
			return of
		}
		if got := rules(box.take()); !slices.Equal(got, []string{"now", "now"}) {
			t.Errorf("the box was told by %v", got)
		}
		if told := night.take(); len(told) != 1 || told[0].Rule != "exhausted" || told[0].HeldBack != 2 {
			t.Errorf("at night %+v", told)
		}
	}, outlast.WithAlertFunc("box", box.send), outlast.WithAlertFunc("night", night.send))
}
