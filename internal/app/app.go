// Package app is the composition root of the server program: it opens the
// store, starts the engine and serves the HTTP API, and stops them in
// reverse.
package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/config"
	"github.com/outlast-dev/outlast/internal/serving"
	"github.com/outlast-dev/outlast/internal/site"
	"github.com/outlast-dev/outlast/prom"
	"github.com/outlast-dev/outlast/server"
	"github.com/outlast-dev/outlast/task"
)

// How long the parts of a stop may take, beside the grace time of attempts.
const (
	drainTimeout  = 5 * time.Second
	settleTimeout = 5 * time.Second
	closeTimeout  = 5 * time.Second
)

// App is a server in this process. Make it with [New]. Start is called once;
// Stop may be called at any time and repeatedly.
type App struct {
	config   Config
	addr     string
	client   *outlast.Client
	failed   chan error
	own      ownChannels
	stopping sync.Mutex
	cleanups []cleanup // in the order of their making
}

// cleanup undoes one step of Start within its time.
type cleanup struct {
	name    string
	timeout time.Duration
	do      func(ctx context.Context) error
}

// New checks the configuration. It opens nothing yet.
func New(config Config) (*App, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	return &App{config: config, failed: make(chan error, 1)}, nil
}

// Addr is the address that the API listens on, after Start.
func (a *App) Addr() string { return a.addr }

// URL is where clients find the API, after Start.
func (a *App) URL() string {
	if a.config.Certificate != "" {
		return "https://" + a.addr
	}
	return "http://" + a.addr
}

// Client is the node in this process, after Start.
func (a *App) Client() *outlast.Client { return a.client }

// Failed delivers the error of a server that ended by itself.
func (a *App) Failed() <-chan error { return a.failed }

// Start listens, opens the store, joins the cluster and answers requests. When it
// fails, what it had begun is undone.
func (a *App) Start(ctx context.Context) error {
	if err := a.start(ctx); err != nil {
		return errors.Join(err, a.Stop(context.WithoutCancel(ctx)))
	}
	return nil
}

func (a *App) start(ctx context.Context) error {
	for _, one := range a.exposed() {
		a.config.Logger.Warn("file.exposed", slog.String("setting", one.Path), slog.String("error", one.Message), slog.String("hint", one.Hint))
	}
	secured, err := a.secure()
	if err != nil {
		return err
	}
	// The address first: a second server on it must not touch the store.
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", a.config.Listen)
	if errors.Is(err, syscall.EADDRINUSE) {
		return &task.Error{Code: task.CodeConflict, Message: "something listens on " + a.config.Listen + " already", Hint: "another server? name another address and port in --listen (listen), port 0 for a free one", Err: err}
	}
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	a.addr = listener.Addr().String()
	a.undo("listener", closeTimeout, func(context.Context) error { return ignoreClosed(listener.Close()) })

	backend, err := a.config.Openers.Open(ctx, a.config.Store)
	if err != nil {
		return fmt.Errorf("open the store: %w", err)
	}
	a.undo("store", closeTimeout, func(context.Context) error { return backend.Close() })

	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), facts(a.config.Version, a.safety()))
	exports, err := a.telemetry(ctx)
	if err != nil {
		return err
	}
	if err := a.measure(ctx, exports, registry); err != nil {
		return err
	}
	options, err := a.options(exports, registry)
	if err != nil {
		return err
	}
	a.client, err = outlast.Open(ctx, backend, options...)
	if err != nil {
		return fmt.Errorf("open the engine: %w", err)
	}
	if err := a.checkAccess(ctx, a.client); err != nil {
		return err
	}
	a.undo("engine", max(a.config.Grace, 0)+settleTimeout, a.client.Stop)
	reload, err := a.configure(ctx)
	if err != nil {
		return err
	}
	if err := a.client.Start(ctx); err != nil {
		return fmt.Errorf("start the engine: %w", err)
	}
	api, err := a.api(registry, reload)
	if err != nil {
		return err
	}
	if err := a.debug(ctx, api); err != nil {
		return err
	}
	web := api.HTTP()
	web.TLSConfig = secured
	a.serve(ctx, web, api.Listen(listener))
	return nil
}

