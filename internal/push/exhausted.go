package push

import "github.com/outlast-dev/outlast/internal/safehttp"

// Exhausted is the code of what this machine lacked to make the call, "" where that
// was not what failed; see [safehttp.Exhausted].
func (e *Error) Exhausted() string {
	if e.Status != 0 {
		return ""
	}
	return safehttp.Exhausted(e.Verdict, e.Err)
}
