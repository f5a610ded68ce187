package drafts

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/policy"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

// Limits of a draft beside those of package task.
const (
	maxDedupeWindow  = 365 * 24 * time.Hour
	MinTimeout       = time.Millisecond
	MaxTimeout       = 24 * time.Hour
	maxAttempts      = 1_000_000
	maxMetadata      = 64       // pairs
	maxMetadataBytes = 16 << 10 // of keys and values together
	maxRetrySpec     = 64 << 10 // bytes of an inline policy
	Most             = 10_000   // of one call
)

// Check completes a draft and reports all that is wrong with it by itself;
// what depends on the node (queues, named policies) is checked by the caller.
func (d *Draft) Check(c *accept.Complaints, now time.Time) {
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
	d.checkContent(c)
	d.checkTimes(c, now)
	d.checkLimits(c)
	if d.Target != nil {
		c.Request("target", d.Queue, d.Target)
	}
	if !d.IsPlain() {
		d.checkFollows(c)
	}
	if d.TraceParent != "" && !validTraceParent(d.TraceParent) {
		c.Add("trace_parent", "is not a W3C traceparent", "such as 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	}
}

func (d *Draft) checkContent(c *accept.Complaints) {
	if len(d.Payload) > task.MaxPayload {
		c.Large("payload", "the payload", len(d.Payload), task.MaxPayload)
	}
	if d.Priority != nil && (*d.Priority < task.MinPriority || *d.Priority > task.MaxPriority) {
		c.Add("priority", strconv.Itoa(*d.Priority)+" is outside 0 to 9", "0 is the lowest, 5 the default")
	}
	if d.Key != "" {
		c.Key("key", d.Key)
	}
	if d.ShareKey != "" {
		c.Key("share_key", d.ShareKey)
	}
	if d.DedupeKey != "" {
		c.Key("dedupe_key", d.DedupeKey)
	} else if d.DedupeWindow != 0 {
		c.Add("dedupe_window", "needs a dedupe_key", "give both or none")
	}
	if d.DedupeWindow < 0 || d.DedupeWindow > maxDedupeWindow {
		c.Add("dedupe_window", d.DedupeWindow.String()+" is outside 0s to 8760h", "leave it out for 24h")
	}
	if !d.Group.IsZero() && d.DedupeKey != "" {
		c.Add("dedupe_key", "is given together with group", "a repeat would be a task that the group does not count: give the member an id instead")
	}
	if len(d.Metadata) > 0 {
		d.checkMetadata(c)
	}
}

func (d *Draft) checkMetadata(c *accept.Complaints) {
	if len(d.Metadata) > maxMetadata {
		c.Add("metadata", "has "+strconv.Itoa(len(d.Metadata))+" pairs; the limit is 64", "put data into the payload")
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
		c.Add("metadata", "has "+strconv.Itoa(size)+" bytes; the limit is 16384", "put data into the payload")
	}
}

// checkTimes also turns RunAt and TTL into what is stored.
func (d *Draft) checkTimes(c *accept.Complaints, now time.Time) {
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
		d.checkTTL(c, start.Sub(now))
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

func (d *Draft) checkTTL(c *accept.Complaints, wait time.Duration) {
	switch {
	case !d.Deadline.IsZero():
		c.Add("ttl", "is given together with deadline", "give one of them")
	case d.TTL < 0 || d.TTL > 2*accept.MaxAhead:
		c.Add("ttl", d.TTL.String()+" is outside 0s to 175200h", "leave it out for no limit")
	case d.TTL <= wait:
		c.Add("ttl", "ends before the first run", "it counts from acceptance")
	}
}

func (d *Draft) checkLimits(c *accept.Complaints) {
	if d.Timeout != 0 && (d.Timeout < MinTimeout || d.Timeout > MaxTimeout) {
		c.Add("timeout", d.Timeout.String()+" is outside 1ms to 24h", "leave it out for the policy's own")
	}
	if d.MaxAttempts != nil && (*d.MaxAttempts < 1 || *d.MaxAttempts > maxAttempts) {
		c.Add("max_attempts", strconv.Itoa(*d.MaxAttempts)+" is outside 1 to 1000000", "the first attempt counts; 1 turns retries off")
	}
	if d.Policy != "" {
		c.PolicyName("policy", d.Policy)
	}
	if !Absent(d.Alert) {
		c.Alert("alert", d.Alert)
	}
	switch {
	case d.Given != nil:
		d.WriteRetry(c)
	case !Absent(d.Retry):
		d.checkRetry(c)
	}
}

// WriteRetry writes a policy that was given as a value. One with parts that cannot be
// stored is refused: they would be lost without a word.
func (d *Draft) WriteRetry(c *accept.Complaints) {
	if d.Given.Backoff() == nil {
		c.Add("retry", "the policy is empty", "make it with retry.New, retry.Preset or retry.Default")
		return
	}
	spec, lost := d.Given.Spec()
	for _, part := range lost {
		c.Add("retry", "its "+part+" cannot be stored with a task", "give the policy to the handler, by Retry, or leave that out")
	}
	if len(lost) > 0 {
		return
	}
	text, err := json.Marshal(spec)
	if err != nil {
		c.Add("retry", "cannot be written: "+err.Error(), "")
		return
	}
	if d.Retry = text; len(text) > maxRetrySpec {
		d.checkRetry(c)
	}
}

func (d *Draft) checkRetry(c *accept.Complaints) {
	if len(d.Retry) > maxRetrySpec {
		c.Add("retry", "has "+strconv.Itoa(len(d.Retry))+" bytes; the limit is 65536", "use a named policy")
		return
	}
	_, err := ParseRetry(d.Retry)
	c.RetryErr("retry", err)
	if err == nil {
		d.takeFallback(c)
	}
}

// ParseRetry reads an inline policy.
func ParseRetry(raw json.RawMessage) (*retry.Policy, error) {
	spec, err := retry.ParseSpec(raw)
	if err != nil {
		return nil, err
	}
	if len(spec.Canary) > 0 {
		return nil, policy.NoCanary()
	}
	return spec.Policy()
}

// takeFallback reads what an inline policy says beyond retries: its fallback
// and its alert are the task's, unless that has its own.
func (d *Draft) takeFallback(c *accept.Complaints) {
	spec, err := retry.ParseSpec(d.Retry)
	if err != nil {
		return
	}
	if !Absent(spec.Alert) && Absent(d.Alert) {
		if d.Alert = spec.Alert; !c.Alert("retry.alert", d.Alert) {
			d.Alert = nil
		}
	}
	if Absent(spec.Fallback) || d.Fallback != nil {
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

// Absent reports whether an optional JSON value was left out.
func Absent(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// checkFollows checks the follow-up tasks; their payloads share the limit
// of one payload, since they are stored with the task.
func (d *Draft) checkFollows(c *accept.Complaints) {
	size := 0
	for path, follow := range d.Follows {
		c.Follow(path, d.Queue, follow)
		if size += len(follow.Payload); size > task.MaxPayload {
			c.Large(path+".payload", "what follows the task", size, task.MaxPayload)
			return
		}
	}
}

// validTraceParent reports whether text is a traceparent of the W3C Trace
// Context recommendation, §3.2: version, trace id, parent id, flags, in lower
// case; of later versions only what version 00 has is looked at.
func validTraceParent(text string) bool {
	if len(text) < 55 || len(text) > 512 || !accept.Plain(text) {
		return false
	}
	version, trace, parent, flags := text[:2], text[3:35], text[36:52], text[53:55]
	if text[2] != '-' || text[35] != '-' || text[52] != '-' {
		return false
	}
	if len(text) > 55 && (version == "00" || text[55] != '-') {
		return false
	}
	return isHex(version) && version != "ff" && isHex(trace) && isHex(parent) && isHex(flags) &&
		trace != strings.Repeat("0", 32) && parent != strings.Repeat("0", 16)
}

func isHex(text string) bool {
	for i := range len(text) {
		if c := text[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
