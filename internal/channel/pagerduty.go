package channel

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/plaintext"
)

// Limits of PagerDuty's Events API v2 (developer.pagerduty.com: a summary of 1024
// characters, 512 KB, 120 events a minute for one key).
const (
	pagerDutySummary = 1024
	pagerDutyText    = 16 << 10
)

var pagerDutyKind = kind{
	name: alert.ToPagerDuty, title: "PagerDuty", titleZH: "PagerDuty", url: "https://events.pagerduty.com/v2/enqueue",
	fields: []field{
		secretEnv.named("Variable that holds the integration key", "保存集成密钥的环境变量").needed().saying("integration key of Events API v2"),
		{name: "url", label: "URL, if it is not the usual one", labelZH: "URL（不是常用地址时）", about: "`https://events.eu.pagerduty.com/v2/enqueue` in the EU"},
	},
	limits: []alerts.Limit{alerts.PerMinute(120)}, text: pagerDutyText, escaping: "plain fields; an incident for each rule and subject, resolved when that recovers",
	check: checkURL, stateful: true,
	open: func(spec *alert.ChannelSpec, o *Options) (alert.Channel, error) {
		p, key, err := openSigned(spec, o)
		return &pagerDuty{p, key}, err
	},
}

// pagerDuty is an integration of a service of PagerDuty.
type pagerDuty struct {
	*poster
	key string
}

type pagerDutyEvent struct {
	RoutingKey string            `json:"routing_key"`
	Action     string            `json:"event_action"`
	DedupKey   string            `json:"dedup_key"`
	Payload    *pagerDutyPayload `json:"payload,omitempty"`
	Client     string            `json:"client,omitempty"`
	ClientURL  string            `json:"client_url,omitempty"`
	Links      []pagerDutyLink   `json:"links,omitempty"`
}

type pagerDutyPayload struct {
	Summary   string            `json:"summary"`
	Source    string            `json:"source"`
	Severity  string            `json:"severity"`
	Timestamp string            `json:"timestamp"`
	Class     string            `json:"class"`
	Component string            `json:"component,omitempty"`
	Details   map[string]string `json:"custom_details"`
}

type pagerDutyLink struct {
	URL  string `json:"href"`
	Text string `json:"text"`
}

// Send implements [alert.Channel]. Messages of a rule and subject are one incident, which
// a recovery resolves.
func (p *pagerDuty) Send(ctx context.Context, m *alert.Message) error {
	event := pagerDutyEvent{RoutingKey: p.key, Action: "trigger", DedupKey: incidentOf(m)}
	if m.Kind == alert.Recovered {
		event.Action = "resolve"
	} else {
		event.Payload = &pagerDutyPayload{
			Summary: plaintext.Cut(m.Title(), pagerDutySummary), Source: "outlast", Severity: severityOf(m), Timestamp: m.At.UTC().Format(time.RFC3339Nano),
			Class: m.Rule, Component: plaintext.Line(m.Queue), Details: map[string]string{"text": m.PlainText(pagerDutyText)},
		}
		event.Client, event.ClientURL = "Outlast", m.OpenLink()
		for _, link := range m.Links {
			event.Links = append(event.Links, pagerDutyLink{link.URL, link.Name})
		}
	}
	body, err := encode(event)
	if err == nil {
		_, err = p.post(ctx, nil, nil, body)
	}
	return err
}

// incidentOf is the same for all messages of a rule and subject. Those that stand for others,
// and tests, are each of their own.
func incidentOf(m *alert.Message) string {
	of := m.Rule + "\x00" + m.Subject
	if m.Kind == alert.Test || m.Rule == alerts.Several {
		of = m.ID
	}
	sum := sha256.Sum256([]byte(of))
	return "outlast/" + hex.EncodeToString(sum[:16])
}

// severityOf is one that PagerDuty and the Alertmanager's users know.
func severityOf(m *alert.Message) string {
	if m.Severity == "" {
		return alert.Warning
	}
	return m.Severity
}
