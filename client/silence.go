package client

import (
	"context"
	"net/http"
	"net/url"
)

// AlertSilenceSpec is what a silence is made of. Of the patterns those that are given
// must all match; * stands for any text.
type AlertSilenceSpec struct {
	Rule    string   `json:"rule,omitempty" doc:"Name of the rule."`
	Subject string   `json:"subject,omitempty" doc:"What the alert is about."`
	Type    string   `json:"type,omitempty" doc:"Of the task."`
	Queue   string   `json:"queue,omitempty"`
	Target  string   `json:"target,omitempty"`
	Channel string   `json:"channel,omitempty" doc:"Name of the channel: others are told."`
	From    Time     `json:"from,omitzero" doc:"Now when absent."`
	Until   Time     `json:"until,omitzero" doc:"Within 30 days; this or for is required."`
	For     Duration `json:"for,omitempty" doc:"Until so long after from."`
	Reason  string   `json:"reason"`
}

// AlertSilence keeps messages from channels for a time.
type AlertSilence struct {
	ID      string `json:"id"`
	State   string `json:"state" enum:"scheduled,active,ended"`
	Rule    string `json:"rule,omitempty"`
	Subject string `json:"subject,omitempty"`
	Type    string `json:"type,omitempty"`
	Queue   string `json:"queue,omitempty"`
	Target  string `json:"target,omitempty"`
	Channel string `json:"channel,omitempty"`
	From    Time   `json:"from"`
	Until   Time   `json:"until"`
	Reason  string `json:"reason"`
	By      string `json:"by"`
	EndedBy string `json:"ended_by,omitempty" doc:"Who has ended it before its time."`
}

// AlertSilences lists silences, those that end last first.
type AlertSilences struct {
	Silences []AlertSilence `json:"silences"`
}

// AlertSilencePreview is what a silence would have kept back.
type AlertSilencePreview struct {
	Since    Time                   `json:"since" doc:"Messages from then on were looked at: those of the last day."`
	Messages int                    `json:"messages" doc:"That it would have kept back."`
	More     bool                   `json:"more" doc:"There were more messages than were looked at, so that it may be more."`
	Rules    []string               `json:"rules" doc:"Rules of today that the pattern names; empty without one."`
	Subjects []AlertSilencedSubject `json:"subjects" doc:"Those with the most messages, 100 at most."`
}

// AlertSilencedSubject is one rule and subject of a preview.
type AlertSilencedSubject struct {
	Rule     string `json:"rule"`
	Subject  string `json:"subject"`
	Messages int    `json:"messages"`
	Last     Time   `json:"last"`
}

const silencesPath = "/v1/alerts/silences"

// AlertSilences lists all silences, and those that ended within 30 days.
func (c *Client) AlertSilences(ctx context.Context) (*AlertSilences, error) {
	return get[AlertSilences](ctx, c, silencesPath, nil)
}

// AddAlertSilence makes a silence.
func (c *Client) AddAlertSilence(ctx context.Context, spec AlertSilenceSpec) (*AlertSilence, error) {
	return exchange[AlertSilence](ctx, c, call{method: http.MethodPost, path: silencesPath, body: &spec, once: true})
}

// PreviewAlertSilence says what a silence would have kept back of the messages of the last
// day. Only its patterns count, and nothing is changed.
func (c *Client) PreviewAlertSilence(ctx context.Context, spec AlertSilenceSpec) (*AlertSilencePreview, error) {
	return exchange[AlertSilencePreview](ctx, c, call{method: http.MethodPost, path: silencesPath + "/preview", body: &spec})
}

// EndAlertSilence ends a silence now.
func (c *Client) EndAlertSilence(ctx context.Context, id string) (*AlertSilence, error) {
	return exchange[AlertSilence](ctx, c, call{method: http.MethodDelete, path: silencesPath + "/" + url.PathEscape(id)})
}
