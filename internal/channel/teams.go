package channel

import (
	"context"
	"strings"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/alerts"
)

// Limits of Microsoft Teams (learn.microsoft.com, "Post a workflow when a webhook request
// is received": a message of 28 KB, four requests a second).
const (
	teamsText = 8000
	teamsBody = 27 << 10
)

var teamsKind = kind{
	name: alert.ToTeams, title: "Microsoft Teams", titleZH: "Microsoft Teams",
	fields: []field{urlEnv.saying("of a workflow that posts what its webhook gets")},
	limits: []alerts.Limit{alerts.PerSecond(1)}, text: teamsText, escaping: "Adaptive Card of text runs, which have no markup",
	open: func(spec *alert.ChannelSpec, o *Options) (alert.Channel, error) {
		p, err := newPoster(spec, o)
		return &teams{p}, err
	},
}

// teams is a workflow of Microsoft Teams.
type teams struct{ *poster }

type teamsMessage struct {
	Type        string            `json:"type"`
	Attachments []teamsAttachment `json:"attachments"`
}

type teamsAttachment struct {
	ContentType string    `json:"contentType"`
	Content     teamsCard `json:"content"`
}

type teamsCard struct {
	Schema  string        `json:"$schema"`
	Type    string        `json:"type"`
	Version string        `json:"version"`
	Body    []teamsBlock  `json:"body"`
	Actions []teamsAction `json:"actions,omitempty"`
}

// teamsBlock is text without the Markdown that a TextBlock would have.
type teamsBlock struct {
	Type    string     `json:"type"`
	Inlines []teamsRun `json:"inlines"`
}

type teamsRun struct {
	Type   string `json:"type"`
	Text   string `json:"text"`
	Weight string `json:"weight,omitempty"`
}

type teamsAction struct {
	Type  string `json:"type"`
	Title string `json:"title"`
	URL   string `json:"url"`
}

// Send implements [alert.Channel].
func (c *teams) Send(ctx context.Context, m *alert.Message) error {
	bare := *m
	bare.Links = nil // they are buttons
	body, err := fit(&bare, teamsText, teamsBody, func(text string) any {
		card := teamsCard{Schema: "http://adaptivecards.io/schemas/adaptive-card.json", Type: "AdaptiveCard", Version: "1.4", Body: teamsLines(text)}
		for _, link := range m.Links {
			card.Actions = append(card.Actions, teamsAction{"Action.OpenUrl", link.Name, link.URL})
		}
		return teamsMessage{"message", []teamsAttachment{{"application/vnd.microsoft.card.adaptive", card}}}
	})
	if err == nil {
		_, err = c.post(ctx, nil, nil, body)
	}
	return err
}

// teamsLines are a block for each line; the first, which says what happened, is bold.
func teamsLines(text string) (blocks []teamsBlock) {
	for i, line := range strings.Split(text, "\n") {
		run := teamsRun{Type: "TextRun", Text: line}
		if i == 0 {
			run.Weight = "Bolder"
		}
		blocks = append(blocks, teamsBlock{"RichTextBlock", []teamsRun{run}})
	}
	return blocks
}
