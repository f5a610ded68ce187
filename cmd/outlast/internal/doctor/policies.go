package doctor

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/report"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/inspector"
	"github.com/outlast-dev/outlast/store"
)

// doubt is a check of what works and may not be meant.
type doubt struct{ check, fix string }

// doubts are named as the server names them.
var doubts = []doubt{
	{"retries", "remove retries: false from the configuration file"},
	{"without retries", "max_attempts: 1 turns retries off; raise it unless this is intended"},
	{"without a timeout", "set a timeout: an attempt that hangs keeps its slot (HTTP requests end after 30s anyway)"},
	{"silent deaths", "no alert rule covers every death of their tasks: outlast alert rules, or alert: in the policy"},
	{"configuration", "outlast config check FILE; until it is repaired the previous settings stay in force"},
	{"secret files", "chmod 600 them, or 640 with the group of the server"},
	{"blocked keys", "outlast queue blocked lists them; redrive or purge their dead letters, or outlast queue release-key"},
	{"alerts", "outlast alert test CHANNEL; if they are paused, outlast queue resume " + alerts.Queue},
}

func (r exam) doubt(d doubt, well bool, detail string) {
	status := report.Fine
	if !well {
		status = report.Warns
	}
	r.Add(d.check, status, detail, d.fix)
}

// examineAlerts tells of a pause of the queue that alerts travel in, and of alerts that
// go to the log only although there are channels. Which channels deliver, only the
// nodes know.
func (r exam) examineAlerts(ctx context.Context, inspector *inspect.Inspector) {
	since, err := inspector.Alerts.PausedSince(ctx)
	if err != nil {
		r.Add("alerts", report.Fails, err.Error(), "")
		return
	}
	unheard, err := unheardAlerts(ctx, inspector)
	switch {
	case err != nil:
		r.Add("alerts", report.Fails, err.Error(), "")
	case !since.IsZero():
		r.Add("alerts", report.Warns, "alerts are not delivered: the queue "+alerts.Queue+" has been paused since "+since.UTC().Format(time.RFC3339), "outlast queue resume "+alerts.Queue)
	case unheard != "":
		r.Add("alerts", report.Warns, unheard, "docs/how-to/alerts.md")
	default:
		r.Add("alerts", report.Fine, "not paused", "")
	}
}

// unheardAlerts says whose alerts nobody is sent, by the rules and channels in a store.
func unheardAlerts(ctx context.Context, inspector *inspect.Inspector) (string, error) {
	views, err := inspector.Alerts.Channels.List(ctx)
	if err != nil {
		return "", err
	}
	channels := map[string]bool{}
	for i := range views {
		if spec := &views[i].ChannelSpec; views[i].Problem == "" && spec.Name != alerts.LogChannel {
			channels[spec.Name] = spec.Default
		}
	}
	held, err := inspector.Alerts.Rules.List(ctx)
	rules := make([]alert.Rule, len(held))
	for i := range held {
		rules[i] = held[i].Rule
	}
	return alerts.Unheard(channels, rules), err
}

// examineBlocked counts the ordering keys that dead letters block.
func (r exam) examineBlocked(ctx context.Context, nouns *inspect.Inspector) {
	keys, _, err := nouns.Keys.Blocked(ctx, nil, false, store.Page{})
	if err != nil {
		r.Add("blocked keys", report.Fails, err.Error(), "")
		return
	}
	at := slices.IndexFunc(doubts, func(d doubt) bool { return d.check == "blocked keys" })
	r.doubt(doubts[at], len(keys) == 0, inspector.SayBlocked(len(keys)))
}

// examinePolicies looks at the policies in a store, as a server would.
func (r exam) examinePolicies(ctx context.Context, inspector *inspect.Inspector) {
	review, err := inspector.Policies.Review(ctx)
	if err != nil {
		r.Add("policies", report.Fails, err.Error(), "")
		return
	}
	on := inspector.Policies.RetriesOn()
	r.doubt(doubts[0], on, map[bool]string{true: "on", false: "off for all tasks"}[on])
	for i, found := range [][]string{review.Once, review.Endless, review.Silent} {
		detail := "none"
		if len(found) > 0 {
			detail = strings.Join(found, ", ")
		}
		r.doubt(doubts[i+1], len(found) == 0, detail)
	}
}
