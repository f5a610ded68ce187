package channel

import (
	"context"
	"strings"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/alerts"
)

// Limits of Slack's incoming webhooks (api.slack.com: texts beyond 4000
// characters are split; one message a second, 429 with Retry-After).
const (
	slackText = 3500
	slackBody = 16 << 10
)

var slackKind = kind{
	name: alert.ToSlack, title: "Slack", titleZH: "Slack",
	fields: []field{urlEnv, mentions.saying("member ids, `here`, `all`")},
	limits: []alerts.Limit{alerts.PerSecond(1)}, text: slackText, escaping: "`&`, `<`, `>` as Slack demands; no markup",
	open: func(spec *alert.ChannelSpec, o *Options) (alert.Channel, error) {
		p, err := newPoster(spec, o)
		return &slack{p, spec.Mentions}, err
	},
}

// slack is an incoming webhook of a Slack workspace.
type slack struct {
	*poster
	mentions []string
}

type slackMessage struct {
	Text      string `json:"text"`
	Markdown  bool   `json:"mrkdwn"`
	Parse     string `json:"parse"`
	LinkNames bool   `json:"link_names"`
	Unfurl    bool   `json:"unfurl_links"`
	Media     bool   `json:"unfurl_media"`
}

// slackEscaper is the whole of Slack's escaping: without these three no
// mention, link or channel can be written.
var slackEscaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// Send implements [alert.Channel].
func (s *slack) Send(ctx context.Context, m *alert.Message) error {
	body, err := fit(m, slackText, slackBody, func(text string) any {
		return slackMessage{Text: linked(slackEscaper.Replace(text), m) + s.called(), Parse: "none"}
	})
	if err == nil {
		_, err = s.post(ctx, nil, nil, body)
	}
	return err
}

// linked makes links of our own addresses, which Slack does not with parse none.
func linked(text string, m *alert.Message) string {
	for _, link := range m.Links {
		if address := slackEscaper.Replace(link.URL); strings.Contains(text, " "+address+"\n") || strings.HasSuffix(text, " "+address) {
			text = strings.Replace(text, " "+address, " <"+address+">", 1)
		}
	}
	return text
}

// called is the line of mentions.
func (s *slack) called() string {
	var line strings.Builder
	for _, mention := range s.mentions {
		switch mention {
		case "all", "here", "channel":
			if mention == "all" {
				mention = "channel"
			}
			line.WriteString(" <!" + mention + ">")
		default:
			line.WriteString(" <@" + mention + ">")
		}
	}
	if line.Len() == 0 {
		return ""
	}
	return "\n" + line.String()[1:]
}
