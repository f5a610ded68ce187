package dead

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/schedules"
	"github.com/outlast-dev/outlast/task"
)

// The values of fields that are zero.
const (
	DefaultRetention     = 30 * 24 * time.Hour
	DefaultDoneRetention = 24 * time.Hour
	DefaultAudit         = 400 * 24 * time.Hour
	DefaultCleanup       = "0 3 * * *"
	DefaultStatsEvery    = 5 * time.Minute
	DefaultBacklog       = 1
)

// Config says how long things are kept and when to look after them. Zero
// fields take the defaults.
type Config struct {
	// Retention is how long dead letters are kept, counted from their death.
	// Default 30 days, at least 1 minute.
	Retention time.Duration
	// DoneRetention is how long succeeded and canceled tasks and histories
	// are kept. Default 24 h, at least 1 minute.
	DoneRetention time.Duration
	// Audit is how long rows of the audit log are kept. Default 400 days, at
	// least 24 h.
	Audit time.Duration
	// Cleanup is a cron expression that says when dead letters and rows of the
	// audit log past their retention are deleted: five fields, or six with
	// seconds first. Default "0 3 * * *".
	Cleanup string
	// Zone is the IANA time zone of Cleanup, "" for UTC.
	Zone string
	// StatsEvery is how often the numbers are logged. Default 5 minutes, at
	// least 1 second.
	StatsEvery time.Duration
	// Archive is given whole letters before the cleanup deletes them; what it
	// returns an error for is not deleted. Letters may come to it more than once:
	// after a crash, or when their deletion failed. Nil for none.
	Archive func(ctx context.Context, letters []inspect.Letter) error
	// Backlog is from how many dead letters on the numbers are logged as a
	// warning. Default 1.
	Backlog int
}

func (c Config) withDefaults() Config {
	if c.Retention == 0 {
		c.Retention = DefaultRetention
	}
	if c.DoneRetention == 0 {
		c.DoneRetention = DefaultDoneRetention
	}
	if c.Audit == 0 {
		c.Audit = DefaultAudit
	}
	if c.Cleanup == "" {
		c.Cleanup = DefaultCleanup
	}
	if c.StatsEvery == 0 {
		c.StatsEvery = DefaultStatsEvery
	}
	if c.Backlog == 0 {
		c.Backlog = DefaultBacklog
	}
	return c
}

// Check returns what is wrong with the fields, with paths as in the
// configuration file, nothing when all is well.
func (c Config) Check() []task.Field {
	c = c.withDefaults()
	var wrong []task.Field
	atLeast := func(path string, value, least time.Duration) {
		if value < least {
			wrong = append(wrong, task.Field{Path: path, Message: value.String() + " is less than " + least.String()})
		}
	}
	atLeast("retention", c.Retention, time.Minute)
	atLeast("done_retention", c.DoneRetention, time.Minute)
	atLeast("audit", c.Audit, 24*time.Hour)
	atLeast("stats_every", c.StatsEvery, time.Second)
	if c.Backlog < 1 {
		wrong = append(wrong, task.Field{Path: "backlog", Message: "is less than 1"})
	}
	path, err := "cleanup", error(nil)
	if _, zoneErr := schedules.Zone(c.Zone); zoneErr != nil {
		path, err = "zone", zoneErr
	} else {
		_, err = schedules.Cron(c.Cleanup, c.Zone, leastCleanup)
	}
	if err != nil {
		wrong = append(wrong, task.Field{Path: path, Message: err.Error()})
	}
	return wrong
}
