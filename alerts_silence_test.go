package outlast_test

import (
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/racetest"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// TestSilencedAlertsStayInTheHistory: they are not sent while the silence lasts, by
// pattern of what they are about and of the channel, and are again after it.
func TestSilencedAlertsStayInTheHistory(t *testing.T) {
	racetest.WithoutDetector(t)
	t.Parallel()
	box, other := &inbox{}, &inbox{}
	virtually(t, func(k *kit) {
		k.tells("died", "box", "other")
		ctx := outlast.WithActor(k.ctx, "ann", "10.0.0.1", "r-1")
		made, err := k.client.Inspector().Alerts.Silences.Add(ctx, alert.Silence{Type: "mail.s*", Channel: "box", Until: time.Now().Add(time.Hour), Reason: "the mail server is replaced", By: "bob", ID: "x"})
		if err != nil || made.By != "ann" || made.ID == "x" || made.State(time.Now()) != "active" {
			t.Fatalf("%+v, %v", made, err)
		}
		k.dies("mail.send")
		k.dies("mail.list")
		if of, all := box.of("died"), other.of("died"); len(of) != 1 || of[0].Subject != "mail.list" || len(all) != 2 {
			t.Errorf("box: %+v, other: %+v", of, all)
		}
		states := map[string]string{}
		for _, event := range k.alertEvents("died") {
			if states[event.Subject+" "+event.Channel] = event.State; (event.State == "silenced") != (event.Silence == made.ID) {
				t.Errorf("%+v", event)
			}
		}
		if states["mail.send box"] != "silenced" || states["mail.send other"] != "sent" || states["mail.list box"] != "sent" {
			t.Errorf("history: %v", states)
		}
		if err := k.client.Inspector().Alerts.Channels.Test(k.ctx, "box"); err != nil || len(box.of("test")) != 1 {
			t.Errorf("a test is silenced: %v", err)
		}
		wantCode(t, k.client.Inspector().Alerts.Channels.Probe(k.ctx, "box"), task.CodeConflict) // a function can only be tried by a message
		k.after(time.Hour)
		k.dies("mail.send")
		if of := box.of("died"); len(of) != 2 {
			t.Errorf("after the silence: %+v", of)
		}
		rows, _, err := k.client.Inspector().Audit.List(k.ctx, store.AuditFilter{Action: "silence."}, store.Page{})
		if err != nil || len(rows) != 1 || rows[0].Action != "silence.add" || rows[0].Actor != "ann" || rows[0].Subject != "silence/"+made.ID {
			t.Errorf("%+v, %v", rows, err)
		}
	}, outlast.WithAlertFunc("box", box.send), outlast.WithAlertFunc("other", other.send))
}

// TestSilenceHoldsOnOtherNodesAndEnds is about two nodes, and a silence that begins
// later and is ended by hand.
func TestSilenceHoldsOnOtherNodesAndEnds(t *testing.T) {
	t.Parallel()
	box := &inbox{}
	virtually(t, func(k *kit) {
		k.tells("died", "box")
		other := k.open(k.store.Handle(), outlast.WithAlertFunc("box", box.send))
		outlast.Handle(other, "mail", failing)
		if err := other.Start(k.ctx); err != nil {
			t.Fatal(err)
		}
		k.after(2 * time.Second) // the other node has read it
		dies := func(want int) {
			k.dies("mail")
			if of := box.of("died"); len(of) != want {
				t.Errorf("%d told, want %d", len(of), want)
			}
		}
		now := time.Now()
		made, err := other.Inspector().Alerts.Silences.Add(k.ctx, alert.Silence{Rule: "*", From: now.Add(time.Minute), Until: now.Add(time.Hour), Reason: "maintenance"})
		if err != nil || made.State(now) != "scheduled" {
			t.Fatalf("%+v, %v", made, err)
		}
		dies(1)
		k.after(time.Minute)
		dies(1)
		ended, err := other.Inspector().Alerts.Silences.End(outlast.WithActor(k.ctx, "bob", "", ""), made.ID)
		if err != nil || ended.EndedBy != "bob" || ended.State(time.Now()) != "ended" {
			t.Fatalf("%+v, %v", ended, err)
		}
		k.after(2 * time.Second)
		dies(2)
		if again, err := k.client.Inspector().Alerts.Silences.End(k.ctx, made.ID); err != nil || again.EndedBy != "bob" {
			t.Errorf("ended again: %+v, %v", again, err)
		}
		_, err = k.client.Inspector().Alerts.Silences.End(k.ctx, "none")
		wantCode(t, err, task.CodeNotFound)
	}, outlast.WithAlertFunc("box", box.send))
}

func TestSilencesAreChecked(t *testing.T) {
	t.Parallel()
	virtually(t, func(k *kit) {
		k.start()
		now, day := time.Now(), 24*time.Hour
		for want, silence := range map[string]alert.Silence{
			"rule":   {Until: now.Add(day), Reason: "r"},
			"reason": {Rule: "*", Until: now.Add(day)},
			"until":  {Rule: "*", Reason: "r"},
			"queue":  {Queue: "a\x00", Until: now.Add(day), Reason: "r"},
			"type":   {Type: strings.Repeat("t", 513), Until: now.Add(day), Reason: "r"},
		} {
			_, err := k.client.Inspector().Alerts.Silences.Add(k.ctx, silence)
			if e := wantCode(t, err, task.CodeInvalid); len(e.Fields) != 1 || e.Fields[0].Path != want {
				t.Errorf("%s: %+v", want, e.Fields)
			}
		}
		for _, until := range []time.Time{now, now.Add(30*day + time.Second)} {
			_, err := k.client.Inspector().Alerts.Silences.Add(k.ctx, alert.Silence{Rule: "*", Reason: "r", Until: until})
			wantCode(t, err, task.CodeInvalid)
		}
		for range 100 {
			if _, err := k.client.Inspector().Alerts.Silences.Add(k.ctx, alert.Silence{Rule: "none", Reason: "r", Until: now.Add(30 * day)}); err != nil {
				t.Fatal(err)
			}
		}
		_, err := k.client.Inspector().Alerts.Silences.Add(k.ctx, alert.Silence{Rule: "none", Reason: "r", Until: now.Add(day)})
		wantCode(t, err, task.CodeConflict)
	})
}
