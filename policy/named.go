package policy

import (
	"encoding/json"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// Source says where a policy comes from.
type Source string

// The sources.
const (
	Preset Source = "preset" // built in
	File   Source = "file"   // of the configuration file, which alone changes it
	API    Source = "api"    // put by Inspector().Policies.Put
)

// Named is a policy that tasks, types and queues can name.
type Named struct {
	Name   string
	Source Source
	// Version is raised by every change; 1 for presets.
	Version int64
	// Form is the policy as it is written, nil of a version that is a deletion.
	Form json.RawMessage
	// Policy is what it compiles to, nil if this program cannot read it, such as
	// one that a later release has put.
	Policy *retry.Policy
	// Canary is the share of the tasks for which the version holds, and the version
	// that holds for the rest; nil where it holds for all.
	Canary *Canary
	// Preset tells that a preset of the name exists, which comes back when the
	// policy is deleted.
	Preset    bool
	Actor     string    // who made the version
	UpdatedAt time.Time // zero for presets
	UsedBy    []string  // "queue/mail", "type/mail.send"; not of versions
}

// Change is a policy that is put or deleted.
type Change struct {
	Name string
	// Form is the policy in the form of [retry.Spec], at most 64 KiB of JSON. With
	// "preset" in it the other keys override that preset. With "canary" in it the
	// version holds for that share of the tasks: see [Canary].
	Form json.RawMessage
	// Version, if it is not nil, is the version that is changed: another one is a
	// conflict. 0 is for a policy that must be new.
	Version *int64
	// DryRun checks everything and changes nothing.
	DryRun bool
}
