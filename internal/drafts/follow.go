package drafts

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Follow makes the row of the fallback or callback of a task that ends, in a queue. It has
// no ordering key, since the key of a dead task may be blocked, the share key of the task, and no follow-up tasks of
// its own. Its target is still to be named.
func Follow(t *task.Task, follow *task.Follow, kind task.FollowKind, end *store.Settlement, queue *store.Queue) *task.Task {
	depth := t.Spec.Depth
	if kind == task.FollowFallback {
		depth++
	}
	id := accept.FollowID(t, kind)
	made := &task.Task{
		ID:       id.WithLane(accept.LaneOf(queue, id, "", "")),
		Queue:    queue.Name,
		Type:     follow.Type,
		Payload:  followPayload(t, follow, kind, end),
		State:    task.Pending,
		Priority: t.Priority,
		Policy:   follow.Policy,
		Spec: task.Spec{
			Metadata:    maps.Clone(t.Spec.Metadata),
			HTTP:        follow.HTTP,
			ShareKey:    t.Spec.ShareKey,
			TraceParent: t.Spec.TraceParent,
			Parent:      t.ID,
			Depth:       depth,
			Follows:     kind,
		},
	}
	if made.Type == "" {
		made.Type = task.HTTPType
	}
	return made
}

// Undo makes the row of the task that undoes a step of a task that dies. It is in that
// task's queue, whatever its own, and has an ordering key of that task: what was done last
// is undone first, and what cannot be undone holds up the rest until somebody has looked. Its
// id is that of the claim under which the step was done, which is undone once: so who waits
// for it finds it, however often the task has died since.
func Undo(t *task.Task, step *task.Step, queue *store.Queue) *task.Task {
	kind := task.FollowKind(string(task.FollowCompensation) + " " + strconv.Itoa(step.Occurrence) + " " + step.Name)
	done := *t
	done.Claim = step.Claim
	made := Follow(&done, step.Compensation, kind, nil, queue)
	made.Spec.Follows = task.FollowCompensation
	made.Key = string(task.FollowCompensation) + ":" + t.ID.String()
	made.ID = made.ID.WithLane(accept.LaneOf(queue, made.ID, made.Key, ""))
	return made
}

// followPayload is the payload given, else for a fallback that of the task
// and for a callback what happened.
func followPayload(t *task.Task, follow *task.Follow, kind task.FollowKind, end *store.Settlement) []byte {
	if !Absent(follow.Payload) || end == nil {
		return follow.Payload
	}
	if kind == task.FollowFallback {
		return t.Payload
	}
	told := task.Ended{
		Task: t.ID, Type: t.Type, Queue: t.Queue, Key: t.Key,
		State: task.Succeeded, Attempt: t.Attempt, FinishedAt: end.EndedAt.UTC().Truncate(time.Microsecond),
	}
	if kind == task.FollowOnDead {
		told.State, told.Reason = task.Dead, end.DeadReason
	}
	if f := end.Failure; f != nil {
		told.Error = &task.EndedError{Category: f.Category, Type: f.Type, Code: f.Code, Message: f.Message}
	}
	if json.Valid(end.Result) {
		told.Result = end.Result
	}
	told.Payload = embedded(t.Payload)
	text, err := json.Marshal(told)
	if err != nil || len(text) > task.MaxPayload {
		told.Payload = nil // it can be read from the task
		text, _ = json.Marshal(told)
	}
	return text
}

// embedded is a payload inside a JSON document: as it is if it is JSON, a
// string if it is text, else the string of its base64 form.
func embedded(payload []byte) json.RawMessage {
	if len(payload) == 0 || json.Valid(payload) {
		return payload
	}
	text := string(payload)
	if !utf8.Valid(payload) {
		text = base64.StdEncoding.EncodeToString(payload)
	}
	quoted, _ := json.Marshal(text)
	return quoted
}
