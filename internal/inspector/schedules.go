package inspector

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/schedules"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Schedules is [inspect.Schedules].
type Schedules struct{ node *node }

// mostTicks is how many next ticks can be asked for.
const mostTicks = 100

func (ss *Schedules) List(ctx context.Context) ([]*inspect.ScheduleView, error) {
	definitions, err := ss.node.Backend.Objects(ctx, schedules.Kind)
	if err != nil {
		return nil, err
	}
	states, err := ss.node.Backend.Objects(ctx, schedules.StateKind)
	if err != nil {
		return nil, err
	}
	byName := make(map[string]*store.Object, len(states))
	for n := range states {
		byName[states[n].Name] = &states[n]
	}
	views := make([]*inspect.ScheduleView, 0, len(definitions))
	for n := range definitions {
		if definitions[n].Doubt != nil {
			continue // it is not used; [Store.Unproven] has it
		}
		view, err := schedules.NewView(definitions[n], byName[definitions[n].Name])
		if err != nil {
			return nil, err
		}
		views = append(views, view)
	}
	return views, nil
}

func (ss *Schedules) Get(ctx context.Context, name string) (*inspect.ScheduleView, error) {
	definition, err := ss.node.Backend.Object(ctx, schedules.Kind, name)
	if err != nil {
		return nil, err
	}
	state, err := ss.node.Backend.Object(ctx, schedules.StateKind, name)
	if errors.Is(err, &task.Error{Code: task.CodeNotFound}) {
		state, err = nil, nil
	}
	if err != nil {
		return nil, err
	}
	return schedules.NewView(*definition, state)
}

func (ss *Schedules) NextTicks(ctx context.Context, name string, n int) ([]time.Time, error) {
	if err := checkTicks(n); err != nil {
		return nil, err
	}
	view, err := ss.Get(ctx, name)
	if err != nil {
		return nil, err
	}
	return schedules.Ticks(&view.Schedule, ss.node.Schedules.Now(ctx), n)
}

func (ss *Schedules) Check(ctx context.Context, s inspect.Schedule) error {
	return ss.node.Schedules.Check(ctx, &s)
}

func (ss *Schedules) PlanTicks(ctx context.Context, s inspect.Schedule, n int) ([]time.Time, error) {
	if err := checkTicks(n); err != nil {
		return nil, err
	}
	for _, request := range requestsOf(&s.Task) { // what is hidden there fires at no other time
		maps.DeleteFunc(request.Headers, func(_, value string) bool { return value == task.Hidden })
	}
	if err := ss.node.Schedules.Check(ctx, &s); err != nil {
		return nil, err
	}
	view := inspect.ScheduleView{Schedule: s}
	return schedules.Ticks(&view.Schedule, ss.node.Schedules.Now(ctx), n)
}

func checkTicks(n int) error {
	if n < 1 || n > mostTicks {
		return task.Invalid("n", strconv.Itoa(n)+" is outside 1 to 100", "leave it out for 5")
	}
	return nil
}

func hides(r *task.Request) bool {
	return slices.Contains(slices.Collect(maps.Values(r.Headers)), task.Hidden)
}

// requestsOf are the requests of a schedule's task, by their places. They become its own:
// nothing of what it was made of is changed with them.
func requestsOf(t *inspect.ScheduledTask) map[string]*task.Request {
	all := map[string]*task.Request{}
	own := func(path string, request **task.Request) {
		if *request != nil {
			copied := **request
			copied.Headers = maps.Clone(copied.Headers)
			*request, all[path] = &copied, &copied
		}
	}
	own("target", &t.Target)
	for path, follow := range map[string]**task.Follow{"fallback.target": &t.Fallback, "on_success.target": &t.OnSuccess, "on_dead.target": &t.OnDead} {
		if *follow != nil {
			copied := **follow
			*follow = &copied
			own(path, &copied.HTTP)
		}
	}
	return all
}
