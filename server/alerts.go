package server

import (
	"context"
	"encoding/json"
	"reflect"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/alert/channel"
	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
	"github.com/outlast-dev/outlast/token"
)

type alertName struct {
	Name string `path:"name" doc:"Name of the rule or channel."`
}

type alertTest struct {
	Name   string `path:"name" doc:"Name of the channel."`
	DryRun bool   `query:"dry_run" doc:"Send nothing: connect to who takes the messages, shake hands where TLS is spoken, log in to a mail server, and leave."`
}

type alertBody struct {
	Name string `path:"name" doc:"Name of the rule or channel."`
	Body json.RawMessage
}

type alertEventID struct {
	ID task.ID `path:"id" doc:"Task of the message, as events have it."`
}

type alertEventsInput struct {
	Rule    string      `query:"rule" doc:"Of this rule; * stands for any text."`
	Subject string      `query:"subject" doc:"About this subject; * stands for any text."`
	Channel string      `query:"channel" doc:"To this channel; * stands for any text."`
	State   string      `query:"state" enum:"pending,sent,silenced,collected,failed,canceled" doc:"In this state; without one, all but those that another message tells (collected)."`
	Since   client.Time `query:"since" doc:"Made at or after."`
	Limit   *int        `query:"limit" doc:"1 to 500, 100 when absent; a page may have fewer messages, also none."`
	Cursor  string      `query:"cursor" doc:"next_cursor of the page before."`
}

// maxAlertBody is more than a rule or channel needs.
const maxAlertBody = 64 << 10

func (s *Server) addAlerts() {
	s.addAlertRules()
	s.addAlertChannels()
	s.addAlertSilences()
	handle(s, route{
		method: "GET", path: "/v1/alerts/events", id: "list-alert-events", needs: token.View, scope: whole, tag: "alerts", answers: []int{200},
		summary: "List messages to channels, newest first: the delivery log",
		about:   "Kept as long as ended tasks are; what could not be delivered, as long as dead letters.",
	}, s.alertEvents)
	handle(s, route{
		method: "POST", path: "/v1/alerts/events/{id}/ack", id: "ack-alert", needs: token.Operate, scope: whole, tag: "alerts", answers: []int{200},
		summary: "Acknowledge a message: somebody takes care of it",
		about:   "An aggregate that goes on firing is not told again for the rule and subject until it is over; that it is over is told. A repeat changes nothing.",
		errors:  []task.Code{task.CodeNotFound},
	}, func(ctx context.Context, in *alertEventID) (answer[client.AlertEvent], error) {
		event, err := s.inspect.Alerts.Ack(ctx, in.ID)
		if err != nil {
			return fail[client.AlertEvent](err)
		}
		return ok(wireEvent(event))
	})
}

func (s *Server) addAlertRules() {
	handle(s, route{
		method: "GET", path: "/v1/alerts/rules", id: "list-alert-rules", needs: token.View, scope: whole, tag: "alerts", answers: []int{200}, summary: "List alert rules, the built-in ones included",
	}, func(ctx context.Context, _ *none) (answer[client.AlertRules], error) {
		rules, err := s.inspect.Alerts.Rules.List(ctx)
		if err != nil {
			return fail[client.AlertRules](err)
		}
		out := client.AlertRules{Rules: []client.AlertRule{}, Variables: wireVariables()}
		for i := range rules {
			out.Rules = append(out.Rules, wireRule(&rules[i]))
		}
		return ok(out)
	})
	handle(s, route{
		method: "GET", path: "/v1/alerts/rules/{name}", id: "get-alert-rule", needs: token.View, scope: whole, tag: "alerts", answers: []int{200}, summary: "Get an alert rule",
		errors: []task.Code{task.CodeNotFound},
	}, func(ctx context.Context, in *alertName) (answer[client.AlertRule], error) {
		rule, err := s.inspect.Alerts.Rules.Get(ctx, in.Name)
		if err != nil {
			return fail[client.AlertRule](err)
		}
		return ok(wireRule(rule))
	})
	handle(s, route{
		method: "PUT", path: "/v1/alerts/rules/{name}", id: "put-alert-rule", needs: token.Administer, scope: whole, tag: "alerts", answers: []int{200}, limit: maxAlertBody,
		summary: "Create an alert rule or replace one, also a built-in one", about: alertVariables(), request: reflect.TypeFor[alert.Rule](),
		errors: []task.Code{task.CodeManagedByFile},
	}, func(ctx context.Context, in *alertBody) (answer[client.AlertRule], error) {
		rule, err := alert.ParseRule(in.Body)
		if err != nil {
			return fail[client.AlertRule](refusedFields("the rule is invalid", err))
		}
		if rule.Name, err = oneName(rule.Name, in.Name); err != nil {
			return fail[client.AlertRule](err)
		}
		stored, err := s.inspect.Alerts.Rules.Put(ctx, *rule)
		if err != nil {
			return fail[client.AlertRule](err)
		}
		return ok(wireRule(stored))
	})
	handle(s, route{
		method: "DELETE", path: "/v1/alerts/rules/{name}", id: "delete-alert-rule", needs: token.Administer, scope: whole, tag: "alerts", answers: []int{200},
		summary: "Delete an alert rule; a built-in one of its name holds again", errors: []task.Code{task.CodeNotFound, task.CodeManagedByFile},
	}, func(ctx context.Context, in *alertName) (answer[none], error) {
		if err := s.inspect.Alerts.Rules.Delete(ctx, in.Name); err != nil {
			return fail[none](err)
		}
		return ok(none{})
	})
}

