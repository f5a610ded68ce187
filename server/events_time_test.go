package server_test

import (
	"context"
	"net"
	"net/http"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/server"
	"github.com/outlast-dev/outlast/store/memory"
)

// virtually runs a test on a server in virtual time, which is called through pipes.
func virtually(t *testing.T, do func(a *api), handlers ...func(*outlast.Client)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		backend := memory.New()
		node, err := outlast.Open(t.Context(), backend, outlast.WithAllQueues())
		must(t, err)
		for _, add := range handlers {
			add(node)
		}
		must(t, node.Start(t.Context()))
		s, err := server.New(server.Config{Client: node, Console: http.NotFoundHandler()})
		must(t, err)
		p := pipes{make(chan net.Conn), make(chan struct{})}
		web, ended := s.HTTP(), make(chan error, 1)
		go func() { ended <- web.Serve(p) }()
		caller := &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return p.dial(), nil }}}
		t.Cleanup(func() { // after all streams
			caller.CloseIdleConnections()
			close(p.ended)
			<-ended
			_ = web.Close()
			time.Sleep(time.Minute) // virtual: net/http waits a little before it closes
			must(t, node.Stop(context.Background()))
			must(t, backend.Close())
		})
		do(&api{t, "http://localhost", caller, node, s})
	})
}

// ended reads to the end of a stream and returns how long that took.
func (r *reader) ended() time.Duration {
	began := time.Now()
	for _, more := r.next(); more; _, more = r.next() {
	}
	return time.Since(began)
}

// secret makes a token and returns what a caller sends of it.
func (a *api) secret(spec inspect.TokenSpec) (id, header string) {
	a.t.Helper()
	made, secret, err := a.node.Inspector().Tokens.Create(context.Background(), spec)
	must(a.t, err)
	return made.ID, "Bearer " + secret.Reveal()
}

// A stream ends when its token does, which is looked at every few seconds.
func TestEventsEndWithTheToken(t *testing.T) {
	virtually(t, func(a *api) {
		_, admin := a.secret(inspect.TokenSpec{Name: "admin", Role: inspect.Admin})
		id, revoked := a.secret(inspect.TokenSpec{Name: "short", Role: inspect.Viewer})
		_, expires := a.secret(inspect.TokenSpec{Name: "expires", Role: inspect.Viewer, TTL: 4 * time.Second})
		short, soon, stays := a.watch("", "Authorization", revoked), a.watch("", "Authorization", expires), a.watch("?for=1m", "Authorization", admin)
		a.call("DELETE", "/v1/tokens/"+id, "", "Authorization", admin).is(200)
		for name, r := range map[string]*reader{"revoked": short, "expires": soon} {
			if took := r.ended(); took > 10*time.Second {
				a.t.Errorf("%s: the stream went on for %s", name, took)
			}
		}
		stays.want("stats")
	})
}

func TestEventsOfANodeWithoutTokensEndWithTheFirst(t *testing.T) {
	virtually(t, func(a *api) {
		r := a.watch("")
		r.want("hello")
		a.secret(inspect.TokenSpec{Name: "first", Role: inspect.Admin})
		if took := r.ended(); took > 10*time.Second {
			a.t.Errorf("the stream went on for %s", took)
		}
	})
}

// TestEventsEndWithTheNode is about a stop: it must not wait for readers.
func TestEventsEndWithTheNode(t *testing.T) {
	virtually(t, func(a *api) {
		readers := make([]*reader, 50)
		for i := range readers {
			readers[i] = a.watch("")
			readers[i].want("hello")
		}
		began := time.Now()
		must(a.t, a.node.Stop(context.Background()))
		for _, r := range readers {
			r.ended()
		}
		if took := time.Since(began); took > time.Second { // of streams that have no end
			a.t.Errorf("the stop and the ends of the streams took %s", took)
		}
	}, eventTypes)
}

// TestEventsUnderLoad has many readers, some of which do not read, while two thousand
// tasks a second go through. Nobody is told later than that for them, messages are four a
// second and bounded, and so is the memory. Who does not read is cut off.
func TestEventsUnderLoad(t *testing.T) {
	virtually(t, func(a *api) {
		const rate, seconds = 2000, 3
		silent := make([]*reader, 50)
		for i := range silent {
			silent[i] = a.watch("")
		}
		var heap runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&heap)
		before := heap.HeapAlloc
		r := a.watch("")
		r.want("hello")
		began := time.Now()
		go func() {
			drafts := make([]outlast.Draft, rate/100)
			for i := range drafts {
				drafts[i] = outlast.Draft{Type: "works", Payload: []byte(`""`)}
			}
			for range 100 * seconds {
				if _, err := a.node.EnqueueMany(context.Background(), drafts, true); err != nil {
					a.t.Error(err)
				}
				time.Sleep(10 * time.Millisecond) // virtual
			}
		}()
		messages, seen, worst := 0, 0, time.Duration(0)
		for seen < 3*rate*seconds { // enqueued, started, succeeded
			e := r.want("tasks")
			tasks := into[client.EventTasks](a.t, e)
			if messages++; len(tasks.Tasks) > 100 || tasks.LeftOut != tasks.Seen-len(tasks.Tasks) {
				a.t.Errorf("%d listed, %d seen, %d left out", len(tasks.Tasks), tasks.Seen, tasks.LeftOut)
			}
			seen += tasks.Seen
			worst = max(worst, e.at.Sub(tasks.Tasks[0].At.Time))
		}
		took := time.Since(began)
		runtime.GC()
		runtime.ReadMemStats(&heap)
		grown := int64(heap.HeapAlloc) - int64(before)
		a.t.Logf("%d changes in %d messages within %s, the latest after %s; the heap has grown by %d KiB, finished tasks included", seen, messages, took, worst, grown>>10)
		if worst > 500*time.Millisecond {
			a.t.Errorf("told after %s", worst)
		}
		if most := int(took/(250*time.Millisecond)) + 1; messages > most {
			a.t.Errorf("%d messages in %s", messages, took)
		}
		if grown > 256<<20 {
			a.t.Errorf("the heap has grown by %d MiB", grown>>20)
		}
		time.Sleep(20 * time.Second) // virtual: a message is written for ten seconds at most
		for _, r := range silent {
			if took := r.ended(); took > 0 {
				a.t.Errorf("a stream that nobody read went on for %s more", took)
				break
			}
		}
	}, eventTypes)
}
