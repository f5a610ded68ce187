package alerts

import (
	"fmt"
	"strings"

	"github.com/outlast-dev/outlast/internal/findings"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

// ruleFindings are those of rules and silences.
type ruleFindings struct{ findings.List }

// CheckName says what is wrong with the name of a rule or channel, as a [retry.FieldError].
// Path is where the name stands.
func CheckName(path, name string) error {
	wrong := ""
	switch {
	case name == "":
		wrong = "is required"
	case len(name) > maxName:
		wrong = fmt.Sprintf("has %d characters; the limit is %d", len(name), maxName)
	case strings.ContainsFunc(name, notInName):
		wrong = task.Quote(name) + " has a character that is not possible"
	default:
		return nil
	}
	return &retry.FieldError{Field: path, Message: wrong, Hint: "names have 1 to 64 of the characters A-Z a-z 0-9 . _ -"}
}

// maxName is the length of names of rules and channels: they are parts of
// the names of types and objects.
const maxName = 64

func notInName(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '.' && r != '_' && r != '-'
}
