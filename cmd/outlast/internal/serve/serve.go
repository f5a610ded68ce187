// Package serve is outlast serve: run a server.
package serve

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/settings"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/stores"
	"github.com/outlast-dev/outlast/internal/app"
)

// stopReserve is what a stop may take beside the grace time of attempts.
const stopReserve = 15 * time.Second

// Command makes outlast serve.
func Command(c *cli.Env) *cobra.Command {
	var f settings.Flags
	cmd := &cobra.Command{
		Use: "serve", Short: "Run a server", Args: cobra.NoArgs, Annotations: map[string]string{cli.Logs: "json"},
		Long: `Run a server: the HTTP API, and a node that runs tasks. The node works on every queue
that no application with the library inside serves. With --queues it works on these
queues instead, together with such applications.

By default the server listens on a loopback address, where no token is needed until you
create the first one (outlast token create). To listen on any other address, create a
token first: outlast token create --store URL. --tls-cert and --tls-key turn on TLS.
Requests from web pages of other origins are refused. On loopback addresses, so are
requests for other host names. See docs/reference/security.md.

--target-secret-env HOST=VARIABLE signs the requests to a host as Standard Webhooks
does, with the secret (whsec_...) in that environment variable. HOST:PORT=VARIABLE
applies to one port and takes precedence over the secret of the host.

--encryption-key-file NAME=PATH encrypts the contents of tasks before they reach the
database (docs/how-to/encryption.md). All servers of a database need the same keys.

--config FILE reads settings from a file (docs/reference/configuration.md): addresses and
limits of this node, and the policies, types and queues of all nodes. Policies, types and
queues are reloaded when the file changes, and on SIGHUP. A file with an error changes
nothing. If the file of another node has replaced them, only SIGHUP applies this file
again. To check a file, use outlast config check FILE; to see every setting and its
source, use outlast config print.

SIGINT and SIGTERM stop the server gracefully: running attempts have the grace time to
end, and the rest is handed back without using up an attempt. A second signal stops it
at once.`,
	}
	flags := cmd.Flags()
	cmd.RunE = c.Act(func(ctx context.Context, _ []string) error {
		if f.Store == "" {
			return cli.Usagef("--store is empty: name a store (%s), or leave the flag out to use %s", stores.Forms(), app.DefaultStore)
		}
		s, err := f.Read(flags)
		if err != nil {
			return err
		}
		return serve(ctx, c, &f, s)
	})
	f.Add(flags)
	return cmd
}

func serve(ctx context.Context, c *cli.Env, f *settings.Flags, s *settings.Settings) error {
	if s.Log.Format == "json" {
		c.ReportJSON()
	}
	if s.Grace < 0 {
		return cli.Usagef("--grace must not be negative")
	}
	config, err := s.AppConfig(f, c.Version)
	if err != nil {
		return err
	}
	if config.Logger, err = newLogger(c.Messages, s.Log); err != nil {
		return err
	}
	say := &says{c, nil}
	if s.Log.Format == "json" {
		say.logger = config.Logger
	}
	if config.File != nil {
		hangups := make(chan os.Signal, 1)
		signal.Notify(hangups, syscall.SIGHUP)
		defer signal.Stop(hangups)
		config.Hangups = hangups
	}
	server, err := app.New(config)
	if err != nil {
		return err
	}
	if err := server.Start(ctx); err != nil {
		return err
	}
	scheme, _, _ := strings.Cut(s.Store.URL, ":")
	say.listens(server.URL(), scheme)
	if err := ready(c); err != nil {
		say.untold(err)
	}
	select {
	case <-ctx.Done():
	case err = <-server.Failed():
	}
	return errors.Join(err, stop(say, server, time.Duration(s.Grace)))
}

// sameSignal is the time in which a second signal is taken for the first: timeout(1)
// and some terminals and supervisors send one to the process and to its group.
const sameSignal = 500 * time.Millisecond

// hurry is a context that a signal ends, unless it comes with the first one.
func hurry(first time.Time, signals <-chan os.Signal) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-signals:
				if time.Since(first) >= sameSignal {
					cancel()
				}
			}
		}
	}()
	return ctx, cancel
}

// stop stops gracefully; a second signal hurries.
func stop(say *says, server *app.App, grace time.Duration) error {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	again, cancel := hurry(time.Now(), signals)
	defer cancel()
	say.RestoreSignals()
	ctx, end := context.WithTimeoutCause(again, grace+stopReserve, errors.New("stopping took too long"))
	defer end()
	say.stopping(grace)
	if err := server.Stop(ctx); err != nil && again.Err() == nil {
		return err
	}
	say.stopped()
	return nil
}
