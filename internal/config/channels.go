package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/channel"
	"github.com/outlast-dev/outlast/internal/hints"
	"github.com/outlast-dev/outlast/internal/policy"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Channels calls each with the place of every name of a channel that rules, fallbacks
// and policies of the file take from elsewhere: the file itself does not have it.
func (f *File) Channels(each func(path, name string)) {
	ask := func(path, name string) {
		if name != "" && name != alerts.LogChannel && f.Alerts.Channels[name] == nil {
			each(path, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.Alerts.Channels)) {
		if spec, err := channel.Parse(f.Alerts.Channels[name].Body); err == nil {
			ask(join("alerts.channels", name)+".fallback", spec.Fallback)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.Policies)) {
		of := f.Policies[name]
		if of == nil || len(of.Alert) == 0 {
			continue
		}
		if rule, err := alerts.ParseTaskRule(of.Alert); err == nil {
			for n, channel := range rule.Channels {
				ask(fmt.Sprintf("%s.alert.channels[%d]", join("policies", name), n), channel)
			}
		}
	}
	for i, part := range f.Alerts.Rules {
		rule, err := alerts.ParseRule(part.Body)
		if err != nil {
			continue // it was read from what was checked
		}
		for n, name := range rule.Channels {
			ask(fmt.Sprintf("alerts.rules[%d].channels[%d]", i, n), name)
		}
	}
}

// checkChannels finds names of channels that neither the file has nor anybody has
// put, and channels that the file leaves out while what was put names them.
func (f *File) checkChannels(objects []store.Object) (wrong []Problem) {
	known := map[string]bool{alerts.LogChannel: true}
	for name := range f.Alerts.Channels {
		known[name] = true
	}
	for i := range objects {
		if o := &objects[i]; o.Kind == kindChannel && o.Managed != policy.ManagedByFile {
			known[o.Name] = true
		}
	}
	f.Channels(func(path, name string) {
		// A policy may mean a Go function of an application, but hardly one that is called like a channel.
		misspelled := hints.Nearest(name, slices.Sorted(maps.Keys(known))) != ""
		if !known[name] && (misspelled || !strings.HasPrefix(path, "policies.")) {
			wrong = append(wrong, Problem{Path: path, Message: "there is no channel " + task.Quote(name), Hint: alerts.ChannelHint(name, known)})
		}
	})
	for i := range objects {
		o := &objects[i]
		if o.Kind != kindChannel || known[o.Name] {
			continue
		}
		if by := f.namedBy(o.Name, objects); by != "" {
			wrong = append(wrong, Problem{Path: "alerts.channels", Message: "lacks the channel " + task.Quote(o.Name) + ", which " + by + " names", Hint: "keep it, or change that first"})
		}
	}
	return wrong
}

// namedBy is what names a channel among the objects that stay as they are.
func (f *File) namedBy(name string, objects []store.Object) string {
	for i := range objects {
		o := &objects[i]
		if o.Managed == policy.ManagedByFile || f.takesOver(o) {
			continue
		}
		switch o.Kind {
		case kindRule:
			if rule, err := alerts.ParseRule(o.Body); err == nil && slices.Contains(rule.Channels, name) {
				return "the rule " + task.Quote(o.Name)
			}
		case kindChannel:
			if spec, err := channel.Parse(o.Body); err == nil && spec.Fallback == name {
				return "the channel " + task.Quote(o.Name)
			}
		}
	}
	return ""
}

// takesOver reports whether the file has a rule or channel of the object's name.
func (f *File) takesOver(o *store.Object) bool {
	return o.Kind == kindChannel && f.Alerts.Channels[o.Name] != nil ||
		o.Kind == kindRule && slices.ContainsFunc(f.Alerts.Rules, func(p *Part) bool { return p.Name == o.Name })
}
