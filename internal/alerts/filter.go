package alerts

import (
	"slices"
	"strings"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/findings"
)

// eventStates are the states of a message.
var eventStates = []string{"pending", "sent", "silenced", alert.Collected, "failed", "canceled"}

// CheckFilter reports what is wrong with a filter, as joined [retry.FieldError] values.
func CheckFilter(e *alert.EventFilter) error {
	var f ruleFindings
	for _, p := range []pattern{{name: "rule", pattern: e.Rule}, {name: "subject", pattern: e.Subject}, {name: "channel", pattern: e.Channel}} {
		f.pattern(p)
	}
	if e.State != "" && !slices.Contains(eventStates, e.State) {
		f.Refuse("state", findings.Nearest(e.State, eventStates), "is not a state of a message")
	}
	return f.Err()
}

// Selects reports whether a filter selects a message, but for Since.
func Selects(e *alert.EventFilter, event *alert.EventView) bool {
	return (e.Rule == "" || Glob(e.Rule, event.Rule)) && (e.Subject == "" || Glob(e.Subject, event.Subject)) &&
		(e.Channel == "" || Glob(e.Channel, event.Channel)) && (e.State == "" && event.State != alert.Collected || e.State == event.State)
}

// OneChannel is the channel of a filter, where it names one without any *.
func OneChannel(e *alert.EventFilter) string {
	if strings.Contains(e.Channel, "*") {
		return ""
	}
	return e.Channel
}
