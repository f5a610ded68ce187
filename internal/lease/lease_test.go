package lease

import (
	"context"
	"errors"
	"log/slog"
	"reflect"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/internal/agenda"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// answers sets what the store says from now on.
func (d *desk) answers(err error, rows ...*task.Task) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.rows, d.err = rows, err
}

// was is how often the store was asked, and which leases are gone.
func (d *desk) was() (asks int, gone []task.ID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.asks, d.gone
}

// run is an attempt of a test.
type run struct{ ended bool }

func (r *run) Ended() bool { return r.ended }

// desk is a keeper and the store that it asks.
type desk struct {
	*Keeper
	mu   sync.Mutex
	rows []*task.Task // that still run
	err  error
	asks int
	gone []task.ID
}

func newDesk() *desk {
	d := &desk{}
	d.Keeper = NewKeeper(Config{
		Log: slog.New(slog.DiscardHandler),
		Running: func(string, []task.ID) ([]*task.Task, error) {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.asks++
			return d.rows, d.err
		},
		Gone: func(leases []*Lease) {
			d.mu.Lock()
			defer d.mu.Unlock()
			for _, l := range leases {
				d.gone = append(d.gone, l.Task.ID)
				d.Ended(l)
			}
		},
		Idle: func() bool { return false }, Alone: func() bool { return false },
	})
	return d
}

func lane(number uint16, n byte) task.ID {
	return task.ID{0: n}.WithLane(number)
}

func (d *desk) lease(id task.ID, claim int64) *Lease {
	l := New(&run{}, &task.Task{ID: id, Claim: claim, Node: "n/w", StartedAt: time.Now()}, "w", 30*time.Second, time.Now())
	d.Began([]*Lease{l})
	return l
}

// A worker is given what it can start, no more than it asked for, once.
func TestPollsAreAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk()
		p, more, err := d.Enter(Request{Worker: "w", Queues: []string{"q"}, Types: []string{"a"}, Most: 2, Wait: time.Minute})
		if err != nil || !more || !d.Served().Has("q", "a") || d.Served().Has("q", "b") || d.Served().Has("q", agenda.Push) {
			t.Fatalf("more %v, served %+v, %v", more, d.Served(), err)
		}
		if d.Taker("q", "b") != nil || d.Taker("other", "a") != nil || d.Taker("q", "a") != p {
			t.Error("the poll takes something else")
		}
		if p.Give(2); d.Taker("q", "a") != nil {
			t.Error("it is given more than it asked for")
		}
		if waits := p.Claimed(); !waits {
			t.Error("nothing was claimed, and it does not wait")
		}
		l := d.lease(lane(1, 1), 7)
		if !p.Answer([]*Lease{l}) || d.Taker("q", "a") != nil {
			t.Error("it was answered, and waits")
		}
		if got := p.Wait(t.Context(), nil); !slices.Equal(got, []*Lease{l}) {
			t.Errorf("answered %v", got)
		}
		if p.leave(); p.Answer(nil) {
			t.Error("nobody is there, and it was answered")
		}
	})
}

// A poll ends with its time, with its caller and with the node, and a worker whose lease
// ended is told to poll again.
func TestPollsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk()
		enter := func() *Poll {
			p, _, err := d.Enter(Request{Worker: "w", Queues: []string{"q"}, Most: 1, Wait: time.Second})
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		began := time.Now()
		if got := enter().Wait(t.Context(), nil); got != nil || time.Since(began) != time.Second {
			t.Errorf("%v after %v", got, time.Since(began))
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		stop := make(chan struct{})
		close(stop)
		enter().Wait(ctx, nil)
		enter().Wait(t.Context(), stop)
		p := enter()
		d.Dismiss("w")
		p.Wait(t.Context(), nil)
		if passed := time.Since(began); passed != time.Second || d.Taker("q", "x") != nil {
			t.Errorf("%v have passed", passed)
		}
		for range mostPolls {
			enter()
		}
		if _, _, err := d.Enter(Request{Worker: "w"}); !errors.Is(err, ErrTooManyPolls) {
			t.Errorf("one too many: %v", err)
		}
	})
}

