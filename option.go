package outlast

import (
	"context"
	"log/slog"
	"net/netip"
	"slices"
	"time"

	oteltrace "go.opentelemetry.io/otel/trace"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/options"
	"github.com/outlast-dev/outlast/internal/reach"
	"github.com/outlast-dev/outlast/internal/tracing"
	"github.com/outlast-dev/outlast/store/sealed"
)

// Option changes what [Open] makes.
type Option func(*settings)

// settings is what the options of a client set.
type settings = options.Options

// WithQueues names the queues that this node works on; "default" when the
// option is absent. Missing ones are created by [Client.Start].
func WithQueues(names ...string) Option {
	return func(o *settings) { o.Queues = append(o.Queues, names...) }
}

// WithSlots limits the attempts that run here at the same time; 1000 when
// absent. Of 8 or more, one in eight stays free while it is not taken by the queues that
// it is kept for: those of this node that run less than their part by weight. So a node with
// several queues has 4 of 4, 7 of 8 or 14 of 16 slots for one of them.
func WithSlots(n int) Option { return WithTuning(Tuning{Slots: n}) }

// WithGrace is how long running attempts may go on after [Client.Stop]; 25 s
// when absent or 0, none below 0.
func WithGrace(d time.Duration) Option { return WithTuning(Tuning{Grace: d}) }

// WithLogger sets where events go; nowhere when absent. Successful attempts
// are logged at level DEBUG, all other outcomes at INFO, dead tasks at WARN.
func WithLogger(logger *slog.Logger) Option { return func(o *settings) { o.Logger = logger } }

// WithErrorTexts adds the messages of errors to the events of failed attempts and
// dead tasks, as "error". They may hold what is private: leave it out where logs
// are read by more people than the tasks are.
func WithErrorTexts() Option { return func(o *settings) { o.ErrorTexts = true } }

// WithTracerProvider makes OpenTelemetry spans of enqueues and attempts; none when absent,
// at no cost. The provider stays the caller's, who flushes
// it after [Client.Stop]. The global provider is used only by who passes it:
// WithTracerProvider(otel.GetTracerProvider()).
func WithTracerProvider(provider oteltrace.TracerProvider) Option {
	return func(o *settings) { o.Tracer = tracing.New(provider) }
}

// WithAllowedTargets opens address ranges for HTTP tasks that are closed otherwise:
// private, loopback and link-local ones.
func WithAllowedTargets(prefixes ...netip.Prefix) Option {
	return func(o *settings) { o.Allow = append(o.Allow, prefixes...) }
}

// WithRelease names the release of the application, for the node, attempts and
// statistics: at most 64 bytes without control characters.
func WithRelease(release string) Option { return func(o *settings) { o.Release = release } }

// WithAllQueues makes a node that works on every queue without an embedded node, and makes
// HTTP requests of tasks in all of them, as a server does. With [WithQueues] it works on
// those queues only, and shares them with embedded nodes. [Open] refuses it where package
// cel is not linked, since tasks may have conditions.
func WithAllQueues() Option { return func(o *settings) { o.Server = true } }

// WithAddress says where this node's API listens, as host:port, or https://host:port for
// one that speaks TLS, for other nodes and people. On stores without wake-ups of their own,
// other nodes call POST /v1/nodes/wake there when they have changed what belongs to this
// node: the program must serve that call, as package server does.
func WithAddress(address string) Option { return func(o *settings) { o.Address = address } }

// WithPublicURL says at which address people reach the console, for the links in alerts:
// http or https, with a path if it has one. Without it alerts have no links.
func WithPublicURL(address string) Option { return func(o *settings) { o.Console = address } }

// WithEnqueueOnly makes a node that enqueues and inspects but runs nothing. Started, it
// tells those who run tasks of new ones at once; without a start every client enqueues,
// more slowly: see [Client.Enqueue].
func WithEnqueueOnly() Option { return func(o *settings) { o.EnqueueOnly = true } }

// WithAlertFunc makes a Go function a channel of this process, under a name that
// rules can use as that of any other.
func WithAlertFunc(name string, send func(context.Context, *alert.Message) error) Option {
	return func(o *settings) {
		if o.AlertFuncs == nil {
			o.AlertFuncs = map[string]alert.Channel{}
		}
		o.AlertFuncs[name] = alert.ChannelFunc(send)
	}
}

