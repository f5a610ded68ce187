package channel

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/retry"
)

func sum(key, text string) string {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(text))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

func TestDingTalk(t *testing.T) {
	t.Parallel()
	const secret = "SECcanary"
	fake := newRobot(t, `{"errcode":0,"errmsg":"ok"}`, func(r *http.Request, body []byte) string {
		q := r.URL.Query()
		switch {
		case q.Get("access_token") != token || q.Get("timestamp") != "1700000000123":
			return "query " + r.URL.RawQuery
		case q.Get("sign") != sum(secret, "1700000000123\n"+secret):
			return "sign not match"
		case len(body) > 20<<10:
			return "too long"
		}
		return ""
	})
	ding := mustOpen(t, &alert.ChannelSpec{Name: "ops", Kind: alert.ToDingTalk, SecretEnv: "S", Mentions: []string{"13800000000", "all"}}, fake.URL, map[string]string{"S": secret})
	for _, m := range []*alert.Message{hostile(), huge()} {
		if err := ding.Send(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		var got struct {
			Type string `json:"msgtype"`
			Text struct{ Content string }
			At   struct {
				AtMobiles []string
				IsAtAll   bool
			}
		}
		fake.last(t, &got)
		if got.Type != "text" || !slices.Equal(got.At.AtMobiles, []string{"13800000000"}) || !got.At.IsAtAll {
			t.Errorf("%+v", got)
		}
		wantPlain(t, got.Text.Content, dingTalkText)
	}
	fake.says(200, `{"errcode":130101,"errmsg":"send too fast"}`)
	wantVerdict(t, ding.Send(t.Context(), hostile()), retry.Throttled, "130101", 10*time.Minute)
	fake.says(200, `{"errcode":310000,"errmsg":"sign not match"}`)
	wantVerdict(t, ding.Send(t.Context(), hostile()), retry.Permanent, "310000", 0)
	fake.says(200, `{"errcode":-1,"errmsg":"busy"}`)
	wantVerdict(t, ding.Send(t.Context(), hostile()), retry.Unavailable, "-1", 0)
	fake.says(200, `<html>login</html>`)
	wantVerdict(t, ding.Send(t.Context(), hostile()), retry.Unknown, "", 0)
	wantHTTP(t, fake, ding)
}

// wantPlain checks a text that a vendor shows: its size, its form, and that the
// lines are ours.
func wantPlain(t *testing.T, text string, limit int) {
	t.Helper()
	if len(text) > limit || !utf8.ValidString(text) {
		t.Errorf("%d bytes, limit %d", len(text), limit)
	}
	if !strings.HasPrefix(text, "[outlast] CRITICAL exhausted: mail.send") {
		t.Errorf("begins with %.60q", text)
	}
	for _, bad := range []string{"\r", "\x00", "\x1b", "\u202e", "\nSubject"} {
		if strings.Contains(text, bad) {
			t.Errorf("contains %q", bad)
		}
	}
	if !strings.Contains(text, "3 alerts held back since 2026-11-20T09:00:00Z: a, ") {
		t.Errorf("does not name what was held back: %s", text)
	}
}

// wantHTTP checks the answers that every receiver over HTTP may give.
func wantHTTP(t *testing.T, fake *robot, c alert.Channel) {
	t.Helper()
	fake.says(http.StatusTooManyRequests, `slow down`, "Retry-After", "17")
	wantVerdict(t, c.Send(t.Context(), hostile()), retry.Throttled, "429", 17*time.Second)
	fake.says(http.StatusBadGateway, `oops`)
	wantVerdict(t, c.Send(t.Context(), hostile()), retry.Unavailable, "502", 0)
	fake.says(http.StatusNotFound, `no such hook`)
	wantVerdict(t, c.Send(t.Context(), hostile()), retry.Permanent, "404", 0)
	fake.says(http.StatusFound, ``, "Location", "http://127.0.0.1:1/")
	if err := c.Send(t.Context(), hostile()); err == nil {
		t.Error("a redirect was taken for success")
	}
	fake.Close()
	err := c.Send(t.Context(), hostile())
	if v := retry.Classify(err); err == nil || v.Category != retry.Unsent && v.Category != retry.Network {
		t.Errorf("a closed port: %v, %+v", err, v)
	}
}

func TestFeishu(t *testing.T) {
	t.Parallel()
	const secret = "SECcanary"
	fake := newRobot(t, `{"code":0,"msg":"success"}`, func(_ *http.Request, body []byte) string {
		var got struct{ Timestamp, Sign string }
		if json.Unmarshal(body, &got) != nil || got.Timestamp != "1700000000" || got.Sign != sum("1700000000\n"+secret, "") {
			return "19021 sign match fail"
		}
		if len(body) > 20<<10 {
			return "too long"
		}
		return ""
	})
	lark := mustOpen(t, &alert.ChannelSpec{Name: "ops", Kind: alert.ToFeishu, SecretEnv: "S", Mentions: []string{"all", "ou_1"}}, fake.URL, map[string]string{"S": secret})
	for _, m := range []*alert.Message{hostile(), huge()} {
		if err := lark.Send(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		var got feishuMessage
		fake.last(t, &got)
		post := got.Content.Post["en_us"]
		text, called := post.Title, []string{}
		for _, line := range post.Content {
			for _, item := range line {
				if item.Tag == "at" {
					called = append(called, item.UserID)
				} else if text += "\n" + item.Text; strings.Contains(item.Text, "<") {
					t.Errorf("a tag in a text: %s", item.Text)
				}
			}
		}
		if got.Type != "post" || !slices.Equal(called, []string{"all", "ou_1"}) {
			t.Errorf("%s calls %s", got.Type, called)
		}
		wantPlain(t, text, 3*feishuText)
	}
	fake.says(http.StatusOK, `{"code":11232,"msg":"create message service trigger rate limit"}`)
	wantVerdict(t, lark.Send(t.Context(), hostile()), retry.Throttled, "11232", time.Minute)
	fake.says(http.StatusBadRequest, `{"code":11232,"msg":"create message service trigger rate limit"}`)
	wantVerdict(t, lark.Send(t.Context(), hostile()), retry.Throttled, "11232", time.Minute)
	fake.says(http.StatusOK, `{"code":19021,"msg":"sign match fail or timestamp is not within one hour"}`)
	wantVerdict(t, lark.Send(t.Context(), hostile()), retry.Permanent, "19021", 0)
	wantHTTP(t, fake, lark)
}

func TestWeCom(t *testing.T) {
	t.Parallel()
	fake := newRobot(t, `{"errcode":0,"errmsg":"ok"}`, func(r *http.Request, body []byte) string {
		var got weComMessage
		if json.Unmarshal(body, &got) != nil || len(got.Text.Content) > 2048 {
			return "40058 too long"
		}
		return ""
	})
	robot := mustOpen(t, &alert.ChannelSpec{Name: "ops", Kind: alert.ToWeCom, Mentions: []string{"all", "13800000000", "zhang"}}, fake.URL, nil)
	for _, m := range []*alert.Message{hostile(), huge()} {
		if err := robot.Send(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		var got weComMessage
		fake.last(t, &got)
		if got.Type != "text" || !slices.Equal(got.Text.Members, []string{"@all", "zhang"}) || !slices.Equal(got.Text.Mobiles, []string{"13800000000"}) {
			t.Errorf("%+v", got)
		}
		if strings.Contains(got.Text.Content, "<@") {
			t.Errorf("a mention in the text: %s", got.Text.Content)
		}
		wantPlain(t, got.Text.Content, weComText)
	}
	fake.says(200, `{"errcode":45009,"errmsg":"api freq out of limit"}`)
	wantVerdict(t, robot.Send(t.Context(), hostile()), retry.Throttled, "45009", time.Minute)
	fake.says(200, `{"errcode":93000,"errmsg":"invalid webhook url"}`)
	wantVerdict(t, robot.Send(t.Context(), hostile()), retry.Permanent, "93000", 0)
	wantHTTP(t, fake, robot)
}

func TestSlack(t *testing.T) {
	t.Parallel()
	fake := newRobot(t, `ok`, func(_ *http.Request, body []byte) string {
		if len(body) > 16<<10 {
			return "too long"
		}
		return ""
	})
	hook := mustOpen(t, &alert.ChannelSpec{Name: "ops", Kind: alert.ToSlack, Mentions: []string{"all", "U42"}}, fake.URL, nil)
	for _, m := range []*alert.Message{hostile(), huge()} {
		if err := hook.Send(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		var got slackMessage
		fake.last(t, &got)
		text, called, _ := strings.Cut(got.Text, "\n<!channel>")
		if got.Markdown || got.LinkNames || got.Unfurl || called != " <@U42>" {
			t.Errorf("%+v", got)
		}
		if strings.ContainsAny(text, "<>") {
			t.Errorf("the text can mention: %s", text)
		}
		wantPlain(t, text, 5*slackText)
	}
	wantHTTP(t, fake, hook)
}

func TestWebhook(t *testing.T) {
	t.Parallel()
	key := strings.Repeat("k", 32)
	secret := "whsec_" + base64.StdEncoding.EncodeToString([]byte(key))
	fake := newRobot(t, ``, func(r *http.Request, body []byte) string {
		id, at := r.Header.Get("Webhook-Id"), r.Header.Get("Webhook-Timestamp")
		if id == "" || at != "1700000000" || r.Header.Get("Webhook-Signature") != "v1,"+sum(key, id+"."+at+"."+string(body)) {
			return "signature"
		}
		return ""
	})
	hook := mustOpen(t, &alert.ChannelSpec{Name: "ops", Kind: alert.ToWebhook, SecretEnv: "S"}, fake.URL, map[string]string{"S": secret})
	m := hostile()
	if err := hook.Send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	fake.last(t, &got)
	if got["type"] != "outlast.alert.raised" || got["rule"] != "exhausted" || got["id"] != m.ID || got["held_back"] != 3.0 {
		t.Errorf("%v", got)
	}
	wantHTTP(t, fake, hook)
	if _, err := open(t, &alert.ChannelSpec{Name: "ops", Kind: alert.ToWebhook, SecretEnv: "S"}, fake.URL, map[string]string{"S": "SECcanary"}); err == nil || strings.Contains(err.Error(), "canary") {
		t.Errorf("a bad secret: %v", err)
	}
}

func TestMissingSecretsAreNamedWithoutWhatTheyHold(t *testing.T) {
	t.Parallel()
	_, err := open(t, &alert.ChannelSpec{Name: "ops", Kind: alert.ToDingTalk, SecretEnv: "NOT_SET"}, "http://127.0.0.1:1", nil)
	if err == nil || !strings.Contains(err.Error(), "NOT_SET") {
		t.Errorf("%v", err)
	}
	_, err = open(t, &alert.ChannelSpec{Name: "ops", Kind: alert.ToDingTalk}, "no url "+token, nil)
	if err == nil || strings.Contains(err.Error(), token) {
		t.Errorf("%v", err)
	}
}

// TestPrivateAddressesAreRefused: a channel is no way into the network.
func TestPrivateAddressesAreRefused(t *testing.T) {
	t.Parallel()
	hook := mustOpen(t, &alert.ChannelSpec{Name: "ops", Kind: alert.ToWeCom}, "http://10.0.0.1:9", nil)
	err := hook.Send(t.Context(), hostile())
	if v := retry.Classify(err); err == nil || v.Category != retry.Permanent {
		t.Errorf("%v: %+v", err, v)
	}
}
