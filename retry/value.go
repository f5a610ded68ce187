package retry

import (
	"context"
	"fmt"
)

// Value is [Do] for functions with a result. Together with an error it returns
// what the last attempt returned.
func Value[T any](ctx context.Context, p *Policy, fn func(ctx context.Context) (T, error), opts ...CallOption) (T, error) {
	var value T
	err := Do(ctx, p, func(ctx context.Context) (err error) {
		value, err = fn(ctx)
		return err
	}, opts...)
	return value, err
}

// ValueIf is [Value] with a predicate: results for which failed returns true are
// failures with that verdict. When they are not repeated any more, the last
// result is returned together with the error, whose Last is a [*ResultError].
func ValueIf[T any](ctx context.Context, p *Policy, failed func(T) (Verdict, bool), fn func(ctx context.Context) (T, error), opts ...CallOption) (T, error) {
	return Value(ctx, p, func(ctx context.Context) (T, error) {
		value, err := fn(ctx)
		if err != nil {
			return value, err
		}
		if verdict, bad := failed(value); bad {
			return value, &ResultError{Value: value, Verdict: verdict}
		}
		return value, nil
	}, opts...)
}

// ResultError is a result that counts as a failure; see [ValueIf].
type ResultError struct {
	Value   any
	Verdict Verdict
}

// Error names the type of the result and the category. It does not show the
// result, which may be large or secret.
func (e *ResultError) Error() string {
	category := e.Verdict.Category
	if category == "" {
		category = Unknown
	}
	return fmt.Sprintf("retry: a result of type %T counts as %s", e.Value, category)
}

// RetryVerdict is the verdict of the predicate.
func (e *ResultError) RetryVerdict() Verdict { return e.Verdict }
