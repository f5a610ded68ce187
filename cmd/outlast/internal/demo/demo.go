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
	Calls        int `json:"calls_received"`
}

// Command makes outlast demo.
func Command(c *cli.Env) *cobra.Command {
	var keep bool
	cmd := &cobra.Command{
		Use: "demo", Short: "See retries, dead letters and a redrive within a minute", Args: cobra.NoArgs,
		Long: `Start a server on a temporary SQLite store, and a receiver that fails now and
then; enqueue a few hundred tasks; watch first attempts, retries and dead
letters; repair the receiver and redrive the dead letters.

With --keep the server stays, for you to look around in the console: some traffic
goes on, and two endpoints fail until you repair them.`,
		RunE: c.Act(func(ctx context.Context, _ []string) error { return demo(ctx, c, keep) }),
	}
	cmd.Flags().BoolVar(&keep, "keep", false, "leave the server running at the end, on port 7070 or a free one")
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
	server, err := demoServer(ctx, c, filepath.Join(folder, "demo.db"), keep)
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
	c.Say("server listens on %s, store in %s, receiver on %s", server.URL(), folder, receiver.url)
	story := &demoStory{Env: c, api: api, receiver: receiver}
	limited, cancel := context.WithTimeoutCause(ctx, demoLimit, fmt.Errorf("the demo was not done after %s", demoLimit))
	defer cancel()
	if err := story.tell(limited); err != nil {
		return err
	}
	if err := c.Show(story.summary, story.table); err != nil {
		return err
	}
	if !keep {
		return nil
	}
	story.remains(server.URL())
	return story.traffic(ctx)
}

// demoServer starts the server: to be kept on the usual port if that is free,
// otherwise on any.
func demoServer(ctx context.Context, c *cli.Env, path string, keep bool) (*app.App, error) {
	config := app.Config{
		Listen: "127.0.0.1:0", Store: "sqlite:" + path, Openers: stores.Openers(), Grace: time.Second, Version: c.Version,
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
	cli.Row(w, "calls that the receiver got", sum.Calls)
}
