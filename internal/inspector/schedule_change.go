package inspector

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/actor"
	"github.com/outlast-dev/outlast/internal/policy"
	"github.com/outlast-dev/outlast/internal/schedules"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

func (ss *Schedules) Put(ctx context.Context, s inspect.Schedule) (*inspect.ScheduleView, error) {
	if err := ss.shown(ctx, &s); err != nil {
		return nil, err
	}
	if err := ss.node.Schedules.Check(ctx, &s); err != nil {
		return nil, err
	}
	next, err := schedules.Object(&s)
	if err != nil {
		return nil, err
	}
	times, err := schedules.TimesOf(&s)
	if err != nil {
		return nil, err
	}
	created := false
	_, err = ss.revise(ctx, s.Name, "put", func(r *revision) error {
		put := next
		if created = r.view == nil; !created {
			if err := ss.owned(ctx, r); err != nil {
				return err
			}
			put.Version = r.view.Version
		}
		put.Actor = actor.Name(ctx)
		now := ss.node.Schedules.Now(ctx)
		if err := r.fires(&s, now); err != nil {
			return err
		}
		r.state = schedules.Rebase(r.state, schedules.Hash(put), times, now)
		r.row.Before, r.row.After = r.body, put.Body
		r.change.Put = append(r.change.Put, put)
		return nil
	})
	if err != nil {
		return nil, err
	}
	view, err := ss.Get(ctx, s.Name)
	if err == nil {
		view.Created = created
	}
	return view, err
}

// shown completes a schedule again where headers were hidden from who has it:
// from the schedule as it is.
func (ss *Schedules) shown(ctx context.Context, s *inspect.Schedule) error {
	given := requestsOf(&s.Task)
	if !slices.ContainsFunc(slices.Collect(maps.Values(given)), hides) {
		return nil
	}
	var kept map[string]*task.Request
	switch view, err := ss.Get(ctx, s.Name); {
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

func (ss *Schedules) Delete(ctx context.Context, name string) (view *inspect.ScheduleView, err error) {
	_, err = ss.revise(ctx, name, "delete", func(r *revision) error {
		view, r.gone, r.row.Before = r.view, true, r.body
		return ss.owned(ctx, r)
	})
	if err != nil {
		return nil, err
	}
	return view, nil
}

func (ss *Schedules) Pause(ctx context.Context, name string, paused bool) (*inspect.ScheduleView, error) {
	action := map[bool]string{true: "pause", false: "resume"}[paused]
	_, err := ss.revise(ctx, name, action, func(r *revision) error {
		if err := r.there(); err != nil {
			return err
		}
		r.row.Before = said(&r.state)
		times, err := schedules.TimesOf(&r.view.Schedule)
		resumes := r.state.Paused && !paused
		if r.state.Paused = paused; resumes && err == nil {
			r.state = schedules.Resume(r.state, times, ss.node.Schedules.Now(ctx))
		}
		r.row.After = said(&r.state)
		return err
	})
	if err != nil {
		return nil, err
	}
	return ss.Get(ctx, name)
}

// said is what an operator's act does to the state of a schedule, for the audit log.
func said(s *inspect.ScheduleState) []byte {
	text, _ := json.Marshal(struct { // plain values
		Paused   bool      `json:"paused"`
		Next     time.Time `json:"next,omitzero"`
		LastTask task.ID   `json:"last_task,omitzero"`
	}{s.Paused, s.Next.UTC(), s.LastTask})
	return text
}

func (ss *Schedules) Trigger(ctx context.Context, name string, id task.ID) (t *task.Task, existing bool, err error) {
	if id.IsZero() {
		id = accept.NewID(time.Now())
	}
	var insert store.Insert
	changed, err := ss.revise(ctx, name, "trigger", func(r *revision) (err error) {
		if err := r.there(); err != nil {
			return err
		}
		if insert, err = ss.node.Schedules.Run(ctx, &r.view.Schedule, id); err != nil {
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
		return nil, false, ss.node.Schedules.Refused(ctx, err)
	}
	ss.node.Control.Wake(insert.Task.ID.Lane())
	t, existing = ss.node.Schedules.Accepted(ctx, &insert, &changed.Results[0].Items[0])
	return t, existing, nil
}

// revision is a schedule on the way to its next version.
type revision struct {
	name   string
	view   *inspect.ScheduleView // nil where there is none
	body   json.RawMessage
	state  inspect.ScheduleState
	gone   bool // it is to be deleted
	row    store.Audit
	change store.Change
}

func (r *revision) there() error {
	if r.view == nil {
		return task.NotFound(schedules.Kind, r.name)
	}
	return nil
}

// owned refuses what the configuration file owns, or the code of a living node.
func (ss *Schedules) owned(ctx context.Context, r *revision) error {
	if err := r.there(); err != nil || r.view.Managed == "" {
		return err
	}
	if r.view.Managed == policy.ManagedByFile {
		return managedByFile("schedule", r.name)
	}
	return ss.node.Schedules.Owned(ctx, r.name)
}

// fires refuses a rule whose only tick has passed, unless nothing changes.
func (r *revision) fires(s *inspect.Schedule, now time.Time) error {
	if s.At.IsZero() || s.At.After(now) || r.view != nil && schedules.Same(&r.view.Schedule, s) {
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
func (ss *Schedules) revise(ctx context.Context, name, action string, edit func(r *revision) error) (*store.Changed, error) {
	for range mostConflicts {
		r, err := ss.revision(ctx, name)
		if err != nil {
			return nil, err
		}
		r.row = actor.Audit(ctx, "schedule."+action, schedules.Kind+"/"+name)
		if err := edit(r); err != nil {
			return nil, err
		}
		if err := r.finish(actor.Name(ctx)); err != nil {
			return nil, err
		}
		changed, err := ss.node.Backend.Change(ctx, r.change)
		if !errors.Is(err, &task.Error{Code: task.CodeConflict}) {
			return changed, err
		}
	}
	return nil, &task.Error{Code: task.CodeUnavailable, Message: "the schedule " + task.Quote(name) + " changes all the time", RetryAfter: time.Second}
}

func (ss *Schedules) revision(ctx context.Context, name string) (*revision, error) {
	r := &revision{name: name}
	view, err := ss.Get(ctx, name)
	if errors.Is(err, &task.Error{Code: task.CodeNotFound}) {
		return r, nil
	}
	if err != nil {
		return nil, err
	}
	object, err := schedules.Object(&view.Schedule)
	r.view, r.state, r.body = view, view.ScheduleState, object.Body
	return r, err
}

// finish completes the change.
func (r *revision) finish(actor string) error {
	version := int64(0)
	if r.view != nil {
		version = r.view.StateVersion
	}
	state, err := schedules.StateObject(&r.state, r.name, version)
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
	r.change.Delete = []store.Object{{Kind: schedules.Kind, Name: r.name, Version: r.view.Version, Actor: actor}}
	if version > 0 {
		r.change.Delete = append(r.change.Delete, state)
	}
	return nil
}
