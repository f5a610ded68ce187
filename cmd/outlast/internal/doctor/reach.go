package doctor

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/report"
	"github.com/outlast-dev/outlast/task"
)

const (
	// soonExpired is when a certificate wants to be renewed: those that renew
	// themselves have done it by then.
	soonExpired = 14 * day
	// olderReading is how old what a server has read of its nodes may be.
	olderReading = 10 * time.Second
)

// refusedBy tells why a server could not be asked, and is the error of that.
func (r exam) refusedBy(err error) error {
	check, message, fix := "server", err.Error(), "start it with: outlast serve"
	var known *task.Error
	if errors.As(err, &known) && known.Hint != "" {
		bare := *known
		bare.Hint = ""
		message, fix = bare.Error(), known.Hint
	}
	if errors.As(err, new(*tls.CertificateVerificationError)) {
		check = "certificate"
	}
	r.Add(check, report.Fails, message, fix)
	out := &task.Error{Code: task.CodeUnavailable, Message: "the server cannot be reached", Err: err}
	if known != nil {
		out.Code = known.Code
	}
	return out
}

// examineCertificate tells when the certificate of an https server ends. One that is
// not good any more has kept everything else from being asked.
func (r exam) examineCertificate(ctx context.Context, api *client.Client) {
	shown, err := api.Certificate(ctx)
	if err != nil || shown == nil {
		return // plain HTTP; and an error would be that of every other call
	}
	left := time.Until(shown.NotAfter)
	detail := fmt.Sprintf("valid until %s (%d days)", shown.NotAfter.UTC().Format(time.RFC3339), int(left/day))
	if left < soonExpired {
		r.Add("certificate", report.Warns, detail, "renew it (tls.cert, --tls-cert); the server reloads the files by itself")
		return
	}
	r.Add("certificate", report.Fine, detail, "")
}

// examineServerClock compares the clock of the server with ours, by the time at which
// it has read its nodes.
func (r exam) examineServerClock(nodes *client.Nodes) {
	apart := time.Since(nodes.AsOf.Time)
	switch {
	case nodes.Stale:
	case apart < -clockSlack || apart > olderReading:
		r.Add("server clock", report.Warns, "the server's clock differs by about "+apart.Abs().Round(time.Second).String()+" from this machine's", "synchronise the clocks (NTP)")
	default:
		r.Add("server clock", report.Fine, "agrees with this machine's", "")
	}
}

// examineAllowed warns of servers that may call almost every address: who may enqueue
// could then reach the services of the inner network, and those by which a cloud
// gives machines their rights.
func (r exam) examineAllowed(nodes []client.Node) {
	for i := range nodes {
		n := &nodes[i]
		if n.State != "alive" || n.Kind != "server" {
			continue
		}
		if at := slices.IndexFunc(n.AllowTargets, wide); at >= 0 {
			r.Add("allowed targets", report.Warns, n.ID+" may call "+strings.Join(n.AllowTargets, ", ")+": anybody who may enqueue can reach the internal network and the cloud's metadata service",
				"name the ranges that tasks need in push.allow (--allow-target), not "+n.AllowTargets[at])
			return
		}
	}
	r.Add("allowed targets", report.Fine, "no server may call every address", "")
}

// metadata is where clouds tell machines their credentials.
var metadata = netip.MustParseAddr("169.254.169.254")

// wide reports whether a range is wider than the widest private one of its kind, or
// has the metadata of a cloud in it.
func wide(text string) bool {
	prefix, err := netip.ParsePrefix(text)
	if err != nil {
		return false
	}
	widest := 8 // 10.0.0.0/8
	if prefix.Addr().Is6() {
		widest = 7 // fc00::/7
	}
	return prefix.Bits() < widest || prefix.Contains(metadata)
}

// examineTargets names the targets that do not answer: whose breakers are open.
func (r exam) examineTargets(ctx context.Context, api *client.Client) {
	targets, err := api.Targets(ctx, 500)
	if err != nil {
		r.Add("targets", report.Fails, err.Error(), "")
		return
	}
	var open []string
	for i := range targets.Targets {
		if t := &targets.Targets[i]; t.Breaker.State == "open" && !strings.HasPrefix(t.Name, cli.GroupTarget) {
			what := "since " + cli.When(t.Breaker.Since)
			if t.Breaker.Forced {
				what = "by hand"
			}
			open = append(open, t.Name+" ("+what+")")
		}
	}
	if len(open) == 0 {
		r.Add("targets", report.Fine, cli.Plural(targets.Total, "target")+", none with an open breaker", "")
		return
	}
	r.Add("targets", report.Warns, "calls are stopped to "+strings.Join(open[:min(len(open), mostShown)], ", "), "outlast target get NAME shows why")
}

// mostShown bounds the names in one finding.
const mostShown = 20

// examineChannels names the alert channels that the server could not send to, from
// what it knows. It connects to them only where that was asked for, and never sends.
func (r exam) examineChannels(ctx context.Context, api *client.Client, dial bool) {
	channels, err := api.AlertChannels(ctx)
	if err != nil {
		r.Add("alert channels", report.Fails, err.Error(), "")
		return
	}
	var good, bad []string
	for i := range channels.Channels {
		c := &channels.Channels[i]
		problem := c.Problem
		if dial && c.Usable && c.Kind != "log" {
			problem = reachProblem(ctx, api, c.Name)
		}
		switch {
		case !c.Usable, problem != "":
			bad = append(bad, c.Name+": "+problem)
		case c.Kind != "log":
			good = append(good, c.Name)
		}
	}
	names := strings.Join(good[:min(len(good), mostShown)], ", ")
	switch {
	case len(bad) > 0:
		r.Add("alert channels", report.Warns, strings.Join(bad[:min(len(bad), mostShown)], "; "), "outlast alert channels; outlast alert test CHANNEL sends a message; docs/how-to/alerts.md")
	case len(good) == 0:
		r.Add("alert channels", report.Fine, "alerts go to the log only; nobody is notified", "")
	case dial:
		r.Add("alert channels", report.Fine, "reachable (nothing was sent): "+names, "")
	default:
		r.Add("alert channels", report.Fine, "configured, including variables: "+names+"; not connected to (use --dial)", "")
	}
}

// reachProblem tries a channel without a message. A Go function cannot be tried so,
// which is no problem of it.
func reachProblem(ctx context.Context, api *client.Client, name string) string {
	_, err := api.ProbeAlertChannel(ctx, name)
	if err == nil || errors.Is(err, &task.Error{Code: task.CodeConflict}) {
		return ""
	}
	return err.Error()
}
