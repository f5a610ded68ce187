package plainfmt

import (
	"fmt"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

type word string

type small uint8

// TestSprintf: it says what package fmt says.
func TestSprintf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, n := rapid.String().Draw(t, "text"), rapid.Int().Draw(t, "n")
		x, d := rapid.Float64().Draw(t, "x"), time.Duration(rapid.Int64().Draw(t, "d"))
		for _, c := range []struct {
			format string
			args   []any
		}{
			{"is nil", nil},
			{"", nil},
			{"%v is outside %v to %v", []any{d, d, time.Second}},
			{"%d is outside %d to %d", []any{n, -1, small(7)}},
			{"%v is outside %s%v to %.15g", []any{x, text, 0.5, x}},
			{"%.6g is outside (0, 1]", []any{x}},
			{"%q is none of %s", []any{word(text), text}},
			{"%.40q is %s", []any{text, text}},
			{"%.60q", []any{text}},
			{"%v%d", []any{math.Inf(int(small(n))), n}},
			{"%s and %v", []any{d, word(text)}},
		} {
			if got, want := Sprintf(c.format, c.args...), fmt.Sprintf(c.format, c.args...); got != want {
				t.Fatalf("%q: %q, not %q", c.format, got, want)
			}
		}
	})
}
