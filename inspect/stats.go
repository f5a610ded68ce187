package inspect

import (
	"context"
	"time"
)

// Stats shows how attempts went, and what happened over time.
type Stats interface {
	// Compare compares how attempts went under two releases or two versions of a
	// policy, by type and number of the attempt, over all nodes. Code
	// "invalid" for another question.
	Compare(ctx context.Context, q ComparisonQuestion) ([]Comparison, error)
	// Series tells what happened over time, over all nodes that have told the database,
	// which they do every minute; with a step below a minute what this node remembers of
	// the last hour. Points are kept for two days. Where nobody counted, a point has no
	// nodes. Code "invalid" for another question.
	Series(ctx context.Context, q SeriesQuestion) (*Points, error)
}

// ComparisonQuestion says what is compared.
type ComparisonQuestion struct {
	By   ComparisonBy // ByRelease when empty
	Type string       // of tasks, "" for all
	// From and To name two releases, or policy versions such as payment@3. Without
	// To it is the one that was first seen last, without From the one before To: of
	// versions, of each policy.
	From, To string
}

// ComparisonSide is how attempts went under one release or policy version.
type ComparisonSide struct {
	Name               string
	Since              time.Time // when it was seen first
	Count, Failed      int
	P50, P99           time.Duration // of how long they ran
	DelayP50, DelayP99 time.Duration // of how late they started
}

// Comparison is of the attempts of one number of one type.
type Comparison struct {
	Type     string
	Number   int             // of the attempt; 5 stands for all from the fifth on
	From, To *ComparisonSide // From is nil where there is nothing before
}

// SeriesQuestion says which points are wanted.
type SeriesQuestion struct {
	From, To time.Time     // the hour until now when zero
	Step     time.Duration // whole minutes, or whole tens of seconds below one; chosen when zero
	Queues   []string      // all when empty
}

// Points are the answer, the oldest first.
type Points struct {
	From, To time.Time // whole steps
	Step     time.Duration
	ThisNode bool // they are of the memory of this node alone
	Points   []Point
}

// Point is what happened during one step. Where nobody counted Nodes is 0, and nothing
// else of it means anything.
type Point struct {
	At      time.Time
	Nodes   int           // that counted
	Counted time.Duration // the part of the step in which somebody did

	Succeeded, Dead, Canceled int
	Attempts, Failed, Retries int
	Run, Wait                 Percentiles // of attempts
	// Pending is the backlog as it was counted in the store, Due what of it was due in
	// the memory of nodes, at most in the step; nil where nobody looked.
	Pending, Due *int
	OldestDue    *time.Duration
}

// Percentiles are upper ends of buckets, at most a quarter too high; 0 of nothing.
type Percentiles struct{ P50, P95, P99 time.Duration }

// ComparisonBy is what attempts are told apart by.
type ComparisonBy string

// The two.
const (
	ByRelease       ComparisonBy = "release"
	ByPolicyVersion ComparisonBy = "policy_version"
)
