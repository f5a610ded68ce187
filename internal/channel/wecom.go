package channel

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/plaintext"
	"github.com/outlast-dev/outlast/retry"
)

// Limits and codes of WeCom's group robots (developer.work.weixin.qq.com,
// "Group robot": text of 2048 bytes, 20 messages a minute).
const (
	weComText    = 2048
	weComTooFast = 45009
	weComBusy    = -1
	weComPause   = time.Minute
)

var weComKind = kind{
	name: alert.ToWeCom, title: "WeCom", titleZH: "企业微信",
	fields: []field{urlEnv, mentions.saying("members, mobile numbers, `all`")},
	limits: []alerts.Limit{alerts.PerMinute(20)}, text: weComText, escaping: "text message; `<` is replaced",
	open: func(spec *alert.ChannelSpec, o *Options) (alert.Channel, error) {
		p, err := newPoster(spec, o)
		return &weCom{p, spec.Mentions}, err
	},
}

// weCom is a robot of a WeCom group.
type weCom struct {
	*poster
	mentions []string
}

type weComMessage struct {
	Type string       `json:"msgtype"`
	Text weComContent `json:"text"`
}

type weComContent struct {
	Content string   `json:"content"`
	Members []string `json:"mentioned_list,omitempty"`
	Mobiles []string `json:"mentioned_mobile_list,omitempty"`
}

// Send implements [alert.Channel]. Text messages have no markup but for
// <@member>, which the text is freed of.
func (w *weCom) Send(ctx context.Context, m *alert.Message) error {
	content := weComContent{Content: plaintext.Cut(inert(m.PlainText(weComText)), weComText)}
	for _, mention := range w.mentions {
		switch {
		case mention == "all":
			content.Members = append(content.Members, "@all")
		case isMobile(mention):
			content.Mobiles = append(content.Mobiles, mention)
		default:
			content.Members = append(content.Members, mention)
		}
	}
	body, err := encode(weComMessage{"text", content})
	if err != nil {
		return err
	}
	answer, err := w.post(ctx, nil, nil, body)
	if err != nil {
		return err
	}
	return w.read(answer)
}

func isMobile(text string) bool {
	return len(strings.TrimLeft(text, "+0123456789")) == 0
}

func (w *weCom) read(answer []byte) error {
	var said answerOf
	if err := json.Unmarshal(answer, &said); err != nil || said.ErrCode == nil {
		return w.unreadable(answer)
	}
	switch code := *said.ErrCode; code {
	case 0:
		return nil
	case weComTooFast:
		return Refused(w.host, code, retry.Throttled, weComPause, said.ErrMsg)
	case weComBusy:
		return Refused(w.host, code, retry.Unavailable, 0, said.ErrMsg)
	default: // an unknown key (93000), a message that is too long (40058)
		return Refused(w.host, code, retry.Permanent, 0, said.ErrMsg)
	}
}
