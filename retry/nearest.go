package retry

import "github.com/outlast-dev/outlast/internal/hints"

// didYouMean is the hint with the known name nearest to a misspelled one, or "".
func didYouMean(name string, known []string) string {
	if near := hints.Nearest(name, known); near != "" {
		return "did you mean " + near + "?"
	}
	return ""
}
