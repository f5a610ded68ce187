package server

import (
	"context"
	"net/http"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/schedule"
	"github.com/outlast-dev/outlast/task"
	"github.com/outlast-dev/outlast/token"
)

// maxScheduleBody is more than the store keeps of a schedule.
const maxScheduleBody = 128 << 10

type scheduleName struct {
	Name string `path:"name" doc:"Name of the schedule."`
}

type scheduleInput struct {
	scheduleName
	Body client.ScheduleRule
}

type triggerInput struct {
	scheduleName
	Body client.Trigger `optional:"true"`
}

type nextInput struct {
	scheduleName
	N *int `query:"n" doc:"How many, 1 to 100; 5 when absent."`
}

type planTicksInput struct {
	N    *int `query:"n" doc:"How many, 1 to 100; 5 when absent."`
	Body client.ScheduleRule
}

func (s *Server) addSchedules() {
	handle(s, route{
		method: "GET", path: "/v1/schedules", id: "list-schedules", needs: token.View, scope: whole, tag: "schedules", answers: []int{200}, summary: "List schedules by name",
	}, s.listSchedules)
	handle(s, route{
		method: "GET", path: "/v1/schedules/{name}", id: "get-schedule", needs: token.View, scope: whole, tag: "schedules", answers: []int{200}, summary: "Get a schedule",
		errors: []task.Code{task.CodeNotFound},
	}, func(ctx context.Context, in *scheduleName) (answer[client.Schedule], error) {
		return wireSchedule(s.inspect.Schedules.Get(ctx, in.Name))
	})
	handle(s, route{
		method: "PUT", path: "/v1/schedules/{name}", id: "put-schedule", needs: token.Administer, scope: whole, tag: "schedules", answers: []int{200, 201}, limit: maxScheduleBody,
		summary: "Create a schedule (201), or change one (200)", errors: []task.Code{task.CodeManagedByFile},
		about: "The body is the whole rule: what is absent takes its default. Its ticks are those after this call; a tick of the rule before that is due " +
			"already stays. Pause, counters and last task are kept.",
	}, func(ctx context.Context, in *scheduleInput) (answer[client.Schedule], error) {
		return wireSchedule(s.inspect.Schedules.Put(ctx, scheduleOf(in.Name, &in.Body)))
	})
	handle(s, route{
		method: "DELETE", path: "/v1/schedules/{name}", id: "delete-schedule", needs: token.Administer, scope: whole, tag: "schedules", answers: []int{200},
		summary: "Delete a schedule; tasks that it has enqueued stay", errors: []task.Code{task.CodeNotFound, task.CodeManagedByFile},
	}, func(ctx context.Context, in *scheduleName) (answer[client.Schedule], error) {
		return wireSchedule(s.inspect.Schedules.Delete(ctx, in.Name))
	})
	handle(s, route{
		method: "GET", path: "/v1/schedules/{name}/next", id: "next-ticks", needs: token.View, scope: whole, tag: "schedules", answers: []int{200},
		summary: "The next ticks of a schedule", about: "Of a paused one, those that it would have if it were resumed.", errors: []task.Code{task.CodeNotFound},
	}, s.nextTicks)
	handle(s, route{
		method: "POST", path: "/v1/schedules/next", id: "plan-ticks", needs: token.View, scope: whole, tag: "schedules", answers: []int{200}, limit: maxScheduleBody,
		summary: "The next ticks that a rule would have", about: "It is checked as if it were put, and nothing is kept of it.",
	}, func(ctx context.Context, in *planTicksInput) (answer[client.Ticks], error) {
		return wireTicks(s.inspect.Schedules.PlanTicks(ctx, scheduleOf("planned", &in.Body), ticksOr(in.N)))
	})
	handle(s, route{
		method: "POST", path: "/v1/schedules/{name}/trigger", id: "trigger-schedule", needs: token.Operate, scope: whole, tag: "schedules", answers: []int{201, 200},
		summary: "Enqueue the task of a schedule now (201)", errors: []task.Code{task.CodeNotFound, task.CodeQueueFull},
		about: "Also while it is paused, and whatever its overlap rule says. With the id of a task that was triggered before it answers with that (200).",
	}, s.triggerSchedule)
	for _, verb := range []string{"pause", "resume"} { // in this order in every document
		paused := verb == "pause"
		handle(s, route{
			method: "POST", path: "/v1/schedules/{name}/" + verb, id: verb + "-schedule", needs: token.Operate, scope: whole, tag: "schedules", answers: []int{200},
			summary: map[bool]string{true: "Pause a schedule", false: "Resume a schedule; the ticks of its pause are left out"}[paused],
			errors:  []task.Code{task.CodeNotFound},
		}, func(ctx context.Context, in *scheduleName) (answer[client.Schedule], error) {
			return wireSchedule(s.inspect.Schedules.Pause(ctx, in.Name, paused))
		})
	}
}

func (s *Server) listSchedules(ctx context.Context, _ *none) (answer[client.Schedules], error) {
	views, err := s.inspect.Schedules.List(ctx)
	if err != nil {
		return fail[client.Schedules](err)
	}
	out := client.Schedules{Schedules: make([]client.Schedule, len(views))}
	for i, view := range views {
		out.Schedules[i] = scheduleView(view)
	}
	return ok(out)
}

func (s *Server) nextTicks(ctx context.Context, in *nextInput) (answer[client.Ticks], error) {
	return wireTicks(s.inspect.Schedules.NextTicks(ctx, in.Name, ticksOr(in.N)))
}

func ticksOr(n *int) int {
	if n == nil {
		return 5
	}
	return *n
}

func wireTicks(ticks []time.Time, err error) (answer[client.Ticks], error) {
	if err != nil {
		return fail[client.Ticks](err)
	}
	out := client.Ticks{Next: make([]client.Time, len(ticks))}
	for i, tick := range ticks {
		out.Next[i] = wireTime(tick)
	}
	return ok(out)
}

func (s *Server) triggerSchedule(ctx context.Context, in *triggerInput) (answer[client.Task], error) {
	made, existing, err := s.inspect.Schedules.Trigger(ctx, in.Name, in.Body.ID)
	if err != nil {
		return fail[client.Task](err)
	}
	views, err := s.inspect.Tasks.View(ctx, made)
	if err != nil {
		return fail[client.Task](err)
	}
	body := wireTask(views[0])
	out := answer[client.Task]{Status: http.StatusCreated, Location: "/v1/tasks/" + body.ID.String(), Body: &body}
	if existing {
		out.Status = http.StatusOK
	}
	return out, nil
}

func scheduleOf(name string, r *client.ScheduleRule) schedule.Schedule {
	t := &r.Task
	return schedule.Schedule{
		Name: name, Cron: r.Cron, Zone: r.Zone, Every: time.Duration(r.Every), Start: r.Start.Time, At: r.At.Time,
		Misfire: schedule.Misfire(r.Misfire), Window: time.Duration(r.Window), Overlap: schedule.Overlap(r.Overlap),
		Task: schedule.Task{
			Type: t.Type, Queue: t.Queue, Payload: t.Payload, Priority: t.Priority, Key: t.Key, Policy: t.Policy, Retry: t.Retry,
			MaxAttempts: t.MaxAttempts, Timeout: time.Duration(t.Timeout), TTL: time.Duration(t.TTL), Metadata: t.Metadata,
			Target: requestOf(t.Target), Fallback: followOf(t.Fallback), OnSuccess: followOf(t.OnSuccess), OnDead: followOf(t.OnDead),
		},
	}
}

// wireSchedule answers with a schedule.
func wireSchedule(view *schedule.View, err error) (answer[client.Schedule], error) {
	if err != nil {
		return fail[client.Schedule](err)
	}
	body := scheduleView(view)
	out := answer[client.Schedule]{Body: &body}
	if view.Created {
		out.Status, out.Location = http.StatusCreated, "/v1/schedules/"+view.Name
	}
	return out, nil
}

func scheduleView(v *schedule.View) client.Schedule {
	t := &v.Task
	out := client.Schedule{
		Name: v.Name,
		ScheduleRule: client.ScheduleRule{
			Cron: v.Cron, Zone: v.Zone, Every: client.Duration(v.Every), Start: wireTime(v.Start), At: wireTime(v.At), Misfire: string(v.Misfire),
			Window: client.Duration(v.Window), Overlap: string(v.Overlap),
			Task: client.ScheduledTask{
				Type: t.Type, Queue: t.Queue, Payload: t.Payload, Priority: t.Priority, Key: t.Key, Policy: t.Policy, Retry: client.PlainJSON(t.Retry),
				MaxAttempts: t.MaxAttempts, Timeout: client.Duration(t.Timeout), TTL: client.Duration(t.TTL), Metadata: t.Metadata,
				Target: targetOf(t.Target), Fallback: wireFollow(t.Fallback), OnSuccess: wireFollow(t.OnSuccess), OnDead: wireFollow(t.OnDead),
			},
		},
		Paused: v.Paused, Last: wireTime(v.Last), LastTask: v.LastTask, Waiting: len(v.Waiting), Fired: v.Fired, Missed: v.Missed,
		Skipped: v.Skipped, Managed: v.Managed, Version: v.Version, UpdatedAt: wireTime(v.UpdatedAt),
	}
	if !v.Paused {
		out.Next = wireTime(v.Next)
	}
	return out
}
