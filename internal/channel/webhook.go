package channel

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/safehttp"
	"github.com/outlast-dev/outlast/retry"
)

var webhookKind = kind{
	name: alert.ToWebhook, title: "Webhook", titleZH: "Webhook",
	fields:   []field{{name: "url", label: "URL", labelZH: "URL"}, {name: "url_env", label: "Or: variable that holds the URL", labelZH: "或：保存 URL 的环境变量"}, secretEnv.saying("whsec_…")},
	escaping: "JSON, signed by [Standard Webhooks](https://www.standardwebhooks.com)",
	check: func(s *alert.ChannelSpec, refuse func(field, hint, format string, args ...any)) {
		if s.URL == "" && s.URLEnv == "" && s.URLFile == "" {
			refuse("url_env", "name the environment variable that holds it", "is required")
		}
		checkURL(s, refuse)
	},
	open: openWebhook,
}

// checkURL adds what is wrong with a URL that stands in the channel itself.
func checkURL(s *alert.ChannelSpec, refuse func(field, hint, format string, args ...any)) {
	if s.URL == "" {
		return
	}
	if _, err := safehttp.CheckURL(s.URL); err != nil {
		refuse("url", "", "%s", err)
	}
}

// webhook is any receiver of JSON. Requests are signed as Standard Webhooks
// says (standardwebhooks.com, version v1).
type webhook struct {
	*poster
	secret []byte
}

func openWebhook(spec *alert.ChannelSpec, o *Options) (alert.Channel, error) {
	p, text, err := openSigned(spec, o)
	if err != nil || text == "" {
		return &webhook{p, nil}, err
	}
	encoded, ok := strings.CutPrefix(text, "whsec_")
	secret, err := base64.StdEncoding.DecodeString(encoded)
	if !ok || err != nil || len(secret) < 24 || len(secret) > 64 {
		return nil, &retry.FieldError{
			Field: "secret_env", Message: "does not hold whsec_ and 24 to 64 bytes in base64",
			Hint: "make one with: echo whsec_$(openssl rand -base64 32)",
		}
	}
	return &webhook{p, secret}, nil
}

// webhookBody is what a receiver gets: the message, and its title and lines
// for those that only show text.
type webhookBody struct {
	Type  string `json:"type"`
	Title string `json:"title"`
	*alert.Message
}

// Send implements [alert.Channel].
func (w *webhook) Send(ctx context.Context, m *alert.Message) error {
	body, err := encode(webhookBody{"outlast.alert." + string(m.Kind), m.Title(), m})
	if err != nil {
		return err
	}
	timestamp := strconv.FormatInt(w.now().Unix(), 10)
	header := http.Header{"Webhook-Id": {m.ID}, "Webhook-Timestamp": {timestamp}, "Idempotency-Key": {m.ID}}
	if w.secret != nil {
		mac := hmac.New(sha256.New, w.secret)
		mac.Write([]byte(m.ID + "." + timestamp + "."))
		mac.Write(body)
		header.Set("Webhook-Signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	_, err = w.post(ctx, nil, header, body)
	return err
}
