package schedules

import (
	"github.com/outlast-dev/outlast/internal/findings"
	"github.com/outlast-dev/outlast/internal/strictjson"
)

// CheckForm looks at a schedule in the form of the API: unknown keys and values of
// the wrong form are refused all at once, as joined [retry.FieldError] values. What
// the values say is checked by [Check]; payloads are the caller's.
func CheckForm(document []byte) error {
	return findings.Object(document, new(body), strictjson.Absent)
}
