package server

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/task"
	"github.com/outlast-dev/outlast/token"
)

type silenceID struct {
	ID string `path:"id" doc:"Id of the silence."`
}

type silenceInput struct{ Body client.AlertSilenceSpec }

func (s *Server) addAlertSilences() {
	handle(s, route{
		method: "GET", path: "/v1/alerts/silences", id: "list-alert-silences", needs: token.View, scope: whole, tag: "alerts", answers: []int{200},
		summary: "List silences, those that end last first", about: "Those that have ended are shown for 30 days.",
	}, func(ctx context.Context, _ *none) (answer[client.AlertSilences], error) {
		silences, err := s.inspect.Alerts.Silences.List(ctx)
		if err != nil {
			return fail[client.AlertSilences](err)
		}
		out := client.AlertSilences{Silences: make([]client.AlertSilence, len(silences))}
		for i := range silences {
			out.Silences[i] = wireSilence(&silences[i])
		}
		return ok(out)
	})
	handle(s, route{
		method: "POST", path: "/v1/alerts/silences", id: "add-alert-silence", needs: token.Operate, scope: whole, tag: "alerts", answers: []int{201},
		summary: "Keep messages from their channels for a time",
		about:   "Of the patterns those that are given must all match; * stands for any text. What is kept back stays among the messages, as silenced. Tests of a channel are always sent.",
		errors:  []task.Code{task.CodeConflict},
	}, s.addSilence)
	handle(s, route{
		method: "POST", path: "/v1/alerts/silences/preview", id: "preview-alert-silence", needs: token.View, scope: whole, tag: "alerts", answers: []int{200},
		summary: "Say what a silence would have kept back", about: "Of the messages of the last day. Only the patterns count; nothing is changed.",
	}, s.previewSilence)
	handle(s, route{
		method: "DELETE", path: "/v1/alerts/silences/{id}", id: "end-alert-silence", needs: token.Operate, scope: whole, tag: "alerts", answers: []int{200},
		summary: "End a silence now", about: "One that has ended stays as it is.", errors: []task.Code{task.CodeNotFound},
	}, func(ctx context.Context, in *silenceID) (answer[client.AlertSilence], error) {
		ended, err := s.inspect.Alerts.Silences.End(ctx, in.ID)
		if err != nil {
			return fail[client.AlertSilence](err)
		}
		return ok(wireSilence(ended))
	})
}

func (s *Server) addSilence(ctx context.Context, in *silenceInput) (answer[client.AlertSilence], error) {
	spec := &in.Body
	silence := silenceOf(spec)
	if spec.For != 0 {
		if !spec.Until.IsZero() || spec.For < 0 {
			return fail[client.AlertSilence](task.Invalid("for", "is negative, or stands beside until", "give one of the two"))
		}
		from := silence.From
		if from.IsZero() {
			from = time.Now()
		}
		silence.Until = from.Add(time.Duration(spec.For))
	}
	made, err := s.inspect.Alerts.Silences.Add(ctx, silence)
	if err != nil {
		return fail[client.AlertSilence](err)
	}
	return ok(wireSilence(made))
}

func silenceOf(spec *client.AlertSilenceSpec) alert.Silence {
	return alert.Silence{
		Rule: spec.Rule, Subject: spec.Subject, Type: spec.Type, Queue: spec.Queue, Target: spec.Target, Channel: spec.Channel,
		From: spec.From.Time, Until: spec.Until.Time, Reason: spec.Reason,
	}
}

func (s *Server) previewSilence(ctx context.Context, in *silenceInput) (answer[client.AlertSilencePreview], error) {
	preview, err := s.inspect.Alerts.Silences.Preview(ctx, silenceOf(&in.Body))
	if err != nil {
		return fail[client.AlertSilencePreview](err)
	}
	out := client.AlertSilencePreview{
		Since: wireTime(preview.Since), Messages: preview.Messages, More: preview.More,
		Rules: append([]string{}, preview.Rules...), Subjects: make([]client.AlertSilencedSubject, len(preview.Subjects)),
	}
	for i, one := range preview.Subjects {
		out.Subjects[i] = client.AlertSilencedSubject{Rule: one.Rule, Subject: one.Subject, Messages: one.Messages, Last: wireTime(one.Last)}
	}
	return ok(out)
}

func wireSilence(s *alert.Silence) client.AlertSilence {
	return client.AlertSilence{
		ID: s.ID, State: s.State(time.Now()), Rule: s.Rule, Subject: s.Subject, Type: s.Type, Queue: s.Queue, Target: s.Target, Channel: s.Channel,
		From: wireTime(s.From), Until: wireTime(s.Until), Reason: s.Reason, By: s.By, EndedBy: s.EndedBy,
	}
}
