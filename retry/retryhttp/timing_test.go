package retryhttp_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/retry/retryhttp"
)

// base is a transport in virtual time that notes when it was asked.
type base struct {
	answer func(req *http.Request, n int) (*http.Response, error)
	mu     sync.Mutex
	at     []time.Time
}

func (b *base) RoundTrip(req *http.Request) (*http.Response, error) {
	b.mu.Lock()
	b.at = append(b.at, time.Now())
	n := len(b.at)
	b.mu.Unlock()
	if req.Body != nil {
		defer req.Body.Close()
	}
	return b.answer(req, n)
}

// gaps are the times between requests.
func (b *base) gaps() []time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	var gaps []time.Duration
	for i := 1; i < len(b.at); i++ {
		gaps = append(gaps, b.at[i].Sub(b.at[i-1]))
	}
	return gaps
}

func answer(req *http.Request, status int, headers ...string) *http.Response {
	h := make(http.Header)
	for i := 0; i < len(headers); i += 2 {
		h.Set(headers[i], headers[i+1])
	}
	return &http.Response{StatusCode: status, Status: http.StatusText(status), Header: h, Body: io.NopCloser(strings.NewReader("x")), Request: req, ProtoMajor: 1}
}

// TestHints: never early, at most a quarter late, and cut to the policy's cap.
func TestHints(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name    string
		status  int
		headers []string
		least   time.Duration
		most    time.Duration
	}{
		{"seconds", 503, []string{"Retry-After", "7"}, 7 * time.Second, 9 * time.Second},
		{"date by a clock of tomorrow", 503, []string{"Retry-After", "Fri, 02 Jan 2026 00:00:07 GMT", "Date", "Fri, 02 Jan 2026 00:00:00 GMT"}, 7 * time.Second, 9 * time.Second},
		{"over the cap", 429, []string{"Retry-After", "86400"}, time.Minute, 75 * time.Second},
		{"beyond all numbers", 429, []string{"Retry-After", strings.Repeat("9", 400)}, time.Minute, 75 * time.Second},
		{"our own header", 400, []string{"Outlast-Retry", "3s"}, 3 * time.Second, 4 * time.Second},
		{"garbage", 503, []string{"Retry-After", "soon"}, 0, 2 * time.Millisecond},
		{"throttled without a hint", 429, nil, time.Second, 1250 * time.Millisecond},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := &base{answer: func(req *http.Request, _ int) (*http.Response, error) {
					return answer(req, row.status, row.headers...), nil
				}}
				resp, err := retryhttp.New(b, fast(t)).RoundTrip(request(t, t.Context(), "GET", "http://a.example/", nil))
				if err != nil {
					t.Fatal(err)
				}
				text(t, resp)
				gaps := b.gaps()
				if len(gaps) != 2 || retryhttp.OutcomeOf(resp).Attempts != 3 {
					t.Fatal(gaps)
				}
				for _, gap := range gaps {
					if gap < row.least || gap > row.most {
						t.Errorf("waited %v", gap)
					}
				}
			})
		})
	}
}

// TestNeverIsHeard: a receiver that forbids a repeat is not asked again.
func TestNeverIsHeard(t *testing.T) {
	t.Parallel()
	b := &base{answer: func(req *http.Request, _ int) (*http.Response, error) {
		return answer(req, 503, "Outlast-Retry", "never"), nil
	}}
	resp, err := retryhttp.New(b, fast(t)).RoundTrip(request(t, t.Context(), "GET", "http://a.example/", nil))
	if err != nil || len(b.at) != 1 || !errors.Is(retryhttp.OutcomeOf(resp).Err, retry.ErrRejected) {
		t.Error(err, len(b.at))
	}
	text(t, resp)
}

// TestLayersDoNotMultiply: inside a repeat the inner transport sends once, and
// says so.
func TestLayersDoNotMultiply(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var announced []string
		b := &base{}
		b.answer = func(req *http.Request, _ int) (*http.Response, error) {
			announced = append(announced, req.Header.Get("Outlast-Attempt"))
			return answer(req, 503), nil
		}
		inner := retryhttp.New(b, fast(t))
		outer := retryhttp.New(inner, fast(t))
		resp, err := outer.RoundTrip(request(t, t.Context(), "GET", "http://a.example/", nil))
		if err != nil {
			t.Fatal(err)
		}
		text(t, resp)
		if got := strings.Join(announced, " "); got != "1 2 3 2 3" {
			t.Errorf("%d requests instead of 5: %s", len(announced), got)
		}
	})
}

// TestHandsOnWhatItDoesNotKnow: a base that breaks its contract breaks nothing.
func TestHandsOnWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	b := &base{answer: func(*http.Request, int) (*http.Response, error) { return nil, nil }}
	_, err := retryhttp.New(b, fast(t)).RoundTrip(request(t, t.Context(), "POST", "http://a.example/", nil)) //nolint:bodyclose // there is none
	if end, ok := errors.AsType[*retry.Error](err); !ok || end.Attempts != 1 {
		t.Error(err)
	}
}
