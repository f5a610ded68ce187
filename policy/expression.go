package policy

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/interpreter"

	"github.com/outlast-dev/outlast/internal/hints"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

// Limits of expressions: bytes of text, and cost in the units of CEL, which are
// about the steps of an evaluation. What cannot be shown to stay below the first
// cost is refused when it is written; the second stops an evaluation.
const (
	MaxExpression = 2 << 10
	maxStaticCost = 1_000_000
	maxCost       = 100_000
)

// Variable is a name that the expressions of rules can use.
type Variable struct {
	Name string
	Type string // string or int
	Doc  string
	of   func(f *retry.Failure) any
}

var variables = []Variable{
	{"category", "string", "category of the failure, such as timeout", func(f *retry.Failure) any { return string(f.Verdict.Category) }},
	{"effect", "string", "whether the call has had an effect: not_sent, maybe or done", func(f *retry.Failure) any { return string(f.Verdict.Effect) }},
	{"status", "int", "HTTP status, 0 if the failure has none", func(f *retry.Failure) any { return status(f.Verdict.Code) }},
	{"code", "string", "HTTP status, SQLSTATE, errno name or the like, empty for none", func(f *retry.Failure) any { return f.Verdict.Code }},
	{"type", "string", "class of the error, such as *net.OpError", func(f *retry.Failure) any { return f.Verdict.Type }},
	{"message", "string", "text of the error, at most 16 KiB", func(f *retry.Failure) any { return message(f.Err) }},
	{"attempt", "int", "number of the attempt that failed, from 1", func(f *retry.Failure) any { return int64(f.Attempt) }},
}

// Variables lists what the expressions of rules can use. Callers must not change
// it.
func Variables() []Variable { return variables }

var variableNames = func() (names []string) {
	for i := range variables {
		names = append(names, variables[i].Name)
	}
	return names
}()

func init() { retry.RegisterConditions(Compile) }

// container holds the variables, since CEL has an identifier "type" of its own,
// which names in a container go before.
const container = "failure"

// environment is made at the first use: it costs some milliseconds.
var environment = sync.OnceValues(func() (*cel.Env, error) {
	types := map[string]*cel.Type{"string": cel.StringType, "int": cel.IntType}
	options := []cel.EnvOption{
		cel.Container(container), cel.CrossTypeNumericComparisons(true), cel.ClearMacros(),
		cel.ParserRecursionLimit(64), cel.ParserExpressionSizeLimit(MaxExpression),
	}
	for i := range variables {
		options = append(options, cel.Variable(container+"."+variables[i].Name, types[variables[i].Type]))
	}
	return cel.NewEnv(options...)
})

// expression is a compiled condition.
type expression struct {
	text    string
	program cel.Program
}

// Compile reads a condition in CEL over [Variables]. There are no comprehensions,
// so its cost is bounded by the sizes of the texts. The error is a
// [retry.FieldError] without a field.
func Compile(text string) (retry.Condition, error) {
	if known, ok := compiled.find(text); ok {
		return known, nil
	}
	made, err := compile(text)
	if err != nil {
		return nil, err
	}
	compiled.keep(text, made)
	return made, nil
}

// compiled keeps expressions, since callers with inline policies send the same ones
// again and again, and to compile one takes most of a millisecond.
var compiled cache

// mostCompiled bounds the cache: when there are more, it starts over.
const mostCompiled = 1024

type cache struct {
	mu    sync.RWMutex
	known map[string]*expression
}

func (c *cache) find(text string) (*expression, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	known, ok := c.known[text]
	return known, ok
}

func (c *cache) keep(text string, made *expression) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil || len(c.known) >= mostCompiled {
		c.known = make(map[string]*expression)
	}
	c.known[text] = made
}

func compile(text string) (*expression, error) {
	if len(text) > MaxExpression {
		return nil, &retry.FieldError{Message: fmt.Sprintf("has %d bytes; %d are the limit", len(text), MaxExpression), Hint: "use several rules"}
	}
	env, err := environment()
	if err != nil {
		return nil, err
	}
	ast, issues := env.Compile(text)
	if issues.Err() != nil {
		return nil, mistake(issues)
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
	return &expression{text, program}, nil
}

// String implements [retry.Condition].
func (e *expression) String() string { return e.text }

// Holds implements [retry.Condition].
func (e *expression) Holds(f retry.Failure) bool {
	out, _, err := e.program.Eval(failure{&f})
	if err != nil {
		return false
	}
	holds, _ := out.Value().(bool)
	return holds
}

// failure shows a failure to an expression, which reads only what it names.
type failure struct{ *retry.Failure }

// ResolveName implements [interpreter.Activation].
func (f failure) ResolveName(name string) (any, bool) {
	name = strings.TrimPrefix(name, container+".")
	for i := range variables {
		if variables[i].Name == name {
			return variables[i].of(f.Failure), true
		}
	}
	return nil, false
}

// Parent implements [interpreter.Activation].
func (failure) Parent() interpreter.Activation { return nil }

// status is a code that is an HTTP status, else 0.
func status(code string) int64 {
	if len(code) != 3 {
		return 0
	}
	number, err := strconv.ParseInt(code, 10, 64)
	if err != nil || number < 100 {
		return 0
	}
	return number
}

func message(err error) string {
	if err == nil {
		return ""
	}
	text := err.Error()
	return strings.ToValidUTF8(text[:min(len(text), task.MaxErrorText)], "\uFFFD")
}

// estimator says how long the texts of failures can be.
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

// mistake is the first problem that the compiler found, and what is possible.
func mistake(issues *cel.Issues) error {
	found := issues.Errors()[0]
	text := task.Quote(strings.TrimSuffix(strings.Join(strings.Fields(found.Message), " "), " (in container '"+container+"')"))
	wrong := &retry.FieldError{
		Message: fmt.Sprintf("is no condition: %s at column %d", text[1:len(text)-1], found.Location.Column()+1),
		Hint:    `a list of categories, or CEL such as category == "timeout" && attempt < 3`,
	}
	if name := undeclared.FindStringSubmatch(found.Message); name != nil {
		if near := hints.Nearest(name[1], variableNames); near != "" {
			wrong.Hint = "did you mean " + near + "?"
		} else {
			wrong.Hint = "there are " + strings.Join(variableNames, ", ")
		}
	}
	return wrong
}
