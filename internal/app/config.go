package app

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/config"
	"github.com/outlast-dev/outlast/server"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Defaults of a server.
const (
	DefaultListen = "127.0.0.1:7070"
	DefaultStore  = "sqlite:outlast.db"
	DefaultGrace  = 25 * time.Second
)

// Opener opens stores of one scheme.
type Opener struct {
	// Open opens a store from what follows the scheme and colon of its URL.
	Open func(ctx context.Context, rest string) (store.Backend, error)
	// Safety is that of such a store.
	Safety server.Safety
}

// Openers has one opener per scheme. The program that imports the drivers
// provides it.
type Openers map[string]Opener

// Config is what a server program is made of.
type Config struct {
	// Listen is the address and port of the HTTP API, "127.0.0.1:7070" when empty;
	// port 0 picks a free one. One that others than this machine reach needs a
	// token in the store.
	Listen string
	// Store is the URL of the store, "sqlite:outlast.db" when empty.
	Store string
	// Openers know how to open it; required.
	Openers Openers
	// Queues are those that the server works on, beside applications with the
	// library inside; when empty, every queue that none of these works on.
	Queues []string
	// AllowTargets are private address ranges that tasks may call.
	AllowTargets []netip.Prefix
	// TargetSecrets are signing secrets by host, or host and port, see [outlast.WithTargetSecret].
	TargetSecrets map[string][]byte
	// Options are further options of the node.
	Options []outlast.Option
	// File is the configuration file that what holds on all nodes comes from, and
	// that is read again when it changes; nil for none.
	File *config.File
	// Hangups asks to read the file again at once; nil for never.
	Hangups <-chan os.Signal
	// Archive is a directory into which the cleanup writes whole dead letters before
	// it deletes them, "" for none.
	Archive string
	// Advertise is the host and port at which other nodes reach this one, that which
	// it listens on when empty.
	Advertise string
	// Certificate and Key are files in PEM that make the API speak TLS. They are read
	// again when they change.
	Certificate, Key string
	// Exposed names the files with secrets that others of the machine can get at, for
	// the log and /readyz?verbose; nil for none.
	Exposed func() []config.Problem
	// Limits bound what callers can hold of the node; see [server.Limits] for what 0 is.
	// Connections are half of the descriptors of the process at most.
	Limits server.Limits
	// DebugListen is a loopback address and port for the profiler, "" for none.
	DebugListen string
	// Telemetry is where traces and metrics are sent.
	Telemetry Telemetry
	// Grace is the time that running attempts get at a stop, 25 s when 0,
	// none when negative.
	Grace time.Duration
	// Version of the program.
	Version string
	// Logger is silent when nil.
	Logger *slog.Logger
}

func (c Config) withDefaults() (Config, error) {
	c.Listen = cmp.Or(c.Listen, DefaultListen)
	c.Store = cmp.Or(c.Store, DefaultStore)
	c.Grace = cmp.Or(c.Grace, DefaultGrace)
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	if _, _, err := c.Openers.find(c.Store); err != nil {
		return c, err
	}
	if c.DebugListen != "" {
		if err := checkListen(c.DebugListen); err != nil {
			return c, err
		}
		if !local(c.DebugListen) {
			return c, &task.Error{Code: task.CodeDenied, Message: "refusing to serve the profiler on " + task.Quote(c.DebugListen) + ": it shows everything",
				Hint: "use a loopback address", Fields: []task.Field{{Path: "debug_listen", Message: "not a loopback address"}}}
		}
	}
	if problem := accept.URLProblem(c.Telemetry.Endpoint); problem != "" {
		return c, task.Invalid("telemetry.endpoint", problem, config.EndpointHint)
	}
	if _, _, err := net.SplitHostPort(c.Advertise); err != nil && c.Advertise != "" {
		return c, task.Invalid("advertise", task.Quote(c.Advertise)+" is not a host and port", "write it as host:port")
	}
	return c, checkListen(c.Listen)
}

func (o Openers) find(url string) (Opener, string, error) {
	scheme, rest, found := strings.Cut(url, ":")
	if opener, known := o[scheme]; found && known {
		return opener, rest, nil
	}
	known := slices.Sorted(maps.Keys(o))
	// The URL may hold a password, so it is not shown.
	return Opener{}, "", task.Invalid("store", "the store URL has no scheme that is known here", "write it as sqlite:PATH; known are "+strings.Join(known, ", "))
}

// Open opens the store of a URL.
func (o Openers) Open(ctx context.Context, url string) (store.Backend, error) {
	opener, rest, err := o.find(url)
	if err != nil {
		return nil, err
	}
	return opener.Open(ctx, rest)
}
