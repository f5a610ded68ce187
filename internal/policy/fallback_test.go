package policy

import (
	"strings"
	"testing"

	_ "github.com/outlast-dev/outlast/cel" // conditions
	"github.com/outlast-dev/outlast/retry"
)

// What a fallback calls is checked when its policy is written, not when a task dies.
func TestTargetsOfFallbacks(t *testing.T) {
	t.Parallel()
	for target, want := range map[string]string{
		`{"url":"https://e.org/x","method":"PUT","headers":{"X-A":"b"},"success":"body.ok"}`: "",
		`{"url":"group:mailers/send"}`:           "",
		`{}`:                                     "fallback.target.url",
		`{"url":"ftp://e.org"}`:                  "fallback.target.url",
		`{"url":"https://e.org","method":"a b"}`: "fallback.target.method",
		`{"url":"https://e.org","headers":{"Host":"x"}}`:        "fallback.target.headers",
		`{"url":"https://e.org","success":"body.ok && stat"}`:   "fallback.target.success",
		`{"url":"https://e.org","success":"body.ok && 1 == 1"}`: "",
	} {
		p, err := Parse("p", []byte(`{"fallback":{"target":`+target+`}}`))
		if want == "" && (err != nil || p.Fallback.HTTP == nil) {
			t.Errorf("%s: %v", target, err)
		}
		if fields := retry.FieldErrors(err); want != "" && (len(fields) != 1 || fields[0].Field != want || fields[0].Message == "" || strings.Contains(fields[0].Message, "fallback")) {
			t.Errorf("%s: %v", target, err)
		}
	}
}
