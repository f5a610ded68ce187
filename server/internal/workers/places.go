package workers

import (
	"slices"

	"github.com/outlast-dev/outlast/task"
)

func idsOf[T any](items []T, id func(*T) task.ID) []task.ID {
	ids := make([]task.ID, len(items))
	for i := range items {
		ids[i] = id(&items[i])
	}
	return ids
}

// only returns the items at the places that are true.
func only[T any](items []T, own []bool) []T {
	if !slices.Contains(own, false) {
		return items
	}
	var chosen []T
	for i := range items {
		if own[i] {
			chosen = append(chosen, items[i])
		}
	}
	return chosen
}

// spread puts the results of [only] back in their places, and other in between.
func spread[T any](results []T, own []bool, other T) []T {
	if len(results) == len(own) {
		return results
	}
	all := make([]T, len(own))
	for i := range all {
		if all[i] = other; own[i] {
			all[i], results = results[0], results[1:]
		}
	}
	return all
}
