// Package health is the calls of probes: whether the process is there, and whether the node
// can work.
package health

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/inspector"
	"github.com/outlast-dev/outlast/internal/wire"
	"github.com/outlast-dev/outlast/server/internal/problem"
	"github.com/outlast-dev/outlast/server/internal/route"
	"github.com/outlast-dev/outlast/server/internal/scope"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

type readyInput struct {
	Verbose bool `query:"verbose" doc:"Tell every check."`
}

// storeTimeout bounds how long a probe waits for the store.
const storeTimeout = 3 * time.Second

// Node is what of the node itself is checked. [outlast.Client] implements it.
type Node interface {
	Stats() inspect.NodeStats
	Ready() error
}

// Config is what is looked at.
type Config struct {
	Node    Node
	Inspect *inspect.Inspector
	// Store is the kind of store.
	Store string
	// File tells what became of the configuration file, and Files names the files with
	// secrets that others can get at; nil for none.
	File  func() (detail string, well bool)
	Files func() []string
	Log   *slog.Logger
}

// Add adds the calls of probes.
func Add(to *route.Table, config Config) {
	route.Handle(to, route.Route{
		Method: "GET", Path: "/livez", ID: "get-livez", Needs: inspect.PermissionOpen, Scope: scope.Shared, Tag: "health", Summary: "Whether the process is alive", About: "Nothing else is looked at.",
	}, func(context.Context, *route.None) (*route.Answer[client.Health], error) {
		return route.OK(client.Health{Status: "alive"})
	})
	route.Handle(to, route.Route{
		Method: "GET", Path: "/readyz", ID: "get-readyz", Needs: inspect.PermissionOpen, Verbose: inspect.PermissionView, Scope: scope.Shared, Tag: "health", Answers: []int{200, 503},
		Summary: "Whether the server can accept and run tasks", About: "503 while it cannot. With verbose, the answer lists the checks.",
	}, func(ctx context.Context, in *readyInput) (*route.Answer[client.Health], error) {
		return ready(ctx, &config, in.Verbose)
	})
}

func ready(ctx context.Context, config *Config, verbose bool) (*route.Answer[client.Health], error) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	r := &readiness{Config: config, health: client.Health{Status: "ready", Checks: map[string]client.Check{}}}
	queues, err := r.Inspect.Queues.List(ctx)
	r.check("store", err, r.Store)
	stats := r.Node.Stats()
	r.check("engine", r.Node.Ready(), fmt.Sprintf("%d of %d slots in use, %d tasks due, %d waiting in memory", stats.Running, stats.Slots, stats.Ready, stats.Waiting))
	if verbose {
		r.check("lanes", nil, fmt.Sprintf("%d owned by this node; queues: %d", stats.Lanes, len(queues)))
		r.examineRetries()
		r.examineFiles()
		r.examineAlerts(ctx)
		if err == nil { // else the store has said what there is to say
			r.examineStore(ctx)
			r.examineKeys(ctx)
			r.examineBlocked(ctx)
			r.examinePolicies(ctx)
			r.examineWork(ctx)
		}
	} else {
		r.health.Checks = nil
	}
	out := &route.Answer[client.Health]{Status: http.StatusOK, Body: r.health}
	if r.health.Status != "ready" {
		out.Status = http.StatusServiceUnavailable
	}
	return out, nil
}

// readiness collects checks; one that fails makes the server not ready.
type readiness struct {
	*Config
	health client.Health
}

func (r *readiness) check(name string, err error, detail string) {
	if err != nil { // its text may be for operators only
		r.Log.Warn("not ready", slog.String("check", name), slog.Any("error", err))
		r.health.Status, detail = "not ready", problem.Of(err).Error()
	}
	r.health.Checks[name] = client.Check{OK: err == nil, Detail: detail}
}

// since tells that a check has failed from a moment on, at the latest.
func (r *readiness) since(name string, at time.Time) {
	check := r.health.Checks[name]
	if check.Since.IsZero() || at.Before(check.Since.Time) {
		check.Since = wire.Time(at)
	}
	r.health.Checks[name] = check
}

// examineFiles tells of the configuration file, and of files with secrets.
func (r *readiness) examineFiles() {
	if r.File != nil { // a file that is refused keeps nobody from working by the one before
		detail, well := r.File()
		r.health.Checks["configuration"] = client.Check{OK: well, Detail: detail}
	}
	if r.Files != nil {
		r.warn("secret files", nil, r.Files(), "")
	}
}

// examineRetries tells whether there are any. Without them tasks run all the same.
func (r *readiness) examineRetries() {
	on := r.Inspect.Policies.RetriesOn()
	r.health.Checks["retries"] = client.Check{OK: on, Detail: map[bool]string{true: "on", false: "off for all tasks, by the configuration"}[on]}
}

