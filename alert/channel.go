package alert

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// Channel sends messages to people. It is safe for concurrent use, and an
// error says by its verdict whether another try makes sense, and when.
type Channel interface {
	Send(ctx context.Context, m *Message) error
}

// ChannelFunc is a Go function as a channel.
type ChannelFunc func(ctx context.Context, m *Message) error

// Send calls the function.
func (f ChannelFunc) Send(ctx context.Context, m *Message) error { return f(ctx, m) }

// ChannelKind says how a channel reaches people.
type ChannelKind string

// The kinds of channels. A log is always there, functions are those of a Go program.
const (
	// ToDingTalk is a custom robot of a DingTalk group, whose messages are signed.
	ToDingTalk ChannelKind = "dingtalk"
	// ToAlertmanager is the Alertmanager of Prometheus, which groups and routes itself.
	ToAlertmanager ChannelKind = "alertmanager"
	// ToPagerDuty is a service of PagerDuty, whose incidents end with what they are about.
	ToPagerDuty ChannelKind = "pagerduty"
	// ToTeams is a workflow of Microsoft Teams that posts to a chat or channel.
	ToTeams ChannelKind = "teams"
	// ToTelegram is a chat of a bot of Telegram.
	ToTelegram ChannelKind = "telegram"
	// ToEmail is mail by SMTP, with TLS.
	ToEmail ChannelKind = "email"
	// ToFeishu is a custom bot of Feishu and Lark, whose messages are signed.
	ToFeishu ChannelKind = "feishu"
	// ToSlack is an incoming webhook of Slack.
	ToSlack ChannelKind = "slack"
	// ToWeCom is a group robot of WeCom.
	ToWeCom ChannelKind = "wecom"
	// ToWebhook is any receiver, signed by Standard Webhooks.
	ToWebhook ChannelKind = "webhook"
	ToLog     ChannelKind = "log"  // the log of the node, at WARN
	ToFunc    ChannelKind = "func" // a Go function; made by an option only
)

// ChannelSpec is a channel as people write it. Secrets are never in it: it
// names environment variables or files that hold them.
type ChannelSpec struct {
	Name string      `json:"name,omitempty" doc:"Name of the channel; in a request that of the path, or absent."`
	Kind ChannelKind `json:"kind" enum:"dingtalk,email,feishu,slack,wecom,alertmanager,pagerduty,teams,telegram,webhook,log,func" doc:"What it sends to. func channels are made by Go programs only."`
	// URL is the receiver of a webhook, the Alertmanager, or where PagerDuty or Telegram is
	// not at its usual address. The URLs of robots are secrets: they come from URLEnv or
	// URLFile.
	URL     string `json:"url,omitempty" doc:"Receiver of a webhook, the Alertmanager, or another address of PagerDuty or Telegram. URLs of robots are secrets: name them by url_env or url_file."`
	URLEnv  string `json:"url_env,omitempty" doc:"Environment variable of the servers with the URL."`
	URLFile string `json:"url_file,omitempty" doc:"File of the servers with the URL."`
	// SecretEnv or SecretFile hold the secret that messages are signed with:
	// SEC... on DingTalk, that of the bot on Feishu, whsec_... of a webhook; or what
	// lets a message in: PagerDuty's integration key, the token of Telegram's bot, a
	// bearer token of the Alertmanager.
	SecretEnv  string `json:"secret_env,omitempty" doc:"Environment variable of the servers with the secret that messages are signed with, or that lets them in: the integration key of PagerDuty, the token of a bot of Telegram, a bearer token of the Alertmanager."`
	SecretFile string `json:"secret_file,omitempty" doc:"File of the servers with that secret."`
	// Mentions are who is called by name in every message: mobile numbers on
	// DingTalk and WeCom, open ids on Feishu, member ids on Slack, and "all".
	Mentions []string `json:"mentions,omitempty" doc:"Who is called by name in every message: mobile numbers on DingTalk and WeCom, open ids on Feishu, member ids on Slack, and all."`
	// Fallback is the channel that gets what this one cannot deliver.
	Fallback string `json:"fallback,omitempty" doc:"The channel that gets what this one cannot deliver."`
	// Default marks a channel that gets the alerts of rules without channels.
	Default bool `json:"default,omitempty" doc:"It gets the alerts of rules without channels."`
	// Rate lowers the messages per minute below what the vendor allows; 0 for
	// the vendor's.
	Rate *int `json:"rate,omitempty" doc:"Messages per minute, below what the vendor allows; the vendor's limit when absent."`
	// Timeout of one message; 10 s when absent.
	Timeout *retry.Duration `json:"timeout,omitempty" doc:"Limit of one message; 10s when absent."`

	// Of email:
	Address      string   `json:"address,omitempty" doc:"Of email: host:port of the server."`
	TLS          string   `json:"tls,omitempty" enum:"starttls,implicit,none" doc:"Of email: starttls when absent."`
	Username     string   `json:"username,omitempty" doc:"Of email: whom to log in as; nobody when absent."`
	PasswordEnv  string   `json:"password_env,omitempty" doc:"Of email: environment variable of the servers with the password."`
	PasswordFile string   `json:"password_file,omitempty" doc:"Of email: file of the servers with the password."`
	From         string   `json:"from,omitempty" doc:"Of email: address of the sender."`
	To           []string `json:"to,omitempty" doc:"Of email: addresses of the receivers. Of telegram: the one chat, by its number or @name."`
}

// ChannelView is a channel with where it comes from.
type ChannelView struct {
	ChannelSpec
	Managed   string // "file", "option" of a Go function, or ""
	Actor     string
	Version   int64
	UpdatedAt time.Time
	Usable    bool   // this node can send to it
	Problem   string // why it cannot, or why the last message of this node was not delivered
}
