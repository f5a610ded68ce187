package cel

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/google/cel-go/cel"

	"github.com/outlast-dev/outlast/internal/hints"
	_ "github.com/outlast-dev/outlast/internal/ruleexpr" // rules of policies have conditions, also without a client
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

var undeclared = regexp.MustCompile(`undeclared reference to '([^']*)'`)

// mistake is the first problem that the compiler found, and what is possible.
func (d *dialect) mistake(text string, issues *cel.Issues) error {
	found := issues.Errors()[0]
	says := strings.TrimSuffix(strings.Join(strings.Fields(found.Message), " "), " (in container '"+container+"')")
	says = task.Quote(says)
	where := fmt.Sprintf("column %d", found.Location.Column()+1)
	if strings.Contains(text, "\n") {
		where = fmt.Sprintf("line %d, %s", found.Location.Line(), where)
	}
	wrong := &retry.FieldError{Message: "is not a condition: " + says[1:len(says)-1] + " at " + where, Hint: d.Hint}
	if name := undeclared.FindStringSubmatch(found.Message); name != nil {
		wrong.Hint = d.instead(name[1])
	}
	return wrong
}

// instead is what to write for an unknown name.
func (d *dialect) instead(name string) string {
	var names []string
	for _, v := range d.Variables {
		names = append(names, v.Name)
	}
	if near := hints.Nearest(name, names); near != "" {
		return "did you mean " + near + "?"
	}
	return strings.TrimSpace(d.Where+" there are ") + " " + strings.Join(names, ", ")
}
