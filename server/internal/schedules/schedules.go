// Package schedules is the calls about schedules and their ticks.
package schedules

import (
	"context"
	"net/http"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/wire"
	"github.com/outlast-dev/outlast/server/internal/route"
	"github.com/outlast-dev/outlast/server/internal/scope"
	"github.com/outlast-dev/outlast/task"
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

type calls struct {
	schedules inspect.Schedules
	tasks     inspect.Tasks
}

// Add adds the calls about schedules.
func Add(to *route.Table, schedules inspect.Schedules, tasks inspect.Tasks) {
	c := &calls{schedules, tasks}
	route.Handle(to, route.Route{
		Method: "GET", Path: "/v1/schedules", ID: "list-schedules", Needs: inspect.PermissionView, Scope: scope.Whole, Tag: "schedules", Summary: "List schedules by name", About: "With the next tick of each, and what has become of the ones before.",
	}, c.list)
	route.Handle(to, route.Route{
		Method: "GET", Path: "/v1/schedules/{name}", ID: "get-schedule", Needs: inspect.PermissionView, Scope: scope.Whole, Tag: "schedules", Summary: "Get a schedule", About: "With its next tick, and what has become of the ones before.",
		Errors: []task.Code{task.CodeNotFound},
	}, func(ctx context.Context, in *scheduleName) (*route.Answer[client.Schedule], error) {
		return wireSchedule(c.schedules.Get(ctx, in.Name))
	})
	route.Handle(to, route.Route{
		Method: "PUT", Path: "/v1/schedules/{name}", ID: "put-schedule", Needs: inspect.PermissionAdminister, Scope: scope.Whole, Tag: "schedules", Answers: []int{200, 201}, Limit: maxScheduleBody,
		Summary: "Create a schedule (201), or change one (200)", Errors: []task.Code{task.CodeConflict, task.CodeManagedByFile},
		About: "The body is the whole rule: what is absent takes its default. Its ticks are those after this call; a tick of the rule before that is due " +
			"already stays. Pause, counters and last task are kept.",
	}, func(ctx context.Context, in *scheduleInput) (*route.Answer[client.Schedule], error) {
		return wireSchedule(c.schedules.Put(ctx, scheduleOf(in.Name, &in.Body)))
	})
	route.Handle(to, route.Route{
		Method: "DELETE", Path: "/v1/schedules/{name}", ID: "delete-schedule", Needs: inspect.PermissionAdminister, Scope: scope.Whole, Tag: "schedules",
		Summary: "Delete a schedule but keep the tasks that it has enqueued", About: "The answer is the schedule as it was.", Errors: []task.Code{task.CodeNotFound, task.CodeConflict, task.CodeManagedByFile},
	}, func(ctx context.Context, in *scheduleName) (*route.Answer[client.Schedule], error) {
		return wireSchedule(c.schedules.Delete(ctx, in.Name))
	})
	route.Handle(to, route.Route{
		Method: "GET", Path: "/v1/schedules/{name}/next", ID: "next-ticks", Needs: inspect.PermissionView, Scope: scope.Whole, Tag: "schedules",
		Summary: "Get the next ticks of a schedule", About: "For a paused schedule, those that it would have if resumed.", Errors: []task.Code{task.CodeNotFound},
	}, c.next)
	route.Handle(to, route.Route{
		Method: "POST", Path: "/v1/schedules/next", ID: "plan-ticks", Needs: inspect.PermissionView, Scope: scope.Whole, Tag: "schedules", Limit: maxScheduleBody,
		Summary: "Get the next ticks that a rule would have", About: "The rule is checked as if it were put, but not stored.",
	}, func(ctx context.Context, in *planTicksInput) (*route.Answer[client.Ticks], error) {
		return wireTicks(c.schedules.PlanTicks(ctx, scheduleOf("planned", &in.Body), ticksOr(in.N)))
	})
	route.Handle(to, route.Route{
		Method: "POST", Path: "/v1/schedules/{name}/trigger", ID: "trigger-schedule", Needs: inspect.PermissionOperate, Scope: scope.Whole, Tag: "schedules", Answers: []int{201, 200},
		Summary: "Enqueue the task of a schedule now (201)", Errors: []task.Code{task.CodeNotFound, task.CodeQueueFull},
		About: "Also while it is paused, and whatever its overlap rule says. With the id of a task that was triggered before it answers with that (200).",
	}, c.trigger)
	for _, verb := range []string{"pause", "resume"} { // in this order in every document
		paused := verb == "pause"
		route.Handle(to, route.Route{
			Method: "POST", Path: "/v1/schedules/{name}/" + verb, ID: verb + "-schedule", Needs: inspect.PermissionOperate, Scope: scope.Whole, Tag: "schedules",
			Summary: map[bool]string{true: "Pause a schedule", false: "Resume a schedule; ticks during the pause are skipped"}[paused],
			About:   map[bool]string{true: "Its tasks that are enqueued already stay.", false: "The answer names the next tick."}[paused],
			Errors:  []task.Code{task.CodeNotFound},
		}, func(ctx context.Context, in *scheduleName) (*route.Answer[client.Schedule], error) {
			return wireSchedule(c.schedules.Pause(ctx, in.Name, paused))
		})
	}
}

func (c *calls) list(ctx context.Context, _ *route.None) (*route.Answer[client.Schedules], error) {
	views, err := c.schedules.List(ctx)
	if err != nil {
		return nil, err
	}
	out := client.Schedules{Schedules: make([]client.Schedule, len(views))}
	for i, view := range views {
		out.Schedules[i] = scheduleView(view)
	}
	return route.OK(out)
}

func (c *calls) next(ctx context.Context, in *nextInput) (*route.Answer[client.Ticks], error) {
	return wireTicks(c.schedules.NextTicks(ctx, in.Name, ticksOr(in.N)))
}

func ticksOr(n *int) int {
	if n == nil {
		return 5
	}
	return *n
}

func wireTicks(ticks []time.Time, err error) (*route.Answer[client.Ticks], error) {
	if err != nil {
		return nil, err
	}
	out := client.Ticks{Next: make([]client.Time, len(ticks))}
	for i, tick := range ticks {
		out.Next[i] = wire.Time(tick)
	}
	return route.OK(out)
}

func (c *calls) trigger(ctx context.Context, in *triggerInput) (*route.Answer[client.Task], error) {
	made, existing, err := c.schedules.Trigger(ctx, in.Name, in.Body.ID)
	if err != nil {
		return nil, err
	}
	views, err := c.tasks.View(ctx, made)
	if err != nil {
		return nil, err
	}
	out := &route.Answer[client.Task]{Status: http.StatusCreated, Location: "/v1/tasks/" + views[0].ID.String(), Body: wire.Task(views[0])}
	if existing {
		out.Status = http.StatusOK
	}
	return out, nil
}

// wireSchedule answers with a schedule.
func wireSchedule(view *inspect.ScheduleView, err error) (*route.Answer[client.Schedule], error) {
	if err != nil {
		return nil, err
	}
	out := &route.Answer[client.Schedule]{Body: scheduleView(view)}
	if view.Created {
		out.Status, out.Location = http.StatusCreated, "/v1/schedules/"+view.Name
	}
	return out, nil
}
