package feed_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/feed"
)

// watched is a feed in virtual time whose store counts how often it is asked.
type watched struct {
	*feed.Feed
	looks, samples atomic.Int64

	mu      sync.Mutex
	objects []inspect.ObjectEvent
	dead    int
	failure error
}

func virtually(t *testing.T, body func(t *testing.T, w *watched)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &watched{}
		w.Feed = feed.New(feed.Config{
			Look: func(_ context.Context, fresh bool) []inspect.ObjectEvent {
				if w.looks.Add(1); fresh {
					return nil
				}
				w.mu.Lock()
				defer w.mu.Unlock()
				return w.objects
			},
			Sample: func(context.Context) (*inspect.EventStats, error) {
				w.samples.Add(1)
				w.mu.Lock()
				defer w.mu.Unlock()
				return &inspect.EventStats{At: time.Now(), Dead: w.dead}, w.failure
			},
		})
		t.Cleanup(w.Close)
		body(t, w)
	})
}

// set says what the store answers from now on.
func (w *watched) set(objects []inspect.ObjectEvent, dead int, failure error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.objects, w.dead, w.failure = objects, dead, failure
}

func after(d time.Duration) {
	timer := time.NewTimer(d)
	<-timer.C
	synctest.Wait()
}

func (w *watched) tell(n int, queue string) {
	for i := range n {
		w.Task(inspect.TaskEvent{Type: strconv.Itoa(i), Queue: queue, What: inspect.EventStarted})
	}
}

func TestNobodyListensAtNoCost(t *testing.T) {
	virtually(t, func(t *testing.T, w *watched) {
		after(time.Minute)
		if w.Listening() || w.looks.Load()+w.samples.Load() > 0 {
			t.Errorf("%d looks and %d samples for nobody", w.looks.Load(), w.samples.Load())
		}
		change := inspect.TaskEvent{Type: "t"}
		if n := testing.AllocsPerRun(100, func() { w.Task(change) }); n > 0 {
			t.Errorf("%.0f allocations", n)
		}
	})
}

func TestListenersShareWhatIsRead(t *testing.T) {
	virtually(t, func(t *testing.T, w *watched) {
		var all []*feed.Listener
		for range 100 {
			l, resumed := w.Listen("")
			if all = append(all, l); !resumed {
				t.Error("a new listener has missed nothing")
			}
		}
		w.tell(3, "q")
		after(10*time.Second + feed.Every)
		if n := w.samples.Load(); n < 9 || n > 12 {
			t.Errorf("%d samples in 10 s for 100 listeners", n)
		}
		for _, l := range all {
			pages, dropped, stats, _ := l.Read()
			if len(pages) != 1 || len(pages[0].Tasks) != 3 || dropped > 0 || stats == nil {
				t.Errorf("%d pages, %d dropped, stats %v", len(pages), dropped, stats)
			}
			if pages, _, stats, _ := l.Read(); len(pages) > 0 || stats != nil {
				t.Error("read twice")
			}
			l.Close()
			l.Close()
		}
		looked := w.looks.Load()
		after(10 * time.Second)
		if !w.Listening() || w.looks.Load() != looked {
			t.Errorf("lingers: %v; %d looks for nobody", w.Listening(), w.looks.Load()-looked)
		}
		after(10 * time.Second)
		if w.Listening() {
			t.Error("goes on for nobody")
		}
	})
}

func TestListenerComesBack(t *testing.T) {
	virtually(t, func(t *testing.T, w *watched) {
		l, _ := w.Listen("")
		w.tell(1, "q")
		after(feed.Every)
		l.Read()
		position := l.Position()
		l.Close()
		w.tell(2, "q")
		after(5 * time.Second)
		again, resumed := w.Listen(position)
		if pages, _, _, _ := again.Read(); !resumed || len(pages) != 1 || len(pages[0].Tasks) != 2 {
			t.Errorf("resumed %v, %d pages", resumed, len(pages))
		}
		position = again.Position()
		again.Close()
		after(time.Minute) // nobody has listened for so long that nothing was kept
		if late, resumed := w.Listen(position); resumed {
			t.Error("what nobody has heard was not missed")
		} else {
			late.Close()
		}
	})
}

// Where a listener has read to tells nothing of how much has happened: positions are the
// same whether pages were empty or not.
func TestPositionsTellNothing(t *testing.T) {
	numbers := func(busy bool) (out []string) {
		virtually(t, func(_ *testing.T, w *watched) {
			l, _ := w.Listen("")
			for i := range 20 {
				if busy || i == 19 {
					w.tell(3, "other")
				}
				after(feed.Every)
				l.Read()
				_, number, _ := strings.Cut(l.Position(), "-")
				out = append(out, number)
			}
			l.Close()
		})
		return out
	}
	if busy, idle := numbers(true), numbers(false); !slices.Equal(busy, idle) {
		t.Errorf("positions where something happens: %v, and where nothing does: %v", busy, idle)
	}
}

