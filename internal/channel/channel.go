// Package channel sends alerts: by email, to the robots of DingTalk, Feishu
// (Lark), WeCom, Slack, Microsoft Teams and Telegram, to PagerDuty and the
// Alertmanager, to signed webhooks, and to the log. Every request
// goes through [safehttp]. Messages are plain text in which nothing of what
// they tell can become markup, a link, or a mention; who is mentioned is a
// matter of configuration only. Secrets come from the environment or from
// files and are in no error.
package channel

import (
	"cmp"
	"log/slog"
	"os"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

// New makes the channel of a specification that has passed its check. An
// error, a [retry.FieldError], says which variable or file is missing or does
// not hold what it should; never what it holds.
func New(spec *alert.ChannelSpec, o Options) (alert.Channel, error) {
	if o.Lookup == nil {
		o.Lookup = os.LookupEnv
	}
	if o.ReadFile == nil {
		o.ReadFile = os.ReadFile
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	kind := kindOf(spec.Kind)
	if kind == nil {
		return nil, &retry.FieldError{Field: "kind", Message: task.Quote(string(spec.Kind)) + " is not a kind of channel"}
	}
	if spec.URL == "" && kind.url != "" {
		copied := *spec
		spec, copied.URL = &copied, kind.url
	}
	if err := o.allowed(spec); err != nil {
		return nil, err
	}
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	made, err := kind.open(spec, &o)
	if err != nil {
		return nil, err
	}
	return made, nil
}

// kinds are all that a configuration can name.
var kinds = []*kind{&webhookKind, &slackKind, &emailKind, &dingTalkKind, &feishuKind, &weComKind, &teamsKind, &telegramKind, &pagerDutyKind, &alertmanagerKind, &logKind}

func kindOf(name alert.ChannelKind) *kind {
	if i := slices.IndexFunc(kinds, func(k *kind) bool { return k.name == name }); i >= 0 {
		return kinds[i]
	}
	return nil
}

func names() (all []string) {
	for _, k := range kinds {
		all = append(all, string(k.name))
	}
	return all
}
