package server

import (
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/server/internal/route"
	"github.com/outlast-dev/outlast/server/internal/scope"
)

// Rule is who may call a route.
type Rule struct {
	Method, Path string
	ID           string // of the operation in the OpenAPI document
	Permission   inspect.Permission
	Queues       string // what it is to a token for certain queues
}

// rulesOf are those of one route.
func rulesOf(r *route.Route) []Rule {
	rules := []Rule{{r.Method, r.Path, r.ID, r.Needs, string(r.Scope)}}
	if r.Verbose != "" {
		rules = append(rules, Rule{r.Method, r.Path + "?verbose", r.ID, r.Verbose, string(scope.Whole)})
	}
	return rules
}
