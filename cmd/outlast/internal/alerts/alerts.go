// Package alerts is outlast alert: rules, channels, and what people were told.
package alerts

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/task"
)

// Command makes outlast alert and the commands below it.
func Command(c *cli.Env) *cobra.Command {
	return cli.Noun("alert", "Manage alert rules, channels and messages",
		newList(c), newRules(c), newChannels(c), newTest(c), newAck(c), newSilence(c),
		newPut(c, "rule", "Create or replace an alert rule, including a built-in one", func(ctx context.Context, api *client.Client, name string, body json.RawMessage) (any, error) {
			return api.PutAlertRule(ctx, name, body)
		}),
		newPut(c, "channel", "Create or replace an alert channel", func(ctx context.Context, api *client.Client, name string, body json.RawMessage) (any, error) {
			return api.PutAlertChannel(ctx, name, body)
		}),
		newDelete(c, "rule", func(ctx context.Context, api *client.Client, name string) error {
			return api.DeleteAlertRule(ctx, name)
		}),
		newDelete(c, "channel", func(ctx context.Context, api *client.Client, name string) error {
			return api.DeleteAlertChannel(ctx, name)
		}))
}

func newList(c *cli.Env) *cobra.Command {
	var limit int
	var cursor, since string
	var filter client.AlertFilter
	cmd := &cobra.Command{
		Use: "list", Aliases: []string{"events"}, Short: "List messages sent to alert channels, newest first", Args: cobra.NoArgs,
		Long: `List messages sent to alert channels, newest first: the delivery log.

In --rule, --subject and --channel, * matches any text.`,
		RunE: c.Call(func(ctx context.Context, api *client.Client, _ []string) error {
			if err := cli.OnePage(limit); err != nil {
				return err
			}
			var err error
			if filter.Since, err = cli.PastTime("since", since, time.Now()); err != nil {
				return err
			}
			events, err := api.AlertEvents(ctx, filter, limit, cursor)
			if err != nil {
				return err
			}
			err = cli.List(c, events, events.Events, func(w io.Writer) {
				cli.Row(w, "ID", "AT", "STATE", "CHANNEL", "KIND", "RULE", "SUBJECT", "HELD", "ACKED BY", "TEXT", "ERROR")
				for i := range events.Events {
					e := &events.Events[i]
					cli.Row(w, cli.Clean(e.ID), cli.When(e.At), cli.Clean(e.State), cli.Clean(e.Channel), cli.Clean(e.Kind), cli.Clean(e.Rule), cli.Short(e.Subject, 40), e.HeldBack, cli.Short(e.AckedBy, 40), cli.Short(e.Text, 80), cli.Short(e.Error, 60))
				}
			})
			if err == nil && events.NextCursor != "" && c.Output == "table" {
				c.Say("more rows follow: add --cursor %s", cli.Clean(events.NextCursor))
			}
			return err
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&filter.Rule, "rule", "", "only messages of this rule")
	flags.StringVar(&filter.Subject, "subject", "", "only messages about this subject")
	flags.StringVar(&filter.Channel, "channel", "", "only messages to this channel")
	flags.StringVar(&filter.State, "state", "", "pending, sent, silenced, collected, failed or canceled")
	flags.StringVar(&since, "since", "", "created since: a time (RFC 3339) or an age, such as 1h")
	flags.IntVar(&limit, "limit", 100, "maximum number of messages, 1 to 500")
	flags.StringVar(&cursor, "cursor", "", "continue from the cursor of an earlier list")
	return cmd
}

func newRules(c *cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "rules", Short: "List alert rules, including the built-in ones", Args: cobra.NoArgs,
		RunE: c.Call(func(ctx context.Context, api *client.Client, _ []string) error {
			rules, err := api.AlertRules(ctx)
			if err != nil {
				return err
			}
			return cli.List(c, rules, rules.Rules, func(w io.Writer) {
				cli.Row(w, "NAME", "FROM", "RULE", "PROBLEM")
				for i := range rules.Rules {
					r := &rules.Rules[i]
					from := r.Managed
					if r.Builtin {
						from = "built in"
					}
					cli.Row(w, cli.Clean(r.Name), cli.Clean(from), cli.Short(string(r.Rule), 160), cli.Short(r.Problem, 80))
				}
			})
		}),
	}
}

func newChannels(c *cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "channels", Short: "List alert channels and whether the server can send to them", Args: cobra.NoArgs,
		RunE: c.Call(func(ctx context.Context, api *client.Client, _ []string) error {
			channels, err := api.AlertChannels(ctx)
			if err != nil {
				return err
			}
			return cli.List(c, channels, channels.Channels, func(w io.Writer) {
				cli.Row(w, "NAME", "KIND", "FROM", "USABLE", "PROBLEM")
				for i := range channels.Channels {
					ch := &channels.Channels[i]
					cli.Row(w, cli.Clean(ch.Name), cli.Clean(ch.Kind), cli.Clean(ch.Managed), ch.Usable, cli.Short(ch.Problem, 120))
				}
			})
		}),
	}
}

func newTest(c *cli.Env) *cobra.Command {
	var dry bool
	cmd := &cobra.Command{
		Use: "test CHANNEL", Short: "Send a test message to a channel and wait for the answer", Args: cobra.ExactArgs(1),
		Long: `Send a test message to a channel and wait for the answer.

With --dry-run no message is sent. The server only connects to the channel, completes
the TLS handshake if there is one, logs in if it is a mail server, and disconnects. Only
a real message shows whether a robot accepts the key in its URL, or a mailbox exists.`,
		RunE: c.Call(func(ctx context.Context, api *client.Client, args []string) error {
			if args[0] == "" {
				return cli.Usagef("the name of the channel is empty; see outlast alert channels")
			}
			try, what := api.TestAlertChannel, "accepted the message"
			if dry {
				try, what = api.ProbeAlertChannel, "can be reached; nothing was sent"
			}
			tested, err := try(ctx, args[0])
			if err != nil {
				return err
			}
			return c.Show(tested, func(w io.Writer) { cli.Row(w, cli.Clean(tested.Channel), what) })
		}),
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only connect, send nothing")
	return cmd
}

func newAck(c *cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "ack ID", Short: "Acknowledge a message: you are taking care of it", Args: cobra.ExactArgs(1),
		Long: `Acknowledge a message, by the ID that outlast alert list shows.

While the condition lasts, for example a backlog, no more messages are sent for this
rule and subject. You are still told when it is over.`,
		RunE: c.Call(func(ctx context.Context, api *client.Client, args []string) error {
			id, err := cli.ParseID(args[0])
			if err != nil {
				return err
			}
			event, err := api.AckAlert(ctx, id)
			if err != nil {
				return err
			}
			return c.Show(event, func(w io.Writer) {
				cli.Row(w, cli.Clean(event.Rule), cli.Short(event.Subject, 40), "acknowledged by", cli.Clean(event.AckedBy), cli.When(event.AckedAt))
			})
		}),
	}
}

func newPut(c *cli.Env, noun, short string, put func(ctx context.Context, api *client.Client, name string, body json.RawMessage) (any, error)) *cobra.Command {
	return &cobra.Command{
		Use: "put-" + noun + " NAME JSON|-", Short: short, Args: cobra.ExactArgs(2),
		Long: short + ".\n\nThe second argument is its JSON, or - to read the JSON from standard input.",
		RunE: c.Call(func(ctx context.Context, api *client.Client, args []string) error {
			if args[0] == "" {
				return cli.Usagef("the name of the %s is empty", noun)
			}
			body := []byte(args[1])
			if args[1] == "-" {
				var err error
				if body, err = io.ReadAll(io.LimitReader(c.In, maxAlertInput+1)); err != nil {
					return err
				}
			}
			if len(body) > maxAlertInput || !json.Valid(body) {
				return cli.Usagef("%s is not JSON of at most %d bytes; give the JSON of the %s itself, or - to read it from standard input", task.Quote(string(body[:min(len(body), 40)])), maxAlertInput, noun)
			}
			stored, err := put(ctx, api, args[0], body)
			if err != nil {
				return err
			}
			return c.Show(stored, func(w io.Writer) { cli.Row(w, noun, cli.Clean(args[0]), "saved") })
		}),
	}
}

// maxAlertInput is what the server reads at most.
const maxAlertInput = 64 << 10

func newDelete(c *cli.Env, noun string, remove func(ctx context.Context, api *client.Client, name string) error) *cobra.Command {
	return &cobra.Command{
		Use: "delete-" + noun + " NAME", Short: "Delete an alert " + noun, Args: cobra.ExactArgs(1),
		RunE: c.Call(func(ctx context.Context, api *client.Client, args []string) error {
			if args[0] == "" {
				return cli.Usagef("the name of the %s is empty", noun)
			}
			if err := c.Ask(fmt.Sprintf("Delete the alert %s %s?", noun, cli.Clean(args[0]))); err != nil {
				return err
			}
			if err := remove(ctx, api, args[0]); err != nil {
				return err
			}
			c.Say("deleted")
			return nil
		}),
	}
}
