package outlast

import (
	"cmp"
	"context"
	"log/slog"
	"net/netip"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	oteltrace "go.opentelemetry.io/otel/trace"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/alert/channel"
	"github.com/outlast-dev/outlast/dead"
	"github.com/outlast-dev/outlast/engine"
	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/tracing"
	"github.com/outlast-dev/outlast/store/sealed"
	"github.com/outlast-dev/outlast/task"
)

// Option changes what [Open] makes.
type Option func(*options)

type options struct {
	queues      []string
	server      bool
	enqueueOnly bool
	logger      *slog.Logger
	errorTexts  bool
	registerer  prometheus.Registerer
	allow       []netip.Prefix
	release     string
	address     string
	secrets     map[string][]byte
	observers   []engine.Observer
	tune        []func(*engine.Config)
	dead        dead.Config
	pushTimeout time.Duration
	pushMost    time.Duration
	alertFuncs  map[string]alert.Channel
	ownChannels func(name string) []*channel.Spec
	tracer      *tracing.Tracer
	keys        sealed.Keys
}

// WithQueues names the queues that this node works on; "default" when the
// option is absent. Missing ones are created by [Client.Start].
func WithQueues(names ...string) Option {
	return func(o *options) { o.queues = append(o.queues, names...) }
}

// WithSlots limits the attempts that run here at the same time; 1000 when
// absent. Of 8 or more, one in eight stays free while it is not taken by the queues that
// it is kept for: those of this node that run less than their part by weight. So a node with
// several queues has 4 of 4, 7 of 8 or 14 of 16 slots for one of them.
func WithSlots(n int) Option { return WithEngine(func(c *engine.Config) { c.Slots = n }) }

// WithGrace is how long running attempts may go on after [Client.Stop]; 25 s
// when absent.
func WithGrace(d time.Duration) Option { return WithEngine(func(c *engine.Config) { c.Grace = d }) }

// WithLogger sets where events go; nowhere when absent. Successful attempts
// are logged at level DEBUG, all other outcomes at INFO, dead tasks at WARN.
func WithLogger(logger *slog.Logger) Option { return func(o *options) { o.logger = logger } }

// WithErrorTexts adds the messages of errors to the events of failed attempts and
// dead tasks, as "error". They may hold what is private: leave it out where logs
// are read by more people than the tasks are.
func WithErrorTexts() Option { return func(o *options) { o.errorTexts = true } }

// WithRegisterer registers Prometheus metrics, until [Client.Stop].
func WithRegisterer(r prometheus.Registerer) Option {
	return func(o *options) { o.registerer = r }
}

// WithTracerProvider makes OpenTelemetry spans of enqueues and attempts, see package
// tracing; none when absent, at no cost. The provider stays the caller's, who flushes
// it after [Client.Stop]. The global provider is used only by who passes it:
// WithTracerProvider(otel.GetTracerProvider()).
func WithTracerProvider(provider oteltrace.TracerProvider) Option {
	return func(o *options) { o.tracer = tracing.New(provider) }
}

// AllowTargets opens address ranges for HTTP tasks that are closed otherwise:
// private, loopback and link-local ones.
func AllowTargets(prefixes ...netip.Prefix) Option {
	return func(o *options) { o.allow = append(o.allow, prefixes...) }
}

// WithRelease names the release of the application, for the node, attempts and
// statistics: at most 64 bytes without control characters.
func WithRelease(release string) Option { return func(o *options) { o.release = release } }

// WithAddress says where this node's API listens, as host:port, or
// https://host:port for one that speaks TLS, for other nodes
// and people. On stores without wake-ups of their own, other nodes call
// POST /v1/nodes/wake there when they have changed what belongs to this node;
// see [Client.Wake].
func WithAddress(address string) Option { return func(o *options) { o.address = address } }

// EnqueueOnly makes a node that enqueues and inspects but runs nothing.
func EnqueueOnly() Option { return func(o *options) { o.enqueueOnly = true } }

// AsServer makes a node that works on every queue without an embedded node,
// and makes HTTP requests of tasks in all of them. With [WithQueues] it works on
// those queues only, and shares them with embedded nodes.
func AsServer() Option { return func(o *options) { o.server = true } }

