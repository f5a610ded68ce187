package channel

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strconv"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/retry"
)

// Limits and codes of DingTalk's custom robots (open.dingtalk.com, "Custom
// robot": at most 20 messages a minute, silence for ten minutes after more).
const (
	dingTalkText      = 4000     // bytes of text: what is shown without being folded
	dingTalkBody      = 18 << 10 // bytes of the request, below the 20 KB limit
	dingTalkBusy      = -1
	dingTalkTooFast   = 130101
	dingTalkSilence   = 10 * time.Minute
	dingTalkFrequency = 410100 // "send too fast", as some gateways spell it
)

var dingTalkKind = kind{
	name: alert.ToDingTalk, title: "DingTalk", titleZH: "钉钉",
	fields: []field{urlEnv, secretEnv.saying("SEC…"), mentions.saying("mobile numbers, `all`")},
	limits: []alerts.Limit{alerts.PerMinute(20)}, text: dingTalkText, escaping: "text message: no markup",
	open: openDingTalk,
}

// dingTalk is a custom robot of a DingTalk group.
type dingTalk struct {
	*poster
	secret   string
	mentions []string
}

func openDingTalk(spec *alert.ChannelSpec, o *Options) (alert.Channel, error) {
	p, secret, err := openSigned(spec, o)
	return &dingTalk{p, secret, spec.Mentions}, err
}

type dingTalkMessage struct {
	Type string `json:"msgtype"`
	Text struct {
		Content string `json:"content"`
	} `json:"text"`
	At struct {
		Mobiles []string `json:"atMobiles,omitempty"`
		All     bool     `json:"isAtAll,omitempty"`
	} `json:"at"`
}

// Send implements [alert.Channel]. Text messages have no markup, and mention
// only those in the field at.
func (d *dingTalk) Send(ctx context.Context, m *alert.Message) error {
	body, err := fit(m, dingTalkText, dingTalkBody, func(text string) any {
		message := dingTalkMessage{Type: "text"}
		message.Text.Content = text
		for _, mention := range d.mentions {
			if mention == "all" {
				message.At.All = true
			} else {
				message.At.Mobiles = append(message.At.Mobiles, mention)
			}
		}
		return message
	})
	if err != nil {
		return err
	}
	answer, err := d.post(ctx, d.sign(), nil, body)
	if err != nil {
		return err
	}
	return d.read(answer)
}

// sign is HMAC-SHA256 of time and secret under the secret.
func (d *dingTalk) sign() url.Values {
	if d.secret == "" {
		return nil
	}
	timestamp := strconv.FormatInt(d.now().UnixMilli(), 10)
	mac := hmac.New(sha256.New, []byte(d.secret))
	mac.Write([]byte(timestamp + "\n" + d.secret))
	return url.Values{"timestamp": {timestamp}, "sign": {base64.StdEncoding.EncodeToString(mac.Sum(nil))}}
}

func (d *dingTalk) read(answer []byte) error {
	var said answerOf
	if err := json.Unmarshal(answer, &said); err != nil || said.ErrCode == nil {
		return d.unreadable(answer)
	}
	switch code := *said.ErrCode; code {
	case 0:
		return nil
	case dingTalkTooFast, dingTalkFrequency:
		return Refused(d.host, code, retry.Throttled, dingTalkSilence, said.ErrMsg)
	case dingTalkBusy:
		return Refused(d.host, code, retry.Unavailable, 0, said.ErrMsg)
	default: // a wrong signature (310000), an unknown token (300001), a keyword that is missing
		return Refused(d.host, code, retry.Permanent, 0, said.ErrMsg)
	}
}
