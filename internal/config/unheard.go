package config

import (
	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/channel"
)

// Unheard warns where channels are configured and none gets the alerts of rules that name
// no channel, the built-in ones among them.
func (f *File) Unheard() (all []Problem) {
	channels, rules := map[string]bool{}, map[string]alert.Rule{}
	for name := range f.Alerts.Channels {
		if spec, err := channel.Parse(f.Alerts.Channels[name].Body); err == nil {
			channels[name] = spec.Default
		}
	}
	for _, rule := range alerts.Builtin(f.Dead.Backlog) {
		rules[rule.Name] = rule
	}
	for i := range f.Alerts.Rules {
		if rule, err := alerts.ParseRule(f.Alerts.Rules[i].Body); err == nil {
			rule.Name = f.Alerts.Rules[i].Name
			rules[rule.Name] = *rule
		}
	}
	hold := make([]alert.Rule, 0, len(rules))
	for _, rule := range rules {
		hold = append(hold, rule)
	}
	if text := alerts.Unheard(channels, hold); text != "" {
		all = append(all, Problem{Path: "alerts.channels", Message: text, Hint: "or name channels in rules of the same names"})
	}
	f.Place(all)
	return all
}
