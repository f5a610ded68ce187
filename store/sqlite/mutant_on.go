//go:build mutant

package sqlite

import (
	"os"
	"time"
)

var planted = os.Getenv("OUTLAST_MUTANT")

// mutant reports whether a planted defect is switched on by OUTLAST_MUTANT.
func mutant(name string) bool { return planted == name }

// mutantEarlyAnswer answers operations before their commit, which it delays.
func mutantEarlyAnswer(ops []*operation) {
	delay := time.Duration(0)
	for _, op := range ops {
		switch {
		case op.kind == "enqueue" && mutant("ack_before_commit"):
			delay = 50 * time.Millisecond
			close(op.done)
		case op.kind == "claim" && mutant("handout_before_commit"):
			delay = max(delay, 5*time.Millisecond)
			close(op.done)
		}
	}
	time.Sleep(delay)
}
