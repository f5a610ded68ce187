package outlast_test

import (
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/racetest"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// TestMessagesAreFiltered: by rule, subject, channel, state and time, over as many pages
// as they take.
func TestMessagesAreFiltered(t *testing.T) {
	t.Parallel()
	box, night := &inbox{}, &inbox{}
	virtually(t, func(k *kit) {
		k.tells("died", "box", "night")
		if _, err := k.client.Inspector().Alerts.Silences.Add(k.ctx, alert.Silence{Type: "mail.s*", Channel: "night", Until: time.Now().Add(time.Hour), Reason: "quiet"}); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			k.dies("mail.send")
		}
		began := time.Now()
		k.dies("mail.list")
		for _, c := range []struct {
			want   int
			filter alert.EventFilter
		}{
			{8, alert.EventFilter{Rule: "died"}}, {8, alert.EventFilter{Rule: "d*d"}}, {0, alert.EventFilter{Rule: "die"}},
			{2, alert.EventFilter{Rule: "died", Subject: "mail.list"}}, {4, alert.EventFilter{Rule: "died", Channel: "box"}}, {4, alert.EventFilter{Rule: "died", Channel: "n*"}},
			{3, alert.EventFilter{State: "silenced"}}, {5, alert.EventFilter{Rule: "died", State: "sent"}}, {0, alert.EventFilter{Rule: "died", State: "pending"}},
			{2, alert.EventFilter{Rule: "died", Since: began}}, {1, alert.EventFilter{Rule: "died", Since: began, Channel: "night", State: "sent"}},
		} {
			for _, limit := range []int{1, 3, 100} {
				found, cursor := 0, ""
				for pages := 0; pages == 0 || cursor != ""; pages++ {
					events, next, err := k.client.Inspector().Alerts.Events(k.ctx, c.filter, store.Page{Limit: limit, Cursor: cursor})
					if err != nil || len(events) > limit {
						t.Fatalf("%+v: %d events, %v", c.filter, len(events), err)
					}
					found, cursor = found+len(events), next
				}
				if found != c.want {
					t.Errorf("%+v by %d: %d messages, want %d", c.filter, limit, found, c.want)
				}
			}
		}
		_, _, err := k.client.Inspector().Alerts.Events(k.ctx, alert.EventFilter{State: "snet", Rule: "\x00"}, store.Page{})
		if e := wantCode(t, err, task.CodeInvalid); len(e.Fields) != 2 {
			t.Errorf("%+v", e.Fields)
		}
	}, outlast.WithAlertFunc("box", box.send), outlast.WithAlertFunc("night", night.send))
}

// TestPreviewOfASilence counts what it would have kept back of the last day, by rule and
// subject, and changes nothing.
func TestPreviewOfASilence(t *testing.T) {
	racetest.WithoutDetector(t)
	t.Parallel()
	box, night := &inbox{}, &inbox{}
	channels := []outlast.Option{outlast.WithAlertFunc("box", box.send), outlast.WithAlertFunc("night", night.send)}
	virtually(t, func(k *kit) {
		k.tells("died", "box", "night")
		k.dies("mail.send") // a day and more ago
		if err := k.client.Stop(k.ctx); err != nil {
			t.Fatal(err)
		}
		k.after(25 * time.Hour) // without a node, of which a day takes seconds
		k.client = k.open(k.store.Handle(), channels...)
		k.tells("died", "box", "night")
		k.dies("mail.send")
		k.dies("mail.send")
		k.dies("mail.list")
		if err := k.client.Inspector().Alerts.Channels.Test(k.ctx, "box"); err != nil {
			t.Fatal(err)
		}
		preview, err := k.client.Inspector().Alerts.Silences.Preview(k.ctx, alert.Silence{Rule: "d*d", Channel: "box"})
		if err != nil || preview.Messages != 3 || preview.More || len(preview.Rules) != 1 || preview.Rules[0] != "died" || len(preview.Subjects) != 2 {
			t.Fatalf("%+v, %v", preview, err)
		}
		if first := preview.Subjects[0]; first.Subject != "mail.send" || first.Messages != 2 || first.Rule != "died" || time.Since(first.Last) > time.Minute {
			t.Errorf("%+v", preview.Subjects)
		}
		if none, err := k.client.Inspector().Alerts.Silences.Preview(k.ctx, alert.Silence{Type: "other"}); err != nil || none.Messages != 0 || none.Rules != nil {
			t.Errorf("%+v, %v", none, err)
		}
		_, err = k.client.Inspector().Alerts.Silences.Preview(k.ctx, alert.Silence{})
		wantCode(t, err, task.CodeInvalid)
		if silences, err := k.client.Inspector().Alerts.Silences.List(k.ctx); err != nil || len(silences) != 0 {
			t.Errorf("%+v, %v", silences, err)
		}
	}, channels...)
}
