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

// TestAcknowledgedAggregateIsNotToldAgain, however long it fires, until it has grown by
// half; that it is over is told, and so is that it begins again.
func TestAcknowledgedAggregateIsNotToldAgain(t *testing.T) {
	racetest.WithoutDetector(t)
	t.Parallel()
	box, other := &inbox{}, &inbox{}
	virtually(t, func(k *kit) {
		k.tells("died", "box")
		k.putRule(`{"name": "dead_letters", "on": "letters", "when": "total >= 1", "channels": ["box", "other"]}`)
		for range 4 {
			k.dies("mail")
		}
		k.after(6 * time.Minute)
		events := k.alertEvents("dead_letters")
		if len(events) != 2 || len(box.of("dead_letters")) != 1 || events[0].Ack != nil {
			t.Fatalf("%d events, %d messages", len(events), len(box.of("dead_letters")))
		}
		ctx := outlast.WithActor(k.ctx, "ann", "10.0.0.1", "r-1")
		acked, err := k.client.Inspector().Alerts.Ack(ctx, events[0].Task)
		if err != nil || acked.Ack == nil || acked.Ack.By != "ann" || acked.Ack.At.IsZero() {
			t.Fatalf("%+v, %v", acked, err)
		}
		k.after(time.Minute)
		again, err := k.client.Inspector().Alerts.Ack(outlast.WithActor(k.ctx, "bob", "", ""), events[1].Task)
		if err != nil || again.Ack.By != "ann" || !again.Ack.At.Equal(acked.Ack.At) {
			t.Errorf("acknowledged again: %+v, %v", again.Ack, err)
		}
		k.dies("mail")
		k.after(time.Hour)
		if told := box.of("dead_letters"); len(told) != 1 {
			t.Errorf("told %d times though acknowledged: %+v", len(told), told)
		}
		for _, event := range k.alertEvents("dead_letters") {
			if event.Ack == nil || event.Ack.By != "ann" {
				t.Errorf("%s to %s at %v: %+v", event.Kind, event.Channel, event.At, event.Ack)
			}
		}
		rows, _, err := k.client.Inspector().Audit.List(k.ctx, store.AuditFilter{Action: "alert.ack"}, store.Page{})
		if err != nil || len(rows) != 1 || rows[0].Actor != "ann" || rows[0].Address != "10.0.0.1" || rows[0].Subject != "alert/"+events[0].Task.String() {
			t.Errorf("%+v, %v", rows, err)
		}
		k.dies("mail") // the sixth
		k.after(6 * time.Minute)
		if told := box.of("dead_letters"); len(told) != 2 || told[1].Kind != alert.Raised || k.alertEvents("dead_letters")[0].Ack != nil {
			t.Errorf("grown by half: %+v", told)
		}
		if _, err := k.client.Inspector().Letters.Purge(k.ctx, store.Filter{}, false); err != nil {
			t.Fatal(err)
		}
		k.after(10 * time.Minute)
		if told := box.of("dead_letters")[2:]; len(told) != 1 || told[0].Kind != alert.Recovered {
			t.Fatalf("that it is over: %+v", told)
		}
		k.dies("mail")
		k.after(6 * time.Minute)
		if told := box.of("dead_letters")[3:]; len(told) != 1 || told[0].Kind != alert.Raised {
			t.Errorf("begun again: %+v", told)
		}
		if event := k.alertEvents("dead_letters")[0]; event.Ack != nil {
			t.Errorf("a new alert is acknowledged: %+v", event.Ack)
		}
	}, outlast.WithAlertFunc("box", box.send), outlast.WithAlertFunc("other", other.send))
}

// TestAcknowledgedEventsAreToldAsBefore: the next death is another event. What is
// no message cannot be acknowledged, and a message of an aggregate that is over
// does not silence the next.
func TestAcknowledgedEventsAreToldAsBefore(t *testing.T) {
	racetest.WithoutDetector(t)
	t.Parallel()
	box := &inbox{}
	virtually(t, func(k *kit) {
		k.tells("died", "box")
		k.deathRule("died", "1m", "box")
		var dead outlast.ID
		for range 2 {
			dead = k.dies("mail")
			k.after(2 * time.Minute)
			events := k.alertEvents("died")
			if events[0].Ack != nil {
				t.Errorf("%+v", events[0].Ack)
			}
			if _, err := k.client.Inspector().Alerts.Ack(k.ctx, events[0].Task); err != nil {
				t.Fatal(err)
			}
		}
		if told := box.of("died"); len(told) != 2 {
			t.Errorf("%+v", told)
		}
		for _, id := range []outlast.ID{dead, {}} {
			_, err := k.client.Inspector().Alerts.Ack(k.ctx, id)
			wantCode(t, err, task.CodeNotFound)
		}
		old := k.alertEvents("dead_letters")[0].Task
		if _, err := k.client.Inspector().Letters.Purge(k.ctx, store.Filter{Type: "mail"}, false); err != nil {
			t.Fatal(err)
		}
		k.after(10 * time.Minute)
		k.dies("mail")
		k.after(time.Minute)
		if _, err := k.client.Inspector().Alerts.Ack(k.ctx, old); err != nil {
			t.Fatal(err)
		}
		before := len(k.alertEvents("dead_letters"))
		k.dies("mail")
		k.after(6 * time.Minute)
		if after := len(k.alertEvents("dead_letters")); after == before {
			t.Error("an acknowledgement of what was over silences what came later")
		}
	}, outlast.WithAlertFunc("box", box.send))
}

// alertEvents are the messages of a rule, the newest first.
func (k *kit) alertEvents(rule string) (of []alert.EventView) {
	k.Helper()
	events, _, err := k.client.Inspector().Alerts.Events(k.ctx, alert.EventFilter{}, store.Page{Limit: 500})
	if err != nil {
		k.Fatal(err)
	}
	for _, event := range events {
		if event.Rule == rule {
			of = append(of, event)
		}
	}
	return of
}
