// Package alerts decides whether people are to be told that something is wrong: rules over
// what happens to tasks ([Occurrence]) and over what is counted ([Sample]), their
// conditions, cool-downs, silences and filters. All of it is pure: times come in, and no
// store is called. What keeps it in a store and tells people is package keeper below.
package alerts

import (
	"maps"
	"slices"
	"strings"

	"github.com/outlast-dev/outlast/internal/hints"
)

// Queue is the queue of alerts, and of what else the engine does by tasks. Every node that runs tasks works on it; its
// lanes are few, and people do not see it among their queues.
const Queue = "outlast.alerts"

// Types of the tasks in it. What is sent to a channel has a type of its own,
// so that only nodes take it that can reach the channel.
const (
	TypeRaise  = "outlast.alert.raise"
	TypeDigest = "outlast.alert.digest"
	typeSend   = "outlast.alert.send:"
	// TypeCompensate undoes the steps of canceled tasks. It has nothing to do with alerts, but
	// is the engine's own, as they are.
	TypeCompensate = "outlast.compensate"
	// TypeConditions is of no task: nodes that list it read conditions.
	TypeConditions = "outlast.alert.conditions"
)

// SendType is the type of tasks that send to a channel.
func SendType(channel string) string { return typeSend + channel }

// ChannelOf is the channel that tasks of a type send to; false for other types.
func ChannelOf(taskType string) (channel string, ok bool) {
	return strings.CutPrefix(taskType, typeSend)
}

// IsType reports whether a type of tasks is one of the engine's own.
func IsType(taskType string) bool {
	return taskType == TypeRaise || taskType == TypeDigest || taskType == TypeCompensate || taskType == TypeConditions || len(taskType) > len(typeSend) && taskType[:len(typeSend)] == typeSend
}

// Kinds of the objects that are configuration.
const (
	KindRule    = "rule"
	KindChannel = "channel"
	KindSilence = "silence"
)

// TaskRule is the rule in messages of a task's own alert.
const TaskRule = "task"

// LogChannel is the name of the channel that is always there: the log of the
// node that delivers.
const LogChannel = "log"

// ChannelHint says what to do about the name of a channel that is not known: the
// nearest name, or those that there are.
func ChannelHint(name string, known map[string]bool) string {
	names := slices.Sorted(maps.Keys(known))
	if near := hints.Nearest(name, names); near != "" {
		return "did you mean " + near + "?"
	}
	return "create it first, with PUT /v1/alerts/channels/{name} or in the configuration file; there are " + strings.Join(names, ", ")
}
