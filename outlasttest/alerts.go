package outlasttest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/outlast-dev/outlast/alert"
)

// Alerts returns what the channel [Channel] was told so far, the oldest first. It may be
// called from any goroutine.
func (k *Kit) Alerts() []*alert.Message {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.told)
}

// tell is the channel.
func (k *Kit) tell(_ context.Context, m *alert.Message) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.told = append(k.told, m)
	return nil
}

// RequireAlerts ends the test unless the channel [Channel] was told exactly so many messages of
// a rule, "task" for the alerts of tasks and types of their own. It returns them, the oldest
// first; with 0 none may have been told.
func (k *Kit) RequireAlerts(rule string, count int) []*alert.Message {
	k.t.Helper()
	all := k.Alerts()
	found := slices.DeleteFunc(slices.Clone(all), func(m *alert.Message) bool { return m.Rule != rule })
	if len(found) != count {
		lines := make([]string, len(all))
		for i, m := range all {
			lines[i] = fmt.Sprintf("\n  %s of rule %s: %s: %s", m.Kind, m.Rule, m.Subject, m.Text)
		}
		k.t.Fatalf("outlasttest: the channel was told %d messages of rule %q, wanted %d; all that it was told:%s", len(found), rule, count, strings.Join(append(lines, ""), ""))
	}
	return found
}
