package push

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/outlast-dev/outlast/internal/safehttp"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

// Error is a failed attempt.
type Error struct {
	// Status is the HTTP status of the answer, 0 when there was none.
	Status int
	// Verdict says what kind of failure this is and what the receiver asked for.
	Verdict retry.Verdict
	// Message is for people. It names the receiver's host but not the rest of the
	// URL, which may hold a secret, and an excerpt of the answer in which control
	// characters are escaped and the values of secret headers are blanked.
	Message string
	// Err is the cause, nil for an answer that arrived whole.
	Err error
}

// Error implements error.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// RetryVerdict implements [retry.Verdictor].
func (e *Error) RetryVerdict() retry.Verdict { return e.Verdict }

const typeName = "*push.Error"

// invalidCall is the failure of a task that cannot be sent as it is.
func invalidCall(err error) *Error {
	return &Error{
		Verdict: retry.Verdict{Category: retry.Permanent, Effect: retry.NotSent, Type: typeName, Code: "invalid_target"},
		Message: "the target cannot be called: " + err.Error(),
		Err:     err,
	}
}

// noAnswer is the failure of a request without an answer.
func noAnswer(ctx context.Context, t *task.Task, req *http.Request, err error) *Error {
	verdict := retry.ClassifyIn(ctx, err)
	if unknown, ok := errors.AsType[*net.DNSError](err); ok && unknown.IsNotFound {
		// Names come and go with deployments; the contract retries connection errors.
		verdict.Category, verdict.Effect = retry.Unsent, retry.NotSent
	}
	return &Error{
		Verdict: verdict,
		Message: fmt.Sprintf("%s to %s got no answer: %s", req.Method, req.URL.Host, clean(outward(err, req.URL), t)),
		Err:     err,
	}
}

// outward is what a failed call says without what only the network behind this node can
// tell: the addresses of a name, and who resolves names. Whoever may enqueue would else
// learn the private addresses of whatever name they think of. [Error.Err] has it all.
func outward(err error, to *url.URL) string {
	text := err.Error()
	if _, literal := netip.ParseAddr(to.Hostname()); literal == nil {
		return text // the caller has named the address
	}
	for _, cause := range causes(err, nil) {
		switch e := cause.(type) { //nolint:errorlint // each by itself
		case *safehttp.RefusedError:
			text = strings.ReplaceAll(text, e.Error(), "refused by the address rules (to allow it, start the server with --allow-target and its range)")
		case *net.DNSError:
			text = strings.ReplaceAll(text, e.Error(), "lookup "+e.Name+": "+unresolved(e))
		case *net.OpError:
			if e.Source != nil {
				text = strings.ReplaceAll(text, e.Source.String()+"->", "")
			}
			if e.Addr != nil {
				text = strings.ReplaceAll(text, e.Addr.String(), to.Host)
			}
		}
	}
	return text
}

// causes are an error and all that it wraps, what is inside first.
func causes(err error, all []error) []error {
	switch e := err.(type) { //nolint:errorlint // each by itself
	case interface{ Unwrap() error }:
		if inner := e.Unwrap(); inner != nil {
			all = causes(inner, all)
		}
	case interface{ Inside() error }:
		all = causes(e.Inside(), all)
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			all = causes(inner, all)
		}
	}
	return append(all, err)
}

func unresolved(e *net.DNSError) string {
	switch {
	case e.IsNotFound:
		return "no such host"
	case e.IsTimeout:
		return "resolving the name took too long"
	}
	return "it cannot be resolved"
}

// brokenAnswer is the failure of an answer that may have been a success, a 2xx above
// all, and whose body did not arrive. The receiver has probably done the work, but
// its result is lost.
func brokenAnswer(ctx context.Context, t *task.Task, resp *http.Response, err error) *Error {
	verdict := retry.ClassifyIn(ctx, err)
	switch verdict.Category {
	case retry.Timeout, retry.Deadline, retry.Canceled:
	default:
		verdict.Category = retry.Network
	}
	verdict.Effect = retry.Maybe
	verdict.Code = cmp.Or(verdict.Code, strconv.Itoa(resp.StatusCode))
	return &Error{
		Status:  resp.StatusCode,
		Verdict: verdict,
		Message: fmt.Sprintf("%s but its body broke off: %s", answered(resp), clean(outward(err, resp.Request.URL), t)),
		Err:     err,
	}
}

// badAnswer is the failure that the receiver reported, with what is known of its
// body.
func (s *Sender) badAnswer(t *task.Task, resp *http.Response, body []byte) *Error {
	verdict := s.verdictOf(resp)
	if resp.StatusCode == http.StatusMisdirectedRequest {
		// Another connection would not help: net/http keeps one per host anyway.
		verdict.Category, verdict.Effect = retry.Permanent, retry.Done
	}
	message := answered(resp)
	if resp.StatusCode/100 == 3 {
		message += "; redirects are not followed" + location(resp)
	}
	if !isEncoded(resp.Header) {
		message += excerpt(t, body)
	}
	return &Error{Status: resp.StatusCode, Verdict: verdict, Message: message}
}

// excerpt is the beginning of a body behind a colon, "" for none.
func excerpt(t *task.Task, body []byte) string {
	text := clean(string(body[:min(len(body), excerptRead)]), t)
	if text == "" {
		return ""
	}
	return ": " + text
}

// answered renders who answered what. The reason phrase is ours, not theirs.
func answered(resp *http.Response) string {
	text := resp.Request.URL.Host + " answered " + strconv.Itoa(resp.StatusCode)
	if reason := http.StatusText(resp.StatusCode); reason != "" {
		text += " " + reason
	}
	return text
}

// location tells where a redirect points, without query and user information.
func location(resp *http.Response) string {
	target, err := url.Parse(resp.Header.Get("Location"))
	if err != nil || target.Host == "" && target.Path == "" {
		return ""
	}
	target.User, target.RawQuery, target.Fragment, target.Opaque = nil, "", "", ""
	return " (to " + task.Quote(target.String()) + ")"
}
