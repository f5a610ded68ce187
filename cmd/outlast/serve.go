package main

import (
	"context"
	"errors"
	"net/netip"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/outlast-dev/outlast/alert/channel"
	"github.com/outlast-dev/outlast/app"
	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/policy"
	"github.com/outlast-dev/outlast/push"
	"github.com/outlast-dev/outlast/safehttp"
	"github.com/outlast-dev/outlast/task"
)

// stopReserve is what a stop may take beside the grace time of attempts.
const stopReserve = 15 * time.Second

type serveFlags struct {
	config, listen, store  string
	advertise, cert, key   string
	level, format          string
	release, debug, otlp   string
	allow, secrets, queues []string
	grace                  time.Duration
	keys                   keyFlags
}

func (f *serveFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.config, "config", "", "configuration file (YAML); flags and environment variables go before it; env OUTLAST_CONFIG")
	flags.StringVar(&f.listen, "listen", app.DefaultListen, "address and port, port 0 for a free one; others than loopback addresses need a token; env OUTLAST_LISTEN")
	flags.StringVar(&f.advertise, "advertise", "", "host and port at which other nodes reach this one, if that is not what it listens on; env OUTLAST_ADVERTISE")
	flags.StringVar(&f.cert, "tls-cert", "", "PEM file with the certificate of the API and those of its issuers; read again when it changes; env OUTLAST_TLS_CERT")
	flags.StringVar(&f.key, "tls-key", "", "PEM file with its private key; env OUTLAST_TLS_KEY")
	flags.StringVar(&f.store, "store", app.DefaultStore, storeForms+", or memory: (nothing on disk); env OUTLAST_STORE")
	flags.StringSliceVar(&f.queues, "queues", nil, "queues to work on, also beside applications with the library inside (repeatable); every queue that none of these works on when absent; env OUTLAST_QUEUES")
	flags.StringSliceVar(&f.allow, "allow-target", nil, "private address range that tasks may call, such as 10.0.0.0/8 (repeatable); env OUTLAST_ALLOW_TARGET")
	flags.StringSliceVar(&f.secrets, "target-secret-env", nil, "HOST[:PORT]=VARIABLE or group:NAME=VARIABLE: sign requests to the host, or to members of the worker group, with the secret in this environment variable (repeatable); env OUTLAST_TARGET_SECRET_ENV")
	flags.DurationVar(&f.grace, "grace", app.DefaultGrace, "time that running attempts get at a stop; env OUTLAST_GRACE")
	flags.StringVar(&f.level, "log-level", "info", "debug, info, warn or error; env OUTLAST_LOG_LEVEL")
	flags.StringVar(&f.format, "log-format", "text", "text or json; env OUTLAST_LOG_FORMAT")
	flags.StringVar(&f.release, "release", "", "release of this program, for people and metrics; env OUTLAST_RELEASE")
	flags.StringVar(&f.otlp, "otlp-endpoint", "", "base URL of a collector for traces and metrics (OTLP over HTTP), such as http://127.0.0.1:4318; off when absent; env OTEL_EXPORTER_OTLP_ENDPOINT")
	flags.StringVar(&f.debug, "debug-listen", "", "loopback address and port of the profiler (pprof), such as 127.0.0.1:6060; off when absent; env OUTLAST_DEBUG_LISTEN")
	f.keys.add(flags)
}

func newServe(c *cli) *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use: "serve", Short: "Run a server", Args: cobra.NoArgs,
		Long: `Run a server: the HTTP API, and a node that works on every queue that no
application with the library inside serves. --queues names the queues instead;
it shares these with such applications.

It listens on loopback addresses, where no token is needed until the first one is
made (outlast token create). Any other address needs a token beforehand: outlast
token create --store URL. --tls-cert and --tls-key make the API speak TLS. Requests
from web pages of other origins are refused, and so are, on loopback addresses,
those for host names that are not loopback. docs/security.md has more.

--target-secret-env HOST=VARIABLE signs the requests to a host in the manner of
Standard Webhooks, with the secret (whsec_...) in that environment variable.
HOST:PORT=VARIABLE is for one port, and goes before the secret of its host.

--encryption-key-file NAME=PATH encrypts what tasks carry before it reaches the
database (docs/encryption.md). All servers of a database need the same keys.

--config FILE reads settings from a file as well (docs/configuration.md): addresses
and limits of this node, and policies, types and queues that hold on all nodes. When
the file changes, or at SIGHUP, the latter take effect at once; a file with a mistake
changes nothing. A file that another has replaced comes back only at SIGHUP. outlast
config check FILE looks at one beforehand, and outlast config print shows every
setting and where it comes from.

SIGINT or SIGTERM stop it gracefully: running attempts get the grace time, the
rest is handed back without cost. A second signal stops at once.`,
	}
	flags := cmd.Flags()
	cmd.RunE = c.act(func(ctx context.Context, _ []string) error {
		if f.store == "" {
			return usage("--store is empty: name a store (%s), or leave the flag out for %s", storeForms, app.DefaultStore)
		}
		s, err := f.settings(flags)
		if err != nil {
			return err
		}
		return c.serve(ctx, &f, s)
	})
	f.add(flags)
	return cmd
}

