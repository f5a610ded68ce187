package outlast

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

// Limits of a draft beside those of package task.
const (
	maxAhead         = 10 * 365 * 24 * time.Hour // of delay, run_at and ttl
	maxDedupeWindow  = 365 * 24 * time.Hour
	minTimeout       = time.Millisecond
	maxTimeout       = 24 * time.Hour
	maxAttempts      = 1_000_000
	maxMetadata      = 64       // pairs
	maxMetadataBytes = 16 << 10 // of keys and values together
	maxRetrySpec     = 64 << 10 // bytes of an inline policy
	maxDrafts        = 10_000   // of one EnqueueMany
)

// earliest is the first time that is taken for one: what lies before is a
// slip, such as a number of seconds read as milliseconds.
var earliest = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// validate completes a draft and reports all that is wrong with it by itself;
// what depends on the node (queues, named policies) is checked by the caller.
func (d *Draft) validate(c *complaints, now time.Time) {
	if d.Type == "" && d.Target != nil && d.Target.URL != "" {
		d.Type = task.HTTPType
	}
	if d.Queue == "" {
		d.Queue = task.DefaultQueue
	}
	if d.Type == "" {
		c.add("type", "is required", "name the handler, or give a target.url for an HTTP request")
	} else {
		c.name("type", d.Type)
	}
	c.name("queue", d.Queue)
	d.validateContent(c)
	d.validateTimes(c, now)
	d.validateLimits(c)
	if d.Target != nil {
		c.request("target", d.Queue, d.Target)
	}
	if !d.isPlain() {
		d.validateFollows(c)
	}
	if d.TraceParent != "" && !validTraceParent(d.TraceParent) {
		c.add("trace_parent", "is no W3C traceparent", "such as 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	}
}

func (d *Draft) validateContent(c *complaints) {
	if len(d.Payload) > task.MaxPayload {
		c.large("payload", "the payload", len(d.Payload), task.MaxPayload)
	}
	if d.Priority != nil && (*d.Priority < task.MinPriority || *d.Priority > task.MaxPriority) {
		c.add("priority", strconv.Itoa(*d.Priority)+" is outside 0 to 9", "0 is the lowest, 5 the default")
	}
	if d.Key != "" {
		c.key("key", d.Key)
	}
	if d.DedupeKey != "" {
		c.key("dedupe_key", d.DedupeKey)
	} else if d.DedupeWindow != 0 {
		c.add("dedupe_window", "needs a dedupe_key", "give both or none")
	}
	if d.DedupeWindow < 0 || d.DedupeWindow > maxDedupeWindow {
		c.add("dedupe_window", d.DedupeWindow.String()+" is outside 0s to 8760h", "leave it out for 24h")
	}
	if len(d.Metadata) > 0 {
		d.validateMetadata(c)
	}
}

func (d *Draft) validateMetadata(c *complaints) {
	if len(d.Metadata) > maxMetadata {
		c.add("metadata", "has "+strconv.Itoa(len(d.Metadata))+" pairs; 64 are the limit", "put data into the payload")
		return
	}
	size := 0
	for _, name := range slices.Sorted(maps.Keys(d.Metadata)) {
		value := d.Metadata[name]
		size += len(name) + len(value)
		path := "metadata." + name
		if !isName(name) {
			path = "metadata"
		}
		if name == "" || len(name) > task.MaxName {
			c.add("metadata", "a name has "+strconv.Itoa(len(name))+" bytes", "names have 1 to 128")
			continue
		}
		c.text("metadata", name)
		c.text(path, value)
	}
	if size > maxMetadataBytes {
		c.add("metadata", "has "+strconv.Itoa(size)+" bytes; 16384 are the limit", "put data into the payload")
	}
}

// validateTimes also turns RunAt and TTL into what is stored.
func (d *Draft) validateTimes(c *complaints, now time.Time) {
	switch {
	case d.Delay != 0 && !d.RunAt.IsZero():
		c.add("run_at", "is given together with delay", "give one of them")
	case d.Delay < 0 || d.Delay > maxAhead:
		c.add("delay", d.Delay.String()+" is outside 0s to 87600h", "leave it out to run now")
	case !d.RunAt.IsZero():
		c.moment("run_at", d.RunAt, now)
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
		c.add("deadline", "has passed", "leave it out for no limit")
	case !d.Deadline.After(start):
		c.add("deadline", "is not after the first run", "leave it out for no limit")
	default:
		c.moment("deadline", d.Deadline, now.Add(maxAhead)) // it may follow the latest run_at
	}
}

func (d *Draft) validateTTL(c *complaints, wait time.Duration) {
	switch {
	case !d.Deadline.IsZero():
		c.add("ttl", "is given together with deadline", "give one of them")
	case d.TTL < 0 || d.TTL > 2*maxAhead:
		c.add("ttl", d.TTL.String()+" is outside 0s to 175200h", "leave it out for no limit")
	case d.TTL <= wait:
		c.add("ttl", "ends before the first run", "it counts from acceptance")
	}
}

func (c *complaints) moment(path string, at, now time.Time) {
	if at.Before(earliest) {
		c.add(path, "lies before the year 2000", "write an RFC 3339 time with a zone")
	} else if at.Sub(now) > maxAhead {
		c.add(path, "lies more than ten years ahead", "enqueue it later, from a task that runs before")
	}
}

func (d *Draft) validateLimits(c *complaints) {
	if d.Timeout != 0 && (d.Timeout < minTimeout || d.Timeout > maxTimeout) {
		c.add("timeout", d.Timeout.String()+" is outside 1ms to 24h", "leave it out for the policy's own")
	}
	if d.MaxAttempts != nil && (*d.MaxAttempts < 1 || *d.MaxAttempts > maxAttempts) {
		c.add("max_attempts", strconv.Itoa(*d.MaxAttempts)+" is outside 1 to 1000000", "the first attempt counts; 1 turns retries off")
	}
	if d.Policy != "" {
		c.policyName("policy", d.Policy)
	}
	if !absent(d.Alert) {
		c.alert("alert", d.Alert)
	}
	if !absent(d.Retry) {
		d.validateRetry(c)
	}
}

// maxAlert is the size of the alert of a task, in bytes.
const maxAlert = 4 << 10

// alert checks the alert of a task.
func (c *complaints) alert(path string, text json.RawMessage) bool {
	if len(text) > maxAlert {
		c.add(path, "has "+strconv.Itoa(len(text))+" bytes; 4096 are the limit", "make the condition shorter")
		return false
	}
	rule, err := alert.ParseTaskRule(text)
	if err != nil {
		c.retryErr(path, err)
		return false
	}
	c.channels(path+".channels", rule.Channels)
	return true
}

// channels checks who is to be told.
func (c *complaints) channels(path string, names []string) {
	if c.channel == nil {
		return
	}
	for n, name := range names {
		if hint, unknown := c.channel(name); unknown {
			c.add(path+"["+strconv.Itoa(n)+"]", "there is no channel "+task.Quote(name), hint)
		}
	}
}

func (d *Draft) validateRetry(c *complaints) {
	if len(d.Retry) > maxRetrySpec {
		c.add("retry", "has "+strconv.Itoa(len(d.Retry))+" bytes; 65536 are the limit", "use a named policy")
		return
	}
	_, err := parseRetry(d.Retry)
	c.retryErr("retry", err)
	if err == nil {
		d.takeFallback(c)
	}
}

// takeFallback reads what an inline policy says beyond retries: its fallback
// and its alert are the task's, unless that has its own.
func (d *Draft) takeFallback(c *complaints) {
	spec, err := retry.ParseSpec(d.Retry)
	if err != nil {
		return
	}
	if !absent(spec.Alert) && absent(d.Alert) {
		if d.Alert = spec.Alert; !c.alert("retry.alert", d.Alert) {
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
		c.add("retry.fallback", "cannot be read: "+err.Error(), `such as {"type": "payment.refund"}`)
		return
	}
	d.Fallback = follow
}

// absent reports whether an optional JSON value was left out.
func absent(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }
