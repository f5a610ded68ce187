package expr

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/outlast-dev/outlast/retry"
)

// Without a language a condition is refused, with what to import. This binary links none
// until the test says so, so what it does is one after the other.
func TestNoLanguageIsLinked(t *testing.T) {
	l := &Language{}
	_, err := l.Compile("true")
	wrong := &retry.FieldError{}
	if !errors.As(err, &wrong) || !strings.Contains(wrong.Hint, "outlast/cel") || Linked() {
		t.Errorf("%v, linked: %v", err, Linked())
	}

	compiled := 0
	Use(func(*Language) (Compiler, error) {
		return func(string) (Program, error) { compiled++; return Program{Weight: 1}, nil }, nil
	})
	first, err := l.Compile("true")
	again, err2 := l.Compile("true")
	if first != again || compiled != 1 || err != nil || err2 != nil || !Linked() || first.String() != "true" {
		t.Errorf("%p %p, compiled %d times, %v, %v", first, again, compiled, err, err2)
	}
}

func TestTheCacheIsBounded(t *testing.T) {
	t.Parallel()
	var kept cache
	for i := range 100 {
		one := &Condition{Program{Weight: mostKept / 7}, strconv.Itoa(i)}
		kept.keep(one)
		kept.keep(one) // compiled twice at a time
	}
	if n := len(kept.known); n > 7 || n < 1 || kept.weight != n*(mostKept/7) {
		t.Errorf("%d are kept, %d bytes", n, kept.weight)
	}
}