func (c *cli) serve(ctx context.Context, f *serveFlags, s *settings) error {
	if s.Grace < 0 {
		return usage("--grace must not be negative")
	}
	config, err := s.appConfig(f, c.version)
	if err != nil {
		return err
	}
	if config.Logger, err = newLogger(c.messages, s.Log); err != nil {
		return err
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
	c.say("outlast %s listens on %s (store: %s)", c.version, server.URL(), scheme)
	c.say("  try:  outlast task enqueue%s --url https://example.com/hook --payload '{}'", serverFlag(server.URL()))
	c.say("  console: %s/", server.URL())
	c.say("  API:  %s/openapi.json   health: %s/readyz?verbose   stop: Ctrl-C", server.URL(), server.URL())
	select {
	case <-ctx.Done():
	case err = <-server.Failed():
	}
	return errors.Join(err, c.stop(server, time.Duration(s.Grace)))
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
func (c *cli) stop(server *app.App, grace time.Duration) error {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	again, cancel := hurry(time.Now(), signals)
	defer cancel()
	c.restoreSignals()
	ctx, end := context.WithTimeoutCause(again, grace+stopReserve, errors.New("the stop took too long"))
	defer end()
	c.say("stopping; running attempts get %s, a second signal stops at once", grace)
	if err := server.Stop(ctx); err != nil && again.Err() == nil {
		return err
	}
	c.say("stopped")
	return nil
}

func parseRanges(texts []string) ([]netip.Prefix, error) {
	ranges := make([]netip.Prefix, 0, len(texts))
	for _, text := range texts {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			address, addressErr := netip.ParseAddr(text)
			if addressErr != nil {
				return nil, usage("--allow-target: %s is not an address range such as 10.0.0.0/8", task.Quote(text))
			}
			prefix = netip.PrefixFrom(address, address.BitLen())
		}
		ranges = append(ranges, prefix.Masked())
	}
	return ranges, nil
}

// readSecrets reads signing secrets from the environment. No error contains
// one.
func readSecrets(texts []string) (map[string][]byte, error) {
	secrets := make(map[string][]byte, len(texts))
	for _, text := range texts {
		host, variable, found := strings.Cut(text, "=")
		if !found || host == "" || variable == "" || strings.HasPrefix(variable, "whsec_") {
			return nil, usage("--target-secret-env is HOST[:PORT]=VARIABLE, where VARIABLE is the name of an environment variable")
		}
		if strings.HasPrefix(variable, channel.SecretPrefix) {
			return nil, usage("--target-secret-env: channels that are put over the API may name variables %s…; call that of the secret otherwise", channel.SecretPrefix)
		}
		host, err := secretHost(host)
		if err != nil {
			return nil, err
		}
		if _, twice := secrets[host]; twice {
			return nil, usage("--target-secret-env: the host %s is given twice", task.Quote(host))
		}
		value, set := os.LookupEnv(variable)
		if !set || value == "" {
			return nil, usage("--target-secret-env: the environment variable %s is not set", task.Quote(variable))
		}
		secret, err := push.ParseSecret(value)
		if err != nil {
			return nil, usage("--target-secret-env: %s: %s", task.Quote(variable), err)
		}
		secrets[host] = secret
	}
	return secrets, nil
}

// secretHost is the one spelling of a host as it stands in a URL, with or without
// a port; an IPv6 address without a port needs no brackets.
func secretHost(text string) (string, error) {
	authority := text
	if name, isGroup := strings.CutPrefix(text, groupTarget); isGroup && policy.CheckName(name) == nil {
		return text, nil
	}
	if address, err := netip.ParseAddr(text); err == nil && address.Is6() {
		authority = "[" + text + "]"
	}
	u, err := safehttp.CheckURL("https://" + authority)
	switch {
	case err != nil:
		return "", usage("--target-secret-env: %s is not a host as it stands in a URL, without scheme: %s", task.Quote(text), err)
	case u.Path != "" || u.RawQuery != "" || u.ForceQuery:
		return "", usage("--target-secret-env: %s is not a host as it stands in a URL, without scheme and path", task.Quote(text))
	}
	return u.Host, nil
}

// serverFlag is what a command needs to find a server that is not where it looks by
// itself.
func serverFlag(url string) string {
	if url == client.DefaultServer {
		return ""
	}
	return " --server " + url
}
