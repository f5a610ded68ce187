package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

	"github.com/outlast-dev/outlast/task"
)

// ScheduleRule says when a schedule enqueues which task. Exactly one of Cron,
// Every and At is required.
type ScheduleRule struct {
	Cron    string        `json:"cron,omitempty" doc:"Five fields (minute, hour, day of month, month, day of week), or six with seconds first." example:"0 3 * * *"`
	Zone    string        `json:"zone,omitempty" doc:"IANA time zone of cron, UTC when absent." example:"Asia/Shanghai"`
	Every   Duration      `json:"every,omitzero" given:"leave it out for cron or at" doc:"An interval of at least 1s: ticks are its multiples after start."`
	Start   Time          `json:"start,omitzero" doc:"Of every; the beginning of 1970 in UTC when absent, so that 15m is at :00, :15, :30 and :45."`
	At      Time          `json:"at,omitzero" doc:"The only tick."`
	Misfire string        `json:"misfire,omitempty" enum:"skip,fire_once,fire_all" doc:"What becomes of ticks more than 10s late: skip (left out), fire_once (the last one runs for all; the default), fire_all (each runs that is not older than window)."`
	Window  Duration      `json:"window,omitzero" given:"leave it out for 1h" doc:"Of fire_all: how old a tick can be, 1h when absent, at most 744h."`
	Overlap string        `json:"overlap,omitempty" enum:"allow,skip,replace,queue" doc:"What a tick does while the last task is pending or running: allow (the default), skip, replace (cancel that one), queue (wait for its end)."`
	Task    ScheduledTask `json:"task" doc:"What each tick enqueues."`
}

// ScheduledTask is what a tick enqueues: a draft without id, times and dedupe
// key, which are the schedule's to say.
type ScheduledTask struct {
	Type        string            `json:"type,omitempty" doc:"What kind of task this is. Defaults to http when target.url is given."`
	Queue       string            `json:"queue,omitempty" doc:"Defaults to default."`
	Payload     json.RawMessage   `json:"payload,omitempty" doc:"Any JSON value; its tokens are kept as they are written, the space between them is not."`
	Priority    *int              `json:"priority,omitempty" doc:"0 (lowest) to 9, 5 when absent."`
	Key         string            `json:"key,omitempty" given:"leave it out for no order" doc:"Ordering key."`
	ShareKey    string            `json:"share_key,omitempty" given:"leave it out for none" doc:"Share key: starts of a queue go round them."`
	Policy      string            `json:"policy,omitempty" doc:"Name of a retry policy."`
	Retry       json.RawMessage   `json:"retry,omitempty" strict:"true" doc:"Inline retry policy; replaces the named one whole."`
	MaxAttempts *int              `json:"max_attempts,omitempty" doc:"Overrides the policy; the first attempt counts."`
	Timeout     Duration          `json:"timeout,omitzero" given:"leave it out for the policy's own" doc:"Limit of each attempt."`
	TTL         Duration          `json:"ttl,omitzero" given:"leave it out for no limit" doc:"Limit of all attempts together, from the moment the tick was enqueued."`
	Metadata    map[string]string `json:"metadata,omitempty" doc:"Free labels; outlast.schedule and outlast.tick are added."`
	Target      *Target           `json:"target,omitempty" doc:"The HTTP request to make."`
	Fallback    *Follow           `json:"fallback,omitempty" doc:"Enqueued in the transaction in which the task dies."`
	OnSuccess   *Follow           `json:"on_success,omitempty" doc:"Enqueued in the transaction in which the task succeeds."`
	OnDead      *Follow           `json:"on_dead,omitempty" doc:"Enqueued in the transaction in which the task dies."`
}

// Schedule is a rule and what has become of it.
type Schedule struct {
	Name string `json:"name" doc:"Name of the schedule."`
	ScheduleRule
	Paused    bool    `json:"paused" doc:"It does not fire."`
	Next      Time    `json:"next,omitzero" doc:"The next tick. Absent when there is none, or while the schedule is paused."`
	Last      Time    `json:"last,omitzero" doc:"The last tick that was enqueued."`
	LastTask  task.ID `json:"last_task,omitzero" doc:"The task of the last tick, or of a later trigger."`
	Waiting   int     `json:"waiting" doc:"Ticks that wait for the end of the last task."`
	Fired     int64   `json:"fired" doc:"Ticks enqueued so far."`
	Missed    int64   `json:"missed" doc:"Ticks left out for their lateness."`
	Skipped   int64   `json:"skipped" doc:"Ticks left out for overlap."`
	Managed   string  `json:"managed,omitempty" doc:"file, where the configuration file owns it; code, where the code of an application does while it runs."`
	Version   int64   `json:"version" doc:"Of the rule."`
	UpdatedAt Time    `json:"updated_at" doc:"When the rule was changed last."`
}

