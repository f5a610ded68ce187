// Package cel makes conditions possible: those of policies (rules whose "when" is an
// expression), of alerts (AlertWhen, rules with "when") and of answers (an HTTP task's
// "success"). They are written in CEL, the language of https://cel.dev. A program that
// reads conditions imports this package for its effect:
//
//	import _ "github.com/outlast-dev/outlast/cel"
//
// The server does. Without it a program is some megabytes lighter, refuses conditions
// with a hint, and tells of dead letters by the built-in rules of alerts all the same.
// Where some program of a cluster has conditions, all should import it: docs/reference/policies.md
// says what the others do instead.
//
// A condition is a stranger's program, so it is bounded:
//
//   - its text has at most 2 KiB and is nested at most [maxDepth] deep;
//   - the only macro is has, so there are no loops;
//   - what may cost more than [maxStaticCost], assuming that texts, lists and maps
//     are as large as they can be, is refused when it is compiled;
//   - its regular expressions are literals and have at most [maxSteps];
//   - an evaluation that costs more than [maxCost] is stopped.
//
// Costs are in CEL's units, which are about the steps of an evaluation.
//
// Stability: stable; it has no names.
package cel

import (
	"errors"
	"fmt"
	"strings"

	"github.com/google/cel-go/cel"

	"github.com/outlast-dev/outlast/internal/expr"
	"github.com/outlast-dev/outlast/retry"
)

const (
	maxDepth      = 64
	maxStaticCost = 1_000_000
	maxCost       = 100_000
)

// container is where names are looked for first. CEL has an identifier type of
// its own, which a variable of that name must stand before.
const container = "outlast"

var kinds = map[string]*cel.Type{
	"string": cel.StringType, "int": cel.IntType, "double": cel.DoubleType, "bool": cel.BoolType,
	"duration": cel.DurationType, "map": cel.MapType(cel.StringType, cel.DynType), "any": cel.DynType,
}

func init() { expr.Use(compiler) }

// dialect is CEL over the variables of one language.
type dialect struct {
	*expr.Language
	env *cel.Env
}

func compiler(l *expr.Language) (expr.Compiler, error) {
	options := []cel.EnvOption{
		cel.Container(container), cel.CrossTypeNumericComparisons(true), cel.ClearMacros(), cel.Macros(cel.HasMacro),
		cel.ParserRecursionLimit(maxDepth), cel.ParserExpressionSizeLimit(expr.MaxText),
	}
	for _, v := range l.Variables {
		options = append(options, cel.Variable(container+"."+v.Name, kinds[v.Type]))
	}
	env, err := cel.NewEnv(options...)
	if err != nil {
		return nil, err
	}
	return (&dialect{l, env}).compile, nil
}

func (d *dialect) compile(text string) (made expr.Program, err error) {
	if len(text) > expr.MaxText {
		return made, &retry.FieldError{Message: fmt.Sprintf("has %d bytes; the limit is %d", len(text), expr.MaxText), Hint: "make it shorter, or use several"}
	}
	ast, issues := d.env.Compile(text)
	if issues.Err() != nil {
		return made, d.mistake(text, issues)
	}
	if kind := ast.OutputType(); kind != cel.BoolType && kind != cel.DynType {
		return made, &retry.FieldError{Message: "is not a condition: it yields " + kind.String(), Hint: "compare with something, such as attempt > 3"}
	}
	steps, err := patterns(ast)
	if err != nil {
		return made, err
	}
	cost, err := d.env.EstimateCost(ast, estimator{uint64(d.Bound())})
	if err != nil || cost.Max > maxStaticCost {
		return made, &retry.FieldError{Message: "may take too long to evaluate", Hint: "make it shorter"}
	}
	program, err := d.env.Program(ast, cel.CostLimit(maxCost), cel.CostTracking(meter{}), cel.EvalOptions(cel.OptOptimize))
	if err != nil {
		return made, &retry.FieldError{Message: err.Error()}
	}
	holds := func(values expr.Values) (bool, error) { return evaluate(program, values) }
	return expr.Program{Holds: holds, Weight: weightOf(text, steps)}, nil
}

// weightOf is about what a condition keeps at most, as measured: 4 KiB, 64 bytes for
// each of its text, and 800 for each step of its regular expressions.
func weightOf(text string, steps int) int { return 4<<10 + 64*len(text) + 800*steps }

// activation is the values as CEL asks for them.
type activation expr.Values

// ResolveName implements [cel.Activation].
func (a activation) ResolveName(name string) (any, bool) {
	return a(strings.TrimPrefix(name, container+"."))
}

// Parent implements [cel.Activation].
func (activation) Parent() cel.Activation { return nil }

// errType is the error of a condition that yields no truth value.
var errType = errors.New("the condition yields neither true nor false")

func evaluate(program cel.Program, values expr.Values) (bool, error) {
	out, _, err := program.Eval(activation(values))
	if err != nil {
		return false, err
	}
	holds, ok := out.Value().(bool)
	if !ok {
		return false, errType
	}
	return holds, nil
}
