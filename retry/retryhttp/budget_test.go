package retryhttp_test

import (
	"errors"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/retry/retryhttp"
)

// ends are how the calls of a test ended.
type ends struct {
	mu           sync.Mutex
	lost, denied int // all that failed, and those that their budget refused
}

func (e *ends) call(t *testing.T, transport http.RoundTripper) {
	resp, err := transport.RoundTrip(request(t, t.Context(), "GET", "http://a.example/", nil))
	if err == nil {
		resp.Body.Close()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if err != nil || resp.StatusCode != 200 {
		e.lost++
	}
	if err == nil {
		if end := retryhttp.OutcomeOf(resp).Err; end != nil {
			err = end
		}
	}
	if errors.Is(err, retry.ErrBudget) {
		e.denied++
	}
}

// TestOneBackendOfFiveIsDown: what a fifth of the answers is costs no call, whether
// they come one after the other or many at a time.
func TestOneBackendOfFiveIsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &base{answer: func(req *http.Request, n int) (*http.Response, error) {
			time.Sleep(time.Millisecond)
			if n%5 == 0 {
				return answer(req, 503), nil
			}
			return answer(req, 200), nil
		}}
		transport, got := retryhttp.Default(b), &ends{}
		for range 400 {
			got.call(t, transport)
		}
		if got.lost > 0 {
			t.Errorf("%d of 400 calls were lost, %d by the budget", got.lost, got.denied)
		}
		got = &ends{}
		var callers sync.WaitGroup
		for range 20 {
			callers.Go(func() {
				for range 100 {
					got.call(t, transport)
				}
			})
		}
		if callers.Wait(); got.denied > 0 {
			t.Errorf("20 callers: the budget refused %d retries of 2000 calls", got.denied)
		}
	})
}

// TestFirstOutageOfAClient: a client that nothing is known of has all its attempts.
func TestFirstOutageOfAClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		denied, again := 0, 0
		for range 20 {
			start := time.Now()
			b := &base{answer: func(req *http.Request, _ int) (*http.Response, error) {
				time.Sleep(time.Millisecond)
				if time.Since(start) < 40*time.Millisecond {
					return answer(req, 503), nil
				}
				return answer(req, 200), nil
			}}
			got := &ends{}
			got.call(t, retryhttp.Default(b))
			denied, again = denied+got.denied, again+len(b.at)-1
		}
		if denied > 0 || again < 20 {
			t.Errorf("the budgets of %d of 20 clients refused a retry; %d were made", denied, again)
		}
	})
}
