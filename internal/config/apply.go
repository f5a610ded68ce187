package config

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/internal/policy"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Outcome says what became of a file.
type Outcome string

// The outcomes.
const (
	Applied   Outcome = "applied"
	Unchanged Outcome = "unchanged" // it is in force already
	// Superseded is a file that was in force and was replaced since, perhaps by a
	// newer one of another node: it is not applied again.
	Superseded Outcome = "superseded"
)

// The object that remembers the files that were applied.
const (
	kindFile = "file"
	nameFile = "config"
)

// mostSeen is how many files are remembered.
const mostSeen = 200

// applied is the body of that object.
type applied struct {
	Hash     string    `json:"hash"`     // of the file that is in force
	Complete bool      `json:"complete"` // its queues are as it wants them
	Node     string    `json:"node"`
	At       time.Time `json:"at"`
	Seen     []string  `json:"seen"` // hashes, the newest first, that of the file in force included
}

// applyTries is how often the files of other nodes may get in between.
const applyTries = 10

// Apply brings what the file says for all nodes into the database, as a whole: what
// an earlier file put and this one leaves out is deleted, but for queues, which stay
// with the settings that they have. It may be repeated. An [*UnfinishedError] says that the queues are still
// to be given their settings, and a repeat does that.
func Apply(ctx context.Context, backend store.Config, f *File, node string) (Outcome, error) {
	return applyTimes(ctx, backend, f, node, false)
}

// ApplyAgain is Apply for somebody who asks for this very file: one that was in force
// and was replaced since comes back, instead of being superseded. That which replaced
// it is not applied again by itself.
func ApplyAgain(ctx context.Context, backend store.Config, f *File, node string) (Outcome, error) {
	return applyTimes(ctx, backend, f, node, true)
}

func applyTimes(ctx context.Context, backend store.Config, f *File, node string, again bool) (Outcome, error) {
	for range applyTries {
		outcome, err := apply(ctx, backend, f, node, again)
		if err == nil || !errors.Is(err, &task.Error{Code: task.CodeConflict}) {
			return outcome, err
		}
	}
	return "", &task.Error{Code: task.CodeConflict, Message: "other nodes apply their files at the same time", Hint: "give all nodes the same file"}
}

func apply(ctx context.Context, backend store.Config, f *File, node string, again bool) (Outcome, error) {
	var objects []store.Object
	for _, kind := range append([]string{kindFile}, Kinds...) { // others may be many
		some, err := backend.Objects(ctx, kind)
		if err != nil {
			return "", err
		}
		objects = append(objects, some...)
	}
	var record store.Object
	var known applied
	for i := range objects {
		if objects[i].Kind == kindFile && objects[i].Name == nameFile {
			record = objects[i]
			if record.Doubt != nil {
				continue // as if no file had been applied
			}
			if err := json.Unmarshal(record.Body, &known); err != nil {
				return "", fmt.Errorf("the record of applied files: %w", err)
			}
		}
	}
	hash := f.Hash()
	switch {
	case known.Hash == hash && known.Complete:
		return Unchanged, nil
	case known.Hash == hash: // a node ended before it had finished
		return Applied, finish(ctx, backend, f, record, known)
	case slices.Contains(known.Seen, hash) && !again:
		return Superseded, nil
	}
	wrong, err := f.checkQueues(ctx, backend)
	if err != nil {
		return "", err
	}
	if err := f.checkBeside(objects, wrong); err != nil {
		return "", err
	}
	known.Seen = slices.DeleteFunc(known.Seen, func(seen string) bool { return seen == hash })
	known = applied{Hash: hash, Node: node, At: time.Now().UTC(), Seen: slices.Insert(known.Seen, 0, hash)}
	known.Seen = known.Seen[:min(len(known.Seen), mostSeen)]
	change := f.changeOf(objects)
	record.Kind, record.Name, record.Actor = kindFile, nameFile, "file"
	body, err := json.Marshal(known)
	if err != nil {
		return "", err
	}
	record.Body = body
	change.Put = append(change.Put, record)
	changed, err := backend.Change(ctx, change)
	if err != nil {
		return "", err
	}
	return Applied, finish(ctx, backend, f, changed.Put[len(changed.Put)-1], known)
}

