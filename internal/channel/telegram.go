package channel

import (
	"context"
	"encoding/json"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/retry"
)

// Limits of Telegram's Bot API (core.telegram.org/bots/api and /bots/faq: a text of 4096
// characters, one message a second to a chat, 20 a minute to a group).
const telegramText = 3500 // bytes, without the links: never more characters

var telegramKind = kind{
	name: alert.ToTelegram, title: "Telegram", titleZH: "Telegram", url: "https://api.telegram.org",
	fields: []field{
		secretEnv.named("Variable that holds the token of the bot", "保存机器人 token 的环境变量").needed().saying("token of the bot"),
		{name: "to", label: "Chat: its number, or @name of a channel", labelZH: "聊天：编号，或频道的 @名称", required: true, about: "one chat, by its number or `@name`"},
		{name: "url", label: "URL, if the Bot API is your own", labelZH: "URL（使用自建的 Bot API 时）", about: "a Bot API server of your own"},
	},
	limits: []alerts.Limit{alerts.PerSecond(1), alerts.PerMinute(20)}, text: telegramText, escaping: "preformatted: no markup, no mentions",
	check: func(s *alert.ChannelSpec, refuse func(field, hint, format string, args ...any)) {
		checkURL(s, refuse)
		if len(s.To) > 0 && (len(s.To) != 1 || !isChat(s.To[0])) {
			refuse("to", "write it as -1001234567890 or @channel", "is not one chat")
		}
	},
	open: func(spec *alert.ChannelSpec, o *Options) (alert.Channel, error) {
		p, token, err := openSigned(spec, o)
		switch {
		case err != nil:
			return nil, err
		case token == "" || strings.ContainsFunc(token, func(r rune) bool { return notInVariable(r) && r != ':' && r != '-' }):
			return nil, &retry.FieldError{Field: "secret_env", Message: "does not hold the token of a bot", Hint: "BotFather gives one, such as 123456:ABC-DEF"}
		}
		p.url = p.url.JoinPath("bot"+token, "sendMessage")
		return &telegram{p, spec.To[0]}, nil
	},
}

func isChat(text string) bool {
	digits, name := strings.TrimPrefix(text, "-"), strings.TrimPrefix(text, "@")
	return digits != "" && len(digits) <= 20 && strings.Trim(digits, "0123456789") == "" ||
		name != text && name != "" && len(name) <= 64 && !strings.ContainsFunc(name, notInVariable)
}

// telegram is a chat of a bot of Telegram.
type telegram struct {
	*poster
	chat string
}

type telegramMessage struct {
	Chat     string           `json:"chat_id"`
	Text     string           `json:"text"`
	Entities []telegramEntity `json:"entities"`
	Preview  struct {
		Disabled bool `json:"is_disabled"`
	} `json:"link_preview_options"`
}

type telegramEntity struct {
	Type   string `json:"type"`
	Offset int    `json:"offset"` // both in units of UTF-16
	Length int    `json:"length"`
}

// Send implements [alert.Channel]. The text is preformatted, in which Telegram looks for
// no mentions, commands and links; ours are behind it.
func (c *telegram) Send(ctx context.Context, m *alert.Message) error {
	bare := *m
	bare.Links = nil
	out := telegramMessage{Chat: c.chat, Text: bare.PlainText(telegramText)}
	out.Entities = []telegramEntity{{"pre", 0, len(utf16.Encode([]rune(out.Text)))}}
	out.Preview.Disabled = true
	for _, link := range [...]string{m.OpenLink(), m.SilenceLink()} {
		if link != "" && len(link) < 250 {
			out.Text += "\n" + link
		}
	}
	body, err := encode(out)
	if err != nil {
		return err
	}
	answer, err := c.post(ctx, nil, nil, body)
	return c.read(answer, err)
}

// read finds in a refusal how long Telegram wants to be left alone.
func (c *telegram) read(answer []byte, err error) error {
	var said struct {
		OK          bool   `json:"ok"`
		Code        int    `json:"error_code"`
		Description string `json:"description"`
		Parameters  struct {
			RetryAfter int `json:"retry_after"` // s
		} `json:"parameters"`
	}
	readable := json.Unmarshal(answer, &said) == nil
	switch {
	case err == nil && (!readable || !said.OK):
		return c.unreadable(answer)
	case err != nil && readable && said.Parameters.RetryAfter > 0:
		return Refused(c.host, said.Code, retry.Throttled, time.Duration(said.Parameters.RetryAfter)*time.Second, said.Description)
	}
	return err
}