// TestSlowListenerIsTold has one that does not read while more happens than is kept.
func TestSlowListenerIsTold(t *testing.T) {
	virtually(t, func(t *testing.T, w *watched) {
		slow, _ := w.Listen("")
		for range 8 {
			w.tell(8000, "q")
			after(feed.Every)
		}
		pages, dropped, _, _ := slow.Read()
		if len(pages) != 4 || dropped != 4 {
			t.Errorf("%d pages, %d dropped", len(pages), dropped)
		}
		for range 400 {
			w.tell(1, "q")
			after(feed.Every)
		}
		if pages, dropped, _, _ := slow.Read(); len(pages) != 240 || dropped != 160 {
			t.Errorf("of many small ones %d pages, %d dropped", len(pages), dropped)
		}
		slow.Close()
	})
}

func TestPageIsBounded(t *testing.T) {
	virtually(t, func(t *testing.T, w *watched) {
		l, _ := w.Listen("")
		synctest.Wait() // the first look at the store is over
		w.tell(100, "first")
		w.tell(10_000, "q")
		for i := range 1000 {
			w.Object(inspect.ObjectEvent{Kind: "target", Name: strconv.Itoa(i)})
		}
		after(feed.Every)
		pages, _, _, _ := l.Read()
		page := pages[0]
		if len(page.Tasks) != 8192 || page.Omitted["first"] != 100 || page.Omitted["q"] != 10_000-8192 {
			t.Errorf("%d kept, omitted %v", len(page.Tasks), page.Omitted)
		}
		if last := page.Tasks[8191].Type; last != "9999" || page.Tasks[0].Type != strconv.Itoa(10_000-8192) {
			t.Errorf("from %s to %s", page.Tasks[0].Type, last)
		}
		if n := len(page.Objects); n != 201 || page.Objects[200] != (inspect.ObjectEvent{Kind: "target"}) {
			t.Errorf("%d objects, the last is %v", n, page.Objects[n-1])
		}
		after(time.Second)
		_, _, stats, _ := l.Read()
		if stats.Counts["q"][inspect.EventStarted]+stats.Counts["first"][inspect.EventStarted] != 10_100 {
			t.Errorf("counts: %v", stats.Counts)
		}
		l.Close()
	})
}

func TestObjectsAndStats(t *testing.T) {
	virtually(t, func(t *testing.T, w *watched) {
		w.set(nil, 0, errors.New("the store is gone"))
		l, _ := w.Listen("")
		after(2 * time.Second)
		if _, _, stats, _ := l.Read(); stats != nil {
			t.Error("stats without a store")
		}
		w.set([]inspect.ObjectEvent{{Kind: "policy", Name: "p"}, {Kind: "policy", Name: "p"}}, 0, nil)
		after(1200 * time.Millisecond)
		w.set(nil, 3, nil)
		after(1200 * time.Millisecond)
		pages, _, stats, _ := l.Read()
		if len(pages) != 2 || len(pages[0].Objects) != 1 || pages[1].Objects[0].Kind != "dead" || stats.Dead != 3 {
			t.Errorf("%d pages, stats %v", len(pages), stats)
		}
		w.Close()
		<-l.Ended()
		l.Close()
		late, _ := w.Listen("")
		<-late.Ended()
		late.Close()
	})
}

// A store that keeps a look waiting for longer than the feed lingers is not asked by the
// next listeners beside it.
func TestLooksDoNotOverlap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var looking, together atomic.Int64
		f := feed.New(feed.Config{
			Look: func(context.Context, bool) []inspect.ObjectEvent {
				together.Store(max(together.Load(), looking.Add(1)))
				defer looking.Add(-1)
				timer := time.NewTimer(30 * time.Second) // it does not heed its context
				<-timer.C
				return nil
			},
			Sample: func(context.Context) (*inspect.EventStats, error) { return &inspect.EventStats{At: time.Now()}, nil },
		})
		defer f.Close()
		first, _ := f.Listen("")
		timer := time.NewTimer(time.Second)
		<-timer.C
		first.Close()
		timer.Reset(20 * time.Second)
		<-timer.C
		second, _ := f.Listen("")
		defer second.Close()
		timer.Reset(2 * time.Minute)
		<-timer.C
		if n := together.Load(); n != 1 {
			t.Errorf("%d looks at once", n)
		}
		if _, _, stats, _ := second.Read(); stats == nil {
			t.Error("no stats for who came late")
		}
	})
}
