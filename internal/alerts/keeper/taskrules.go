package keeper

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/expr"
	"github.com/outlast-dev/outlast/internal/findings"
	"github.com/outlast-dev/outlast/internal/strictjson"
)

// taskRules caches the parsed alerts of tasks by their text.
type taskRules struct {
	mu     sync.RWMutex
	parsed map[string]*compiled
	unread atomic.Bool // there was one with a condition that this program cannot read
	logger *slog.Logger
}

// tasksAlerts are among what is wrong where their conditions cannot be read.
const tasksAlerts = "tasks/alerts"

var errUnread = errors.New(`the conditions of tasks' own alerts cannot be read here, so only their deaths are told of: import _ "github.com/outlast-dev/outlast/cel"`)

// deathOnly reads the alert of a task whose condition no language here can read: another
// program has accepted it. It is told of its death at least.
func (t *taskRules) deathOnly(text json.RawMessage) (*alert.TaskRule, error) {
	if t.unread.CompareAndSwap(false, true) {
		t.logger.Warn("alert.refused", "object", tasksAlerts, "error", errUnread)
	}
	rule := &alert.TaskRule{}
	if err := findings.Object(text, rule, strictjson.Absent); err != nil {
		return nil, err
	}
	rule.When = ""
	return rule, nil
}

// mostTaskRules bounds the cache; when there are more, it starts over.
const mostTaskRules = 1024

func (t *taskRules) of(text json.RawMessage) *compiled {
	t.mu.RLock()
	known, ok := t.parsed[string(text)]
	t.mu.RUnlock()
	if ok {
		return known
	}
	var made *compiled // nil for what cannot be read: it was checked when it was accepted
	rule, err := alerts.ParseTaskRule(text)
	if err != nil && !expr.Linked() {
		rule, err = t.deathOnly(text)
	}
	if err == nil {
		made = &compiled{account: accountOf(rule), Rule: alert.Rule{Name: alerts.TaskRule, On: alert.OnTask, When: cmp.Or(rule.When, alerts.AtDeath), Channels: rule.Channels, Cooldown: rule.Cooldown}}
		made.condition, _ = alerts.Compile(alert.OnTask, made.When)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.parsed == nil || len(t.parsed) >= mostTaskRules {
		t.parsed = map[string]*compiled{}
	}
	t.parsed[string(text)] = made
	return made
}

// accountOf is what the states of a task's own alert are kept by: whom it tells, and how
// often. No rule has such a name.
func accountOf(rule *alert.TaskRule) string {
	sum := sha256.Sum256(fmt.Append(nil, alerts.Length(rule.Cooldown, alert.DefaultCooldown), strings.Join(rule.Channels, " ")))
	return alerts.TaskRule + ":" + hex.EncodeToString(sum[:6])
}
