package channel

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/plaintext"
)

// An alert of the Alertmanager ends by itself unless it is sent again (prometheus.io,
// "Sending alerts"). One of Outlast is sent again at the end of its rule's cool-down only,
// so that it says itself how long it lasts, if no recovery comes.
const (
	alertmanagerLasts = 4 * time.Hour
	alertmanagerText  = 16 << 10
)

var alertmanagerKind = kind{
	name: alert.ToAlertmanager, title: "Alertmanager", titleZH: "Alertmanager",
	fields: []field{
		{name: "url", label: "URL of the Alertmanager", labelZH: "Alertmanager 的 URL", required: true, about: "base URL, such as `http://alertmanager:9093`"},
		secretEnv.named("Variable that holds a bearer token", "保存 bearer token 的环境变量").saying("bearer token"),
	},
	text: alertmanagerText, escaping: "labels `alertname`, `service`, `severity`, `subject`; an alert lasts until it recovers, at most 4 h after its last message",
	check: checkURL, stateful: true,
	open: func(spec *alert.ChannelSpec, o *Options) (alert.Channel, error) {
		p, token, err := openSigned(spec, o)
		if err != nil {
			return nil, err
		}
		p.url = p.url.JoinPath("api/v2/alerts")
		return &alertmanager{p, token}, nil
	},
}

// alertmanager is the Alertmanager of Prometheus.
type alertmanager struct {
	*poster
	token string
}

type alertmanagerAlert struct {
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
	StartsAt    time.Time         `json:"startsAt"`
	EndsAt      time.Time         `json:"endsAt"`
	Generator   string            `json:"generatorURL,omitempty"`
}

// Send implements [alert.Channel].
func (a *alertmanager) Send(ctx context.Context, m *alert.Message) error {
	subject := strings.TrimSpace(plaintext.Line(m.Subject))
	one := alertmanagerAlert{
		Labels:      map[string]string{"alertname": m.Rule, "service": "outlast", "severity": severityOf(m), "subject": subject},
		Annotations: map[string]string{"summary": m.Title(), "description": m.PlainText(alertmanagerText)},
		StartsAt:    m.At.UTC(), EndsAt: a.now().UTC().Add(alertmanagerLasts), Generator: m.OpenLink(),
	}
	if m.Kind == alert.Recovered {
		one.EndsAt = a.now().UTC()
	}
	if one.EndsAt.Before(one.StartsAt) { // by the clock of another node; it would be refused
		one.StartsAt = one.EndsAt
	}
	// Labels tell alerts apart, and a recovery does not always know the queue.
	for name, value := range map[string]string{"queue": m.Queue, "type": m.TaskType, "target": m.Target, "silence": m.SilenceLink()} {
		if value != "" {
			one.Annotations[name] = plaintext.Line(value)
		}
	}
	body, err := encode([]alertmanagerAlert{one})
	if err != nil {
		return err
	}
	header := http.Header{}
	if a.token != "" {
		header.Set("Authorization", "Bearer "+a.token)
	}
	_, err = a.post(ctx, nil, header, body)
	return err
}
