package alerts

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/outlast-dev/outlast/alert"
)

// Unheard says who is not told what rules hold for, "" where somebody is: there are
// channels, and none is a default one, so that what names no channel goes to the log only.
// Channels are by name, each with whether it is a default one; nil rules stand for those
// built in.
func Unheard(channels map[string]bool, rules []alert.Rule) string {
	if rules == nil {
		rules = Builtin(1)
	}
	for _, usual := range channels {
		if usual {
			return ""
		}
	}
	var logged []string
	for i := range rules {
		if rule := &rules[i]; !rule.Disabled && len(rule.Channels) == 0 {
			logged = append(logged, rule.Name)
		}
	}
	if len(channels) == 0 || len(logged) == 0 {
		return ""
	}
	slices.Sort(logged)
	text := "no channel is a default one: the alerts of " + strings.Join(logged[:min(len(logged), MostNamed)], ", ")
	if more := len(logged) - MostNamed; more > 0 {
		text += " and " + strconv.Itoa(more) + " more rules"
	}
	return text + " go to the log only; set default: true for " + strings.Join(slices.Sorted(maps.Keys(channels)), " or ")
}
