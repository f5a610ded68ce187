package inspect

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/actor"
	"github.com/outlast-dev/outlast/schedule"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Put makes a schedule, or changes the one of that name. Its ticks are
// those after this moment; one of the rule before that is due already stays.
// Pause, counters and the last task stay as they are. Code "invalid" with fields
// for what can never fire or be enqueued, such as a single time in the past (but
// for one that is put again as it stands), "managed_by_file" for a schedule that the
// configuration file owns.
func (ss *Schedules) Put(ctx context.Context, s schedule.Schedule) (*schedule.View, error) {
	if err := ss.shown(ctx, &s); err != nil {
		return nil, err
	}
	if err := ss.node.Schedules.Check(ctx, &s); err != nil {
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
	_, err = ss.revise(ctx, s.Name, "put", func(r *revision) error {
		put := next
		if created = r.view == nil; !created {
			if err := r.owned(); err != nil {
				return err
			}
			put.Version = r.view.Version
		}
		put.Actor = actor.Name(ctx)
		now := ss.node.Schedules.Now(ctx)
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
	view, err := ss.Get(ctx, s.Name)
	if err == nil {
		view.Created = created
	}
	return view, err
}

// shown completes a schedule again where headers were hidden from who has it:
// from the schedule as it is.
func (ss *Schedules) shown(ctx context.Context, s *schedule.Schedule) error {
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

// Delete deletes a schedule and returns it as it was. Tasks that it has
// enqueued stay.
func (ss *Schedules) Delete(ctx context.Context, name string) (view *schedule.View, err error) {
	_, err = ss.revise(ctx, name, "delete", func(r *revision) error {
		view, r.gone, r.row.Before = r.view, true, r.body
		return r.owned()
	})
	if err != nil {
		return nil, err
	}
	return view, nil
}

// Pause stops a schedule, or lets it go on with the ticks after this
// moment: those of the pause are left out.
func (ss *Schedules) Pause(ctx context.Context, name string, paused bool) (*schedule.View, error) {
	action := map[bool]string{true: "pause", false: "resume"}[paused]
	_, err := ss.revise(ctx, name, action, func(r *revision) error {
		if err := r.there(); err != nil {
			return err
		}
		r.row.Before = said(&r.state)
		times, err := r.view.Times()
		resumes := r.state.Paused && !paused
		if r.state.Paused = paused; resumes && err == nil {
			r.state = schedule.Resume(r.state, times, ss.node.Schedules.Now(ctx))
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
func said(s *schedule.State) []byte {
	text, _ := json.Marshal(struct { // plain values
		Paused   bool      `json:"paused"`
		Next     time.Time `json:"next,omitzero"`
		LastTask task.ID   `json:"last_task,omitzero"`
	}{s.Paused, s.Next.UTC(), s.LastTask})
	return text
}

// Trigger enqueues the task of a schedule now, also while it is paused
// and whatever its overlap rule says; the run is retried like any other. With
// an id, a UUID of version 7, a repeat answers with the first task, and says so.
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
		return nil, false, ss.node.Schedules.Refused(err)
	}
	ss.node.Control.Wake(insert.Task.ID.Lane())
	t, existing = ss.node.Schedules.Accepted(&insert, &changed.Results[0].Items[0])
	return t, existing, nil
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
func (ss *Schedules) revise(ctx context.Context, name, action string, edit func(r *revision) error) (*store.Changed, error) {
	for range mostConflicts {
		r, err := ss.revision(ctx, name)
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
