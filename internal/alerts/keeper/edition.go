package keeper

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/store"
)

// configured is a channel of an object.
type configured struct {
	alerts.Settings
	body []byte
}

// edition is all rules and channels at one time. Immutable.
type edition struct {
	rules    map[alert.On][]*compiled
	all      []alert.Rule           // by name, the built-in ones included
	builtin  map[string]bool        // names of all that are not replaced
	channels map[string]*configured // those that objects describe
	usual    []string               // the default channels
	silences []*alert.Silence
	measures bool             // whether any rule looks at rates
	wrong    map[string]error // by "rule/NAME" or "channel/NAME"
}

// newEdition reads the objects of rules and channels. One that cannot be read is
// left out, and named.
func newEdition(builtin []alert.Rule, objects []store.Object, read func(body []byte) (alerts.Settings, error)) *edition {
	b := &edition{rules: map[alert.On][]*compiled{}, builtin: map[string]bool{}, channels: map[string]*configured{}, wrong: map[string]error{}}
	rules := map[string]alert.Rule{}
	for _, rule := range builtin {
		rules[rule.Name], b.builtin[rule.Name] = rule, true
	}
	for i := range objects {
		object := &objects[i]
		if object.Doubt != nil {
			b.wrong[object.Kind+"/"+object.Name] = object.Doubt
			continue
		}
		switch object.Kind {
		case alerts.KindRule:
			rule, err := alerts.ParseRule(object.Body)
			if err != nil {
				b.wrong[alerts.KindRule+"/"+object.Name] = err
				continue
			}
			rule.Name = object.Name
			rules[rule.Name] = *rule
			delete(b.builtin, rule.Name)
		case alerts.KindChannel:
			settings, err := read(object.Body)
			if err != nil {
				b.wrong[alerts.KindChannel+"/"+object.Name] = err
				continue
			}
			if b.channels[object.Name] = (&configured{settings, object.Body}); settings.Default {
				b.usual = append(b.usual, object.Name)
			}
		case alerts.KindSilence:
			s := &alert.Silence{}
			if json.Unmarshal(object.Body, s) == nil && time.Now().Before(s.Until) {
				b.silences = append(b.silences, s)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(rules)) {
		rule := rules[name]
		b.all = append(b.all, rule)
		if rule.Disabled {
			continue
		}
		ready, err := compile(&rule)
		if err != nil {
			b.wrong[alerts.KindRule+"/"+name] = err
			continue
		}
		b.rules[rule.On] = append(b.rules[rule.On], ready)
	}
	b.measures = len(b.rules[alert.OnTarget])+len(b.rules[alert.OnType])+len(b.rules[alert.OnCategory]) > 0
	slices.Sort(b.usual)
	return b
}

// to is who is told: the channels named, else the default ones, else the log.
func (b *edition) to(named []string) []string {
	switch {
	case len(named) > 0:
		return named
	case len(b.usual) > 0:
		return b.usual
	}
	return []string{alerts.LogChannel}
}

// asksForMore reports whether rules are measured that are not built in.
func (b *edition) asksForMore() bool {
	for on, rules := range b.rules {
		if alerts.Aggregate(on) && slices.ContainsFunc(rules, func(rule *compiled) bool { return !b.builtin[rule.Name] }) {
			return true
		}
	}
	return false
}