// WithObserver adds an observer of the engine. Its functions must not block.
func WithObserver(observer engine.Observer) Option {
	return func(o *options) { o.observers = append(o.observers, observer) }
}

// WithOwnChannels tells what the configuration of this process says of an alert channel:
// nothing, or its specification, and, while that is being changed, the one before. A
// channel of the store that is the same may name any environment variable and file of
// this process; others may name variables OUTLAST_SECRET_… only. The function must not
// block.
func WithOwnChannels(of func(name string) []*channel.Spec) Option {
	return func(o *options) { o.ownChannels = of }
}

// WithEncryption encrypts what tasks carry before the store sees it: payloads,
// headers, results, the texts of errors; package sealed has the list. All nodes
// need the keys. A task that this node has no key for stays where it is, and says
// so in its last error.
func WithEncryption(keys sealed.Keys) Option { return func(o *options) { o.keys = keys } }

// WithEngine changes the settings of the engine before it is made, for
// limits that have no option of their own.
func WithEngine(change func(*engine.Config)) Option {
	return func(o *options) { o.tune = append(o.tune, change) }
}

// WithDeadRetention is how long dead letters are kept; 30 days when absent.
func WithDeadRetention(d time.Duration) Option {
	return func(o *options) { o.dead.Retention = d }
}

// WithDoneRetention is how long tasks that succeeded or were canceled stay
// findable; 24 h when absent.
func WithDoneRetention(d time.Duration) Option {
	return func(o *options) { o.dead.DoneRetention = d }
}

// WithAuditRetention is how long rows of the audit log are kept; 400 days when
// absent, at least 24 h.
func WithAuditRetention(d time.Duration) Option {
	return func(o *options) { o.dead.Audit = d }
}

// WithCleanup says when old dead letters and rows of the audit log are deleted: a cron expression of
// five fields, or six with seconds first, and an IANA zone ("" for UTC).
// "0 3 * * *" when absent.
func WithCleanup(cron, zone string) Option {
	return func(o *options) { o.dead.Cleanup, o.dead.Zone = cron, zone }
}

// WithStatsEvery is how often the numbers of dead letters are logged; 5
// minutes when absent.
func WithStatsEvery(d time.Duration) Option {
	return func(o *options) { o.dead.StatsEvery = d }
}

// WithDeadArchive is given dead letters with their attempts before the cleanup
// deletes them. What it returns an error for is not deleted, and comes again the
// next day; after a crash letters may come twice.
func WithDeadArchive(keep func(ctx context.Context, letters []dead.Letter) error) Option {
	return func(o *options) { o.dead.Archive = keep }
}

// WithPushTimeout is the time of an attempt of an HTTP task where neither the task
// nor its policy sets one; 30 s when absent.
func WithPushTimeout(d time.Duration) Option {
	return func(o *options) { o.pushTimeout = d }
}

// WithMaxPushTimeout bounds the time of an attempt of an HTTP task, whatever the task or
// its policy says; 1 h when absent, 24 h at most. A task that asks for more is refused.
func WithMaxPushTimeout(d time.Duration) Option {
	return func(o *options) { o.pushMost = d }
}

// WithDeadBacklog is from how many dead letters on their numbers are logged as a
// warning; 1 when absent.
func WithDeadBacklog(letters int) Option {
	return func(o *options) { o.dead.Backlog = letters }
}

// check completes the options and collects what is wrong with them.
func (o *options) check() error {
	var c accept.Complaints
	for _, name := range o.queues {
		c.Name("queues", name)
	}
	checkRelease(&c, o.release)
	if !o.server && len(o.queues) == 0 {
		o.queues = []string{task.DefaultQueue}
	}
	o.queues = slices.Compact(slices.Sorted(slices.Values(o.queues)))
	o.pushMost = cmp.Or(o.pushMost, time.Hour)
	if o.pushMost < minTimeout || o.pushMost > maxTimeout {
		c.Add("push.max_timeout", o.pushMost.String()+" is outside 1ms to 24h", "leave it out for 1h")
	}
	o.logger = cmp.Or(o.logger, slog.New(slog.DiscardHandler))
	for _, field := range o.dead.Check() {
		c.Add("dead."+field.Path, field.Message, "")
	}
	return c.Err("the options are not usable")
}
