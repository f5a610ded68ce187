package outlast

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/actor"
	"github.com/outlast-dev/outlast/schedule"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// mostTicks is how many next ticks can be asked for.
const mostTicks = 100

// Schedules lists schedules by name.
func (i *Inspector) Schedules(ctx context.Context) ([]*schedule.View, error) {
	definitions, err := i.client.backend.Objects(ctx, schedule.Kind)
	if err != nil {
		return nil, err
	}
	states, err := i.client.backend.Objects(ctx, schedule.StateKind)
	if err != nil {
		return nil, err
	}
	byName := make(map[string]*store.Object, len(states))
	for n := range states {
		byName[states[n].Name] = &states[n]
	}
	views := make([]*schedule.View, 0, len(definitions))
	for n := range definitions {
		if definitions[n].Doubt != nil {
			continue // it is not used; [Inspector.Unproven] has it
		}
		view, err := schedule.NewView(definitions[n], byName[definitions[n].Name])
		if err != nil {
			return nil, err
		}
		views = append(views, view)
	}
	return views, nil
}

// Schedule returns one; code "not_found" if there is none.
func (i *Inspector) Schedule(ctx context.Context, name string) (*schedule.View, error) {
	definition, err := i.client.backend.Object(ctx, schedule.Kind, name)
	if err != nil {
		return nil, err
	}
	state, err := i.client.backend.Object(ctx, schedule.StateKind, name)
	if errors.Is(err, &task.Error{Code: task.CodeNotFound}) {
		state, err = nil, nil
	}
	if err != nil {
		return nil, err
	}
	return schedule.NewView(*definition, state)
}

// NextTicks returns the next n ticks, 1 to 100, fewer where no more come. A
// paused schedule has those that it would have if it were resumed.
func (i *Inspector) NextTicks(ctx context.Context, name string, n int) ([]time.Time, error) {
	if err := checkTicks(n); err != nil {
		return nil, err
	}
	view, err := i.Schedule(ctx, name)
	if err != nil {
		return nil, err
	}
	return view.Ticks(i.client.ticker.Now(ctx), n)
}

// CheckSchedule finds what is wrong with a schedule, all at once: code
// "invalid" with fields. It stores nothing.
func (i *Inspector) CheckSchedule(ctx context.Context, s schedule.Schedule) error {
	return i.client.checkSchedule(ctx, &s)
}

// PlanTicks returns the next n ticks, 1 to 100, that a schedule would have. It stores
// nothing. Code "invalid" with fields for what PutSchedule would refuse.
func (i *Inspector) PlanTicks(ctx context.Context, s schedule.Schedule, n int) ([]time.Time, error) {
	if err := checkTicks(n); err != nil {
		return nil, err
	}
	for _, request := range requestsOf(&s.Task) { // what is hidden there fires at no other time
		maps.DeleteFunc(request.Headers, func(_, value string) bool { return value == task.Hidden })
	}
	if err := i.client.checkSchedule(ctx, &s); err != nil {
		return nil, err
	}
	view := schedule.View{Schedule: s}
	return view.Ticks(i.client.ticker.Now(ctx), n)
}

func checkTicks(n int) error {
	if n < 1 || n > mostTicks {
		return task.Invalid("n", strconv.Itoa(n)+" is outside 1 to 100", "leave it out for 5")
	}
	return nil
}

