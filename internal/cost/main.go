// Command cost runs one task, or none, for make cost, which looks at what of this
// module ran: .ci/cost builds it with coverage and starts it once for each scenario.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"time"

	_ "github.com/ncruces/go-sqlite3/driver"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/internal/app"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/sqlite"
	"github.com/outlast-dev/outlast/task"
)

// idle is long enough for whatever a node does every few seconds.
const idle = 7 * time.Second

// scenarios by their names. Each is a node's whole life, so that what starting and
// stopping runs is found in all of them.
var scenarios = map[string]func(ctx context.Context, folder string) error{
	"idle":        func(ctx context.Context, folder string) error { return library(ctx, folder, rest) },
	"noop":        func(ctx context.Context, folder string) error { return library(ctx, folder, enqueue("noop")) },
	"fail":        func(ctx context.Context, folder string) error { return library(ctx, folder, enqueue("fail")) },
	"idle-server": func(ctx context.Context, folder string) error { return server(ctx, folder, rest) },
	"push":        func(ctx context.Context, folder string) error { return server(ctx, folder, push) },
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "cost:", err)
		os.Exit(1)
	}
}

func run(args []string) (err error) {
	if len(args) != 1 || scenarios[args[0]] == nil {
		return errors.New("name one scenario: see scenarios in internal/cost/main.go")
	}
	folder, err := os.MkdirTemp("", "outlast-cost-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	return scenarios[args[0]](ctx, folder)
}

// node is what a scenario works with: a client, the address of its API if it has one,
// and word of the end of its only task.
type node struct {
	client *outlast.Client
	url    string
	ended  <-chan task.State
}

// observe gives a node's option that sends the final state of its task.
func observe() (outlast.Option, <-chan task.State) {
	ended := make(chan task.State, 1)
	return outlast.WithObserver(outlast.Observer{Settled: func(_ context.Context, o outlast.Outcome) {
		if o.State.Final() {
			ended <- o.State
		}
	}}), ended
}

// library does something on a node inside an application.
func library(ctx context.Context, folder string, do func(context.Context, *node) error) (err error) {
	backend, err := sqlite.Open(ctx, filepath.Join(folder, "cost.db"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, backend.Close()) }()
	observer, ended := observe()
	client, err := outlast.Open(ctx, backend, observer)
	if err != nil {
		return err
	}
	soon, err := retry.New(retry.Fixed(100 * time.Millisecond))
	if err != nil {
		return err
	}
	outlast.Handle(client, "noop", func(context.Context, struct{}) error { return nil })
	outlast.Handle(client, "fail", failOnce, outlast.Retry(soon))
	if err := client.Start(ctx); err != nil {
		return err
	}
	return errors.Join(do(ctx, &node{client: client, ended: ended}), client.Stop(ctx))
}

func failOnce(ctx context.Context, _ struct{}) error {
	if run, _ := outlast.Info(ctx); run.Attempt == 1 {
		return errors.New("the first attempt fails")
	}
	return nil
}

// server does something on a node that serves the API.
func server(ctx context.Context, folder string, do func(context.Context, *node) error) error {
	observer, ended := observe()
	s, err := app.New(app.Config{
		Listen: "127.0.0.1:0",
		Store:  "sqlite:" + filepath.Join(folder, "cost.db"),
		Openers: app.Openers{"sqlite": {Open: func(ctx context.Context, file string) (store.Backend, error) {
			return sqlite.Open(ctx, file)
		}}},
		AllowTargets: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
		Options:      []outlast.Option{observer},
	})
	if err != nil {
		return err
	}
	if err := s.Start(ctx); err != nil {
		return err
	}
	return errors.Join(do(ctx, &node{client: s.Client(), url: s.URL(), ended: ended}), s.Stop(ctx))
}

func rest(ctx context.Context, _ *node) error {
	select {
	case <-time.After(idle):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// enqueue hands one task of a type in and waits until it has succeeded.
func enqueue(name string) func(context.Context, *node) error {
	return func(ctx context.Context, n *node) error {
		if _, err := n.client.Enqueue(ctx, outlast.Draft{Type: name, Payload: []byte("{}")}); err != nil {
			return err
		}
		return n.succeeded(ctx)
	}
}

// push has the server send one request to a target that answers 200.
func push(ctx context.Context, n *node) (err error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	target := http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), ReadHeaderTimeout: time.Minute}
	served := make(chan error, 1)
	go func() { served <- target.Serve(listener) }()
	defer func() {
		err = errors.Join(err, target.Close())
		<-served
	}()
	body := strings.NewReader(`{"target":{"url":"http://` + listener.Addr().String() + `/"}}`)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, n.url+"/v1/tasks", body)
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	caller := http.Client{Transport: &http.Transport{}}
	defer caller.CloseIdleConnections()
	answer, err := caller.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusCreated {
		text, _ := io.ReadAll(answer.Body) // what there is of it is shown
		return fmt.Errorf("the server answered %s: %s", answer.Status, text)
	}
	return n.succeeded(ctx)
}

func (n *node) succeeded(ctx context.Context) error {
	select {
	case state := <-n.ended:
		if state != task.Succeeded {
			return fmt.Errorf("the task is %s", state)
		}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
