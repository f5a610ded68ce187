package alert

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"

	"github.com/outlast-dev/outlast/internal/hints"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

// Limits of expressions: bytes of text, and the cost in the units of CEL,
// which are about the steps of the evaluation. What cannot be shown to stay
// below the first cost is refused when it is saved; the second stops the
// evaluation.
const (
	MaxExpression = 2 << 10
	maxStaticCost = 1_000_000
	maxCost       = 100_000
)

// Expression is a compiled condition. It is safe for concurrent use.
type Expression struct {
	text    string
	program cel.Program
}

// environments are made at the first use, one for each kind of rule.
var environments sync.Map // On to func() (*cel.Env, error)

func environment(on On) (*cel.Env, error) {
	made, _ := environments.LoadOrStore(on, sync.OnceValues(func() (*cel.Env, error) {
		var options []cel.EnvOption
		for i := range variables {
			v := &variables[i]
			if v.on(on) {
				options = append(options, cel.Variable(known(v.Name), celTypes[v.Type]))
			}
		}
		return cel.NewEnv(append(options, cel.Container(container), cel.CrossTypeNumericComparisons(true), cel.ClearMacros(),
			cel.Macros(cel.HasMacro), cel.ParserRecursionLimit(64), cel.ParserExpressionSizeLimit(MaxExpression))...)
	}))
	return made.(func() (*cel.Env, error))()
}

// container is where names are looked for first. CEL has an identifier type of
// its own, which a variable of that name must stand before.
const container = "outlast"

// known is the name under which CEL knows a variable.
func known(name string) string {
	if name == "type" {
		return container + ".type"
	}
	return name
}

// Compile reads a condition in CEL over the variables that a kind of rule
// sets. Comprehensions are not possible, so its cost is bounded by the sizes
// of the texts. The error is a [retry.FieldError] without a field.
func Compile(on On, text string) (*Expression, error) {
	if len(text) > MaxExpression {
		return nil, &retry.FieldError{Message: fmt.Sprintf("has %d bytes; %d are the limit", len(text), MaxExpression)}
	}
	env, err := environment(on)
	if err != nil {
		return nil, err
	}
	ast, issues := env.Compile(text)
	if err := issues.Err(); err != nil {
		return nil, mistake(on, issues)
	}
	if ast.OutputType() != cel.BoolType {
		return nil, &retry.FieldError{Message: "is no condition: it yields " + ast.OutputType().String(), Hint: "compare with something, such as attempt > 3"}
	}
	cost, err := env.EstimateCost(ast, estimator{})
	if err != nil || cost.Max > maxStaticCost {
		return nil, &retry.FieldError{Message: "may take too long to evaluate", Hint: "make it shorter"}
	}
	program, err := env.Program(ast, cel.CostLimit(maxCost), cel.EvalOptions(cel.OptOptimize))
	if err != nil {
		return nil, &retry.FieldError{Message: err.Error()}
	}
	return &Expression{text, program}, nil
}

// estimator says how long texts from outside can be.
type estimator struct{}

// EstimateSize implements [checker.CostEstimator].
func (estimator) EstimateSize(checker.AstNode) *checker.SizeEstimate {
	return &checker.SizeEstimate{Min: 0, Max: task.MaxErrorText}
}

// EstimateCallCost implements [checker.CostEstimator].
func (estimator) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return nil
}

var undeclared = regexp.MustCompile(`undeclared reference to '([^']*)'`)

// mistake is the first problem that the compiler found, with what is possible.
func mistake(on On, issues *cel.Issues) error {
	found := issues.Errors()[0]
	message := fmt.Sprintf("is no condition: %s (column %d)", strings.Join(strings.Fields(found.Message), " "), found.Location.Column()+1)
	known := names(on)
	if name := undeclared.FindStringSubmatch(found.Message); name != nil {
		if near := hints.Nearest(name[1], known); near != "" {
			return &retry.FieldError{Message: message, Hint: "did you mean " + near + "?"}
		}
		return &retry.FieldError{Message: message, Hint: "on " + string(on) + " there are " + strings.Join(known, ", ")}
	}
	return &retry.FieldError{Message: message, Hint: `write it in CEL, such as attempt > 1 && category == "timeout"`}
}

func names(on On) (known []string) {
	for i := range variables {
		v := &variables[i]
		if v.on(on) {
			known = append(known, v.Name)
		}
	}
	return known
}

// activation is the values of variables under the names that CEL knows.
type activation map[string]any

// ResolveName implements [cel.Activation].
func (a activation) ResolveName(name string) (any, bool) {
	value, set := a[strings.TrimPrefix(name, container+".")]
	return value, set
}

// Parent implements [cel.Activation].
func (a activation) Parent() cel.Activation { return nil }

// errType is the error of a condition that yields no truth value.
var errType = errors.New("the condition yields neither true nor false")

// Holds evaluates the condition. An error says that it cannot be told, such as
// a missing key of a map, a division by zero or the cost limit.
func (e *Expression) Holds(values map[string]any) (bool, error) {
	out, _, err := e.program.Eval(activation(values))
	if err != nil {
		return false, err
	}
	holds, ok := out.Value().(bool)
	if !ok {
		return false, errType
	}
	return holds, nil
}