// options are those of the node.
func (a *App) options(exports exports, registry *prometheus.Registry) ([]outlast.Option, error) {
	options := []outlast.Option{
		outlast.WithTracerProvider(exports.traces),
		outlast.WithAllQueues(), outlast.WithLogger(a.config.Logger), prom.Register(lasting{registry}),
		outlast.WithAllowedTargets(a.config.AllowTargets...), outlast.WithAddress(a.advertised()), outlast.WithGrace(max(a.config.Grace, time.Nanosecond)),
	}
	if len(a.config.Queues) > 0 {
		options = append(options, outlast.WithQueues(a.config.Queues...))
	}
	if a.config.Archive != "" {
		kept, err := openArchive(a.config.Archive)
		if err != nil {
			return nil, err
		}
		options = append(options, outlast.WithDeadArchive(func(ctx context.Context, letters []inspect.Letter) error {
			return kept.keep(ctx, a.client.Inspector(), letters)
		}))
	}
	if a.config.File != nil {
		a.own.are(a.config.File)
		options = append(options, serving.WithOwnChannels(a.own.of))
	}
	options = append(options, a.config.Options...)
	for host, secret := range a.config.TargetSecrets {
		options = append(options, outlast.WithTargetSecret(host, secret))
	}
	return options, nil
}

// exposed are the files with secrets that others of the machine can get at now.
func (a *App) exposed() []config.Problem {
	if a.config.Exposed == nil {
		return nil
	}
	return a.config.Exposed()
}

// safety is that of the store.
func (a *App) safety() server.Safety {
	opener, _, _ := a.config.Openers.find(a.config.Store) // it was found when the program was made
	return opener.Safety
}

// api makes the handler of all requests.
func (a *App) api(registry *prometheus.Registry, reload *reloader) (*server.Server, error) {
	scheme, _, _ := strings.Cut(a.config.Store, ":")
	host, _, _ := net.SplitHostPort(a.config.Listen)
	var status func() (string, bool)
	if reload != nil {
		status = reload.status
	}
	return server.New(server.Config{
		Client: a.client, Store: scheme, Safety: a.safety(), Version: a.config.Version, Registry: registry, Logger: a.config.Logger,
		Hosts: []string{host}, Exposed: !local(a.config.Listen), Configuration: status, Console: server.Console(), Docs: site.Handler(),
		Files: func() (found []string) {
			for _, one := range a.exposed() {
				found = append(found, one.String())
			}
			return found
		},
		Limits: a.limits(),
	})
}

// serve answers requests until Stop. Their contexts end with the server's, so
// that waits do not hold up a stop.
func (a *App) serve(ctx context.Context, api *http.Server, listener net.Listener) {
	life, end := context.WithCancelCause(context.WithoutCancel(ctx))
	api.BaseContext = func(net.Listener) context.Context { return life }
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		serve := api.Serve
		if api.TLSConfig != nil {
			serve = func(l net.Listener) error { return api.ServeTLS(l, "", "") }
		}
		if err := serve(listener); !errors.Is(err, http.ErrServerClosed) {
			a.failed <- fmt.Errorf("serve: %w", err)
		}
	}()
	a.undo("http", drainTimeout, func(ctx context.Context) error {
		end(errStopping)
		err := api.Shutdown(ctx)
		if err != nil {
			err = errors.Join(err, api.Close())
		}
		<-ended
		return err
	})
}

func (a *App) undo(name string, timeout time.Duration, do func(context.Context) error) {
	a.cleanups = append(a.cleanups, cleanup{name, timeout, do})
}

// Stop undoes Start in reverse: no new requests, running attempts get their
// grace time, the store is closed. When ctx ends first, the rest is hurried
// but still done. Idempotent.
func (a *App) Stop(ctx context.Context) error {
	a.stopping.Lock()
	defer a.stopping.Unlock()
	var failures []error
	for len(a.cleanups) > 0 {
		last := a.cleanups[len(a.cleanups)-1]
		a.cleanups = a.cleanups[:len(a.cleanups)-1]
		began := time.Now()
		bounded, cancel := context.WithTimeoutCause(ctx, last.timeout, fmt.Errorf("%s did not stop within %s", last.name, last.timeout))
		if err := last.do(bounded); err != nil {
			failures = append(failures, fmt.Errorf("stop %s: %w", last.name, err))
		}
		cancel()
		a.config.Logger.Debug("stopped", slog.String("part", last.name), slog.Duration("took", time.Since(began)))
	}
	return errors.Join(failures...)
}

func ignoreClosed(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
