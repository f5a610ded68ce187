package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
)

// PolicyForm is a policy as it is written: see docs/reference/policies.md for its keys. What is
// left out is taken from the preset, else from the default policy.
type PolicyForm struct {
	Preset        string          `json:"preset,omitempty" doc:"Name of a preset; the other keys override it."`
	MaxAttempts   *int            `json:"max_attempts,omitempty" doc:"The first attempt counts; 1 turns retries off."`
	Unlimited     bool            `json:"unlimited,omitempty" doc:"No limit of attempts."`
	Backoff       json.RawMessage `json:"backoff,omitempty" strict:"true" doc:"kind, initial, multiplier, max, step, steps, jitter."`
	Timeout       *Duration       `json:"timeout,omitempty" doc:"Limit of each attempt."`
	TTL           *Duration       `json:"ttl,omitempty" doc:"Limit of all attempts and waits together."`
	FirstRunAfter *Duration       `json:"first_run_after,omitempty" doc:"Wait before the first attempt; none when absent."`
	Rules         json.RawMessage `json:"rules,omitempty" strict:"true" doc:"The first that matches decides; when is a list of categories or an expression in CEL."`
	RetryOn       json.RawMessage `json:"retry_on,omitempty" strict:"true" doc:"Categories, error types and codes that are retried beyond the usual."`
	NeverOn       json.RawMessage `json:"never_on,omitempty" strict:"true" doc:"Categories, error types and codes that are never retried; these win over retry_on."`
	MaxCrashes    *int            `json:"max_crashes,omitempty" doc:"How many runs may be lost before the task dies as crash_loop."`
	OrderOnDead   string          `json:"order_on_dead,omitempty" enum:"block,skip,park" doc:"What becomes of the tasks of an ordering key behind a dead one."`
	Budget        json.RawMessage `json:"budget,omitempty" strict:"true" doc:"The retry budget of the target, or none: ratio, floor, burst, pressure."`
	Breaker       json.RawMessage `json:"breaker,omitempty" strict:"true" doc:"The circuit breaker of the target, or none: failure_rate, min_calls, window, open_for and the like."`
	Fallback      json.RawMessage `json:"fallback,omitempty" strict:"true" doc:"The task that follows a dead one: type, queue, policy, payload, target."`
	Alert         json.RawMessage `json:"alert,omitempty" strict:"true" doc:"When to tell people about tasks of the policy: {when, channels, cooldown}."`
	Canary        json.RawMessage `json:"canary,omitempty" strict:"true" doc:"The share of the tasks for which this version holds, such as \"10%\" or 10, above 0 to 100; the version before holds for the rest."`
}

// PolicyCanary tells which versions of a policy hold while one is tried.
type PolicyCanary struct {
	Version     int64           `json:"version" doc:"The version that is tried."`
	Share       string          `json:"share" doc:"Of the tasks for which it holds, such as 10%."`
	BaseVersion int64           `json:"base_version" doc:"The version that holds for the rest."`
	Base        json.RawMessage `json:"base" strict:"true" doc:"The keys of the version that holds for the rest."`
}

// Policy is a policy that tasks, types and queues can name.
type Policy struct {
	Name      string          `json:"name" doc:"Name of the policy."`
	Source    string          `json:"source" enum:"preset,file,api" doc:"file: the configuration file owns it, and it can be changed only there."`
	Version   int64           `json:"version" doc:"Raised by every change; 1 for presets."`
	Policy    json.RawMessage `json:"policy,omitempty" strict:"true" doc:"The keys of the policy; absent of a version that is a deletion."`
	Summary   string          `json:"summary,omitempty" doc:"The schedule in words."`
	Canary    *PolicyCanary   `json:"canary,omitempty" doc:"Absent of a version that holds for all tasks."`
	Attempts  int             `json:"attempts,omitzero" doc:"Absent for unlimited attempts."`
	Warnings  []PlanWarning   `json:"warnings,omitempty" doc:"What is probably not meant."`
	Preset    bool            `json:"preset,omitempty" doc:"A preset of the name exists."`
	Actor     string          `json:"actor,omitempty" doc:"Who made this version; not told to tokens for certain queues."`
	UpdatedAt Time            `json:"updated_at,omitzero" doc:"When this version was made; absent of a preset."`
	UsedBy    []string        `json:"used_by,omitempty" doc:"Queues and types that name it."`
	DryRun    bool            `json:"dry_run,omitempty" doc:"Nothing was changed."`
	Changed   *bool           `json:"changed,omitempty" doc:"Whether a put changes anything."`
}

// Policies lists policies by name, or the versions of one, newest first.
type Policies struct {
	Policies []Policy `json:"policies" doc:"The policies, or versions of one."`
}

// PolicyDeleted says that a policy is gone.
type PolicyDeleted struct {
	Deleted bool `json:"deleted" doc:"The policy is gone, or would be."`
	DryRun  bool `json:"dry_run,omitempty" doc:"Nothing was changed."`
}

func policyPath(name string) string { return "/v1/policies/" + url.PathEscape(name) }

// Policies lists the policies that were put and the presets.
func (c *Client) Policies(ctx context.Context) ([]Policy, error) {
	all, err := get[Policies](ctx, c, "/v1/policies", nil)
	if err != nil {
		return nil, err
	}
	return all.Policies, nil
}

// Policy returns one.
func (c *Client) Policy(ctx context.Context, name string) (*Policy, error) {
	return get[Policy](ctx, c, policyPath(name), nil)
}

// PolicyVersions lists the versions of a policy, newest first.
func (c *Client) PolicyVersions(ctx context.Context, name string) ([]Policy, error) {
	all, err := get[Policies](ctx, c, policyPath(name)+"/versions", nil)
	if err != nil {
		return nil, err
	}
	return all.Policies, nil
}

// PutOptions are conditions of a put or delete.
type PutOptions struct {
	// Version, if not nil, is the version that is changed, 0 for none: another one
	// is a conflict.
	Version *int64
	// DryRun checks everything and changes nothing.
	DryRun bool
}

func (o PutOptions) query() url.Values {
	query := url.Values{}
	if o.Version != nil {
		query.Set("version", strconv.FormatInt(*o.Version, 10))
	}
	if o.DryRun {
		query.Set("dry_run", "true")
	}
	return query
}

// PutPolicy creates a policy or changes it: an object with the keys of a policy.
func (c *Client) PutPolicy(ctx context.Context, name string, form json.RawMessage, options PutOptions) (*Policy, error) {
	return exchange[Policy](ctx, c, call{method: http.MethodPut, path: policyPath(name), query: options.query(), body: form, once: options.Version != nil})
}

// PromotePolicy lets the version that is tried on a share of the tasks hold for all.
func (c *Client) PromotePolicy(ctx context.Context, name string, options PutOptions) (*Policy, error) {
	return c.endCanary(ctx, name, "/promote", options)
}

// AbortPolicy lets the version before the one that is tried hold for all tasks again.
func (c *Client) AbortPolicy(ctx context.Context, name string, options PutOptions) (*Policy, error) {
	return c.endCanary(ctx, name, "/abort", options)
}

func (c *Client) endCanary(ctx context.Context, name, verb string, options PutOptions) (*Policy, error) {
	return exchange[Policy](ctx, c, call{method: http.MethodPost, path: policyPath(name) + verb, query: options.query(), once: true})
}

// DeletePolicy deletes a policy; its versions are kept.
func (c *Client) DeletePolicy(ctx context.Context, name string, options PutOptions) (*PolicyDeleted, error) {
	return exchange[PolicyDeleted](ctx, c, call{method: http.MethodDelete, path: policyPath(name), query: options.query()})
}
