package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/task"
)

func newAlert(c *cli) *cobra.Command {
	return noun("alert", "Say when people are told that something is wrong, and look at what they were told",
		newAlertList(c), newAlertRules(c), newAlertChannels(c), newAlertTest(c), newAlertAck(c), newAlertSilence(c),
		newAlertPut(c, "rule", "Create an alert rule or replace one, also a built-in one", func(ctx context.Context, api *client.Client, name string, body json.RawMessage) (any, error) {
			return api.PutAlertRule(ctx, name, body)
		}),
		newAlertPut(c, "channel", "Create an alert channel or replace one", func(ctx context.Context, api *client.Client, name string, body json.RawMessage) (any, error) {
			return api.PutAlertChannel(ctx, name, body)
		}),
		newAlertDelete(c, "rule", func(ctx context.Context, api *client.Client, name string) error {
			return api.DeleteAlertRule(ctx, name)
		}),
		newAlertDelete(c, "channel", func(ctx context.Context, api *client.Client, name string) error {
			return api.DeleteAlertChannel(ctx, name)
		}))
}

func newAlertList(c *cli) *cobra.Command {
	var limit int
	var cursor, since string
	var filter client.AlertFilter
	cmd := &cobra.Command{
		Use: "list", Aliases: []string{"events"}, Short: "List messages to channels, newest first: the delivery log", Args: cobra.NoArgs,
		Long: `List messages to channels, newest first: the delivery log.

In --rule, --subject and --channel * stands for any text.`,
		RunE: c.call(func(ctx context.Context, api *client.Client, _ []string) error {
			if err := onePage(limit); err != nil {
				return err
			}
			var err error
			if filter.Since, err = pastTime("since", since, time.Now()); err != nil {
				return err
			}
			events, err := api.AlertEvents(ctx, filter, limit, cursor)
			if err != nil {
				return err
			}
			err = list(c, events, events.Events, func(w io.Writer) {
				row(w, "ID", "AT", "STATE", "CHANNEL", "KIND", "RULE", "SUBJECT", "HELD", "ACKED BY", "TEXT", "ERROR")
				for i := range events.Events {
					e := &events.Events[i]
					row(w, clean(e.ID), when(e.At), clean(e.State), clean(e.Channel), clean(e.Kind), clean(e.Rule), short(e.Subject, 40), e.HeldBack, short(e.AckedBy, 40), short(e.Text, 80), short(e.Error, 60))
				}
			})
			if err == nil && events.NextCursor != "" && c.output == "table" {
				c.say("there is more: --cursor %s", clean(events.NextCursor))
			}
			return err
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&filter.Rule, "rule", "", "messages of this rule")
	flags.StringVar(&filter.Subject, "subject", "", "messages about this subject")
	flags.StringVar(&filter.Channel, "channel", "", "messages to this channel")
	flags.StringVar(&filter.State, "state", "", "pending, sent, silenced, collected, failed or canceled")
	flags.StringVar(&since, "since", "", "made at or after: a time (RFC 3339), or how long ago (1h)")
	flags.IntVar(&limit, "limit", 100, "at most so many messages, 1 to 500")
	flags.StringVar(&cursor, "cursor", "", "go on where an earlier list ended")
	return cmd
}

func newAlertRules(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "rules", Short: "List alert rules, the built-in ones included", Args: cobra.NoArgs,
		RunE: c.call(func(ctx context.Context, api *client.Client, _ []string) error {
			rules, err := api.AlertRules(ctx)
			if err != nil {
				return err
			}
			return list(c, rules, rules.Rules, func(w io.Writer) {
				row(w, "NAME", "FROM", "RULE", "PROBLEM")
				for i := range rules.Rules {
					r := &rules.Rules[i]
					from := r.Managed
					if r.Builtin {
						from = "built in"
					}
					row(w, clean(r.Name), clean(from), short(string(r.Rule), 160), short(r.Problem, 80))
				}
			})
		}),
	}
}

func newAlertChannels(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "channels", Short: "List alert channels and whether the server can send to them", Args: cobra.NoArgs,
		RunE: c.call(func(ctx context.Context, api *client.Client, _ []string) error {
			channels, err := api.AlertChannels(ctx)
			if err != nil {
				return err
			}
			return list(c, channels, channels.Channels, func(w io.Writer) {
				row(w, "NAME", "KIND", "FROM", "USABLE", "PROBLEM")
				for i := range channels.Channels {
					ch := &channels.Channels[i]
					row(w, clean(ch.Name), clean(ch.Kind), clean(ch.Managed), ch.Usable, short(ch.Problem, 120))
				}
			})
		}),
	}
}

