package lanemodel

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain lets garbage grow: worlds are small, and each statement has a snapshot.
func TestMain(m *testing.M) {
	debug.SetGCPercent(800)
	os.Exit(m.Run())
}
