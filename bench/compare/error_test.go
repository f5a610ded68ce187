package compare

import (
	"context"
	"crypto/x509"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"syscall"
	"testing"
	"time"

	avast "github.com/avast/retry-go/v5"
	"github.com/cenkalti/backoff/v5"
	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/outlast-dev/outlast/retry"
)

var errorClaims = []claim{
	{
		name: "last_error_is_kept_when_the_budget_is_spent",
		what: "When the budget refuses a retry, the error still says what went wrong",
		how:  "a call fails with a connection reset, and its budget has nothing left",
		ours: "errors.Is finds the connection reset and the reason",
		peers: []rival{defect(failsafeGo, "the error is \"budget exceeded\" and nothing else", bubble(func(t *testing.T) {
			_, err := refusedByFailsafeBudget(t)
			exactly(t, "error", err.Error(), "budget exceeded")
			exactly(t, "the last error is there", errors.Is(err, errReset), false)
		}))},
		outlast: bubble(func(t *testing.T) {
			err := retry.Do(t.Context(), spentPolicy(t), fails(newTarget(), 0, errReset))
			exactly(t, "the reason is there", errors.Is(err, retry.ErrBudget), true)
			exactly(t, "the last error is there", errors.Is(err, errReset), true)
		}),
	},
	{
		name: "last_error_is_kept_when_the_caller_stops",
		what: "When the caller stops during a wait, the error still says what went wrong",
		how:  "the first attempt fails with a connection reset; the caller cancels while the next one is waited for",
		ours: "errors.Is finds the connection reset and the cancellation",
		peers: []rival{
			defect(failsafeGo, "only the cancellation is left", bubble(func(t *testing.T) {
				executor := failsafe.With[any](retrypolicy.NewBuilder[any]().WithDelay(time.Minute).Build())
				lost(t, canceledInWait(t, func(ctx context.Context) error {
					return executor.WithContext(ctx).Run(func() error { return errReset })
				}))
			})),
			defect(cenkalti, "only the cancellation is left", bubble(func(t *testing.T) {
				lost(t, canceledInWait(t, func(ctx context.Context) error {
					_, err := backoff.Retry(ctx, func() (any, error) { return nil, errReset }, backoff.WithBackOff(backoff.NewConstantBackOff(time.Minute)))
					return err
				}))
			})),
			defect(avastRetry, "only the cancellation is left when it retries forever or was told LastErrorOnly; with a limit, all errors are kept", bubble(func(t *testing.T) {
				for _, option := range []avast.Option{avast.Attempts(0), avast.LastErrorOnly(true)} {
					lost(t, canceledInWait(t, func(ctx context.Context) error {
						return avast.New(avast.Context(ctx), avast.Delay(time.Minute), option).Do(func() error { return errReset })
					}))
				}
				err := canceledInWait(t, func(ctx context.Context) error {
					return avast.New(avast.Context(ctx), avast.Delay(time.Minute)).Do(func() error { return errReset })
				})
				exactly(t, "with a limit, the last error is there", errors.Is(err, errReset), true)
			})),
		},
		outlast: bubble(func(t *testing.T) {
			p := policy(t, retry.Fixed(time.Minute), retry.NoJitter(), retry.Idempotent())
			err := canceledInWait(t, func(ctx context.Context) error {
				return retry.Do(ctx, p, func(context.Context) error { return errReset })
			})
			exactly(t, "the cancellation is there", errors.Is(err, context.Canceled), true)
			exactly(t, "the last error is there", errors.Is(err, errReset), true)
		}),
	},
	{
		name: "errors_are_not_collected",
		what: "A call that fails often does not fill memory with its errors",
		how:  "10 000 attempts that fail",
		ours: "the error holds the last one and the number of attempts",
		peers: []rival{defect(avastRetry, "the error holds all 10 000 (unless LastErrorOnly)", func(t *testing.T) {
			err := avast.New(avast.Attempts(10_000), avast.Delay(0), avast.DelayType(avast.FixedDelay)).Do(func() error { return errReset })
			all, _ := errors.AsType[avast.Error](err)
			exactly(t, "errors kept", len(all), 10_000)
		})},
		outlast: func(t *testing.T) {
			p := policy(t, retry.Attempts(10_000), retry.Fixed(0), retry.Idempotent())
			err := retry.Do(t.Context(), p, func(context.Context) error { return errReset })
			e, _ := errors.AsType[*retry.Error](err)
			exactly(t, "attempts", e.Attempts, 10_000)
			exactly(t, "last error", e.Last, errReset)
		},
	},
	{
		name: "permanent_errors_are_not_retried",
		what: "What will fail again is not tried again, without being told",
		how:  fmt.Sprintf("%d errors of the standard library, SQL, Redis, gRPC and DNS that no retry can mend, each with the default policy", len(permanentErrors)),
		ours: "one attempt each",
		peers: []rival{
			defect(failsafeGo, "three attempts each", retriesAll(3, func(op func() error) error {
				return failsafe.With[any](retrypolicy.NewWithDefaults[any]()).Run(op)
			})),
			defect(cenkalti, "retried until the 15 minutes are over, each", retriesAll(10, func(op func() error) error {
				_, err := backoff.Retry(context.Background(), func() (any, error) { return nil, op() })
				return err
			})),
			defect(avastRetry, "ten attempts each", retriesAll(10, func(op func() error) error { return avast.New().Do(op) })),
		},
		outlast: bubble(func(t *testing.T) {
			p := policy(t, retry.Idempotent())
			for _, permanent := range permanentErrors {
				g := newTarget()
				err := retry.Do(t.Context(), p, fails(g, 0, permanent))
				exactly(t, fmt.Sprintf("attempts of %T", permanent), g.hits(), 1)
				exactly(t, "error is kept", errors.Is(err, permanent), true)
			}
		}),
	},
	{
		name: "cancellation_is_not_retried",
		what: "A call that was canceled is not tried again",
		how:  "the operation returns context.Canceled; the default policy",
		ours: "one attempt",
		peers: []rival{
			defect(avastRetry, "ten attempts", retries(context.Canceled, 10, func(op func() error) error { return avast.New().Do(op) })),
			defect(failsafeGo, "three attempts (its HTTP helper does not)", retries(context.Canceled, 3, func(op func() error) error {
				return failsafe.With[any](retrypolicy.NewWithDefaults[any]()).Run(op)
			})),
			defect(cenkalti, "retried until the 15 minutes are over", retries(context.Canceled, 10, func(op func() error) error {
				_, err := backoff.Retry(context.Background(), func() (any, error) { return nil, op() })
				return err
			})),
		},
		outlast: bubble(func(t *testing.T) {
			g := newTarget()
			_ = retry.Do(t.Context(), policy(t, retry.Idempotent()), fails(g, 0, context.Canceled))
			exactly(t, "attempts", g.hits(), 1)
		}),
	},
	{
		name: "unsafe_repeats_need_consent",
		what: "What may have been done already is repeated only if that is declared harmless",
		how:  "the connection breaks after the request was sent; the default policy, nothing declared",
		ours: "one attempt, and ErrUnsafe; a refused dial is repeated where the operation is that one exchange",
		peers: []rival{
			defect(failsafeGo, "three attempts", retries(errReset, 3, func(op func() error) error {
				return failsafe.With[any](retrypolicy.NewWithDefaults[any]()).Run(op)
			})),
			defect(cenkalti, "retried until the 15 minutes are over", retries(errReset, 10, func(op func() error) error {
				_, err := backoff.Retry(context.Background(), func() (any, error) { return nil, op() })
				return err
			})),
			defect(avastRetry, "ten attempts", retries(errReset, 10, func(op func() error) error { return avast.New().Do(op) })),
		},
		outlast: bubble(func(t *testing.T) {
			sent, refused := newTarget(), newTarget()
			err := retry.Do(t.Context(), policy(t), fails(sent, 0, errReset))
			exactly(t, "attempts after a reset", sent.hits(), 1)
			exactly(t, "reason", errors.Is(err, retry.ErrUnsafe), true)
			_ = retry.Do(t.Context(), policy(t, retry.Attempts(3), retry.OneExchange()), fails(refused, 0, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}))
			exactly(t, "attempts after a refused dial", refused.hits(), 3)
		}),
	},
}

