// Package demo is outlast demo: retries, dead letters and a redrive within a minute.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/stores"
	"github.com/outlast-dev/outlast/internal/app"
	"github.com/outlast-dev/outlast/internal/config"
)

// demoStop is what the stop of the server may take.
const demoStop = 15 * time.Second

// demoLimit ends a demo that does not get on.
const demoLimit = 55 * time.Second

type demoSummary struct {
	Tasks        int `json:"tasks"`
	FirstAttempt int `json:"succeeded_at_first_attempt"`
	Retried      int `json:"succeeded_after_retries"`
	Dead         int `json:"dead_letters"`
	Redriven     int `json:"succeeded_after_redrive"`
	Alerts       int `json:"alerts_received"`
	Calls        int `json:"calls_received"`
}

// Command makes outlast demo.
func Command(c *cli.Env) *cobra.Command {
	var keep bool
	cmd := &cobra.Command{
		Use: "demo", Short: "See retries, an outage, alerts, dead letters and a redrive within a minute", Args: cobra.NoArgs,
		Long: `Start a server on a temporary SQLite store, a remote worker, and endpoints that fail
from time to time. Enqueue a few hundred tasks in several queues and watch retries, an
outage in which a circuit breaker saves attempts, alerts, and dead letters, which are
redriven once their cause is repaired. All data is removed at the end.

With --keep the server stays so that you can look around in the console: traffic goes
on, and some endpoints fail until you repair them.`,
		RunE: c.Act(func(ctx context.Context, _ []string) error { return demo(ctx, c, keep) }),
	}
	cmd.Flags().BoolVar(&keep, "keep", false, "keep the server running at the end, on port 7070 or a free one")
	return cmd
}

func demo(ctx context.Context, c *cli.Env, keep bool) (err error) {
	folder, err := os.MkdirTemp("", "outlast-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	receiver, err := startReceiver(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, receiver.stop()) }()
	file, err := writeStage(folder, receiver)
	if err != nil {
		return err
	}
	server, err := demoServer(ctx, c, filepath.Join(folder, "demo.db"), file, keep)
	if err != nil {
		return err
	}
	defer func() {
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), demoStop)
		defer cancel()
		err = errors.Join(err, server.Stop(bounded))
	}()
	api, err := client.New(server.URL(), client.WithUserAgent("outlast-demo"))
	if err != nil {
		return err
	}
	defer api.Close()
	if keep {
		c.Say("console: %s/", server.URL())
	}
	c.Say("server listens on %s, with its store and outlast.yaml in %s", server.URL(), folder)
	stopWorker := startWorker(ctx, api)
	defer func() { err = errors.Join(err, stopWorker()) }()
	story := &demoStory{Env: c, api: api, receiver: receiver, keep: keep}
	return story.play(ctx, server.URL())
}

// play tells the story, with traffic around it if the demo is kept.
func (s *demoStory) play(ctx context.Context, url string) (err error) {
	if err := s.open(ctx); err != nil {
		return err
	}
	if s.keep {
		traffic := make(chan error, 1)
		around, stop := context.WithCancel(ctx)
		go func() { traffic <- s.traffic(around) }()
		defer func() {
			if err != nil {
				stop()
			}
			err = errors.Join(err, <-traffic)
			stop()
		}()
	}
	limited, cancel := context.WithTimeoutCause(ctx, demoLimit, fmt.Errorf("the demo did not finish within %s", demoLimit))
	defer cancel()
	if err := s.tell(limited); err != nil {
		return err
	}
	if err := s.Show(s.summary, s.table); err != nil {
		return err
	}
	if s.keep {
		s.remains(url)
	}
	return nil
}

// demoServer starts the server: to be kept on the usual port if that is free,
// otherwise on any.
func demoServer(ctx context.Context, c *cli.Env, path string, file *config.File, keep bool) (*app.App, error) {
	config := app.Config{
		Listen: "127.0.0.1:0", Store: "sqlite:" + path, Openers: stores.Openers(), Grace: time.Second, Version: c.Version, File: file,
		AllowTargets: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")},
		Logger:       slog.New(slog.NewTextHandler(c.Messages, &slog.HandlerOptions{Level: slog.LevelError})),
	}
	listens := []string{"127.0.0.1:0"}
	if keep {
		listens = []string{app.DefaultListen, "127.0.0.1:0"}
	}
	var failure error
	for _, listen := range listens {
		config.Listen = listen
		server, err := app.New(config)
		if err != nil {
			return nil, err
		}
		if failure = server.Start(ctx); failure == nil {
			return server, nil
		}
		var busy *net.OpError
		if !errors.As(failure, &busy) || !errors.Is(busy, syscall.EADDRINUSE) {
			break
		}
	}
	return nil, failure
}

func (s *demoStory) table(w io.Writer) {
	sum := s.summary
	cli.Row(w, "")
	cli.Row(w, "tasks", sum.Tasks)
	cli.Row(w, "succeeded at the first attempt", sum.FirstAttempt)
	cli.Row(w, "succeeded after retries", sum.Retried)
	cli.Row(w, "became dead letters", sum.Dead)
	cli.Row(w, "succeeded after the redrive", sum.Redriven)
	cli.Row(w, "alerts received", sum.Alerts)
	cli.Row(w, "calls received", sum.Calls)
}
