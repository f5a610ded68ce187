// Package expr compiles and evaluates conditions in CEL, the language of
// https://cel.dev: those in the rules of policies, of alerts, and of what else
// is written by people and asked at run time.
//
// A condition is a stranger's program, so it is bounded:
//
//   - its text has at most [MaxText] bytes and is nested at most [maxDepth] deep;
//   - the only macro is has, so there are no loops;
//   - what may cost more than [maxStaticCost], assuming that texts, lists and maps
//     are as large as [Language.Size], is refused when it is compiled;
//   - its regular expressions are literals and have at most [maxSteps];
//   - an evaluation that costs more than [maxCost] is stopped.
//
// Costs are in CEL's units, which are about the steps of an evaluation.
package expr

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/google/cel-go/cel"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

// MaxText is the longest condition, in bytes.
const MaxText = 2 << 10

const (
	maxDepth      = 64
	maxStaticCost = 1_000_000
	maxCost       = 100_000
)

// container is where names are looked for first. CEL has an identifier type of
// its own, which a variable of that name must stand before.
const container = "outlast"

// Variable is a name that conditions can use.
type Variable struct {
	Name string
	// Type is string, int, double, bool, duration, map (of anything by text) or
	// any, whose type shows at the evaluation only.
	Type string
}

var kinds = map[string]*cel.Type{
	"string": cel.StringType, "int": cel.IntType, "double": cel.DoubleType, "bool": cel.BoolType,
	"duration": cel.DurationType, "map": cel.MapType(cel.StringType, cel.DynType), "any": cel.DynType,
}

// Language is the conditions over a set of variables. Its fields must not change
// after the first use. It is safe for concurrent use, and must not be copied.
type Language struct {
	Variables []Variable
	// Size bounds the bytes of a text and the entries of a list or map among the
	// values. Longer ones are not refused, but the cost of a condition is judged
	// by it. The default is [task.MaxErrorText].
	Size int
	// Hint says what to write instead of a condition that cannot be read.
	Hint string
	// Where begins the hint that lists the variables, such as "on dead". It may
	// be empty.
	Where string

	once sync.Once // guards env and err: an environment costs some milliseconds
	env  *cel.Env
	err  error
	kept cache
}

// Condition is a compiled text. It is safe for concurrent use.
type Condition struct {
	text    string
	program cel.Program
	weight  int // about the bytes that it keeps
}

// Compile reads a condition. The same text is compiled once as long as it is
// among the last ones. The error is a [retry.FieldError] without a field: its
// message has the position, its hint what is possible.
func (l *Language) Compile(text string) (*Condition, error) {
	if known := l.kept.find(text); known != nil {
		return known, nil
	}
	made, err := l.compile(text)
	if err != nil {
		return nil, err
	}
	l.kept.keep(made)
	return made, nil
}

func (l *Language) compile(text string) (*Condition, error) {
	if len(text) > MaxText {
		return nil, &retry.FieldError{Message: fmt.Sprintf("has %d bytes; %d are the limit", len(text), MaxText), Hint: "make it shorter, or use several"}
	}
	env, err := l.environment()
	if err != nil {
		return nil, err
	}
	ast, issues := env.Compile(text)
	if issues.Err() != nil {
		return nil, l.mistake(text, issues)
	}
	if kind := ast.OutputType(); kind != cel.BoolType && kind != cel.DynType {
		return nil, &retry.FieldError{Message: "is no condition: it yields " + kind.String(), Hint: "compare with something, such as attempt > 3"}
	}
	steps, err := patterns(ast)
	if err != nil {
		return nil, err
	}
	cost, err := env.EstimateCost(ast, estimator{uint64(l.size())})
	if err != nil || cost.Max > maxStaticCost {
		return nil, &retry.FieldError{Message: "may take too long to evaluate", Hint: "make it shorter"}
	}
	program, err := env.Program(ast, cel.CostLimit(maxCost), cel.CostTracking(meter{}), cel.EvalOptions(cel.OptOptimize))
	if err != nil {
		return nil, &retry.FieldError{Message: err.Error()}
	}
	return &Condition{text: text, program: program, weight: weightOf(text, steps)}, nil
}

func (l *Language) size() int { return cmp.Or(l.Size, task.MaxErrorText) }

func (l *Language) environment() (*cel.Env, error) {
	l.once.Do(func() {
		options := []cel.EnvOption{
			cel.Container(container), cel.CrossTypeNumericComparisons(true), cel.ClearMacros(), cel.Macros(cel.HasMacro),
			cel.ParserRecursionLimit(maxDepth), cel.ParserExpressionSizeLimit(MaxText),
		}
		for _, v := range l.Variables {
			options = append(options, cel.Variable(container+"."+v.Name, kinds[v.Type]))
		}
		l.env, l.err = cel.NewEnv(options...)
	})
	return l.env, l.err
}

// String returns the text.
func (c *Condition) String() string { return c.text }

// Values tells the value of a variable, and whether it is known. It is asked
// only for what the condition comes to.
type Values func(name string) (any, bool)

// In looks values up in a map.
func In(values map[string]any) Values {
	return func(name string) (any, bool) {
		value, set := values[name]
		return value, set
	}
}

// ResolveName implements [cel.Activation].
func (v Values) ResolveName(name string) (any, bool) {
	return v(strings.TrimPrefix(name, container+"."))
}

// Parent implements [cel.Activation].
func (Values) Parent() cel.Activation { return nil }

// errType is the error of a condition that yields no truth value.
var errType = errors.New("the condition yields neither true nor false")

// Holds evaluates the condition. An error says that it cannot be told, such as
// a missing key of a map, a division by zero or the cost limit.
func (c *Condition) Holds(values Values) (bool, error) {
	out, _, err := c.program.Eval(values)
	if err != nil {
		return false, err
	}
	holds, ok := out.Value().(bool)
	if !ok {
		return false, errType
	}
	return holds, nil
}
