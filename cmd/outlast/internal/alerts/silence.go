package alerts

import (
	"context"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
)

func newSilence(c *cli.Env) *cobra.Command {
	return cli.Noun("silence", "Silence alerts for a while",
		newSilenceAdd(c), newSilenceList(c), newSilenceEnd(c))
}

func newSilenceAdd(c *cli.Env) *cobra.Command {
	var spec client.AlertSilenceSpec
	var from string
	var lasts time.Duration
	var dryRun bool
	cmd := &cobra.Command{
		Use: "add", Short: "Silence matching messages for a while", Args: cobra.NoArgs,
		Long: `Silence matching messages for a while.

A message must match all patterns that are given; * matches any text. Silenced messages
stay in outlast alert list. --dry-run shows which messages of the last day would have
been silenced, and changes nothing.`,
		RunE: c.Call(func(ctx context.Context, api *client.Client, _ []string) error {
			spec.For = client.Duration(lasts)
			if from != "" {
				if err := spec.From.UnmarshalText([]byte(from)); err != nil {
					return cli.Usagef("--from: %s", err)
				}
			}
			if dryRun {
				return previewSilence(ctx, c, api, spec)
			}
			made, err := api.AddAlertSilence(ctx, spec)
			if err != nil {
				return err
			}
			return c.Show(made, silenceRows([]client.AlertSilence{*made}))
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&spec.Rule, "rule", "", "pattern for the rule")
	flags.StringVar(&spec.Subject, "subject", "", "pattern for the subject of the alert")
	flags.StringVar(&spec.Type, "type", "", "pattern for the task type")
	flags.StringVar(&spec.Queue, "queue", "", "pattern for the queue")
	flags.StringVar(&spec.Target, "target", "", "pattern for the target")
	flags.StringVar(&spec.Channel, "channel", "", "pattern for the channel; other channels still get the message")
	flags.StringVar(&from, "from", "", "start time, RFC 3339; default now")
	flags.DurationVar(&lasts, "for", 0, "duration, such as 2h; at most 720h (30 days)")
	flags.StringVar(&spec.Reason, "reason", "", "reason, shown to others")
	flags.BoolVar(&dryRun, "dry-run", false, "only show which messages of the last day would have been silenced")
	return cmd
}

// previewSilence shows what a silence would have kept back.
func previewSilence(ctx context.Context, c *cli.Env, api *client.Client, spec client.AlertSilenceSpec) error {
	preview, err := api.PreviewAlertSilence(ctx, spec)
	if err != nil {
		return err
	}
	err = cli.List(c, preview, preview.Subjects, func(w io.Writer) {
		cli.Row(w, "RULE", "SUBJECT", "MESSAGES", "LAST")
		for i := range preview.Subjects {
			s := &preview.Subjects[i]
			cli.Row(w, cli.Clean(s.Rule), cli.Short(s.Subject, 80), s.Messages, cli.When(s.Last))
		}
	})
	if err != nil || c.Output != "table" {
		return err
	}
	least := ""
	if preview.More {
		least = "at least "
	}
	c.Say("%s%s of the last day would have been silenced", least, cli.Plural(preview.Messages, "message"))
	if len(preview.Rules) > 0 {
		c.Say("matching rules: %s", cli.Clean(strings.Join(preview.Rules, ", ")))
	}
	return nil
}

func newSilenceList(c *cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List silences, the latest end first", Args: cobra.NoArgs,
		RunE: c.Call(func(ctx context.Context, api *client.Client, _ []string) error {
			silences, err := api.AlertSilences(ctx)
			if err != nil {
				return err
			}
			return cli.List(c, silences, silences.Silences, silenceRows(silences.Silences))
		}),
	}
}

func newSilenceEnd(c *cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "end ID", Short: "End a silence now", Args: cobra.ExactArgs(1),
		RunE: c.Call(func(ctx context.Context, api *client.Client, args []string) error {
			if args[0] == "" {
				return cli.Usagef("the id of the silence is empty; see outlast alert silence list")
			}
			ended, err := api.EndAlertSilence(ctx, args[0])
			if err != nil {
				return err
			}
			return c.Show(ended, silenceRows([]client.AlertSilence{*ended}))
		}),
	}
}

func silenceRows(silences []client.AlertSilence) func(io.Writer) {
	return func(w io.Writer) {
		cli.Row(w, "ID", "STATE", "FROM", "UNTIL", "MATCHES", "BY", "REASON")
		for i := range silences {
			s := &silences[i]
			cli.Row(w, cli.Clean(s.ID), cli.Clean(s.State), cli.When(s.From), cli.When(s.Until), cli.Short(silenceText(s), 80), cli.Short(s.By, 40), cli.Short(s.Reason, 80))
		}
	}
}

func silenceText(s *client.AlertSilence) string {
	var parts []string
	for _, pair := range [][2]string{{"rule", s.Rule}, {"subject", s.Subject}, {"type", s.Type}, {"queue", s.Queue}, {"target", s.Target}, {"channel", s.Channel}} {
		if pair[1] != "" {
			parts = append(parts, pair[0]+" "+pair[1])
		}
	}
	return strings.Join(parts, ", ")
}