// ChannelSpec is a channel by its name in the OpenAPI document.
type ChannelSpec channel.Spec

func (s *Server) addAlertChannels() {
	handle(s, route{
		method: "GET", path: "/v1/alerts/channels", id: "list-alert-channels", needs: token.View, scope: whole, tag: "alerts", answers: []int{200}, summary: "List alert channels",
	}, func(ctx context.Context, _ *none) (answer[client.AlertChannels], error) {
		channels, err := s.inspect.Alerts.Channels.List(ctx)
		if err != nil {
			return fail[client.AlertChannels](err)
		}
		out := client.AlertChannels{Channels: []client.AlertChannel{}}
		for i := range channels {
			out.Channels = append(out.Channels, wireChannel(&channels[i]))
		}
		return ok(out)
	})
	handle(s, route{
		method: "GET", path: "/v1/alerts/channels/{name}", id: "get-alert-channel", needs: token.View, scope: whole, tag: "alerts", answers: []int{200}, summary: "Get an alert channel",
		errors: []task.Code{task.CodeNotFound},
	}, func(ctx context.Context, in *alertName) (answer[client.AlertChannel], error) {
		channel, err := s.inspect.Alerts.Channels.Get(ctx, in.Name)
		if err != nil {
			return fail[client.AlertChannel](err)
		}
		return ok(wireChannel(channel))
	})
	handle(s, route{
		method: "PUT", path: "/v1/alerts/channels/{name}", id: "put-alert-channel", needs: token.Administer, scope: whole, tag: "alerts", answers: []int{200}, limit: maxAlertBody,
		summary: "Create an alert channel or replace one", about: "Secrets are not part of it: it names environment variables of the servers that hold them.",
		request: reflect.TypeFor[ChannelSpec](), errors: []task.Code{task.CodeManagedByFile},
	}, func(ctx context.Context, in *alertBody) (answer[client.AlertChannel], error) {
		spec, err := channel.Parse(in.Body)
		if err != nil {
			return fail[client.AlertChannel](refusedFields("the channel is invalid", err))
		}
		if spec.Name, err = oneName(spec.Name, in.Name); err != nil {
			return fail[client.AlertChannel](err)
		}
		stored, err := s.inspect.Alerts.Channels.Put(ctx, *spec)
		if err != nil {
			return fail[client.AlertChannel](err)
		}
		return ok(wireChannel(stored))
	})
	handle(s, route{
		method: "DELETE", path: "/v1/alerts/channels/{name}", id: "delete-alert-channel", needs: token.Administer, scope: whole, tag: "alerts", answers: []int{200},
		summary: "Delete an alert channel that nothing names", errors: []task.Code{task.CodeNotFound, task.CodeConflict, task.CodeManagedByFile},
	}, func(ctx context.Context, in *alertName) (answer[none], error) {
		if err := s.inspect.Alerts.Channels.Delete(ctx, in.Name); err != nil {
			return fail[none](err)
		}
		return ok(none{})
	})
	handle(s, route{
		method: "POST", path: "/v1/alerts/channels/{name}/test", id: "test-alert-channel", needs: token.Operate, scope: whole, tag: "alerts", answers: []int{200},
		summary: "Send a test message and wait until it was taken", errors: []task.Code{task.CodeInvalid, task.CodeNotFound, task.CodeConflict},
	}, func(ctx context.Context, in *alertTest) (answer[client.AlertTested], error) {
		try := s.inspect.Alerts.Channels.Test
		if in.DryRun {
			try = s.inspect.Alerts.Channels.Probe
		}
		if err := try(ctx, in.Name); err != nil {
			return fail[client.AlertTested](err)
		}
		return ok(client.AlertTested{Channel: in.Name, Sent: !in.DryRun})
	})
}