// Schedules lists schedules by name.
type Schedules struct {
	Schedules []Schedule `json:"schedules" doc:"The schedules, by name."`
}

// Ticks are times at which a schedule will fire, the next one first.
type Ticks struct {
	Next []Time `json:"next" doc:"The next ticks, the first one first; fewer than asked for where there are no more."`
}

// Trigger runs a schedule by hand.
type Trigger struct {
	ID task.ID `json:"id,omitzero" doc:"UUID of version 7 for the task, made by the caller, so that a repeat answers with the first task."`
}

func schedulePath(name string) string { return "/v1/schedules/" + url.PathEscape(name) }

// Schedules returns all schedules by name.
func (c *Client) Schedules(ctx context.Context) ([]Schedule, error) {
	answer, err := exchange[Schedules](ctx, c, call{method: http.MethodGet, path: "/v1/schedules"})
	if err != nil {
		return nil, err
	}
	return answer.Schedules, nil
}

// Schedule returns one schedule.
func (c *Client) Schedule(ctx context.Context, name string) (*Schedule, error) {
	return exchange[Schedule](ctx, c, call{method: http.MethodGet, path: schedulePath(name)})
}

// PutSchedule makes a schedule or changes one.
func (c *Client) PutSchedule(ctx context.Context, name string, rule ScheduleRule) (*Schedule, error) {
	return exchange[Schedule](ctx, c, call{method: http.MethodPut, path: schedulePath(name), body: &rule})
}

// PutRawSchedule is PutSchedule with a body that is sent as it is.
func (c *Client) PutRawSchedule(ctx context.Context, name string, rule json.RawMessage) (*Schedule, error) {
	return exchange[Schedule](ctx, c, call{method: http.MethodPut, path: schedulePath(name), body: rule})
}

// DeleteSchedule deletes a schedule and returns it as it was. Tasks that it has
// enqueued stay.
func (c *Client) DeleteSchedule(ctx context.Context, name string) (*Schedule, error) {
	return exchange[Schedule](ctx, c, call{method: http.MethodDelete, path: schedulePath(name)})
}

// PauseSchedule pauses or resumes a schedule. Ticks of the pause are left out.
func (c *Client) PauseSchedule(ctx context.Context, name string, paused bool) (*Schedule, error) {
	verb := "/resume"
	if paused {
		verb = "/pause"
	}
	return exchange[Schedule](ctx, c, call{method: http.MethodPost, path: schedulePath(name) + verb})
}

// TriggerSchedule enqueues the task of a schedule now, also while it is paused.
// A repeat with the same id answers with the first task; the zero id means that
// one is made here.
func (c *Client) TriggerSchedule(ctx context.Context, name string, id task.ID) (*Task, error) {
	if id.IsZero() {
		id = NewID()
	}
	return exchange[Task](ctx, c, call{method: http.MethodPost, path: schedulePath(name) + "/trigger", body: &Trigger{ID: id}})
}

// NextTicks returns the next n ticks of a schedule, at most 100; 5 if n is 0.
func (c *Client) NextTicks(ctx context.Context, name string, n int) ([]Time, error) {
	return c.ticks(ctx, call{method: http.MethodGet, path: schedulePath(name) + "/next"}, n)
}

// PlanTicks returns the next n ticks that a rule would have, at most 100; 5 if n is 0.
// The rule is checked as if it were put, and nothing is kept of it.
func (c *Client) PlanTicks(ctx context.Context, rule ScheduleRule, n int) ([]Time, error) {
	return c.ticks(ctx, call{method: http.MethodPost, path: "/v1/schedules/next", body: rule}, n)
}

func (c *Client) ticks(ctx context.Context, request call, n int) ([]Time, error) {
	if n != 0 {
		request.query = url.Values{"n": {strconv.Itoa(n)}}
	}
	answer, err := exchange[Ticks](ctx, c, request)
	if err != nil {
		return nil, err
	}
	return answer.Next, nil
}
