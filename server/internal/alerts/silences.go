package alerts

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/wire"
	"github.com/outlast-dev/outlast/server/internal/route"
	"github.com/outlast-dev/outlast/server/internal/scope"
	"github.com/outlast-dev/outlast/task"
)

type silenceID struct {
	ID string `path:"id" doc:"Id of the silence."`
}

type silenceInput struct{ Body client.AlertSilenceSpec }

func (c *calls) addSilences(to *route.Table) {
	route.Handle(to, route.Route{
		Method: "GET", Path: "/v1/alerts/silences", ID: "list-alert-silences", Needs: inspect.PermissionView, Scope: scope.Whole, Tag: "alerts",
		Summary: "List silences, the latest end first", About: "Those that have ended are shown for 30 days.",
	}, func(ctx context.Context, _ *route.None) (*route.Answer[client.AlertSilences], error) {
		silences, err := c.alerts.Silences.List(ctx)
		if err != nil {
			return nil, err
		}
		return route.OK(client.AlertSilences{Silences: wire.Each(silences, wireSilence)})
	})
	route.Handle(to, route.Route{
		Method: "POST", Path: "/v1/alerts/silences", ID: "add-alert-silence", Needs: inspect.PermissionOperate, Scope: scope.Whole, Tag: "alerts", Answers: []int{201},
		Summary: "Silence matching messages for a while",
		About:   "A message must match all patterns that are given; * matches any text. Silenced messages stay in the list of messages. Tests of a channel are always sent.",
		Errors:  []task.Code{task.CodeConflict},
	}, c.silence)
	route.Handle(to, route.Route{
		Method: "POST", Path: "/v1/alerts/silences/preview", ID: "preview-alert-silence", Needs: inspect.PermissionView, Scope: scope.Whole, Tag: "alerts",
		Summary: "Preview which messages a silence would have kept back", About: "Looks at the messages of the last day. Only the patterns count; nothing is changed.",
	}, c.preview)
	route.Handle(to, route.Route{
		Method: "DELETE", Path: "/v1/alerts/silences/{id}", ID: "end-alert-silence", Needs: inspect.PermissionOperate, Scope: scope.Whole, Tag: "alerts",
		Summary: "End a silence now", About: "One that has ended stays as it is.", Errors: []task.Code{task.CodeNotFound},
	}, func(ctx context.Context, in *silenceID) (*route.Answer[client.AlertSilence], error) {
		return route.As(wireSilence)(c.alerts.Silences.End(ctx, in.ID))
	})
}

func (c *calls) silence(ctx context.Context, in *silenceInput) (*route.Answer[client.AlertSilence], error) {
	spec := &in.Body
	silence := silenceOf(spec)
	if spec.For != 0 {
		if !spec.Until.IsZero() || spec.For < 0 {
			return nil, task.Invalid("for", "is negative, or stands beside until", "give one of the two")
		}
		from := silence.From
		if from.IsZero() {
			from = time.Now()
		}
		silence.Until = from.Add(time.Duration(spec.For))
	}
	return route.As(wireSilence)(c.alerts.Silences.Add(ctx, silence))
}

func silenceOf(spec *client.AlertSilenceSpec) alert.Silence {
	return alert.Silence{
		Rule: spec.Rule, Subject: spec.Subject, Type: spec.Type, Queue: spec.Queue, Target: spec.Target, Channel: spec.Channel,
		From: spec.From.Time, Until: spec.Until.Time, Reason: spec.Reason,
	}
}

func (c *calls) preview(ctx context.Context, in *silenceInput) (*route.Answer[client.AlertSilencePreview], error) {
	preview, err := c.alerts.Silences.Preview(ctx, silenceOf(&in.Body))
	if err != nil {
		return nil, err
	}
	out := client.AlertSilencePreview{
		Since: wire.Time(preview.Since), Messages: preview.Messages, More: preview.More,
		Rules: append([]string{}, preview.Rules...), Subjects: make([]client.AlertSilencedSubject, len(preview.Subjects)),
	}
	for i, one := range preview.Subjects {
		out.Subjects[i] = client.AlertSilencedSubject{Rule: one.Rule, Subject: one.Subject, Messages: one.Messages, Last: wire.Time(one.Last)}
	}
	return route.OK(out)
}

func wireSilence(s *alert.Silence) client.AlertSilence {
	return client.AlertSilence{
		ID: s.ID, State: s.State(time.Now()), Rule: s.Rule, Subject: s.Subject, Type: s.Type, Queue: s.Queue, Target: s.Target, Channel: s.Channel,
		From: wire.Time(s.From), Until: wire.Time(s.Until), Reason: s.Reason, By: s.By, EndedBy: s.EndedBy,
	}
}
