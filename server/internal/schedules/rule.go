package schedules

import (
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/wire"
)

func scheduleOf(name string, r *client.ScheduleRule) inspect.Schedule {
	t := &r.Task
	return inspect.Schedule{
		Name: name, Cron: r.Cron, Zone: r.Zone, Every: time.Duration(r.Every), Start: r.Start.Time, At: r.At.Time,
		Misfire: inspect.Misfire(r.Misfire), Window: time.Duration(r.Window), Overlap: inspect.Overlap(r.Overlap),
		Task: inspect.ScheduledTask{
			Type: t.Type, Queue: t.Queue, Payload: t.Payload, Priority: t.Priority, Key: t.Key, ShareKey: t.ShareKey, Policy: t.Policy, Retry: t.Retry,
			MaxAttempts: t.MaxAttempts, Timeout: time.Duration(t.Timeout), TTL: time.Duration(t.TTL), Metadata: t.Metadata,
			Target: wire.RequestOf(t.Target), Fallback: wire.FollowOf(t.Fallback), OnSuccess: wire.FollowOf(t.OnSuccess), OnDead: wire.FollowOf(t.OnDead),
		},
	}
}

func scheduleView(v *inspect.ScheduleView) client.Schedule {
	t := &v.Task
	out := client.Schedule{
		Name: v.Name,
		ScheduleRule: client.ScheduleRule{
			Cron: v.Cron, Zone: v.Zone, Every: client.Duration(v.Every), Start: wire.Time(v.Start), At: wire.Time(v.At), Misfire: string(v.Misfire),
			Window: client.Duration(v.Window), Overlap: string(v.Overlap),
			Task: client.ScheduledTask{
				Type: t.Type, Queue: t.Queue, Payload: t.Payload, Priority: t.Priority, Key: t.Key, ShareKey: t.ShareKey, Policy: t.Policy, Retry: client.PlainJSON(t.Retry),
				MaxAttempts: t.MaxAttempts, Timeout: client.Duration(t.Timeout), TTL: client.Duration(t.TTL), Metadata: t.Metadata,
				Target: wire.Target(t.Target), Fallback: wire.Follow(t.Fallback), OnSuccess: wire.Follow(t.OnSuccess), OnDead: wire.Follow(t.OnDead),
			},
		},
		Paused: v.Paused, Last: wire.Time(v.Last), LastTask: v.LastTask, Waiting: len(v.Waiting), Fired: v.Fired, Missed: v.Missed,
		Skipped: v.Skipped, Managed: v.Managed, Version: v.Version, UpdatedAt: wire.Time(v.UpdatedAt),
	}
	if !v.Paused {
		out.Next = wire.Time(v.Next)
	}
	return out
}
