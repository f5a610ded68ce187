package cel

import (
	"regexp/syntax"
	"strconv"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/overloads"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

// maxSteps bounds the regular expressions of a condition together. A step is about
// one instruction of the program that package regexp makes of them, so it bounds
// what they keep and what they do for each byte of a text: x{900} has 901.
const maxSteps = 1000

// patterns adds up the steps of all regular expressions of a condition. They must be
// literals: one that comes with the values would be compiled at each evaluation.
func patterns(checked *cel.Ast) (total int, err error) {
	root := ast.NavigateAST(checked.NativeRep())
	for _, call := range ast.MatchDescendants(root, ast.FunctionMatcher(overloads.Matches)) {
		args := call.AsCall().Args()
		pattern, literal := literalText(args[len(args)-1])
		if !literal {
			return 0, &retry.FieldError{Message: "has a pattern that is no literal", Hint: `write the pattern itself, such as matches("dead.*lock")`}
		}
		parsed, err := syntax.Parse(pattern, syntax.Perl)
		if err != nil {
			return 0, &retry.FieldError{Message: "has a pattern that is no regular expression: " + task.Quote(err.Error()), Hint: "write it in the syntax of RE2"}
		}
		if total += steps(parsed, 1); total > maxSteps {
			return 0, &retry.FieldError{Message: "has patterns of more than " + strconv.Itoa(maxSteps) + " steps", Hint: "repeat less in them: x{900} has 901 steps"}
		}
	}
	return total, nil
}

func literalText(e ast.Expr) (text string, ok bool) {
	if e.Kind() == ast.LiteralKind {
		text, ok = e.AsLiteral().Value().(string)
	}
	return text, ok
}

// steps are those of an expression that is repeated. Package regexp writes repeats
// out, and keeps the ranges of a class for each.
func steps(re *syntax.Regexp, times int) int {
	own := times
	switch re.Op {
	case syntax.OpLiteral:
		own = times * len(re.Rune)
	case syntax.OpCharClass:
		own = times * (1 + len(re.Rune)/128)
	case syntax.OpRepeat:
		times *= max(re.Min, re.Max, 1)
	}
	for _, sub := range re.Sub {
		own += steps(sub, times)
	}
	return own
}