// PutSchedule makes a schedule, or changes the one of that name. Its ticks are
// those after this moment; one of the rule before that is due already stays.
// Pause, counters and the last task stay as they are. Code "invalid" with fields
// for what can never fire or be enqueued, such as a single time in the past (but
// for one that is put again as it stands), "managed_by_file" for a schedule that the
// configuration file owns.
func (i *Inspector) PutSchedule(ctx context.Context, s schedule.Schedule) (*schedule.View, error) {
	if err := i.shownSchedule(ctx, &s); err != nil {
		return nil, err
	}
	if err := i.client.checkSchedule(ctx, &s); err != nil {
		return nil, err
	}
	next, err := s.Object()
	if err != nil {
		return nil, err
	}
	times, err := s.Times()
	if err != nil {
		return nil, err
	}
	created := false
	_, err = i.revise(ctx, s.Name, "put", func(r *revision) error {
		put := next
		if created = r.view == nil; !created {
			if err := r.owned(); err != nil {
				return err
			}
			put.Version = r.view.Version
		}
		put.Actor = actor.Name(ctx)
		now := i.client.ticker.Now(ctx)
		if err := r.fires(&s, now); err != nil {
			return err
		}
		r.state = schedule.Rebase(r.state, schedule.Hash(put), times, now)
		r.row.Before, r.row.After = r.body, put.Body
		r.change.Put = append(r.change.Put, put)
		return nil
	})
	if err != nil {
		return nil, err
	}
	view, err := i.Schedule(ctx, s.Name)
	if err == nil {
		view.Created = created
	}
	return view, err
}

// shownSchedule completes a schedule again where headers were hidden from who has it:
// from the schedule as it is.
func (i *Inspector) shownSchedule(ctx context.Context, s *schedule.Schedule) error {
	given := requestsOf(&s.Task)
	if !slices.ContainsFunc(slices.Collect(maps.Values(given)), hides) {
		return nil
	}
	var kept map[string]*task.Request
	switch view, err := i.Schedule(ctx, s.Name); {
	case err == nil:
		kept = requestsOf(&view.Schedule.Task)
	case !errors.Is(err, &task.Error{Code: task.CodeNotFound}):
		return err
	}
	for path, request := range given {
		if err := task.KeepHeaders("task."+path, request, kept[path]); err != nil {
			return err
		}
	}
	return nil
}

func hides(r *task.Request) bool {
	return slices.Contains(slices.Collect(maps.Values(r.Headers)), task.Hidden)
}

