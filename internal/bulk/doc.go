// Package bulk does to many tasks what an operator does to one: cancels them, lets
// them run at once, or moves their next run. Few named tasks are done at once; more,
// or those that match a filter, by an operation that outlives its node.
package bulk
