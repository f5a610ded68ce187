package inspect

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/task"
)

// Schedules shows schedules, and makes, changes, pauses and triggers them.
type Schedules interface {
	// Put makes a schedule, or changes the one of that name. Its ticks are
	// those after this moment; one of the rule before that is due already stays.
	// Pause, counters and the last task stay as they are. Code "invalid" with fields
	// for what can never fire or be enqueued, such as a single time in the past (but
	// for one that is put again as it stands), "managed_by_file" for a schedule that the
	// configuration file owns, "conflict" for one that the code of a living node names.
	Put(ctx context.Context, s Schedule) (*ScheduleView, error)
	// Delete deletes a schedule and returns it as it was. Tasks that it has
	// enqueued stay. Whose it is, is as for Put.
	Delete(ctx context.Context, name string) (view *ScheduleView, err error)
	// Pause stops a schedule, or lets it go on with the ticks after this
	// moment: those of the pause are left out.
	Pause(ctx context.Context, name string, paused bool) (*ScheduleView, error)
	// Trigger enqueues the task of a schedule now, also while it is paused
	// and whatever its overlap rule says; the run is retried like any other. With
	// an id, a UUID of version 7, a repeat answers with the first task, and says so.
	Trigger(ctx context.Context, name string, id task.ID) (t *task.Task, existing bool, err error)
	// List lists schedules by name.
	List(ctx context.Context) ([]*ScheduleView, error)
	// Get returns one; code "not_found" if there is none.
	Get(ctx context.Context, name string) (*ScheduleView, error)
	// NextTicks returns the next n ticks, 1 to 100, fewer where no more come. A
	// paused schedule has those that it would have if it were resumed.
	NextTicks(ctx context.Context, name string, n int) ([]time.Time, error)
	// Check finds what is wrong with a schedule, all at once: code
	// "invalid" with fields. It stores nothing.
	Check(ctx context.Context, s Schedule) error
	// PlanTicks returns the next n ticks, 1 to 100, that a schedule would have. It stores
	// nothing. Code "invalid" with fields for what [Schedules.Put] would refuse.
	PlanTicks(ctx context.Context, s Schedule, n int) ([]time.Time, error)
}
