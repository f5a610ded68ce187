package retryhttp

import (
	"net/http"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// ClassifyResponse is [retry.ClassifyHTTP] for an answer together with its request. It
// knows one thing more: a 409 to a request with an Idempotency-Key or
// X-Idempotency-Key header means that the first request with that key is still
// being worked on (draft-ietf-httpapi-idempotency-key-header-07 §2.7), which is
// [retry.Unavailable]. The other statuses of that draft, 400 for a missing key and 422
// for another payload, stay [retry.Permanent].
func ClassifyResponse(resp *http.Response, now time.Time) retry.Verdict {
	v := retry.ClassifyHTTP(resp.StatusCode, resp.Header, now)
	if resp.StatusCode == http.StatusConflict && v.Category == retry.Permanent && resp.Request != nil && hasKey(resp.Request.Header) {
		v.Category, v.Effect = retry.Unavailable, retry.Maybe
	}
	return v
}
