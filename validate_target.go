package outlast

import (
	"cmp"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/outlast-dev/outlast/internal/hints"
	"github.com/outlast-dev/outlast/push"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/safehttp"
	"github.com/outlast-dev/outlast/task"
)

// request checks the HTTP request of a task of a queue.
func (c *complaints) request(path, queue string, request *task.Request) {
	if name, at, ok := task.GroupOf(request.URL); ok {
		c.name(path+".group", name)
		if _, err := safehttp.CheckURL("http://group" + at); err != nil {
			c.add(path+".path", task.Quote(at)+" is no path", "write it like /send")
		}
	} else if request.URL == "" {
		c.add(path+".url", "is required", "write it like https://example.com/path")
	} else if u, err := safehttp.CheckURL(request.URL); err != nil {
		c.refused(path+".url", err)
	} else {
		c.callable(path+".url", queue, u)
	}
	if request.Method != "" {
		c.refused(path+".method", safehttp.CheckMethod(request.Method))
	}
	c.refused(path+".headers", safehttp.CheckHeaders(request.Headers))
	if request.Success != "" {
		c.retryErr(path+".success", push.CheckSuccess(request.Success))
	}
}

// refused records an error of package safehttp, nothing for nil.
func (c *complaints) refused(path string, err error) {
	if err == nil {
		return
	}
	if invalid, ok := errors.AsType[*safehttp.InvalidError](err); ok {
		c.add(path, invalid.Message, invalid.Hint)
		return
	}
	c.add(path, err.Error(), "")
}

// retryErr records the field errors of package retry under a path, nothing
// for nil.
func (c *complaints) retryErr(path string, err error) {
	if err == nil {
		return
	}
	fields := retry.FieldErrors(err)
	for _, field := range fields {
		at := path
		if field.Field != "" {
			at += "." + field.Field
		}
		if !plain(at) || len(at) > task.MaxName { // it ends with the name of an unknown key
			quoted := task.Quote(at)
			at = quoted[1 : len(quoted)-1]
		}
		c.add(at, field.Message, field.Hint)
	}
	if len(fields) == 0 {
		c.add(path, err.Error(), policyHint)
	}
}

const policyHint = "name a policy that was put before, or a preset such as payment, or write an inline policy"

// follow checks a follow-up of a task of a queue.
func (c *complaints) follow(path, queue string, follow *task.Follow) {
	if follow.Type != "" {
		c.name(path+".type", follow.Type)
	} else if follow.HTTP == nil || follow.HTTP.URL == "" {
		c.add(path+".type", "is required", "name the handler, or give a target.url")
	}
	if follow.Queue != "" {
		c.name(path+".queue", follow.Queue)
	}
	if follow.Policy != "" {
		c.policyName(path+".policy", follow.Policy)
	}
	if follow.HTTP != nil {
		c.request(path+".target", cmp.Or(follow.Queue, queue), follow.HTTP)
	}
	if len(follow.Payload) > 0 && (!utf8.Valid(follow.Payload) || !json.Valid(follow.Payload)) {
		c.add(path+".payload", "is no JSON in UTF-8", "leave it out to pass on the payload of the task")
	}
}

// validateFollows checks the follow-up tasks; their payloads share the limit
// of one payload, since they are stored with the task.
func (d *Draft) validateFollows(c *complaints) {
	size := 0
	for path, follow := range d.follows {
		c.follow(path, d.Queue, follow)
		if size += len(follow.Payload); size > task.MaxPayload {
			c.large(path+".payload", "what follows the task", size, task.MaxPayload)
			return
		}
	}
}

// policyName checks that a policy of this name exists.
func (c *complaints) policyName(path, name string) {
	if len(name) > task.MaxName || !plain(name) {
		c.add(path, task.Quote(name)+" is no policy", policyHint)
		return
	}
	if c.policies != nil && c.policies.Find(name) != nil {
		return
	}
	_, err := retry.Preset(name)
	for _, field := range retry.FieldErrors(err) {
		hint, message := field.Hint, field.Message
		if field.Field != "preset" && field.Field != "" { // an argument, as in easyjob(30s, 2, 5)
			message = "the argument " + field.Field + ": " + message
			if hint == "" {
				hint = "for instance easyjob(first 30s, multiplier 2, count 5), written as easyjob(30s, 2, 5)"
			}
		}
		c.add(path, message, cmp.Or(c.nearestPolicy(name), hint, policyHint))
	}
}

// nearestPolicy is a hint with the policy that was put and has nearly this name.
func (c *complaints) nearestPolicy(name string) string {
	if c.policies == nil {
		return ""
	}
	var names []string
	for _, p := range c.policies.Policies() {
		names = append(names, p.Name)
	}
	if near := hints.Nearest(name, names); near != "" {
		return "did you mean " + near + "?"
	}
	return ""
}

// validTraceParent reports whether text is a traceparent of the W3C Trace
// Context recommendation, §3.2: version, trace id, parent id, flags, in lower
// case; of later versions only what version 00 has is looked at.
func validTraceParent(text string) bool {
	if len(text) < 55 || len(text) > 512 || !plain(text) {
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

// item is the prefix of the paths of one draft of a batch.
func item(i int) string { return "tasks[" + strconv.Itoa(i) + "]." }
