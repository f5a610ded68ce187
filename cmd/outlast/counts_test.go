package main

import (
	"strings"
	"testing"

	"github.com/outlast-dev/outlast/client"
)

// Numbers that were counted to a bound say so.
func TestCountsThatMayBeLarger(t *testing.T) {
	var text strings.Builder
	queueRows([]client.Queue{{Name: "q", Counts: &client.QueueCounts{Pending: 10_000, Parked: 7, Running: 9_999, Dead: 10_000}}})(&text)
	if !strings.Contains(text.String(), "10000+\t7\t9999\t10000+") {
		t.Errorf("%s", text.String())
	}
}

// Numbers say so where the doctor has looked at the newest tasks only.
func TestNumbersThatMayBeLarger(t *testing.T) {
	if got := counted(map[string]int{"a": 1, "b": 499}, true); got != "a (at least 1 task), b (at least 499 tasks)" {
		t.Error(got)
	}
	if got := counted(map[string]int{"a": 2}, false); got != "a (2 tasks)" {
		t.Error(got)
	}
}
