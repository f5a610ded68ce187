package inspect

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// Policies shows retry policies and changes them.
type Policies interface {
	// List lists the policies that were put and the presets, by name. A policy
	// that was put under the name of a preset stands in its place.
	List(ctx context.Context) ([]NamedPolicy, error)
	// RetriesOn is false where the configuration has turned retries off for all tasks,
	// as far as this node knows.
	RetriesOn() bool
	// Get returns one policy, also one such as "easyjob(30s, 2, 5)". Code
	// "not_found".
	Get(ctx context.Context, name string) (*NamedPolicy, error)
	// Versions lists what is kept of a policy's versions, the newest first: the
	// last 100. A deleted policy has them still. Code "not_found" if there are none.
	Versions(ctx context.Context, name string) ([]NamedPolicy, error)
	// Put creates a policy or changes it; changed is false if it says what it
	// said before, which makes no new version. It holds on every node within about a
	// second: for attempts that begin, and for what follows those that fail.
	//
	// Codes "invalid" with fields, "conflict" for another version, "managed_by_file".
	Put(ctx context.Context, change PolicyChange) (named *NamedPolicy, changed bool, err error)
	// Delete deletes a policy; its versions are kept. Tasks that name it have
	// the preset of the name then, if there is one, else what their type, their queue or
	// the default says. Codes "not_found", "managed_by_file", and "conflict" for
	// another version and for a policy that a queue or type names.
	Delete(ctx context.Context, change PolicyChange) error
	// Promote lets the version of a policy that is tried on a share of the tasks
	// hold for all of them: a new version with the same content. Form of the change does
	// not matter.
	//
	// Codes "not_found", "managed_by_file", and "conflict" for another version and where
	// no canary runs.
	Promote(ctx context.Context, change PolicyChange) (*NamedPolicy, error)
	// Abort lets the version before a canary hold for all tasks again: a new
	// version with the content of that one. Errors are those of [Policies.Promote].
	Abort(ctx context.Context, change PolicyChange) (*NamedPolicy, error)
	// Review looks over the policies that were put and the default one, and the
	// types: those of which the configuration says something, those with a handler on this
	// node, and those of the newest tasks. What other applications say of their own
	// handlers is not known here. A client that has not started reads everything now.
	Review(ctx context.Context) (*PolicyReview, error)
}

// PolicySource says where a policy comes from.
type PolicySource string

// The sources.
const (
	PolicyPreset PolicySource = "preset" // built in
	PolicyFile   PolicySource = "file"   // of the configuration file, which alone changes it
	PolicyAPI    PolicySource = "api"    // put by Inspector().Policies.Put
)

// NamedPolicy is a policy that tasks, types and queues can name.
type NamedPolicy struct {
	Name   string
	Source PolicySource
	// Version is raised by every change; 1 for presets.
	Version int64
	// Form is the policy as it is written, nil of a version that is a deletion.
	Form json.RawMessage
	// Policy is what it compiles to, nil if this program cannot read it, such as
	// one that a later release has put.
	Policy *retry.Policy
	// Canary is the share of the tasks for which the version holds, and the version
	// that holds for the rest; nil where it holds for all.
	Canary *PolicyCanary
	// Preset tells that a preset of the name exists, which comes back when the
	// policy is deleted.
	Preset    bool
	Actor     string    // who made the version
	UpdatedAt time.Time // zero for presets
	UsedBy    []string  // "queue/mail", "type/mail.send"; not of versions
}

// PolicyCanary is the share of the tasks that a version is tried on, while the version before
// it holds for the rest. Which of them holds for a task is told by its id, so it is the same on
// all nodes and for all attempts; a task of the share stays in it when the share is raised.
type PolicyCanary struct {
	Share       float64         // percent, above 0 to 100
	BaseVersion int64           // the version that holds for the rest
	Base        json.RawMessage // as it is written
}

// Percent is the share as it is written: "10%".
func (c *PolicyCanary) Percent() string { return strconv.FormatFloat(c.Share, 'f', -1, 64) + "%" }

// PolicyChange is a policy that is put or deleted.
type PolicyChange struct {
	Name string
	// Form is the policy in the form of [retry.Spec], at most 64 KiB of JSON. With
	// "preset" in it the other keys override that preset. With "canary" in it the
	// version holds for that share of the tasks: see [PolicyCanary].
	Form json.RawMessage
	// Version, if it is not nil, is the version that is changed: another one is a
	// conflict. 0 is for a policy that must be new.
	Version *int64
	// DryRun checks everything and changes nothing.
	DryRun bool
}

// PolicyReview names what of the policies and types may not be meant, as "policy/NAME" and
// "type/NAME", in the order of the names. Lists are nil where there is nothing.
type PolicyReview struct {
	// Once are those without retries. Empty where retries are off for all, which
	// is said elsewhere.
	Once []string
	// Endless are those without a limit for each attempt: one that hangs keeps its
	// slot until the node stops. HTTP requests have 30 s all the same. The built-in
	// default policy is none of them: the types that follow it are.
	Endless []string
	// Silent are those of which no rule tells when a task is out of attempts. The
	// count of dead letters, which says nothing of a task, does not count.
	Silent []string
}
