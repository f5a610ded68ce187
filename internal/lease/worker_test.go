package lease

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func (d *desk) worker(t *testing.T, name string) (Worker, bool) {
	t.Helper()
	all := d.Workers(time.Now())
	at := slices.IndexFunc(all, func(w Worker) bool { return w.Name == name })
	if at < 0 {
		return Worker{}, false
	}
	return all[at], true
}

// A worker is listed from its first poll on, waits while a poll of it does, and has in hand
// what it was leased and has not ended. After a minute of silence it can start nothing; it
// is listed as long as it has leases.
func TestWorkersAreListed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk()
		began := time.Now()
		poll := func() *Poll {
			p, _, err := d.Enter(Request{Worker: "w", Release: "7", Queues: []string{"q"}, Types: []string{"a"}, Most: 1})
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		p := poll()
		<-time.After(10 * time.Second)
		w, listed := d.worker(t, "w")
		if !listed || w.Release != "7" || !w.Since.Equal(began) || !w.Waits || !w.Polled.Equal(time.Now()) || len(w.InHand) != 0 {
			t.Fatalf("while it waits: %+v", w)
		}
		late, early := d.lease(lane(1, 1), 1), d.lease(lane(2, 2), 1)
		d.Extended(late, time.Hour, time.Now(), nil)
		p.Answer([]*Lease{late, early})
		polled := time.Now()
		<-time.After(20 * time.Second)
		w, _ = d.worker(t, "w")
		if w.Waits || !w.Polled.Equal(polled) || len(w.InHand) != 2 || w.InHand[0].Task != early.Task || !w.InHand[1].Until.Equal(polled.Add(time.Hour)) {
			t.Fatalf("with tasks in hand: %+v", w)
		}
		<-time.After(11 * time.Second)
		if w, _ = d.worker(t, "w"); !w.InHand[0].Until.IsZero() {
			t.Errorf("the end of a lease that another node may have extended: %s", w.InHand[0].Until)
		}
		d.Ended(early)
		<-time.After(time.Minute)
		if !d.DisconnectOld(time.Now()) || d.Served().Has("q", "a") {
			t.Error("a silent worker can start something")
		}
		if w, listed = d.worker(t, "w"); !listed || len(w.InHand) != 1 || !w.Polled.Equal(polled) {
			t.Errorf("a silent one with a lease: %+v", w)
		}
		again := poll()
		if w, _ = d.worker(t, "w"); !w.Since.Equal(time.Now()) || !d.Served().Has("q", "a") {
			t.Errorf("one that is back: %+v", w)
		}
		again.leave()
		<-time.After(time.Minute)
		late.Attempt.(*run).ended = true
		d.DisconnectOld(time.Now())
		if w, listed = d.worker(t, "w"); listed {
			t.Errorf("a silent one without leases: %+v", w)
		}
	})
}
