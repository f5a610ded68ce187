package retryhttp_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/outlast-dev/outlast/retry/retryhttp"
)

// still is a base that costs nothing.
type still struct{ resp http.Response }

func (s *still) RoundTrip(*http.Request) (*http.Response, error) {
	resp := s.resp
	return &resp, nil
}

// BenchmarkRoundTrip is what the transport adds to a request that works.
func BenchmarkRoundTrip(b *testing.B) {
	base := &still{http.Response{StatusCode: 200, Body: http.NoBody}}
	guarded := retryhttp.Default(base)
	for _, row := range []struct {
		name, method, body string
		transport          http.RoundTripper
	}{
		{"nothing", "GET", "", base},
		{"silent POST", "POST", "{}", retryhttp.New(base, nil, retryhttp.NoHeaders())},
		{"POST", "POST", "{}", retryhttp.New(base, nil)},
		{"GET", "GET", "", retryhttp.New(base, nil)},
		{"guarded GET", "GET", "", guarded},
	} {
		b.Run(row.name, func(b *testing.B) {
			req, err := http.NewRequest(row.method, "http://api.example.com/x", strings.NewReader(row.body))
			if err != nil {
				b.Fatal(err)
			}
			req.Header.Set("Accept", "application/json")
			b.ReportAllocs()
			for b.Loop() {
				if _, err := row.transport.RoundTrip(req); err != nil { //nolint:bodyclose // there is none
					b.Fatal(err)
				}
			}
		})
	}
}
