// Command prices calls a shop that is having a bad minute, with retries that stay
// in this process: no store, no server, no durable tasks. It shows a policy, the
// guards of a target, what is repeated and what is not, and the plan of it all.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast/plan"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/retry/cache"
	"github.com/outlast-dev/outlast/retry/retryhttp"
)

func main() {
	if err := example(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func example(ctx context.Context) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: &shop{}, ReadHeaderTimeout: time.Second}
	go server.Serve(listener) //nolint:errcheck // until it is closed
	defer server.Close()      //nolint:errcheck // the example ends
	policy, err := policy()
	if err != nil {
		return err
	}
	if err := planned(policy); err != nil {
		return err
	}
	if err := anything(ctx); err != nil {
		return err
	}
	if err := stock(ctx, policy); err != nil {
		return err
	}
	if err := rates(ctx, policy); err != nil {
		return err
	}
	return buy(ctx, policy, "http://"+listener.Addr().String())
}

// policy is that of calls while a person waits.
func policy() (*retry.Policy, error) {
	return retry.New(
		retry.Attempts(4),
		retry.Exponential(50*time.Millisecond, 2, time.Second),
		retry.FullJitter(),
		retry.PerAttempt(2*time.Second),
		retry.TTL(5*time.Second),
	)
}

// planned looks at the policy before anything fails.
func planned(policy *retry.Policy) error {
	report, err := plan.Of(policy, plan.Env{AttemptTime: 100 * time.Millisecond, FailRate: 0.2, InProcess: true})
	if err != nil {
		return err
	}
	fmt.Println("plan:", report.Summary())
	fmt.Printf("plan: at most %v of waits, success %.2f %%\n", report.Total.Max, 100*report.Success[3])
	for _, warning := range report.Warnings {
		fmt.Println("plan:", warning.Code, "-", warning.Message)
	}
	return nil
}

// anything repeats whatever went wrong.
func anything(ctx context.Context) error {
	asked := 0
	policy, err := retry.New(retry.Attempts(3), retry.Exponential(50*time.Millisecond, 2, time.Second), retry.OnAny())
	if err != nil {
		return err
	}
	err = retry.Do(ctx, policy, func(context.Context) error {
		if asked++; asked < 3 {
			return errors.New("the warehouse is being counted")
		}
		return nil
	})
	fmt.Printf("anything: asked %d times\n", asked)
	return err
}

// errBusy stands for a failure that a driver reports.
var errBusy = errors.New("connection reset by peer")

// stock asks a warehouse that resets the first connection.
func stock(ctx context.Context, policy *retry.Policy) error {
	asked := 0
	pieces, err := retry.Value(ctx, policy, func(context.Context) (int, error) {
		if asked++; asked == 1 {
			return 0, errBusy
		}
		return 12, nil
	}, retry.Idempotent())
	if err != nil {
		return err
	}
	fmt.Printf("stock: %d pieces, asked %d times\n", pieces, asked)

	// The same without a declaration: nobody said that a repeat does no harm.
	asked = 0
	err = retry.Do(ctx, policy, func(context.Context) error {
		asked++
		return errBusy
	})
	fmt.Printf("reserve: asked once, not repeated: %t\n", asked == 1 && errors.Is(err, retry.ErrUnsafe) && errors.Is(err, errBusy))
	return nil
}

// rates asks a bank that serves one caller at a time, and not for long.
func rates(ctx context.Context, policy *retry.Policy) error {
	limit, err := retry.NewLimit(retry.LimitConfig{Initial: 1, Fixed: true})
	if err != nil {
		return err
	}
	patient, err := retry.New(retry.From(policy), retry.WithLimit(limit), retry.MaxWait(time.Second))
	if err != nil {
		return err
	}
	kept, err := cache.New[string](cache.Config[float64]{For: time.Minute})
	if err != nil {
		return err
	}
	asked := 0
	rate := func(currency string) (retry.Answer[float64], error) {
		return retry.Fallback[float64]{Value: 1}.Answer(kept.Value(ctx, currency, func(ctx context.Context) (float64, error) {
			return retry.Value(ctx, patient, func(context.Context) (float64, error) {
				if asked++; asked > 1 {
					return 0, errors.New("the bank is closed")
				}
				return 1.08, nil
			})
		}))
	}
	for _, currency := range []string{"EUR", "EUR", "CHF"} {
		answer, err := rate(currency)
		if err != nil {
			return err
		}
		fmt.Printf("rate: %s %.2f, instead of an answer: %t\n", currency, answer.Value, answer.Failed != nil)
	}

	later := retry.GoValue(ctx, patient, func(context.Context) (string, error) { return "the bank has called back", nil })
	text, err := later.Wait()
	if err != nil {
		return err
	}
	fmt.Println("rate:", text)
	return nil
}

// buy calls the shop over HTTP. Each host has a budget and a breaker of its own.
func buy(ctx context.Context, policy *retry.Policy, url string) error {
	client := &http.Client{Transport: retryhttp.New(nil, policy, retryhttp.Targets(retry.NewTargets(0, 0, guarded)))}
	price, attempts, err := get(ctx, client, url+"/price")
	if err != nil {
		return err
	}
	fmt.Printf("price: %s after %d attempts\n", price, attempts)

	plain := &http.Client{}
	for try := range policy.Attempts(ctx, retry.Idempotent()) {
		price, _, err = get(try.Context(), plain, url+"/price")
		if try.Done(err) == nil {
			fmt.Printf("price: %s in attempt %d of the loop\n", price, try.Number())
		}
	}

	resp, err := client.Post(url+"/orders", "text/plain", strings.NewReader("tea"))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	outcome := retryhttp.OutcomeOf(resp)
	fmt.Printf("order: %s after %d attempt: a POST without a key is not repeated\n", resp.Status, outcome.Attempts)
	return nil
}

// guarded is the target of a host: at most one retry for ten requests while a
// quarter of them fails, and no calls at all while most of them do.
func guarded(name string) *retry.Target {
	budget, err := retry.NewBudget(retry.BudgetConfig{Ratio: 0.1})
	if err != nil {
		panic(err) // only a wrong setting is refused
	}
	breaker, err := retry.NewBreaker(retry.BreakerConfig{FailureRate: 0.5, MinCalls: 20})
	if err != nil {
		panic(err)
	}
	return &retry.Target{Name: name, Budget: budget, Breaker: breaker}
}

// get asks for a text and tells how many attempts it took.
func get(ctx context.Context, client *http.Client, url string) (text string, attempts int, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", 0, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return "", 0, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = &busyError{retry.ClassifyHTTP(resp.StatusCode, resp.Header, time.Now())}
	}
	return string(body), retryhttp.OutcomeOf(resp).Attempts, err
}

// busyError is an answer that is no price. It says itself what it means.
type busyError struct{ verdict retry.Verdict }

func (e *busyError) Error() string               { return "the shop answers " + e.verdict.Code }
func (e *busyError) RetryVerdict() retry.Verdict { return e.verdict }

// shop answers every second request.
type shop struct{ requests atomic.Int64 }

func (s *shop) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if s.requests.Add(1)%2 == 1 {
		http.Error(w, "busy", http.StatusServiceUnavailable)
		return
	}
	fmt.Fprint(w, "4.20")
}
