package push

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/textproto"
	"strconv"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/internal/safehttp"
	"github.com/outlast-dev/outlast/task"
)

// ownHeaders is the largest number of headers that we set ourselves.
const ownHeaders = 14

// idempotencyKey is spelled in lower case, as HTTP/2 does: under its canonical
// name net/http takes the header for a permission to send the request again when
// a connection breaks after it was sent, which would be a run that no history
// shows. HTTP does not distinguish case.
const idempotencyKey = "idempotency-key"

// request builds the request of one attempt. The checks of the API are repeated,
// since tasks also come from the Go library and from older versions.
func (s *Sender) request(ctx context.Context, call Call) (*http.Request, error) {
	if call.Task == nil || call.Task.Spec.HTTP == nil {
		return nil, errors.New("the task has no target")
	}
	want := call.Task.Spec.HTTP
	target, err := safehttp.CheckURL(cmp.Or(call.URL, want.URL))
	if err != nil {
		return nil, err
	}
	method := cmp.Or(want.Method, http.MethodPost)
	if err := safehttp.CheckMethod(method); err != nil {
		return nil, err
	}
	header, err := s.header(call)
	if err != nil {
		return nil, err
	}
	req := &http.Request{
		Method: method, URL: target, Host: target.Host, Header: header,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
	req = req.WithContext(ctx)
	if payload := call.Task.Payload; len(payload) > 0 {
		// net/http knows this type and sends header and body in one packet.
		req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(payload)), nil }
		req.Body, _ = req.GetBody()
		req.ContentLength = int64(len(payload))
	}
	return req, nil
}

// header is a map with one array behind all its values.
type header struct {
	names  http.Header
	values []string
}

// set sets a header whose name is in the spelling wanted.
func (h *header) set(name, value string) {
	h.values = append(h.values, value)
	end := len(h.values)
	h.names[name] = h.values[end-1 : end : end]
}

// header returns the caller's headers and ours.
func (s *Sender) header(call Call) (http.Header, error) {
	given := call.Task.Spec.HTTP.Headers
	h := header{make(http.Header, len(given)+ownHeaders), make([]string, 0, len(given)+ownHeaders)}
	for name, value := range given {
		if err := safehttp.CheckHeader(name, value); err != nil {
			return nil, err
		}
		canonical := textproto.CanonicalMIMEHeaderKey(name)
		if _, ok := h.names[canonical]; ok {
			return nil, errors.New("the header " + canonical + " is given twice")
		}
		h.set(canonical, value)
	}
	if _, ok := h.names["Content-Type"]; !ok && len(call.Task.Payload) > 0 {
		h.set("Content-Type", "application/json")
	}
	if _, ok := h.names["User-Agent"]; !ok {
		h.set("User-Agent", s.userAgent)
	}
	s.describe(&h, call)
	return h.names, nil
}

// describe sets the headers that tell the receiver which run this is.
func (s *Sender) describe(h *header, call Call) {
	t := call.Task
	id := t.ID.String()
	timestamp := strconv.FormatInt(s.now().Unix(), 10)
	h.set(idempotencyKey, id)
	h.set("Webhook-Id", id)
	h.set("Webhook-Timestamp", timestamp)
	if len(call.Secret) > 0 {
		h.set("Webhook-Signature", sign(call.Secret, id, timestamp, t.Payload))
	}
	h.set("Outlast-Task-Type", encode(t.Type))
	h.set("Outlast-Claim", strconv.FormatInt(t.Claim, 10))
	if t.Key != "" {
		h.set("Outlast-Key", encode(t.Key))
	}
	h.set("Outlast-Attempt", strconv.Itoa(t.Attempt))
	if call.MaxAttempts > 0 {
		h.set("Outlast-Max-Attempts", strconv.Itoa(call.MaxAttempts))
	}
	if !call.Deadline.IsZero() {
		h.set("Outlast-Deadline", call.Deadline.UTC().Format(time.RFC3339Nano))
	}
	if parent := cmp.Or(call.TraceParent, t.Spec.TraceParent); isTraceParent(parent) {
		h.set("Traceparent", parent)
	}
}

// encode percent-encodes what a header value cannot hold, what its ends would
// lose, and the percent sign. [net/url.PathUnescape] reverses it.
func encode(text string) string {
	plain := func(c byte) bool { return c > ' ' && c < 0x7f && c != '%' }
	extra := 0
	for i := 0; i < len(text); i++ {
		if !plain(text[i]) {
			extra += 2
		}
	}
	if extra == 0 {
		return text
	}
	const digits = "0123456789ABCDEF"
	var out strings.Builder
	out.Grow(len(text) + extra)
	for i := 0; i < len(text); i++ {
		if c := text[i]; plain(c) {
			out.WriteByte(c)
		} else {
			out.Write([]byte{'%', digits[c>>4], digits[c&15]})
		}
	}
	return out.String()
}

// isTraceParent reports whether the text is a W3C trace context of version 00,
// or of a later one that begins like it.
func isTraceParent(text string) bool {
	if len(text) < 55 || len(text) > task.MaxKey || len(text) > 55 && text[55] != '-' {
		return false
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		if i == 2 || i == 35 || i == 52 {
			if c != '-' {
				return false
			}
		} else if (c < '0' || c > '9') && (c < 'a' || c > 'f') && (i < 55 || c != '-') {
			return false
		}
	}
	return true
}
