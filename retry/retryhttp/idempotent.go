package retryhttp

import (
	"context"
	"net/http"
	"strings"
)

// Idempotent declares that requests made with the context may be repeated, for
// example because their path or body holds a key that the server knows.
func Idempotent(ctx context.Context) context.Context { return declare(ctx, true) }

// NotIdempotent declares that requests made with the context are repeated only
// when they certainly were not processed, whatever their method.
func NotIdempotent(ctx context.Context) context.Context { return declare(ctx, false) }

type declaration struct{}

func declare(ctx context.Context, idempotent bool) context.Context {
	return context.WithValue(ctx, declaration{}, idempotent)
}

// mayRepeat decides whether a request that may have been processed may be sent
// again.
func (t *Transport) mayRepeat(req *http.Request) bool {
	if declared, ok := req.Context().Value(declaration{}).(bool); ok {
		return declared
	}
	idempotent, declared := t.policy.DeclaredIdempotent()
	if declared {
		return idempotent
	}
	if t.isIdempotent != nil && t.isIdempotent(req) {
		return true
	}
	switch req.Method {
	case "", http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace, http.MethodPut, http.MethodDelete:
		return true
	}
	return hasKey(req.Header)
}

// hasKey reports a header by which the receiver recognizes a repeated request, in any
// spelling: in another than its canonical one, net/http does not take the key for a
// permission to send the request again by itself.
func hasKey(h http.Header) bool {
	for name, values := range h {
		if len(values) > 0 && values[0] != "" && (strings.EqualFold(name, "Idempotency-Key") || strings.EqualFold(name, "X-Idempotency-Key")) {
			return true
		}
	}
	return false
}

// isResent reports whether [http.Transport] itself repeats the request when a
// kept connection breaks after it was written. Source: net/http, Request.isReplayable.
func isResent(req *http.Request) bool {
	if req.Body != nil && req.Body != http.NoBody && req.GetBody == nil {
		return false
	}
	switch req.Method {
	case "", http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace:
		return true
	}
	_, key := req.Header["Idempotency-Key"]
	_, other := req.Header["X-Idempotency-Key"]
	return key || other
}