// checkBeside checks the names that the file takes from elsewhere; wrong is what is
// known to be.
func (f *File) checkBeside(objects []store.Object, wrong []Problem) error {
	kept := map[string]bool{}
	for i := range objects {
		if o := &objects[i]; o.Kind == policy.Kind && o.Managed != policy.ManagedByFile {
			kept[o.Name] = true
		}
	}
	f.Names(func(path, name string) {
		if !kept[name] {
			hint := "name a policy of the file, one created over the API, or a preset"
			if near := f.nearestPolicy(name, slices.Collect(maps.Keys(kept))...); near != "" {
				hint = "did you mean " + near + "?"
			}
			wrong = append(wrong, Problem{Path: path, Message: "there is no policy " + task.Quote(name), Hint: hint})
		}
	})
	wrong = append(wrong, f.checkChannels(objects)...)
	wrong = append(wrong, f.checkCanaries(objects)...)
	return f.Refuse(wrong...)
}

// changeOf is the difference between what is kept and what the file wants. What the
// API has put under a name of the file becomes the file's.
func (f *File) changeOf(objects []store.Object) store.Change {
	type id struct{ kind, name string }
	kept := map[id]*store.Object{}
	for i := range objects {
		kept[id{objects[i].Kind, objects[i].Name}] = &objects[i]
	}
	var change store.Change
	audit := func(action string, o *store.Object, before, after []byte) {
		change.Audit = append(change.Audit, store.Audit{Actor: "file", Action: o.Kind + "." + action, Subject: o.Kind + "/" + o.Name, Before: before, After: after})
	}
	for _, o := range f.Objects() {
		before := kept[id{o.Kind, o.Name}]
		delete(kept, id{o.Kind, o.Name})
		switch {
		case before == nil:
			audit("put", &o, nil, o.Body)
		case bytes.Equal(written(before), o.Body) && before.Managed == o.Managed:
			continue
		default:
			o.Version, o.Body = before.Version, f.over(before, &o)
			audit("put", &o, before.Body, o.Body)
		}
		change.Put = append(change.Put, o)
	}
	for i := range objects {
		o := &objects[i]
		if kept[id{o.Kind, o.Name}] == nil || o.Managed != policy.ManagedByFile || !slices.Contains(Kinds, o.Kind) {
			continue
		}
		gone := *o
		gone.Actor = "file"
		change.Delete = append(change.Delete, gone)
		audit("delete", o, o.Body, nil)
	}
	return change
}

// UnfinishedError says that a file is in force but for its queues.
type UnfinishedError struct{ Err error }

// Error implements error.
func (e *UnfinishedError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *UnfinishedError) Unwrap() error { return e.Err }

// finish gives the queues what the file wants of them, and notes that this is done.
func finish(ctx context.Context, backend store.Config, f *File, record store.Object, known applied) error {
	if err := complete(ctx, backend, f, record, known); err != nil {
		return &UnfinishedError{err}
	}
	return nil
}

func complete(ctx context.Context, backend store.Config, f *File, record store.Object, known applied) error {
	queues, err := backend.Queues(ctx)
	if err != nil {
		return err
	}
	for name, wanted := range f.Queues {
		queue := store.Queue{Name: name}
		for i := range queues {
			if queues[i].Name == name {
				queue = queues[i]
			}
		}
		before := queue
		wanted.change(&queue)
		if queue.UpdatedAt.IsZero() || !sameQueue(&queue, &before) {
			if _, err := backend.PutQueue(ctx, queue, store.Audit{Actor: "file", Action: "queue.put", Subject: "queue/" + queue.Name}); err != nil {
				return fmt.Errorf("queue %s: %w", task.Quote(name), err)
			}
		}
	}
	known.Complete = true
	if record.Body, err = json.Marshal(known); err != nil {
		return err
	}
	record.Managed = ""
	_, err = backend.Change(ctx, store.Change{Quiet: true, Put: []store.Object{record}})
	return err
}

func sameQueue(a, b *store.Queue) bool {
	return a.Doubt == nil && a.Lanes == b.Lanes && a.Policy == b.Policy && a.UnknownType == b.UnknownType && a.Concurrency == b.Concurrency &&
		a.MaxPending == b.MaxPending && a.Weight == b.Weight && a.Shares == b.Shares
}

// change sets what is given. Lanes can only be raised: fewer are left as they are.
func (q *Queue) change(to *store.Queue) {
	if q.Lanes != nil {
		to.Lanes = max(to.Lanes, *q.Lanes)
	}
	set(&to.Policy, q.Policy)
	set(&to.UnknownType, q.UnknownType)
	set(&to.Concurrency, q.Concurrency)
	set(&to.MaxPending, q.MaxPending)
	set(&to.Weight, q.Weight)
	set(&to.Shares.Concurrency, q.Shares.Concurrency)
	if q.Shares.Rate != nil {
		to.Shares.Rate = store.ShareRate(*q.Shares.Rate)
	}
}

func set[T any](to, value *T) {
	if value != nil {
		*to = *value
	}
}