// A worker that is silent for a minute is forgotten, with what only it could start.
func TestSilentWorkersAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk()
		p, _, _ := d.Enter(Request{Worker: "w", Queues: []string{"q"}, Types: []string{"a"}, Most: 1, Wait: time.Second})
		if d.Wants("q", time.Now()) != nil {
			t.Error("it wants tasks before it has waited for any")
		}
		time.Sleep(idleAfter)
		if got := d.Wants("q", time.Now()); !slices.Equal(got, []string{"a"}) {
			t.Errorf("wants %v", got)
		}
		p.Wait(t.Context(), nil)
		l := d.lease(lane(1, 1), 1)
		time.Sleep(workerMemory - time.Second)
		d.Extended(l, time.Minute, time.Now(), nil)
		if time.Sleep(workerMemory - time.Second); d.DisconnectOld(time.Now()) {
			t.Error("it has extended a lease, and is forgotten")
		}
		if time.Sleep(time.Second); !d.DisconnectOld(time.Now()) || d.Served().Has("q", "a") {
			t.Error("it is silent, and is not forgotten")
		}
	})
}

// Only what the store says ends a lease: by its claim, when somebody doubts it, and once a
// second.
func TestLeasesEndByTheStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		one, two := d.lease(lane(1, 1), 11), d.lease(lane(2, 2), 12)
		d.answers(nil, one.Task, two.Task)
		go d.Watch(ctx)
		d.DoubtLanes([]uint16{3})
		synctest.Wait()
		if asks, _ := d.was(); asks != 0 {
			t.Error("nobody has doubted a lease, and the store was asked")
		}
		d.DoubtLanes([]uint16{1})
		synctest.Wait()
		if asks, gone := d.was(); asks != 1 || gone != nil {
			t.Errorf("%d asks, gone %v", asks, gone)
		}
		d.answers(errors.New("away"))
		d.Doubt(one)
		time.Sleep(100 * time.Millisecond)
		if _, gone := d.was(); gone != nil {
			t.Errorf("the store gave no answer, and %v are gone", gone)
		}
		d.answers(nil, &task.Task{ID: one.Task.ID, Claim: 99}, two.Task)
		time.Sleep(2 * tick)
		if _, gone := d.was(); !slices.Equal(gone, []task.ID{one.Task.ID}) {
			t.Errorf("gone %v", gone)
		}
		if d.Here(one.Task.ID, 11) != nil || d.Here(two.Task.ID, 12) != two || d.Here(two.Task.ID, 13) != nil {
			t.Error("another lease is here")
		}
		two.End(store.Settled{Status: store.StatusStale})
		if <-two.Over(); two.Result().Status != store.StatusStale {
			t.Errorf("it ended as %+v", two.Result())
		}
	})
}

// What workers can start is added to what the node can start itself; nothing of that is
// lost by a worker that takes any type.
func TestServedIsAdded(t *testing.T) {
	own := store.Serving{Types: []string{"mail"}, Requests: true, Reach: "sign=host"}
	with := func(change func(*store.Serving)) store.Serving { s := own; change(&s); return s }
	for _, c := range []struct {
		what   string
		of     Served
		own    store.Serving
		serves bool
		want   store.Serving
	}{
		{"no worker", Served{}, own, true, own},
		{"a type", Served{"q": {names: map[string]bool{"sms": true, "mail": true}}}, own, true, with(func(s *store.Serving) { s.Types = []string{"mail", "sms"} })},
		{"any type", Served{"q": {any: true}}, own, true, with(func(s *store.Serving) { s.AnyType = true })},
		{"a queue that is not the node's", Served{"q": {any: true, names: map[string]bool{"sms": true}}}, own, false, store.Serving{AnyType: true, Types: []string{"sms"}}},
	} {
		if got, serves := c.of.Add("q", c.own, c.serves); !serves || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, %v", c.what, got, serves)
		}
	}
	for _, of := range []Served{{}, {"q": {any: true}}, {"q": {names: map[string]bool{"sms": true}}}} {
		told, _ := of.Add("q", store.Serving{}, false)
		for _, capability := range []string{"sms", "mail", store.Push, store.Ability("sign=host")} {
			if of.Has("q", capability) != told.Can(capability) {
				t.Errorf("%+v: what workers can start, and what others are told, differ in %q", of, capability)
			}
		}
	}
	if _, serves := (Served{}).Add("q", store.Serving{}, false); serves {
		t.Error("a queue is served that neither the node nor a worker works on")
	}
}
