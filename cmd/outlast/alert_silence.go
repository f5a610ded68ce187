package main

import (
	"context"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
)

func newAlertSilence(c *cli) *cobra.Command {
	return noun("silence", "Keep messages from their channels for a time",
		newAlertSilenceAdd(c), newAlertSilenceList(c), newAlertSilenceEnd(c))
}

func newAlertSilenceAdd(c *cli) *cobra.Command {
	var spec client.AlertSilenceSpec
	var from string
	var lasts time.Duration
	var dryRun bool
	cmd := &cobra.Command{
		Use: "add", Short: "Keep messages that match from their channels for a time", Args: cobra.NoArgs,
		Long: `Keep messages that match from their channels for a time.

Of the patterns those that are given must all match; * stands for any text. What
is kept back stays in outlast alert list, as silenced. --dry-run says what would
have been kept back of the messages of the last day, and changes nothing.`,
		RunE: c.call(func(ctx context.Context, api *client.Client, _ []string) error {
			spec.For = client.Duration(lasts)
			if from != "" {
				if err := spec.From.UnmarshalText([]byte(from)); err != nil {
					return usage("--from: %s", err)
				}
			}
			if dryRun {
				return c.previewSilence(ctx, api, spec)
			}
			made, err := api.AddAlertSilence(ctx, spec)
			if err != nil {
				return err
			}
			return c.show(made, silenceRows([]client.AlertSilence{*made}))
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&spec.Rule, "rule", "", "pattern of the rule")
	flags.StringVar(&spec.Subject, "subject", "", "pattern of what the alert is about")
	flags.StringVar(&spec.Type, "type", "", "pattern of the type of the task")
	flags.StringVar(&spec.Queue, "queue", "", "pattern of the queue")
	flags.StringVar(&spec.Target, "target", "", "pattern of the target")
	flags.StringVar(&spec.Channel, "channel", "", "pattern of the channel; others are told")
	flags.StringVar(&from, "from", "", "time from which on, now when absent")
	flags.DurationVar(&lasts, "for", 0, "how long, such as 2h; at most 720h, which is 30 days")
	flags.StringVar(&spec.Reason, "reason", "", "why, for those who wonder")
	flags.BoolVar(&dryRun, "dry-run", false, "only say what would have been kept back of the last day")
	return cmd
}

// previewSilence shows what a silence would have kept back.
func (c *cli) previewSilence(ctx context.Context, api *client.Client, spec client.AlertSilenceSpec) error {
	preview, err := api.PreviewAlertSilence(ctx, spec)
	if err != nil {
		return err
	}
	err = list(c, preview, preview.Subjects, func(w io.Writer) {
		row(w, "RULE", "SUBJECT", "MESSAGES", "LAST")
		for i := range preview.Subjects {
			s := &preview.Subjects[i]
			row(w, clean(s.Rule), short(s.Subject, 80), s.Messages, when(s.Last))
		}
	})
	if err != nil || c.output != "table" {
		return err
	}
	least := ""
	if preview.More {
		least = "at least "
	}
	c.say("%s%s of the last day would have been kept back", least, plural(preview.Messages, "message"))
	if len(preview.Rules) > 0 {
		c.say("rules that match: %s", clean(strings.Join(preview.Rules, ", ")))
	}
	return nil
}

func newAlertSilenceList(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List silences, those that end last first", Args: cobra.NoArgs,
		RunE: c.call(func(ctx context.Context, api *client.Client, _ []string) error {
			silences, err := api.AlertSilences(ctx)
			if err != nil {
				return err
			}
			return list(c, silences, silences.Silences, silenceRows(silences.Silences))
		}),
	}
}

func newAlertSilenceEnd(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "end ID", Short: "End a silence now", Args: cobra.ExactArgs(1),
		RunE: c.call(func(ctx context.Context, api *client.Client, args []string) error {
			if args[0] == "" {
				return usage("the id of the silence is empty; see outlast alert silence list")
			}
			ended, err := api.EndAlertSilence(ctx, args[0])
			if err != nil {
				return err
			}
			return c.show(ended, silenceRows([]client.AlertSilence{*ended}))
		}),
	}
}

func silenceRows(silences []client.AlertSilence) func(io.Writer) {
	return func(w io.Writer) {
		row(w, "ID", "STATE", "FROM", "UNTIL", "MATCHES", "BY", "REASON")
		for i := range silences {
			s := &silences[i]
			row(w, clean(s.ID), clean(s.State), when(s.From), when(s.Until), short(silenceText(s), 80), short(s.By, 40), short(s.Reason, 80))
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
