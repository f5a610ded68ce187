package retry

import "time"

// AttemptEvent is an attempt that has ended.
type AttemptEvent struct {
	Target  string // "" without one
	Number  int    // from 1
	Hedge   bool
	Took    time.Duration
	Err     error // nil for a success
	Verdict Verdict
}

// WaitEvent is a wait before a retry.
type WaitEvent struct {
	Target string
	Number int // of the attempt that failed
	Delay  time.Duration
	Rule   string // see [Decision.Rule]
}

// EndEvent is the end of an operation.
type EndEvent struct {
	Target   string
	Attempts int
	Elapsed  time.Duration
	Err      *Error // nil for a success
}

// HedgeConfig starts a second attempt beside a slow first one. Only operations
// that are declared [Idempotent] are hedged.
type HedgeConfig struct {
	// After is how long to wait before a hedge. With Quantile above 0 it is that
	// quantile of the recent lengths of successful attempts, and After until
	// enough are known.
	After    time.Duration
	Quantile float64
	// Most is how many hedges one attempt may have. Default 1, at most 4.
	Most int
}

// Hedge turns hedging on. Each hedge takes one token of the budget; without
// tokens there is none.
func Hedge(c HedgeConfig) Option { return runOption(func(r *running) { r.hedge = c }) }
