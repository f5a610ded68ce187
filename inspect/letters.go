package inspect

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Letters shows dead letters, sends them back and deletes them.
type Letters interface {
	// Find is [Tasks.Find] for dead letters.
	Find(ctx context.Context, filter store.Filter, page store.Page) ([]*View, string, error)
	// Stats returns how many dead letters there are, by type, reason and
	// category.
	Stats(ctx context.Context) (*store.DeadStats, error)
	// Groups returns dead letters that match grouped by what went wrong, the
	// largest group first; at most limit groups, 100 if it is 0.
	Groups(ctx context.Context, filter store.Filter, limit int) ([]store.DeadGroup, error)
	// Trends tells when and where the letters of groups died, by fingerprint: of the
	// newest 4 000 letters of those that match, 1 000 with a type or a fingerprint; of 4 000
	// of each queue of a filter that is bound to queues.
	Trends(ctx context.Context, filter store.Filter) (map[string]*Trend, error)
	// Group returns the group of one fingerprint, of the letters that match; code
	// "not_found" where there is none.
	Group(ctx context.Context, fingerprint string, filter store.Filter) (*store.DeadGroup, error)
	// Redrive sends dead letters back to their queues: those of ids at once, with
	// the ids that are none in Missing; those of a filter, and those with a rate, a
	// canary or a bound of failures, by an operation that outlives this node, whose id is
	// returned. A dry run changes nothing, shows what would go first, and
	// warns of what speaks against it.
	Redrive(ctx context.Context, request RedriveRequest) (RedriveResult, error)
	// Purge deletes the dead letters that match, and says how many: those of a filter
	// that are dead by now, or died before its DiedBefore. A dry run only counts.
	Purge(ctx context.Context, filter store.Filter, dryRun bool) (Purged, error)
	// Export calls each for every dead letter that matches, the newest first,
	// whole. An error of each ends it.
	Export(ctx context.Context, filter store.Filter, each func(Letter) error) error
}

// Letter is a dead letter with its attempts, the oldest first, and what is done of it, see
// [Steps.Of].
type Letter struct {
	Task     *task.Task
	Attempts []task.Attempt
	Steps    []task.Step
}

// Purged is what a purge led to.
type Purged struct {
	Matched int // letters deleted; of a dry run those that match
	// DiedBefore is, of a dry run by filter, when it began to count: with it in the
	// filter no letter is meant that dies later.
	DiedBefore time.Time
}

// TrendHours is how many hours a trend has, the current one included.
const TrendHours = 24

// Trend is when, why and where letters died.
type Trend struct {
	Since               time.Time // the beginning of the first hour
	Hours               [TrendHours]int
	Before, Counted     int // letters that died earlier, and all
	ByReason            map[string]int
	ByTarget, ByRelease map[string]int
}
