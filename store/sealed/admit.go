package sealed

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// known is what a store remembers of a key: a text that tells it from others of
// its name, derived from it so that it leads to nothing else.
type known struct {
	Check string `json:"check"`
}

// Status is how the keys of this process stand to those of the store.
type Status struct {
	Current string   // the key that seals here, "" for none
	Known   []string // that the store was sealed with, by name
	Missing []string // those that this process does not have
	Clear   bool     // new tasks are in the clear here on purpose
	// Waiting counts the tasks that did not open here in the last minutes, by the
	// name of the key; "" is for those that are not sealed and have to be, or are
	// damaged.
	Waiting map[string]int
	// Unproven are the objects of configuration, as kind/name, that are not used here
	// because nobody vouches for them, each with the reason; see [Store.Adopt].
	Unproven map[string]string
	// Operations counts those that run, or would, and do not open here, likewise.
	Operations map[string]int
}

// InTheClear reports whether tasks of this process are not sealed, in a store in
// which those of others are, and nobody has said that this is meant.
func (s *Status) InTheClear() bool { return s.Current == "" && len(s.Known) > 0 && !s.Clear }

// Admit is called before a process begins to work on the store. It has the store
// remember the key that seals here, and refuses, with code "invalid", keys that are
// others than those of their names, and no key where the store has been sealed,
// unless [Keys.Clear] says that new tasks are to be in the clear.
func (s *Store) Admit(ctx context.Context, write bool) error {
	objects, err := s.Backend.Objects(ctx, KindKey)
	if err != nil {
		return err
	}
	if err := s.ring.agrees(objects); err != nil {
		return err
	}
	status := s.ring.status(objects)
	if status.InTheClear() {
		return unsealed(status)
	}
	if status.Current == "" || !write {
		return nil
	}
	if !slices.Contains(status.Known, status.Current) {
		if err := s.remember(ctx); err != nil {
			return err
		}
	}
	return s.signAgain(ctx)
}

// Status compares the keys of this process with those of the store now.
func (s *Store) Status(ctx context.Context) (*Status, error) {
	objects, err := s.Backend.Objects(ctx, KindKey)
	if err != nil {
		return nil, err
	}
	status := s.ring.status(objects)
	status.Waiting = s.Unopened()
	if status.Unproven, err = s.unproven(ctx); err != nil {
		return nil, err
	}
	status.Operations, err = s.lockedOperations(ctx)
	return status, err
}

// unproven are the objects that steer and are not used here, as kind/name.
func (s *Store) unproven(ctx context.Context) (names map[string]string, err error) {
	if s.ring.current == nil {
		return nil, nil
	}
	for _, kind := range steering {
		doubted, err := s.doubted(ctx, kind)
		if err != nil {
			return nil, err
		}
		for i := range doubted {
			if names == nil {
				names = make(map[string]string)
			}
			names[kind+"/"+doubted[i].Name] = doubted[i].Doubt.Error()
		}
	}
	queues, err := s.doubtedQueues(ctx)
	for i := range queues {
		if names == nil {
			names = make(map[string]string)
		}
		names[KindQueuePolicy+"/"+queues[i].Name] = queues[i].Doubt.Error()
	}
	return names, err
}

// mostLocked is how many of the operations that run are looked at, the newest.
const mostLocked = 1000

// lockedOperations are how many operations that run do not open here, by key; nil
// for none.
func (s *Store) lockedOperations(ctx context.Context) (counts map[string]int, err error) {
	operations, err := s.Backend.Operations(ctx, store.OperationRunning, mostLocked)
	for i := range operations {
		if _, err := s.openRequest(&operations[i]); err != nil {
			if counts == nil {
				counts = make(map[string]int)
			}
			counts[MissingKey(err)]++
		}
	}
	return counts, err
}

func (r *ring) status(objects []store.Object) *Status {
	status := &Status{Clear: r.clear}
	if r.current != nil {
		status.Current = r.current.id
	}
	for i := range objects {
		name := objects[i].Name
		status.Known = append(status.Known, name)
		if r.all[name] == nil {
			status.Missing = append(status.Missing, name)
		}
	}
	return status
}

func unsealed(status *Status) error {
	return task.Invalid("encryption.keys",
		"the tasks of this store are encrypted (key "+strings.Join(status.Known, ", ")+"), and this node has no key to encrypt its own with",
		"give it the key (encryption.keys, --encryption-key-file), or set encryption.clear: true if new tasks are to be in the clear")
}

// agrees refuses keys that are others than those the store was sealed with.
func (r *ring) agrees(objects []store.Object) error {
	for i := range objects {
		k, of := r.all[objects[i].Name], known{}
		if k == nil {
			continue
		}
		if err := json.Unmarshal(objects[i].Body, &of); err != nil || of.Check != k.check {
			return task.Invalid("encryption.keys."+k.id, "is another key than that of its name with which the tasks of this store were encrypted",
				"give this node the key that the others have; a new key needs a new name")
		}
	}
	return nil
}

// remember writes the key down that seals here. Another process may do so at the
// same time.
func (s *Store) remember(ctx context.Context) error {
	body, err := json.Marshal(known{s.ring.current.check})
	if err != nil {
		return err
	}
	object := store.Object{Kind: KindKey, Name: s.ring.current.id, Body: body, Actor: "library"}
	_, err = s.Backend.Change(ctx, store.Change{Put: []store.Object{object}})
	if err == nil || !errors.Is(err, &task.Error{Code: task.CodeConflict}) {
		return err
	}
	there, err := s.Backend.Object(ctx, KindKey, object.Name)
	if err != nil {
		return err
	}
	return s.ring.agrees([]store.Object{*there})
}
