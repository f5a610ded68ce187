package doctor

import (
	"testing"
)

// Numbers say so where the doctor has looked at the newest tasks only.
func TestNumbersThatMayBeLarger(t *testing.T) {
	if got := counted(map[string]int{"a": 1, "b": 499}, true); got != "a (at least 1 task), b (at least 499 tasks)" {
		t.Error(got)
	}
	if got := counted(map[string]int{"a": 2}, false); got != "a (2 tasks)" {
		t.Error(got)
	}
}
