package channel

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/retry"
)

// withLinks is a message that leads into the console.
func withLinks(m *alert.Message) *alert.Message {
	m.Links = []alert.Link{{Name: "task", URL: "https://retry.example.com/#/tasks/1?a=1&b=2"}, {Name: alert.LinkSilence, URL: "https://retry.example.com/#/alerts?tab=silences"}}
	return m
}

func recovered() *alert.Message {
	m := hostile()
	m.Kind, m.Queue, m.Fields = alert.Recovered, "", nil
	return m
}

func TestPagerDuty(t *testing.T) {
	t.Parallel()
	fake := newRobot(t, `{"status":"success","message":"Event processed","dedup_key":"x"}`, func(r *http.Request, body []byte) string {
		var got pagerDutyEvent
		switch err := json.Unmarshal(body, &got); {
		case err != nil || r.URL.Path != "/v2/enqueue" || got.RoutingKey != "SECcanary":
			return fmt.Sprint("Event object is invalid ", err)
		case len(body) > 512<<10 || len(got.DedupKey) > 255 || got.DedupKey == "" || got.Payload != nil && len(got.Payload.Summary) > 1024:
			return "too long"
		}
		return ""
	})
	pager := mustOpen(t, &alert.ChannelSpec{Name: "ops", Kind: alert.ToPagerDuty, SecretEnv: "S", URL: fake.URL + "/v2/enqueue"}, "", map[string]string{"S": "SECcanary"})
	var incident string
	for _, m := range []*alert.Message{withLinks(hostile()), withLinks(huge())} {
		if err := pager.Send(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		var got pagerDutyEvent
		fake.last(t, &got)
		incident = got.DedupKey
		if got.Action != "trigger" || got.Payload.Severity != "critical" || got.Payload.Class != "exhausted" || got.Payload.Timestamp != "2026-11-20T10:00:00Z" ||
			got.ClientURL != m.OpenLink() || len(got.Links) != 2 {
			t.Errorf("%+v %+v", got, got.Payload)
		}
		wantPlain(t, got.Payload.Details["text"], pagerDutyText)
	}
	if err := pager.Send(t.Context(), recovered()); err != nil {
		t.Fatal(err)
	}
	var got pagerDutyEvent
	if fake.last(t, &got); got.Action != "resolve" || got.DedupKey != incident || got.Payload != nil {
		t.Errorf("a recovery is %+v", got)
	}
	wantHTTP(t, fake, pager)
}

func TestAlertmanager(t *testing.T) {
	t.Parallel()
	fake := newRobot(t, ``, func(r *http.Request, body []byte) string {
		if r.URL.Path != "/am/api/v2/alerts" || r.Header.Get("Authorization") != "Bearer SECcanary" {
			return r.URL.Path + " " + r.Header.Get("Authorization")
		}
		return ""
	})
	manager := mustOpen(t, &alert.ChannelSpec{Name: "ops", Kind: alert.ToAlertmanager, SecretEnv: "S", URL: fake.URL + "/am/"}, "", map[string]string{"S": "SECcanary"})
	var labels string
	now := time.Unix(1_700_000_000, 123e6)
	for _, m := range []*alert.Message{withLinks(hostile()), withLinks(huge()), recovered()} {
		m.TaskType, m.Target = "mail.send", "mail.send"
		if err := manager.Send(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		var all []alertmanagerAlert
		fake.last(t, &all)
		got, ends := all[0], now.Add(4*time.Hour)
		if m.Kind == alert.Recovered {
			ends = now
		} else {
			wantPlain(t, got.Annotations["description"], alertmanagerText)
		}
		if !got.EndsAt.Equal(ends) || got.StartsAt.After(got.EndsAt) || !got.StartsAt.Equal(m.At) && !m.At.After(ends) || got.Generator != m.OpenLink() || got.Annotations["silence"] != m.SilenceLink() || got.Annotations["type"] != "mail.send" {
			t.Errorf("%+v", got)
		}
		if text := fmt.Sprint(got.Labels); labels != "" && text != labels || got.Labels["alertname"] != "exhausted" || got.Labels["severity"] != "critical" {
			t.Errorf("labels %s, were %s", text, labels)
		} else {
			labels = text
		}
	}
	wantHTTP(t, fake, manager)
}

func TestTeams(t *testing.T) {
	t.Parallel()
	fake := newRobot(t, ``, func(_ *http.Request, body []byte) string {
		if len(body) > 28<<10 {
			return "RequestEntityTooLarge"
		}
		return ""
	})
	fake.says(http.StatusAccepted, ``)
	channel := mustOpen(t, &alert.ChannelSpec{Name: "ops", Kind: alert.ToTeams}, fake.URL, nil)
	for _, m := range []*alert.Message{withLinks(hostile()), withLinks(huge())} {
		if err := channel.Send(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		var got teamsMessage
		fake.last(t, &got)
		card := got.Attachments[0].Content
		var lines []string
		for _, block := range card.Body {
			if block.Type != "RichTextBlock" || len(block.Inlines) != 1 || block.Inlines[0].Type != "TextRun" {
				t.Fatalf("a block with markup: %+v", block)
			}
			lines = append(lines, block.Inlines[0].Text)
		}
		if got.Type != "message" || card.Type != "AdaptiveCard" || len(card.Actions) != 2 || card.Actions[0].URL != m.OpenLink() {
			t.Errorf("%+v", card)
		}
		wantPlain(t, strings.Join(lines, "\n"), teamsText)
	}
	wantHTTP(t, fake, channel)
}

func TestTelegram(t *testing.T) {
	t.Parallel()
	const bot = "123456:" + token
	fake := newRobot(t, `{"ok":true,"result":{}}`, func(r *http.Request, body []byte) string {
		var got telegramMessage
		switch err := json.Unmarshal(body, &got); {
		case err != nil || r.URL.Path != "/bot"+bot+"/sendMessage" || got.Chat != "-100123":
			return fmt.Sprint("Not Found ", err)
		case len(utf16.Encode([]rune(got.Text))) > 4096:
			return "message is too long"
		}
		return ""
	})
	chat := mustOpen(t, &alert.ChannelSpec{Name: "ops", Kind: alert.ToTelegram, SecretEnv: "S", URL: fake.URL, To: []string{"-100123"}}, "", map[string]string{"S": bot})
	for _, m := range []*alert.Message{withLinks(hostile()), withLinks(huge())} {
		if err := chat.Send(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		var got telegramMessage
		fake.last(t, &got)
		units := utf16.Encode([]rune(got.Text))
		pre, ours := string(utf16.Decode(units[:got.Entities[0].Length])), string(utf16.Decode(units[got.Entities[0].Length:]))
		if got.Entities[0].Type != "pre" || ours != "\n"+m.OpenLink()+"\n"+m.SilenceLink() || !got.Preview.Disabled {
			t.Errorf("%+v, behind it %q", got.Entities, ours)
		}
		wantPlain(t, pre, telegramText)
	}
	fake.says(http.StatusTooManyRequests, `{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 35","parameters":{"retry_after":35}}`)
	wantVerdict(t, chat.Send(t.Context(), hostile()), retry.Throttled, "429", 35*time.Second)
	fake.says(http.StatusNotFound, "Cannot POST /bot"+bot+"/sendMessage")
	wantVerdict(t, chat.Send(t.Context(), hostile()), retry.Permanent, "404", 0)
	fake.says(http.StatusForbidden, `{"ok":false,"error_code":403,"description":"Forbidden: bot was blocked by the user"}`)
	wantVerdict(t, chat.Send(t.Context(), hostile()), retry.Permanent, "403", 0)
	fake.says(http.StatusOK, `<html>login</html>`)
	wantVerdict(t, chat.Send(t.Context(), hostile()), retry.Unknown, "", 0)
	wantHTTP(t, fake, chat)
	if _, err := open(t, &alert.ChannelSpec{Name: "ops", Kind: alert.ToTelegram, SecretEnv: "S", To: []string{"@ops"}}, "", map[string]string{"S": "a/../" + token}); err == nil || strings.Contains(err.Error(), token) {
		t.Errorf("no token of a bot: %v", err)
	}
}

// A link that is ours can be followed on Slack, where nothing else can.
func TestSlackLinks(t *testing.T) {
	t.Parallel()
	fake := newRobot(t, `ok`, nil)
	hook := mustOpen(t, &alert.ChannelSpec{Name: "ops", Kind: alert.ToSlack}, fake.URL, nil)
	m := withLinks(hostile())
	m.Fields = append(m.Fields, alert.Field{Name: "open", Value: "https://evil.example.com"})
	if err := hook.Send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	var got slackMessage
	fake.last(t, &got)
	if strings.Count(got.Text, "<") != 2 || !strings.Contains(got.Text, "open: <https://retry.example.com/#/tasks/1?a=1&amp;b=2>\n") || !strings.HasSuffix(got.Text, "<https://retry.example.com/#/alerts?tab=silences>") {
		t.Error(got.Text)
	}
}
