package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/intake"
	"github.com/outlast-dev/outlast/server"
)

// debugConnections are for the few who look at the profiler.
const debugConnections = 16

// debug serves the profiler, where that was asked for, on a loopback address of its
// own, to admins.
func (a *App) debug(ctx context.Context, api *server.Server) error {
	if a.config.DebugListen == "" {
		return nil
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", a.config.DebugListen)
	if err != nil {
		return fmt.Errorf("listen for the profiler: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	web := &http.Server{Handler: api.Guard(inspect.PermissionAdminister, mux), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, DisableGeneralOptionsHandler: true, ErrorLog: slog.NewLogLogger(a.config.Logger.Handler(), slog.LevelDebug)}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := web.Serve(intake.NewConnections(debugConnections, debugConnections, nil).Listen(listener)); !errors.Is(err, http.ErrServerClosed) {
			a.config.Logger.Error("debug.ended", "error", err)
		}
	}()
	a.config.Logger.Warn("debug.listens", "address", listener.Addr().String())
	a.undo("debug", closeTimeout, func(context.Context) error {
		err := web.Close()
		<-ended
		return err
	})
	return nil
}
