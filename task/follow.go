package task

import (
	"encoding/json"
	"time"
)

// Follow describes a task that is enqueued when another ends. It gets the
// payload of the task that it follows unless it has its own; a callback without
// one gets an [Ended].
type Follow struct {
	Type    string          `json:"type,omitempty"`
	Queue   string          `json:"queue,omitempty"` // the queue of the followed task when empty
	Policy  string          `json:"policy,omitempty"`
	Payload json.RawMessage `json:"payload,omitempty"`
	HTTP    *Request        `json:"target,omitempty"`
}

// FollowKind says as what a task follows another.
type FollowKind string

// The kinds.
const (
	FollowFallback  FollowKind = "fallback"   // runs in place of a task that died
	FollowOnSuccess FollowKind = "on_success" // tells of a success
	FollowOnDead    FollowKind = "on_dead"    // tells of a death

	FollowCompensation FollowKind = "compensation" // undoes a step of a task that died
	FollowGroup        FollowKind = "group"        // tells that all members of a [Group] have ended; Parent is its id
)

// MaxFallbackDepth bounds fallbacks of fallbacks.
const MaxFallbackDepth = 3

// Ended is the payload of a callback that brings none of its own: what became
// of the task that it follows.
type Ended struct {
	Task       ID              `json:"task"`
	Type       string          `json:"type"`
	Queue      string          `json:"queue"`
	Key        string          `json:"key,omitempty"` // ordering key
	State      State           `json:"state"`         // succeeded or dead
	Attempt    int             `json:"attempt"`       // attempts spent
	Reason     DeadReason      `json:"reason,omitempty"`
	Error      *EndedError     `json:"error,omitempty"`   // of the last attempt of a dead task
	Result     json.RawMessage `json:"result,omitempty"`  // of a task that succeeded
	Payload    json.RawMessage `json:"payload,omitempty"` // text or base64 in a string unless it is JSON; absent where both do not fit
	FinishedAt time.Time       `json:"finished_at"`
}

// EndedError is why a task died.
type EndedError struct {
	Category string `json:"category"`
	Type     string `json:"type,omitempty"` // error class or Go type
	Code     string `json:"code,omitempty"` // HTTP status, SQLSTATE, errno
	Message  string `json:"message"`
}
