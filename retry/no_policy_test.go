package retry_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/outlast-dev/outlast/retry"
)

// Without a policy nothing is called, and the error says what is missing.
func TestNoPolicy(t *testing.T) {
	for name, p := range map[string]*retry.Policy{"nil": nil, "empty": {}} {
		calls := 0
		fn := func(context.Context) error { calls++; return nil }
		value := func(context.Context) (int, error) { calls++; return 1, nil }
		ends := map[string]error{
			"Do":           retry.Do(t.Context(), p, fn),
			"Do, declared": retry.Do(t.Context(), p, fn, retry.Idempotent(), retry.For(everyGuard(t))),
			"Go":           retry.Go(t.Context(), p, fn).Wait(),
		}
		_, ends["Value"] = retry.Value(t.Context(), p, value)
		_, ends["Hedged"] = retry.Hedged(t.Context(), p, value)
		_, ends["ValueIf"] = retry.ValueIf(t.Context(), p, func(int) (retry.Verdict, bool) { return retry.Verdict{}, false }, value)
		for try := range p.Attempts(t.Context()) {
			if try.Context().Err() == nil {
				t.Errorf("%s: an attempt may run", name)
			}
			ends["Attempts"] = try.Done(nil)
		}
		for form, err := range ends {
			field, ok := errors.AsType[*retry.FieldError](err)
			if end := asError(t, err); !ok || field.Field != "policy" || field.Hint == "" || end.Attempts != 0 || !strings.Contains(err.Error(), "policy") {
				t.Errorf("%s of %s: %v", form, name, err)
			}
		}
		if len(ends) != 7 || calls != 0 {
			t.Errorf("%s: %d forms, %d calls", name, len(ends), calls)
		}
	}
}