func newAlertTest(c *cli) *cobra.Command {
	var dry bool
	cmd := &cobra.Command{
		Use: "test CHANNEL", Short: "Send a test message to a channel and wait until it was taken", Args: cobra.ExactArgs(1),
		Long: `Send a test message to a channel and wait until it was taken.

With --dry-run nobody is told anything: the server connects to who takes the messages,
shakes hands where TLS is spoken, logs in to a mail server, and leaves. Whether a robot
takes the key in its URL, or there is such a mailbox, only a message shows.`,
		RunE: c.call(func(ctx context.Context, api *client.Client, args []string) error {
			if args[0] == "" {
				return usage("the name of the channel is empty; see outlast alert channels")
			}
			try, what := api.TestAlertChannel, "took the message"
			if dry {
				try, what = api.ProbeAlertChannel, "answers; nothing was sent"
			}
			tested, err := try(ctx, args[0])
			if err != nil {
				return err
			}
			return c.show(tested, func(w io.Writer) { row(w, clean(tested.Channel), what) })
		}),
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "connect only, and send nothing")
	return cmd
}

func newAlertAck(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "ack ID", Short: "Acknowledge a message: you take care of it", Args: cobra.ExactArgs(1),
		Long: `Acknowledge a message, by the ID that outlast alert list shows.

An aggregate that goes on firing, such as a backlog, is not told again for the
rule and subject until it is over; that it is over is told.`,
		RunE: c.call(func(ctx context.Context, api *client.Client, args []string) error {
			id, err := parseID(args[0])
			if err != nil {
				return err
			}
			event, err := api.AckAlert(ctx, id)
			if err != nil {
				return err
			}
			return c.show(event, func(w io.Writer) {
				row(w, clean(event.Rule), short(event.Subject, 40), "acknowledged by", clean(event.AckedBy), when(event.AckedAt))
			})
		}),
	}
}

func newAlertPut(c *cli, noun, short string, put func(ctx context.Context, api *client.Client, name string, body json.RawMessage) (any, error)) *cobra.Command {
	return &cobra.Command{
		Use: "put-" + noun + " NAME JSON|-", Short: short, Args: cobra.ExactArgs(2),
		Long: short + ".\n\nThe second argument is its JSON, or - to read that from standard input.",
		RunE: c.call(func(ctx context.Context, api *client.Client, args []string) error {
			if args[0] == "" {
				return usage("the name of the %s is empty", noun)
			}
			body := []byte(args[1])
			if args[1] == "-" {
				var err error
				if body, err = io.ReadAll(io.LimitReader(c.in, maxAlertInput+1)); err != nil {
					return err
				}
			}
			if len(body) > maxAlertInput || !json.Valid(body) {
				return usage("%s is no JSON of at most %d bytes; give the %s itself, or - and a file on standard input", task.Quote(string(body[:min(len(body), 40)])), maxAlertInput, noun)
			}
			stored, err := put(ctx, api, args[0], body)
			if err != nil {
				return err
			}
			return c.show(stored, func(w io.Writer) { row(w, noun, clean(args[0]), "is kept") })
		}),
	}
}

// maxAlertInput is what the server reads at most.
const maxAlertInput = 64 << 10

func newAlertDelete(c *cli, noun string, remove func(ctx context.Context, api *client.Client, name string) error) *cobra.Command {
	return &cobra.Command{
		Use: "delete-" + noun + " NAME", Short: "Delete an alert " + noun, Args: cobra.ExactArgs(1),
		RunE: c.call(func(ctx context.Context, api *client.Client, args []string) error {
			if args[0] == "" {
				return usage("the name of the %s is empty", noun)
			}
			if err := c.ask(fmt.Sprintf("Delete the alert %s %s?", noun, clean(args[0]))); err != nil {
				return err
			}
			if err := remove(ctx, api, args[0]); err != nil {
				return err
			}
			c.say("deleted")
			return nil
		}),
	}
}
