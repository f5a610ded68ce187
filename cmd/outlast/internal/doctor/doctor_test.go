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

// verdict finds what the report says of one check.
func (r *report) verdict(check string) (status, detail string) {
	for _, f := range r.Findings {
		if f.Check == check {
			status, detail = f.Status, f.Detail
		}
	}
	return status, detail
}
