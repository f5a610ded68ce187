package keeper

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/plaintext"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

const (
	mostSilences  = 100                 // that have not ended
	silenceMemory = 30 * 24 * time.Hour // how long one is shown that has ended
)

// Silences reads all silences, those that end last first.
func (d *Desk) Silences(ctx context.Context) ([]alert.Silence, error) {
	objects, err := d.Backend.Objects(ctx, alerts.KindSilence)
	if err != nil {
		return nil, err
	}
	all := []alert.Silence{}
	for i := range objects {
		var s alert.Silence
		if json.Unmarshal(objects[i].Body, &s) == nil {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b alert.Silence) int { return cmp.Or(b.Until.Compare(a.Until), cmp.Compare(a.ID, b.ID)) })
	return all, nil
}

// AddSilence keeps a silence that has been checked. The row's actor makes it.
func (d *Desk) AddSilence(ctx context.Context, s alert.Silence, row store.Audit) (*alert.Silence, error) {
	all, err := d.Silences(ctx)
	if err != nil {
		return nil, err
	}
	living := 0
	for i := range all {
		if all[i].State(time.Now()) != "ended" {
			living++
		}
	}
	if living >= mostSilences {
		return nil, &task.Error{Code: task.CodeConflict, Message: plaintext.Counted(living, "silence") + " have not ended; more are not kept", Hint: "end some, or use * in one"}
	}
	s.ID, s.By, s.EndedBy = task.NewID(time.Now(), random{}).String(), row.Actor, ""
	s.From, s.Until = s.From.UTC().Truncate(time.Microsecond), s.Until.UTC().Truncate(time.Microsecond)
	body, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	row.Subject, row.After = alerts.KindSilence+"/"+s.ID, body
	change := store.Change{Put: []store.Object{{Kind: alerts.KindSilence, Name: s.ID, Body: body, Actor: row.Actor}}, Audit: []store.Audit{row}}
	if _, err := d.Backend.Change(ctx, change); err != nil {
		return nil, err
	}
	_ = d.book.Load(ctx) // it is there; else the next look reads it
	return &s, nil
}

// EndSilence ends a silence now. One that has ended stays as it is, and leaves no row.
// Code "not_found" where there is none.
func (d *Desk) EndSilence(ctx context.Context, id string, row store.Audit) (*alert.Silence, error) {
	for {
		object, err := d.Backend.Object(ctx, alerts.KindSilence, id)
		if errors.Is(err, &task.Error{Code: task.CodeNotFound}) {
			return nil, task.NotFound("silence", id)
		}
		if err != nil {
			return nil, err
		}
		s := &alert.Silence{}
		if err := json.Unmarshal(object.Body, s); err != nil {
			return nil, unreadable(err)
		}
		now := time.Now().UTC().Truncate(time.Microsecond)
		if s.State(now) == "ended" {
			return s, nil
		}
		s.Until, s.EndedBy = now, row.Actor
		if s.From.After(now) {
			s.From = now
		}
		row.Before = object.Body
		if object.Body, err = json.Marshal(s); err != nil {
			return nil, err
		}
		row.Subject, row.After, object.Actor = alerts.KindSilence+"/"+id, object.Body, row.Actor
		_, err = d.Backend.Change(ctx, store.Change{Put: []store.Object{*object}, Audit: []store.Audit{row}})
		if errors.Is(err, &task.Error{Code: task.CodeConflict}) && ctx.Err() == nil {
			continue
		}
		if err != nil {
			return nil, err
		}
		_ = d.book.Load(ctx) // as in AddSilence
		return s, nil
	}
}
