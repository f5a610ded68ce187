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
	Queue   string   `json:"queue,omitempty" doc:"Of the task, or what is measured."`
	Target  string   `json:"target,omitempty" doc:"Of the task, or what is measured."`
	Channel string   `json:"channel,omitempty" doc:"Name of the channel: others are told."`
	From    Time     `json:"from,omitzero" doc:"Now when absent."`
	Until   Time     `json:"until,omitzero" doc:"Within 30 days; this or for is required."`
	For     Duration `json:"for,omitempty" doc:"Until so long after from."`
	Reason  string   `json:"reason" doc:"Why, for people."`
}

// AlertSilence keeps messages from channels for a time.
type AlertSilence struct {
	ID      string `json:"id" doc:"Id of the silence."`
	State   string `json:"state" enum:"scheduled,active,ended" doc:"scheduled: it begins later. active: it keeps messages back. ended: it is over."`
	Rule    string `json:"rule,omitempty" doc:"Name of the rule; all when absent."`
	Subject string `json:"subject,omitempty" doc:"What the alert is about; all when absent."`
	Type    string `json:"type,omitempty" doc:"Of the task; all when absent."`
	Queue   string `json:"queue,omitempty" doc:"Of the task, or what is measured; all when absent."`
	Target  string `json:"target,omitempty" doc:"Of the task, or what is measured; all when absent."`
	Channel string `json:"channel,omitempty" doc:"Name of the channel; all when absent."`
	From    Time   `json:"from" doc:"When it begins."`
	Until   Time   `json:"until" doc:"When it ends, or has ended."`
	Reason  string `json:"reason" doc:"Why, for people."`
	By      string `json:"by" doc:"Who has made it."`
	EndedBy string `json:"ended_by,omitempty" doc:"Who has ended it before its time."`
}

// AlertSilences lists silences, those that end last first.
type AlertSilences struct {
	Silences []AlertSilence `json:"silences" doc:"The silences, those that end last first."`
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
	Rule     string `json:"rule" doc:"Name of the rule."`
	Subject  string `json:"subject" doc:"What the messages are about."`
	Messages int    `json:"messages" doc:"How many would have been kept back."`
	Last     Time   `json:"last" doc:"When the last of them was made."`
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
