package storetest_test

import (
	"testing"

	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/store/storetest"
)

// The reference agrees with itself: the machine leaves out all that comes
// from the clock.
func TestModelOfItself(t *testing.T) {
	storetest.RunModel(t, memory.New(), memory.New())
}
