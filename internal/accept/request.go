package accept

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/netip"
	"net/url"
	"unicode/utf8"

	"github.com/outlast-dev/outlast/internal/hints"
	"github.com/outlast-dev/outlast/internal/push"
	"github.com/outlast-dev/outlast/internal/safehttp"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

// Request checks the HTTP request of a task of a queue.
func (c *Complaints) Request(path, queue string, request *task.Request) {
	if name, at, ok := task.GroupOf(request.URL); ok {
		c.Name(path+".group", name)
		if _, err := safehttp.CheckURL("http://group" + at); err != nil {
			c.Add(path+".path", task.Quote(at)+" is not a path", "write it like /send")
		}
	} else if request.URL == "" {
		c.Add(path+".url", "is required", "write it like https://example.com/path")
	} else if u, err := safehttp.CheckURL(request.URL); err != nil {
		c.Refused(path+".url", err)
	} else {
		c.Callable(path+".url", queue, u)
	}
	if request.Method != "" {
		c.Refused(path+".method", safehttp.CheckMethod(request.Method))
	}
	c.Refused(path+".headers", safehttp.CheckHeaders(request.Headers))
	if request.Success != "" {
		c.RetryErr(path+".success", push.CheckSuccess(request.Success))
	}
}

// Refused records an error of package safehttp, nothing for nil.
func (c *Complaints) Refused(path string, err error) {
	if err == nil {
		return
	}
	if invalid, ok := errors.AsType[*safehttp.InvalidError](err); ok {
		c.Add(path, invalid.Message, invalid.Hint)
		return
	}
	c.Add(path, err.Error(), "")
}

// RetryErr records the field errors of package retry under a path, nothing
// for nil.
func (c *Complaints) RetryErr(path string, err error) {
	if err == nil {
		return
	}
	fields := retry.FieldErrors(err)
	for _, field := range fields {
		at := path
		if field.Field != "" {
			at += "." + field.Field
		}
		if !Plain(at) || len(at) > task.MaxName { // it ends with the name of an unknown key
			quoted := task.Quote(at)
			at = quoted[1 : len(quoted)-1]
		}
		c.Add(at, field.Message, field.Hint)
	}
	if len(fields) == 0 {
		c.Add(path, err.Error(), policyHint)
	}
}

const policyHint = "name an existing policy or a preset such as payment, or write an inline policy"

// Follow checks a follow-up of a task of a queue.
func (c *Complaints) Follow(path, queue string, follow *task.Follow) {
	if follow.Type != "" {
		c.Name(path+".type", follow.Type)
	} else if follow.HTTP == nil || follow.HTTP.URL == "" {
		c.Add(path+".type", "is required", "name the handler, or give a target.url")
	}
	if follow.Queue != "" {
		c.Name(path+".queue", follow.Queue)
	}
	if follow.Policy != "" {
		c.PolicyName(path+".policy", follow.Policy)
	}
	if follow.HTTP != nil {
		c.Request(path+".target", cmp.Or(follow.Queue, queue), follow.HTTP)
	}
	if len(follow.Payload) > 0 && (!utf8.Valid(follow.Payload) || !json.Valid(follow.Payload)) {
		c.Add(path+".payload", "is not JSON in UTF-8", "leave it out to pass on the payload of the task")
	}
}

// PolicyName checks that a policy of this name exists.
func (c *Complaints) PolicyName(path, name string) {
	if len(name) > task.MaxName || !Plain(name) {
		c.Add(path, task.Quote(name)+" is not a policy", policyHint)
		return
	}
	if c.Policies != nil && c.Policies.Find(name) != nil {
		return
	}
	if c.Policies != nil {
		if err := c.Policies.Unread(name); err != nil {
			c.Add(path, task.Quote(name)+" is kept, and this program cannot read it: "+err.Error(), "")
			return
		}
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
		c.Add(path, message, cmp.Or(c.nearestPolicy(name), hint, policyHint))
	}
}

// nearestPolicy is a hint with the policy that was put and has nearly this name.
func (c *Complaints) nearestPolicy(name string) string {
	if c.Policies == nil {
		return ""
	}
	var names []string
	for _, p := range c.Policies.Policies() {
		names = append(names, p.Name)
	}
	if near := hints.Nearest(name, names); near != "" {
		return "did you mean " + near + "?"
	}
	return ""
}

// Callable refuses a URL whose host is an address that no node of the queue may call.
// Names are looked up when they are called, and judged then.
func (c *Complaints) Callable(path, queue string, u *url.URL) {
	address, err := netip.ParseAddr(u.Hostname())
	if c.Calls == nil || err != nil {
		return
	}
	if refused := c.Calls(queue, address); refused != nil {
		c.Add(path, "has a "+refused.Kind+" address, which no node may call", refused.Hint())
	}
}

// CallableText is callable for a URL that was looked at, or is to be complained of
// elsewhere.
func (c *Complaints) CallableText(path, queue, text string) {
	if u, err := safehttp.CheckURL(text); err == nil {
		c.Callable(path, queue, u)
	}
}
