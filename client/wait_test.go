package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/task"
)

func TestWait(t *testing.T) {
	var calls atomic.Int64
	ends := int64(3)
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if wait := r.URL.Query().Get("wait"); calls.Load() < 2 && wait != "30s" {
			t.Errorf("it waits %s in one call", wait)
		}
		state := task.Running
		if calls.Add(1) == ends {
			state = task.Dead
		}
		fmt.Fprintf(w, `{"id":"01a1f88f-0b86-7027-a376-26f7e78c0000","state":%q}`, state)
	})
	if got, err := c.Wait(t.Context(), client.NewID(), time.Hour); err != nil || got.State != task.Dead || calls.Load() != 3 {
		t.Errorf("%+v, %v after %d calls", got, err, calls.Load())
	}
	if got, err := c.Wait(t.Context(), client.NewID(), 0); err != nil || got.State != task.Running || calls.Load() != 4 {
		t.Errorf("%+v, %v after %d calls", got, err, calls.Load())
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	if _, err := c.Wait(ctx, client.NewID(), time.Hour); err == nil {
		t.Error("it waits longer than its context")
	}
}