// duplicate is what a PostgreSQL driver returns for a unique violation.
type duplicate struct{}

func (duplicate) Error() string {
	return "duplicate key value violates unique constraint (SQLSTATE 23505)"
}
func (duplicate) SQLState() string { return "23505" }

// wrongType is what go-redis returns for a command on a key of another type.
type wrongType struct{}

func (wrongType) Error() string {
	return "WRONGTYPE Operation against a key holding the wrong kind of value"
}
func (wrongType) RedisError() {}

// permanentErrors are those that no retry can mend.
var permanentErrors = []error{
	sql.ErrNoRows,
	sql.ErrTxDone,
	duplicate{},
	wrongType{},
	&net.DNSError{Err: "no such host", Name: "nowhere.test", IsNotFound: true},
	&url.Error{Op: "parse", URL: ":", Err: errors.New("missing protocol scheme")},
	x509.UnknownAuthorityError{},
	&os.PathError{Op: "open", Path: "/etc/shadow", Err: fs.ErrPermission},
	&json.SyntaxError{Offset: 1},
	status.Error(codes.InvalidArgument, "no such order"),
	syscall.EINVAL,
}

// retries says that a call which always fails with err is attempted so often at
// least.
func retries(err error, attempts int, call func(op func() error) error) func(t *testing.T) {
	return bubble(func(t *testing.T) {
		g := newTarget()
		_ = call(func() error {
			g.hit()
			return err
		})
		atLeast(t, fmt.Sprintf("attempts of %T", err), g.hits(), attempts)
	})
}

func retriesAll(attempts int, call func(op func() error) error) func(t *testing.T) {
	return func(t *testing.T) {
		for _, err := range permanentErrors {
			t.Run(fmt.Sprintf("%T", err), retries(err, attempts, call))
		}
	}
}

// canceledInWait cancels a call one second after its start.
func canceledInWait(t *testing.T, call func(ctx context.Context) error) error {
	ctx, cancel := context.WithCancel(t.Context())
	defer time.AfterFunc(time.Second, cancel).Stop()
	err := call(ctx)
	if err == nil {
		t.Fatal("it succeeded")
	}
	return err
}

// lost says that only the cancellation is left of a call's errors.
func lost(t *testing.T, err error) {
	t.Helper()
	exactly(t, "the cancellation is there", errors.Is(err, context.Canceled), true)
	exactly(t, "the last error is there", errors.Is(err, errReset), false)
}