func (s *Server) alertEvents(ctx context.Context, in *alertEventsInput) (answer[client.AlertEvents], error) {
	page, err := pageOf(in.Limit, in.Cursor)
	if err != nil {
		return fail[client.AlertEvents](err)
	}
	events, next, err := s.inspect.Alerts.Events(ctx, alert.EventFilter{Rule: in.Rule, Subject: in.Subject, Channel: in.Channel, State: in.State, Since: in.Since.Time}, page)
	if err != nil {
		return fail[client.AlertEvents](err)
	}
	out := client.AlertEvents{Events: []client.AlertEvent{}, NextCursor: next}
	for i := range events {
		out.Events = append(out.Events, wireEvent(&events[i]))
	}
	return ok(out)
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

// alertVariables is the list of the variables for the document.
func alertVariables() string {
	text := "Conditions are in CEL, of at most 2 KiB, without comprehensions. Their variables, and for which `on` each is set:\n"
	for _, v := range alert.Variables() {
		text += "\n- `" + v.Name + "` (" + v.Type + "): " + v.Doc + ". "
		for i, on := range v.On {
			if i > 0 {
				text += ", "
			}
			text += "`" + string(on) + "`"
		}
	}
	return text
}

func wireVariables() (out []client.AlertVariable) {
	for _, v := range alert.Variables() {
		made := client.AlertVariable{Name: v.Name, Type: v.Type, Doc: v.Doc}
		for _, on := range v.On {
			made.On = append(made.On, string(on))
		}
		out = append(out, made)
	}
	return out
}

func wireRule(r *alert.RuleView) client.AlertRule {
	body, _ := json.Marshal(r.Rule) // it has been read from JSON
	return client.AlertRule{
		Name: r.Name, Rule: client.PlainJSON(body), Builtin: r.Builtin, Replaces: r.Replaces, Managed: r.Managed, Actor: r.Actor, Version: r.Version,
		UpdatedAt: wireTime(r.UpdatedAt), Problem: r.Problem,
	}
}

func wireChannel(c *channel.View) client.AlertChannel {
	body, _ := json.Marshal(c.Spec) // it has been read from JSON
	return client.AlertChannel{
		Name: c.Name, Kind: string(c.Kind), Channel: client.PlainJSON(body), Managed: c.Managed, Actor: c.Actor, Version: c.Version,
		UpdatedAt: wireTime(c.UpdatedAt), Usable: c.Usable, Problem: c.Problem,
	}
}

func wireTallies(of alert.Tallies) (out []client.AlertTally) {
	for _, one := range of {
		out = append(out, client.AlertTally(one))
	}
	return out
}

func wireEvent(e *alert.EventView) client.AlertEvent {
	out := client.AlertEvent{
		ID: e.Task.String(), At: wireTime(e.At), Kind: string(e.Kind), Rule: e.Rule, Subject: e.Subject, Severity: e.Severity,
		Title: e.Title(), Text: e.Text, HeldBack: e.HeldBack, Names: e.Names, Kinds: wireTallies(e.Kinds), Channel: e.Channel, Instead: e.Instead,
		State: e.State, Silence: e.Silence, Attempts: e.Attempts, Error: e.Error, NextAt: wireTime(e.NextAt), EndedAt: wireTime(e.EndedAt),
	}
	if e.Ack != nil {
		out.AckedBy, out.AckedAt = e.Ack.By, wireTime(e.Ack.At)
	}
	for _, field := range e.Fields {
		out.Fields = append(out.Fields, client.AlertField(field))
	}
	return out
}
