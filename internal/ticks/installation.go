package ticks

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"sync/atomic"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// The object by which a store tells its tasks from those of any other.
const (
	kindInstallation = "installation"
	nameInstallation = "this"
)

// installation is the identity of a store. It is made by the first who asks, and stays.
type installation struct {
	id atomic.Pointer[string] // as read; nil until then
}

// installationBody is the body of its object.
type installationBody struct {
	ID string `json:"id"` // 128 random bits
}

// of returns the identity of the store.
func (i *installation) of(ctx context.Context, backend store.Backend) (string, error) {
	if known := i.id.Load(); known != nil {
		return *known, nil
	}
	object, err := backend.Object(ctx, kindInstallation, nameInstallation)
	if errors.Is(err, &task.Error{Code: task.CodeNotFound}) {
		object, err = makeInstallation(ctx, backend)
	}
	if err != nil {
		return "", err
	}
	var body installationBody
	if err := json.Unmarshal(object.Body, &body); err != nil {
		return "", err
	}
	i.id.Store(&body.ID)
	return body.ID, nil
}

// makeInstallation gives a store its identity. Another node may be quicker.
func makeInstallation(ctx context.Context, backend store.Backend) (*store.Object, error) {
	var id [16]byte
	for i := range id {
		id[i] = byte(rand.Uint32())
	}
	body, err := json.Marshal(installationBody{hex.EncodeToString(id[:])})
	if err != nil {
		return nil, err
	}
	object := store.Object{Kind: kindInstallation, Name: nameInstallation, Body: body, Actor: "library"}
	_, err = backend.Change(ctx, store.Change{Put: []store.Object{object}, Quiet: true})
	if err != nil && !errors.Is(err, &task.Error{Code: task.CodeConflict}) {
		return nil, err
	}
	return backend.Object(ctx, kindInstallation, nameInstallation)
}
