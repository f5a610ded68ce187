// Package reporttest examines servers until they are as they have been set up.
package reporttest

import (
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/report"
)

// Until examines again and again, since settings and standbys take a moment.
func Until(t *testing.T, examine func() *report.Report, check, status, says string) {
	t.Helper()
	var last *report.Report
	for began := time.Now(); time.Since(began) < 2*time.Minute; time.Sleep(50 * time.Millisecond) { // sleep: a server needs a moment
		last = examine()
		if got, detail := last.Verdict(check); got == status && strings.Contains(detail, says) {
			for _, f := range last.Findings {
				if f.Status != report.Fine && f.Fix == "" {
					t.Errorf("%s: nothing to do about %q", f.Check, f.Detail)
				}
			}
			return
		}
	}
	t.Errorf("want %s of %s with %q, got %+v", status, check, says, last.Findings)
}

// Healthy examines until nothing is wrong: on a busy machine a round trip may be
// slow, and a notification late.
func Healthy(t *testing.T, examine func() *report.Report, checks int) {
	t.Helper()
	r := examine()
	for began := time.Now(); r.Status != report.Fine && time.Since(began) < 2*time.Minute; r = examine() {
	}
	if r.Status != report.Fine || len(r.Findings) < checks {
		t.Errorf("a healthy server: %+v", r.Findings)
	}
}