// WithEncryption encrypts what tasks carry before the store sees it: payloads,
// headers, results, the texts of errors; package sealed has the list. All nodes
// need the keys. A task that this node has no key for stays where it is, and says
// so in its last error.
func WithEncryption(keys sealed.Keys) Option { return func(o *settings) { o.Keys = keys } }

// WithDeadRetention is how long dead letters are kept; 30 days when absent.
func WithDeadRetention(d time.Duration) Option {
	return func(o *settings) { o.Dead.Retention = d }
}

// WithDoneRetention is how long tasks that succeeded or were canceled stay
// findable; 24 h when absent.
func WithDoneRetention(d time.Duration) Option {
	return func(o *settings) { o.Dead.DoneRetention = d }
}

// WithAuditRetention is how long rows of the audit log are kept; 400 days when
// absent, at least 24 h.
func WithAuditRetention(d time.Duration) Option {
	return func(o *settings) { o.Dead.Audit = d }
}

// WithCleanup says when old dead letters and rows of the audit log are deleted: a cron expression of
// five fields, or six with seconds first, and an IANA zone ("" for UTC).
// "0 3 * * *" when absent.
func WithCleanup(cron, zone string) Option {
	return func(o *settings) { o.Dead.Cleanup, o.Dead.Zone = cron, zone }
}

// WithStatsEvery is how often the numbers of dead letters are logged; 5
// minutes when absent.
func WithStatsEvery(d time.Duration) Option {
	return func(o *settings) { o.Dead.StatsEvery = d }
}

// WithDeadArchive is given dead letters with their attempts before the cleanup
// deletes them. What it returns an error for is not deleted, and comes again the
// next day; after a crash letters may come twice.
func WithDeadArchive(keep func(ctx context.Context, letters []inspect.Letter) error) Option {
	return func(o *settings) { o.Dead.Archive = keep }
}

// WithPushTimeout is the time of an attempt of an HTTP task where neither the task
// nor its policy sets one; 30 s when absent.
func WithPushTimeout(d time.Duration) Option {
	return func(o *settings) { o.PushTimeout = d }
}

// WithMaxPushTimeout bounds the time of an attempt of an HTTP task, whatever the task or
// its policy says; 1 h when absent, 24 h at most. A task that asks for more is refused.
func WithMaxPushTimeout(d time.Duration) Option {
	return func(o *settings) { o.PushMost = d }
}

// WithDeadBacklog is from how many dead letters on their numbers are logged as a
// warning; 1 when absent.
func WithDeadBacklog(letters int) Option {
	return func(o *settings) { o.Dead.Backlog = letters }
}

// Tuning are the limits of a node. Fields that are zero keep their defaults.
type Tuning struct {
	Slots      int           // attempts that run at most, default 1000
	NearFuture int           // tasks kept in memory at most, over all lanes, default 100 000
	Horizon    time.Duration // how far ahead tasks are read, default 60 s
	Poll       time.Duration // between looks for tasks that nobody told of, default 1 s
	DeafPoll   time.Duration // the same on a store that tells of nothing; default 200 ms, or Poll if that is set
	Batch      int           // tasks of a transaction, default and most 1000
	Beat       time.Duration // between signs of life, default 1 s
	Grace      time.Duration // for running attempts at a stop, default 25 s; below 0 for none
	Share      float64       // of the slots that one target may hold, default 0.5; 1 for no bound
	InFlight   int           // bytes of the payloads of running tasks at most, default 128 MiB
}

// WithTuning sets limits of the node; what another option has set before stays where a
// field is zero.
func WithTuning(t Tuning) Option {
	return func(o *settings) { o.Tuning = options.Tuning(t).Over(o.Tuning) }
}

// WithTargetSecret signs the requests to a host in the manner of Standard
// Webhooks. The host stands as in a URL: api.example.com means all its ports,
// api.example.com:8443 only that one, which goes before. The port counts also
// where URLs leave it out, because it is the scheme's own. IPv6 addresses need
// brackets before a port. A worker group stands as group:mailers: calls of its members
// are signed with that secret, without one with those of their hosts. The secret is the 24
// to 64 bytes that stand in base64 behind its whsec_.
func WithTargetSecret(host string, secret []byte) Option {
	return func(o *settings) {
		if o.Secrets == nil {
			o.Secrets = make(map[string][]byte)
		}
		o.Secrets[reach.Place(host)] = slices.Clone(secret)
	}
}
