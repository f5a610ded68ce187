package cel

import (
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// estimator says how large values from outside can be, and what it may cost to
// compare lists and maps, which CEL takes for flat.
type estimator struct{ size uint64 }

// EstimateSize implements [checker.CostEstimator].
func (e estimator) EstimateSize(checker.AstNode) *checker.SizeEstimate {
	return &checker.SizeEstimate{Min: 0, Max: e.size}
}

// EstimateCallCost implements [checker.CostEstimator].
func (e estimator) EstimateCallCost(function, _ string, _ *checker.AstNode, args []checker.AstNode) *checker.CallEstimate {
	if len(args) != 2 {
		return nil
	}
	var parts uint64
	switch {
	case function == operators.In:
		parts = partsOf(args[1].Expr())
	case isEquality(function) && canNest(args[0].Type()) && canNest(args[1].Type()):
		parts = min(partsOf(args[0].Expr()), partsOf(args[1].Expr()))
	default:
		return nil
	}
	return &checker.CallEstimate{CostEstimate: checker.CostEstimate{Min: 1, Max: 1 + parts*e.size}}
}

// partsOf is how many values of the largest size one can be made of. Each look at an
// entry of joined lists goes through all that are joined, and asks each for its size.
func partsOf(e ast.Expr) uint64 {
	var values, joins uint64
	ast.PostOrderVisit(e, ast.NewExprVisitor(func(e ast.Expr) {
		switch {
		case e.Kind() == ast.IdentKind:
			values++
		case e.Kind() == ast.CallKind && e.AsCall().FunctionName() == operators.Add:
			joins++
		}
	}))
	return values * (1 + joins) * (1 + joins)
}

func isEquality(function string) bool {
	return function == operators.Equals || function == operators.NotEquals
}

// canNest reports whether values of a type can have others in them.
func canNest(t *types.Type) bool {
	switch t.Kind() {
	case types.ListKind, types.MapKind, types.DynKind, types.AnyKind:
		return true
	}
	return false
}

// meter counts what comparing lists and maps did cost.
type meter struct{}

// CallCost implements the actual costs of CEL.
func (meter) CallCost(function, _ string, args []ref.Val, _ ref.Val) *uint64 {
	if len(args) != 2 {
		return nil
	}
	cost := uint64(1)
	switch list, isList := args[1].(traits.Lister); {
	case function == operators.In && isList && nests(args[0]):
		cost += weigh(list, maxCost)
	case function == operators.In && isList:
		cost += uint64(list.Size().(types.Int))
	case function == operators.In:
	case isEquality(function) && nests(args[0]) && nests(args[1]):
		cost += weigh(args[0], maxCost)
	default:
		return nil
	}
	return &cost
}

func nests(v ref.Val) bool {
	switch v.(type) {
	case traits.Lister, traits.Mapper:
		return true
	}
	return false
}

// weigh counts the values in one, itself included, up to a limit.
func weigh(v ref.Val, limit uint64) uint64 {
	from, nested := v.(traits.Iterable)
	if !nested || !nests(v) {
		return 1
	}
	entries, isMap := v.(traits.Mapper)
	total := uint64(1)
	for it := from.Iterator(); it.HasNext() == types.True && total < limit; {
		entry := it.Next()
		if isMap {
			entry = entries.Get(entry)
		}
		total += weigh(entry, limit-total)
	}
	return total
}
