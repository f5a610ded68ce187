package retryhttp_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/retry/retryhttp"
)

// TestClassifyResponse: a key makes a 409 worth a retry, and nothing else.
func TestClassifyResponse(t *testing.T) {
	for name, c := range map[string]struct {
		status   int
		key      string
		category retry.Category
	}{
		"409 with a key":        {409, "Idempotency-Key", retry.Unavailable},
		"409 with an older key": {409, "X-Idempotency-Key", retry.Unavailable},
		"409 in small letters":  {409, "idempotency-key", retry.Unavailable},
		"409 in capitals":       {409, "IDEMPOTENCY-KEY", retry.Unavailable},
		"409 without":           {409, "", retry.Permanent},
		"400 with a key":        {400, "Idempotency-Key", retry.Permanent},
		"422 with a key":        {422, "Idempotency-Key", retry.Permanent},
		"201 with a key":        {201, "Idempotency-Key", ""},
	} {
		t.Run(name, func(t *testing.T) {
			req := &http.Request{Header: http.Header{}}
			if c.key != "" {
				req.Header[c.key] = []string{"k"}
			}
			if v := retryhttp.ClassifyResponse(&http.Response{StatusCode: c.status, Request: req}, time.Now()); v.Category != c.category {
				t.Errorf("%+v", v)
			}
		})
	}
	if v := retryhttp.ClassifyResponse(&http.Response{StatusCode: 409}, time.Now()); v.Category != retry.Permanent {
		t.Errorf("no request: %+v", v)
	}
}