// requestsOf are the requests of a schedule's task, by their places. They become its own:
// nothing of what it was made of is changed with them.
func requestsOf(t *schedule.Task) map[string]*task.Request {
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

// DeleteSchedule deletes a schedule and returns it as it was. Tasks that it has
// enqueued stay.
func (i *Inspector) DeleteSchedule(ctx context.Context, name string) (view *schedule.View, err error) {
	_, err = i.revise(ctx, name, "delete", func(r *revision) error {
		view, r.gone, r.row.Before = r.view, true, r.body
		return r.owned()
	})
	if err != nil {
		return nil, err
	}
	return view, nil
}

// PauseSchedule stops a schedule, or lets it go on with the ticks after this
// moment: those of the pause are left out.
func (i *Inspector) PauseSchedule(ctx context.Context, name string, paused bool) (*schedule.View, error) {
	action := map[bool]string{true: "pause", false: "resume"}[paused]
	_, err := i.revise(ctx, name, action, func(r *revision) error {
		if err := r.there(); err != nil {
			return err
		}
		r.row.Before = said(&r.state)
		times, err := r.view.Times()
		resumes := r.state.Paused && !paused
		if r.state.Paused = paused; resumes && err == nil {
			r.state = schedule.Resume(r.state, times, i.client.ticker.Now(ctx))
		}
		r.row.After = said(&r.state)
		return err
	})
	if err != nil {
		return nil, err
	}
	return i.Schedule(ctx, name)
}

// said is what an operator's act does to the state of a schedule, for the audit log.
func said(s *schedule.State) []byte {
	text, _ := json.Marshal(struct { // plain values
		Paused   bool      `json:"paused"`
		Next     time.Time `json:"next,omitzero"`
		LastTask ID        `json:"last_task,omitzero"`
	}{s.Paused, s.Next.UTC(), s.LastTask})
	return text
}

// TriggerSchedule enqueues the task of a schedule now, also while it is paused
// and whatever its overlap rule says; the run is retried like any other. With
// an id, made by [NewID], a repeat answers with the first task.
func (i *Inspector) TriggerSchedule(ctx context.Context, name string, id ID) (Receipt, error) {
	c := i.client
	if id.IsZero() {
		id = NewID()
	}
	var insert store.Insert
	changed, err := i.revise(ctx, name, "trigger", func(r *revision) (err error) {
		if err := r.there(); err != nil {
			return err
		}
		d := scheduled(&r.view.Schedule, time.Time{})
		d.ID = id
		if insert, err = c.prepare(ctx, d, ""); err != nil {
			return err
		}
		r.row.Before = said(&r.state)
		r.state.LastTask = insert.Task.ID
		r.row.After = said(&r.state)
		r.change.Quiet = true
		r.change.Enqueue = []store.Batch{{Items: []store.Insert{insert}}}
		return nil
	})
	if err != nil {
		return Receipt{}, c.metrics.refused(attributed(err, ""))
	}
	c.engine.Wake(insert.Task.ID.Lane())
	return c.receipt(&insert, &changed.Results[0].Items[0]), nil
}

// revision is a schedule on the way to its next version.
type revision struct {
	name   string
	view   *schedule.View // nil where there is none
	body   json.RawMessage
	state  schedule.State
	gone   bool // it is to be deleted
	row    store.Audit
	change store.Change
}

func (r *revision) there() error {
	if r.view == nil {
		return task.NotFound(schedule.Kind, r.name)
	}
	return nil
}

// owned refuses what the configuration file owns.
func (r *revision) owned() error {
	if err := r.there(); err != nil || r.view.Managed == "" {
		return err
	}
	return managedByFile("schedule", r.name)
}

// fires refuses a rule whose only tick has passed, unless nothing changes.
func (r *revision) fires(s *schedule.Schedule, now time.Time) error {
	if s.At.IsZero() || s.At.After(now) || r.view != nil && r.view.Schedule.Same(s) {
		return nil
	}
	var wrong accept.Complaints
	wrong.Add("at", "lies "+now.Sub(s.At).Round(time.Second).String()+" in the past, so the schedule would never fire", "give a time to come; enqueue a task for what is to run now")
	return wrong.Err("the schedule is invalid")
}

// mostConflicts is how often a change is tried that others are quicker than.
const mostConflicts = 20

// revise stores what edit makes of a schedule, with its row of the audit log.
// It starts again when somebody else was quicker.
func (i *Inspector) revise(ctx context.Context, name, action string, edit func(r *revision) error) (*store.Changed, error) {
	for range mostConflicts {
		r, err := i.revision(ctx, name)
		if err != nil {
			return nil, err
		}
		r.row = actor.Audit(ctx, "schedule."+action, schedule.Kind+"/"+name)
		if err := edit(r); err != nil {
			return nil, err
		}
		if err := r.finish(actor.Name(ctx)); err != nil {
			return nil, err
		}
		changed, err := i.client.backend.Change(ctx, r.change)
		if !errors.Is(err, &task.Error{Code: task.CodeConflict}) {
			return changed, err
		}
	}
	return nil, &Error{Code: task.CodeUnavailable, Message: "the schedule " + task.Quote(name) + " changes all the time", RetryAfter: time.Second}
}

func (i *Inspector) revision(ctx context.Context, name string) (*revision, error) {
	r := &revision{name: name}
	view, err := i.Schedule(ctx, name)
	if errors.Is(err, &task.Error{Code: task.CodeNotFound}) {
		return r, nil
	}
	if err != nil {
		return nil, err
	}
	object, err := view.Schedule.Object()
	r.view, r.state, r.body = view, view.State, object.Body
	return r, err
}

// finish completes the change.
func (r *revision) finish(actor string) error {
	version := int64(0)
	if r.view != nil {
		version = r.view.StateVersion
	}
	state, err := r.state.Object(r.name, version)
	if err != nil {
		return err
	}
	state.Actor = actor
	if r.row.Before == nil || !bytes.Equal(r.row.Before, r.row.After) { // else nothing has changed
		r.change.Audit = []store.Audit{r.row}
	}
	if !r.gone {
		r.change.Put = append(r.change.Put, state)
		return nil
	}
	r.change.Delete = []store.Object{{Kind: schedule.Kind, Name: r.name, Version: r.view.Version, Actor: actor}}
	if version > 0 {
		r.change.Delete = append(r.change.Delete, state)
	}
	return nil
}