// examinePolicies names the policies and types that may not be meant.
func (r *readiness) examinePolicies(ctx context.Context) {
	review, err := r.Inspect.Policies.Review(ctx)
	if err != nil {
		r.check("policies", err, "")
		return
	}
	for name, found := range map[string][]string{"without retries": review.Once, "without a timeout": review.Endless, "silent deaths": review.Silent} {
		detail := "none"
		if len(found) > 0 {
			detail = listed(found)
		}
		r.health.Checks[name] = client.Check{OK: len(found) == 0, Detail: detail}
	}
}

// examineBlocked counts the ordering keys that dead letters block.
func (r *readiness) examineBlocked(ctx context.Context) {
	keys, _, err := r.Inspect.Keys.Blocked(ctx, nil, false, store.Page{})
	if err != nil {
		r.check("blocked keys", err, "")
		return
	}
	r.health.Checks["blocked keys"] = client.Check{OK: len(keys) == 0, Detail: inspector.SayBlocked(len(keys))}
	for i := range keys {
		r.since("blocked keys", keys[i].Since)
	}
}

// mostNamed bounds the names in one check.
const mostNamed = 20

// examineAlerts tells of channels that do not deliver, and of a pause of them all. It
// makes no server unready: tasks run without alerts.
func (r *readiness) examineAlerts(ctx context.Context) {
	problems := r.Inspect.Alerts.Problems()
	since, err := r.Inspect.Alerts.PausedSince(ctx)
	switch {
	case err != nil:
		problems = append(problems, "whether alerts are paused cannot be told: "+problem.Of(err).Error())
	case !since.IsZero():
		problems = append(problems, "alerts are not delivered: the queue "+alerts.Queue+" has been paused since "+since.UTC().Format(time.RFC3339))
	}
	detail := "every channel delivers"
	if len(problems) > 0 {
		detail = strings.Join(problems, "; ")
	}
	r.health.Checks["alerts"] = client.Check{OK: len(problems) == 0, Detail: detail}
}

// examineStore tells of the schema and, on a database server, of the clocks and the
// connections. Clocks that differ keep nobody from working: what is due is decided by
// the database's.
func (r *readiness) examineStore(ctx context.Context) {
	view, err := r.Inspect.Store.Get(ctx)
	if err != nil {
		r.check("migrations", err, "")
		return
	}
	if view.Migrations != nil {
		applied, last := 0, "none"
		for _, migration := range view.Migrations {
			if migration.Applied {
				applied, last = applied+1, migration.Name
			}
		}
		err := error(nil)
		if applied < len(view.Migrations) {
			err = &task.Error{Code: task.CodeUnavailable, Message: fmt.Sprintf("%d of %d migrations are applied", applied, len(view.Migrations)), Hint: "outlast migrate up --store URL"}
		}
		r.check("migrations", err, fmt.Sprintf("%d of %d applied, the last is %s", applied, len(view.Migrations), last))
	}
	if view.Server == nil {
		return
	}
	advice := ""
	if view.Server.Ahead.Abs() > clockSlack {
		advice = "; synchronise the clocks (NTP)"
	}
	r.check("clock", nil, fmt.Sprintf("the database's clock %s, a round trip takes %s%s",
		apart(view.Server.Ahead.Round(time.Millisecond)), view.Server.Took.Round(10*time.Microsecond), advice))
	r.check("pool", nil, fmt.Sprintf("%d of %d connections in use", view.Server.InUse, view.Server.Most))
	if until := view.Server.Until; !until.IsZero() {
		r.check("days", daysProblem(until, time.Now().Add(view.Server.Ahead)), "tables exist for tasks that end until "+until.UTC().Format(time.DateOnly))
	}
}

// daysProblem is an error where the database has no table for what ends tomorrow:
// nodes make those of the next days all the time, so they cannot. Tasks that end
// on a day without a table stay running.
func daysProblem(until, now time.Time) error {
	if now.Add(24 * time.Hour).Before(until) {
		return nil
	}
	return &task.Error{Code: task.CodeUnavailable, Message: "tables exist for tasks that end until " + until.UTC().Format(time.DateOnly) + " only",
		Hint: "the log says why no more are made (cleanup.failed), and outlast doctor --store URL which right is missing"}
}

// apart says how a clock stands to this node's.
func apart(ahead time.Duration) string {
	switch {
	case ahead > 0:
		return "is " + ahead.String() + " ahead of this node's"
	case ahead < 0:
		return "is " + (-ahead).String() + " behind this node's"
	}
	return "agrees with this node's to the millisecond"
}

// clockSlack is how far clocks may be apart without advice.
const clockSlack = time.Second
