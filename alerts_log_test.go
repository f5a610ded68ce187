package outlast_test

import (
	"slices"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/channel"
	"github.com/outlast-dev/outlast/store"
)

// TestDeliveryLogHasOneRowForEachMessage: one that the channel could not take at once was
// sent once, and what was put together with others is told by the collection.
func TestDeliveryLogHasOneRowForEachMessage(t *testing.T) {
	t.Parallel()
	virtually(t, func(k *kit) {
		spec, err := channel.Parse([]byte(`{"name": "ops", "kind": "log", "rate": 1}`))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := k.client.Inspector().Alerts.Channels.Put(k.ctx, *spec); err != nil {
			t.Fatal(err)
		}
		k.tells("every", "ops")
		k.dies("mail")
		k.dies("mail") // waits, alone
		k.after(5 * time.Minute)
		sent, listed := ruled(k.log.events(t, "alert"), "every"), k.alertEvents("every")
		if len(sent) != 2 || len(listed) != 2 || listed[0].State != "sent" || listed[1].State != "sent" {
			t.Errorf("%d messages were sent, %d are listed: %+v", len(sent), len(listed), listed)
		}
		for range 4 { // one at once, and three together
			k.dies("mail")
		}
		k.after(5 * time.Minute)
		if listed = k.alertEvents("every"); len(listed) != 3 {
			t.Errorf("%+v", listed)
		}
		if several := k.alertEvents("several"); len(several) != 1 || several[0].HeldBack != 3 || several[0].Channel != "ops" {
			t.Errorf("%+v", several)
		}
		told, _, err := k.client.Inspector().Alerts.Events(k.ctx, alert.EventFilter{Rule: "every", State: alert.Collected}, store.Page{})
		if err != nil || len(told) != 4 {
			t.Errorf("%d have been told by another, %v", len(told), err)
		}
	})
}

// TestDigestsTellWhatDied: targets of URL tasks do not share a cool-down, and what was held
// back is counted by target, code and fingerprint.
func TestDigestsTellWhatDied(t *testing.T) {
	t.Parallel()
	box := &inbox{}
	virtually(t, func(k *kit) {
		k.tells("every", "box")
		k.deathRule("every", "5m", "box")
		ids := make([]string, 0, 5)
		for range 5 {
			ids = append(ids, k.dies("mail").String())
		}
		k.after(10 * time.Minute)
		told := box.of("every")
		if len(told) != 2 || told[1].HeldBack != 4 || len(told[1].Kinds) != 1 {
			t.Fatalf("%+v", told)
		}
		kind := told[1].Kinds[0]
		if want := "mail, unknown, fingerprint " + fingerprintOf(k, "mail"); kind.What != want || kind.Count != 4 || len(kind.Names) != 3 || !slices.Contains(ids, kind.Names[0]) {
			t.Errorf("%+v, want %s", kind, want)
		}
		if lines := told[1].Lines(); lines[2] != "4 held back since "+told[1].Since.UTC().Format(time.RFC3339) || lines[3] != "4 × "+kind.What+" ("+kind.Names[0]+", "+kind.Names[1]+", "+kind.Names[2]+", …)" {
			t.Errorf("%q", lines)
		}
	}, outlast.WithAlertFunc("box", box.send))
}

// fingerprintOf is that of the last death of a type.
func fingerprintOf(k *kit, taskType string) string {
	k.Helper()
	found, _, err := k.client.Inspector().Tasks.Find(k.ctx, store.Filter{Type: taskType}, store.Page{Limit: 1})
	if err != nil || len(found) == 0 || found[0].LastError == nil {
		k.Fatal(err)
	}
	return found[0].LastError.Fingerprint
}
