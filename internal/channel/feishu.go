package channel

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/retry"
)

// Limits and codes of Feishu's custom bots (open.feishu.cn, "Custom bot
// guide": 20 KB a request, 100 messages a minute, 5 a second).
const (
	feishuText    = 8000
	feishuBody    = 19 << 10
	feishuTooFast = 11232
	feishuBusyBot = 11233 // the bot's own limit
	feishuGateway = 99991400
	feishuPause   = time.Minute
)

var feishuKind = kind{
	name: alert.ToFeishu, title: "Feishu / Lark", titleZH: "飞书 / Lark",
	fields: []field{urlEnv, secretEnv, mentions.saying("open ids, `all`")},
	limits: []alerts.Limit{alerts.PerSecond(5), alerts.PerMinute(100)}, text: feishuText, escaping: "a post of text items; `<` is replaced",
	open: openFeishu,
}

// feishu is a custom bot of a Feishu or Lark group.
type feishu struct {
	*poster
	secret   string
	mentions []string
}

func openFeishu(spec *alert.ChannelSpec, o *Options) (alert.Channel, error) {
	p, secret, err := openSigned(spec, o)
	return &feishu{p, secret, spec.Mentions}, err
}

type feishuMessage struct {
	Timestamp string        `json:"timestamp,omitempty"`
	Sign      string        `json:"sign,omitempty"`
	Type      string        `json:"msg_type"`
	Content   feishuContent `json:"content"`
}

type feishuContent struct {
	Post map[string]feishuPost `json:"post"`
}

type feishuPost struct {
	Title   string         `json:"title"`
	Content [][]feishuItem `json:"content"`
}

type feishuItem struct {
	Tag    string `json:"tag"`
	Text   string `json:"text,omitempty"`
	UserID string `json:"user_id,omitempty"`
}

// Send implements [alert.Channel]. In a post, texts are items of their own
// that nothing is read out of; mentions are other items.
func (f *feishu) Send(ctx context.Context, m *alert.Message) error {
	timestamp, sign := f.sign()
	body, err := fit(m, feishuText, feishuBody, func(text string) any {
		title, rest, _ := strings.Cut(text, "\n")
		post := feishuPost{Title: inert(title)}
		for line := range strings.SplitSeq(rest, "\n") {
			post.Content = append(post.Content, []feishuItem{{Tag: "text", Text: inert(line)}})
		}
		var called []feishuItem
		for _, mention := range f.mentions {
			called = append(called, feishuItem{Tag: "at", UserID: mention})
		}
		if called != nil {
			post.Content = append(post.Content, called)
		}
		return feishuMessage{timestamp, sign, "post", feishuContent{map[string]feishuPost{"en_us": post}}}
	})
	if err != nil {
		return err
	}
	answer, err := f.post(ctx, nil, nil, body)
	if limited := f.read(answer); limited != nil && (err == nil || throttles(limited)) {
		return limited // 400 with a code that says more
	}
	return err
}

// inert is text without tags such as <at user_id="all">.
func inert(text string) string { return strings.ReplaceAll(text, "<", "＜") }

// sign is HMAC-SHA256 of nothing under time and secret.
func (f *feishu) sign() (timestamp, sign string) {
	if f.secret == "" {
		return "", ""
	}
	timestamp = strconv.FormatInt(f.now().Unix(), 10)
	mac := hmac.New(sha256.New, []byte(timestamp+"\n"+f.secret))
	return timestamp, base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

func (f *feishu) read(answer []byte) error {
	var said answerOf
	if err := json.Unmarshal(answer, &said); err != nil || said.Code == nil {
		return f.unreadable(answer)
	}
	switch code := *said.Code; code {
	case 0:
		return nil
	case feishuTooFast, feishuBusyBot, feishuGateway:
		return Refused(f.host, code, retry.Throttled, feishuPause, said.Msg)
	default: // a wrong signature (19021), an unknown bot (19001), a keyword that is missing (19024)
		return Refused(f.host, code, retry.Permanent, 0, said.Msg)
	}
}

func throttles(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Verdict.Category == retry.Throttled
}
