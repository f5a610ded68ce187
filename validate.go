package outlast

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

// Limits of a draft beside those of package task.
const (
	maxDedupeWindow  = 365 * 24 * time.Hour
	minTimeout       = time.Millisecond
	maxTimeout       = 24 * time.Hour
	maxAttempts      = 1_000_000
	maxMetadata      = 64       // pairs
	maxMetadataBytes = 16 << 10 // of keys and values together
	maxRetrySpec     = 64 << 10 // bytes of an inline policy
	maxDrafts        = 10_000   // of one EnqueueMany
)

// validate completes a draft and reports all that is wrong with it by itself;
// what depends on the node (queues, named policies) is checked by the caller.
func (d *Draft) validate(c *accept.Complaints, now time.Time) {
	if d.Type == "" && d.Target != nil && d.Target.URL != "" {
		d.Type = task.HTTPType
	}
	if d.Queue == "" {
		d.Queue = task.DefaultQueue
	}
	if d.Type == "" {
		c.Add("type", "is required", "name the handler, or give a target.url for an HTTP request")
	} else {
		c.Name("type", d.Type)
	}
	c.Name("queue", d.Queue)
	d.validateContent(c)
	d.validateTimes(c, now)
	d.validateLimits(c)
	if d.Target != nil {
		c.Request("target", d.Queue, d.Target)
	}
	if !d.isPlain() {
		d.validateFollows(c)
	}
	if d.TraceParent != "" && !validTraceParent(d.TraceParent) {
		c.Add("trace_parent", "is no W3C traceparent", "such as 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	}
}

func (d *Draft) validateContent(c *accept.Complaints) {
	if len(d.Payload) > task.MaxPayload {
		c.Large("payload", "the payload", len(d.Payload), task.MaxPayload)
	}
	if d.Priority != nil && (*d.Priority < task.MinPriority || *d.Priority > task.MaxPriority) {
		c.Add("priority", strconv.Itoa(*d.Priority)+" is outside 0 to 9", "0 is the lowest, 5 the default")
	}
	if d.Key != "" {
		c.Key("key", d.Key)
	}
	if d.DedupeKey != "" {
		c.Key("dedupe_key", d.DedupeKey)
	} else if d.DedupeWindow != 0 {
		c.Add("dedupe_window", "needs a dedupe_key", "give both or none")
	}
	if d.DedupeWindow < 0 || d.DedupeWindow > maxDedupeWindow {
		c.Add("dedupe_window", d.DedupeWindow.String()+" is outside 0s to 8760h", "leave it out for 24h")
	}
	if len(d.Metadata) > 0 {
		d.validateMetadata(c)
	}
}

func (d *Draft) validateMetadata(c *accept.Complaints) {
	if len(d.Metadata) > maxMetadata {
		c.Add("metadata", "has "+strconv.Itoa(len(d.Metadata))+" pairs; 64 are the limit", "put data into the payload")
		return
	}
	size := 0
	for _, name := range slices.Sorted(maps.Keys(d.Metadata)) {
		value := d.Metadata[name]
		size += len(name) + len(value)
		path := "metadata." + name
		if !accept.IsName(name) {
			path = "metadata"
		}
		if name == "" || len(name) > task.MaxName {
			c.Add("metadata", "a name has "+strconv.Itoa(len(name))+" bytes", "names have 1 to 128")
			continue
		}
		c.Text("metadata", name)
		c.Text(path, value)
	}
	if size > maxMetadataBytes {
		c.Add("metadata", "has "+strconv.Itoa(size)+" bytes; 16384 are the limit", "put data into the payload")
	}
}

// validateTimes also turns RunAt and TTL into what is stored.
func (d *Draft) validateTimes(c *accept.Complaints, now time.Time) {
	switch {
	case d.Delay != 0 && !d.RunAt.IsZero():
		c.Add("run_at", "is given together with delay", "give one of them")
	case d.Delay < 0 || d.Delay > accept.MaxAhead:
		c.Add("delay", d.Delay.String()+" is outside 0s to 87600h", "leave it out to run now")
	case !d.RunAt.IsZero():
		c.Moment("run_at", d.RunAt, now)
	}
	start := now.Add(max(d.Delay, 0))
	if d.RunAt.After(start) {
		start = d.RunAt
	}
	if d.TTL != 0 {
		d.validateTTL(c, start.Sub(now))
	}
	if d.Deadline.IsZero() {
		return
	}
	switch {
	case !d.Deadline.After(now):
		c.Add("deadline", "has passed", "leave it out for no limit")
	case !d.Deadline.After(start):
		c.Add("deadline", "is not after the first run", "leave it out for no limit")
	default:
		c.Moment("deadline", d.Deadline, now.Add(accept.MaxAhead)) // it may follow the latest run_at
	}
}

func (d *Draft) validateTTL(c *accept.Complaints, wait time.Duration) {
	switch {
	case !d.Deadline.IsZero():
		c.Add("ttl", "is given together with deadline", "give one of them")
	case d.TTL < 0 || d.TTL > 2*accept.MaxAhead:
		c.Add("ttl", d.TTL.String()+" is outside 0s to 175200h", "leave it out for no limit")
	case d.TTL <= wait:
		c.Add("ttl", "ends before the first run", "it counts from acceptance")
	}
}

func (d *Draft) validateLimits(c *accept.Complaints) {
	if d.Timeout != 0 && (d.Timeout < minTimeout || d.Timeout > maxTimeout) {
		c.Add("timeout", d.Timeout.String()+" is outside 1ms to 24h", "leave it out for the policy's own")
	}
	if d.MaxAttempts != nil && (*d.MaxAttempts < 1 || *d.MaxAttempts > maxAttempts) {
		c.Add("max_attempts", strconv.Itoa(*d.MaxAttempts)+" is outside 1 to 1000000", "the first attempt counts; 1 turns retries off")
	}
	if d.Policy != "" {
		c.PolicyName("policy", d.Policy)
	}
	if !absent(d.Alert) {
		c.Alert("alert", d.Alert)
	}
	if !absent(d.Retry) {
		d.validateRetry(c)
	}
}

func (d *Draft) validateRetry(c *accept.Complaints) {
	if len(d.Retry) > maxRetrySpec {
		c.Add("retry", "has "+strconv.Itoa(len(d.Retry))+" bytes; 65536 are the limit", "use a named policy")
		return
	}
	_, err := parseRetry(d.Retry)
	c.RetryErr("retry", err)
	if err == nil {
		d.takeFallback(c)
	}
}

// takeFallback reads what an inline policy says beyond retries: its fallback
// and its alert are the task's, unless that has its own.
func (d *Draft) takeFallback(c *accept.Complaints) {
	spec, err := retry.ParseSpec(d.Retry)
	if err != nil {
		return
	}
	if !absent(spec.Alert) && absent(d.Alert) {
		if d.Alert = spec.Alert; !c.Alert("retry.alert", d.Alert) {
			d.Alert = nil
		}
	}
	if absent(spec.Fallback) || d.Fallback != nil {
		return
	}
	decoder := json.NewDecoder(bytes.NewReader(spec.Fallback))
	decoder.DisallowUnknownFields()
	follow := &task.Follow{}
	if err := decoder.Decode(follow); err != nil {
		c.Add("retry.fallback", "cannot be read: "+err.Error(), `such as {"type": "payment.refund"}`)
		return
	}
	d.Fallback = follow
}

// absent reports whether an optional JSON value was left out.
func absent(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }
