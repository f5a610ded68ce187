// Package alerts is the calls about alert rules, channels, silences and messages.
package alerts

import (
	"context"
	"encoding/json"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/wire"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/server/internal/query"
	"github.com/outlast-dev/outlast/server/internal/route"
	"github.com/outlast-dev/outlast/server/internal/scope"
	"github.com/outlast-dev/outlast/task"
)

type name struct {
	Name string `path:"name" doc:"Name of the rule or channel."`
}

type testInput struct {
	Name   string `path:"name" doc:"Name of the channel."`
	DryRun bool   `query:"dry_run" doc:"Send nothing: connect to who takes the messages, shake hands where TLS is spoken, log in to a mail server, and leave."`
}

type putInput struct {
	Name string `path:"name" doc:"Name of the rule or channel."`
	Body json.RawMessage
}

type eventID struct {
	ID task.ID `path:"id" doc:"Task of the message, as events have it."`
}

type eventsInput struct {
	Rule    string      `query:"rule" doc:"Of this rule; * stands for any text."`
	Subject string      `query:"subject" doc:"About this subject; * stands for any text."`
	Channel string      `query:"channel" doc:"To this channel; * stands for any text."`
	State   string      `query:"state" enum:"pending,sent,silenced,collected,failed,canceled" doc:"In this state; without one, all but those that another message tells (collected)."`
	Since   client.Time `query:"since" doc:"Made at or after."`
	Limit   *int        `query:"limit" doc:"1 to 500, 100 when absent; a page may have fewer messages, also none."`
	Cursor  string      `query:"cursor" doc:"next_cursor of the page before."`
}

// maxBody is more than a rule or channel needs.
const maxBody = 64 << 10

type calls struct{ alerts *inspect.Alerts }

// Add adds the calls about alerts.
func Add(to *route.Table, alerts *inspect.Alerts) {
	c := &calls{alerts}
	c.addRules(to)
	c.addChannels(to)
	c.addSilences(to)
	route.Handle(to, route.Route{
		Method: "GET", Path: "/v1/alerts/events", ID: "list-alert-events", Needs: inspect.PermissionView, Scope: scope.Whole, Tag: "alerts",
		Summary: "List messages sent to alert channels, newest first: the delivery log",
		About:   "Messages are kept as long as ended tasks; undelivered ones are kept as long as dead letters.",
	}, c.events)
	route.Handle(to, route.Route{
		Method: "POST", Path: "/v1/alerts/events/{id}/ack", ID: "ack-alert", Needs: inspect.PermissionOperate, Scope: scope.Whole, Tag: "alerts",
		Summary: "Acknowledge a message: somebody takes care of it",
		About:   "While the condition lasts, no more messages are sent for the rule and subject; its end is still told. A repeat changes nothing.",
		Errors:  []task.Code{task.CodeNotFound},
	}, func(ctx context.Context, in *eventID) (*route.Answer[client.AlertEvent], error) {
		return route.As(wireEvent)(c.alerts.Ack(ctx, in.ID))
	})
}

func (c *calls) events(ctx context.Context, in *eventsInput) (*route.Answer[client.AlertEvents], error) {
	page, err := query.Page(in.Limit, in.Cursor)
	if err != nil {
		return nil, err
	}
	events, next, err := c.alerts.Events(ctx, alert.EventFilter{Rule: in.Rule, Subject: in.Subject, Channel: in.Channel, State: in.State, Since: in.Since.Time}, page)
	if err != nil {
		return nil, err
	}
	return route.OK(client.AlertEvents{Events: wire.Each(events, wireEvent), NextCursor: next})
}

// oneName is the name in the path; one in the body must be the same.
func oneName(body, path string) (string, error) {
	if body != "" && body != path {
		return "", task.Invalid("name", "is another name than that in the path", "leave it out")
	}
	return path, nil
}

// refusedFields is the error of a document that could not be read.
func refusedFields(message string, err error) error {
	refused := &task.Error{Code: task.CodeInvalid, Message: message}
	for _, field := range retry.FieldErrors(err) {
		path := field.Field
		if printed := task.Quote(path); printed != `"`+path+`"` {
			path = printed
		}
		refused.Fields = append(refused.Fields, task.Field{Path: path, Message: field.Message})
		if refused.Hint == "" {
			refused.Hint = field.Hint
		}
	}
	return refused
}

func wireTallies(of alert.Tallies) (out []client.AlertTally) {
	for _, one := range of {
		out = append(out, client.AlertTally(one))
	}
	return out
}

func wireEvent(e *alert.EventView) client.AlertEvent {
	out := client.AlertEvent{
		ID: e.Task.String(), At: wire.Time(e.At), Kind: string(e.Kind), Rule: e.Rule, Subject: e.Subject, Severity: e.Severity,
		Title: e.Title(), Text: e.Text, HeldBack: e.HeldBack, Names: e.Names, Kinds: wireTallies(e.Kinds), Channel: e.Channel, Instead: e.Instead,
		State: e.State, Silence: e.Silence, Attempts: e.Attempts, Error: e.Error, NextAt: wire.Time(e.NextAt), EndedAt: wire.Time(e.EndedAt),
	}
	if e.Ack != nil {
		out.AckedBy, out.AckedAt = e.Ack.By, wire.Time(e.Ack.At)
	}
	for _, about := range alerts.AboutOf(e.Message) {
		out.About = append(out.About, client.AlertAbout(about))
	}
	for _, field := range e.Fields {
		out.Fields = append(out.Fields, client.AlertField(field))
	}
	return out
}
