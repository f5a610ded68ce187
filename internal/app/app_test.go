package app_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"testing"

	"go.uber.org/goleak"

	"github.com/outlast-dev/outlast/internal/app"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// closing counts how often a store is closed.
type closing struct {
	store.Backend
	closed *int
}

func (c closing) Close() error {
	*c.closed++
	return c.Backend.Close()
}

func openers(closed *int) app.Openers {
	return app.Openers{"memory": {Open: func(context.Context, string) (store.Backend, error) { return closing{memory.New(), closed}, nil }}}
}

func TestStartAndStop(t *testing.T) {
	closed := 0
	a, err := app.New(app.Config{Listen: "127.0.0.1:0", Store: "memory:", Openers: openers(&closed)})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	caller := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := caller.Get(a.URL() + "/readyz")
	if err != nil || resp.Body.Close() != nil || resp.StatusCode != 200 {
		t.Fatalf("answer %+v, error %v", resp, err)
	}
	for range 2 {
		if err := a.Stop(t.Context()); err != nil || closed != 1 {
			t.Errorf("stopped with %v, the store was closed %d times", err, closed)
		}
	}
	if resp, err := caller.Get(a.URL() + "/readyz"); err == nil {
		t.Errorf("it still answers: %s, %v", resp.Status, resp.Body.Close())
	}
}

func TestStopBeforeStart(t *testing.T) {
	closed := 0
	a, err := app.New(app.Config{Store: "memory:", Openers: openers(&closed)})
	if err != nil || a.Stop(t.Context()) != nil {
		t.Error(err)
	}
}

func TestFailedStartIsUndone(t *testing.T) {
	closed := 0
	first, err := app.New(app.Config{Listen: "127.0.0.1:0", Store: "memory:", Openers: openers(&closed)})
	if err != nil || first.Start(t.Context()) != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := first.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	}()
	opened := false
	second, err := app.New(app.Config{Listen: first.Addr(), Store: "memory:", Openers: app.Openers{
		"memory": {Open: func(context.Context, string) (store.Backend, error) { opened = true; return memory.New(), nil }},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := second.Start(t.Context()); err == nil || opened {
		t.Errorf("error %v on a busy address, the store was opened: %t", err, opened)
	}
	third, err := app.New(app.Config{Listen: "127.0.0.1:0", Store: "memory:", Openers: app.Openers{
		"memory": {Open: func(context.Context, string) (store.Backend, error) {
			gone := memory.New()
			gone.Kill()
			return closing{gone, &closed}, nil
		}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := third.Start(t.Context()); err == nil || closed != 1 {
		t.Errorf("error %v, the store was closed %d times", err, closed)
	}
	listener, err := net.Listen("tcp", third.Addr())
	if err != nil {
		t.Fatalf("the address is not free again: %v", err)
	}
	_ = listener.Close() // it was only a probe
}

func TestStoreURLs(t *testing.T) {
	closed := 0
	for _, url := range []string{"postgres://user:secret@h/db", "mysql://user:secret@h/db", "memory", "oracle:user:secret", "sqlite:x"} {
		_, err := app.New(app.Config{Store: url, Openers: openers(&closed)})
		var known *task.Error
		if !errors.As(err, &known) || known.Code != task.CodeInvalid || known.Hint == "" {
			t.Errorf("%q: %v", url, err)
		}
	}
}
