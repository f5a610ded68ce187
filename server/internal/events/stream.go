package events

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/wire"
	"github.com/outlast-dev/outlast/server/internal/route"
	"github.com/outlast-dev/outlast/store"
)

// stream is one stream of events. It keeps nothing of what it tells: a reader that is
// slow is told later, and of what is not there any more then, that it was dropped.
type stream struct {
	calls    *calls
	ctx      context.Context
	out      http.ResponseWriter
	control  *http.ResponseController
	in       *eventsInput
	token    *inspect.Token // nil where none is needed
	secret   string         // its text
	listener inspect.EventListener
	position string // up to where everything was told
	buffer   []byte
	gone     bool // the reader
	row      rowWatch
}

// run streams until somebody goes: the reader, the token, or the node.
func (st *stream) run(resumed bool) {
	st.begin(resumed)
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	beat, checked := time.Now(), time.Now()
	for !st.gone {
		more := st.forward()
		select {
		case <-st.ctx.Done():
			return
		case <-st.listener.Ended():
			return
		case <-more:
			continue
		case <-ticker.C:
		}
		now := time.Now()
		if now.Sub(checked) >= tokenEvery {
			if checked = now; !st.allowed() {
				return
			}
		}
		if !st.in.Task.IsZero() {
			st.lookUp()
		}
		if now.Sub(beat) >= beatEvery {
			beat = now
			st.forward() // the position is that of now, whatever woke the stream before
			st.write(append(append(st.buffer[:0], "id: "+st.position...), "\n: beat\n\n"...))
		}
	}
}

// allowed reports whether the token still lets its bearer in; without one, whether none
// is needed.
func (st *stream) allowed() bool {
	tokens := st.calls.Tokens
	if st.token == nil {
		required, err := tokens.Required(st.ctx)
		return err == nil && !required
	}
	_, err := tokens.Check(st.ctx, st.secret)
	return err == nil
}

// begin sends the header, when to come back, and who answers.
func (st *stream) begin(resumed bool) {
	header := st.out.Header()
	header["Content-Type"] = []string{"text/event-stream"}
	header["Cache-Control"] = route.NoStore
	header["X-Accel-Buffering"] = []string{"no"}
	st.out.WriteHeader(http.StatusOK)
	retry := 1000 + rand.IntN(3000) //nolint:gosec // spreads callers; nothing is secret
	st.buffer = append(st.buffer[:0], "retry: "+strconv.Itoa(retry)+"\n"...)
	st.position = st.listener.Position()
	c := st.calls
	hello := &client.EventHello{Node: c.Node(), Version: c.Version, Nodes: "all", Now: client.Time{Time: time.Now()}}
	if topology, err := c.Nodes.Topology(st.ctx); err == nil {
		for i := range topology.Nodes {
			switch node := &topology.Nodes[i]; {
			case node.ID == hello.Node:
				hello.Release = node.Release
			case node.State == store.NodeAlive && !node.Gone:
				hello.Nodes = "this"
			}
		}
	}
	st.add("hello", st.position, hello)
	if !resumed {
		st.add("resync", st.position, &client.EventResync{Reason: "gone"})
	}
	st.flush()
}

// forward tells what is new. Objects go first, with the position before: who is cut off
// in between hears of them again, and of no task twice.
func (st *stream) forward() (more <-chan struct{}) {
	pages, dropped, stats, more := st.listener.Read()
	position := st.listener.Position()
	if dropped > 0 {
		st.add("resync", st.position, &client.EventResync{Reason: "slow", Dropped: dropped})
	}
	whole := st.in.Task.IsZero()
	if whole {
		for _, page := range pages {
			for _, object := range page.Objects {
				if st.shows(object) {
					st.add("changed", st.position, &client.EventChanged{Kind: object.Kind, Name: object.Name})
				}
			}
		}
	}
	if tasks := st.tasksOf(pages); tasks != nil {
		st.add("tasks", position, tasks)
	}
	if stats != nil && whole {
		st.add("stats", position, st.statsOf(stats))
	}
	st.position = position
	st.flush()
	return more
}

// add puts a message into the buffer.
func (st *stream) add(name, id string, data any) {
	start := len(st.buffer)
	st.buffer = append(st.buffer, "event: "+name+"\nid: "+id+"\ndata: "...)
	buffer, err := client.Append(st.buffer, data)
	if err != nil { // the types are our own
		st.buffer = st.buffer[:start]
		return
	}
	wire.OneLine(buffer[start+len("event: "+name+"\nid: "+id+"\n"):])
	st.buffer = append(buffer, "\n\n"...)
}

// flush sends what is in the buffer.
func (st *stream) flush() {
	if len(st.buffer) > 0 {
		st.write(st.buffer)
	}
}

func (st *stream) write(data []byte) {
	route.Deadline(st.out, eventTimeout)
	_, err := st.out.Write(data)
	if err == nil {
		err = st.control.Flush()
	}
	st.gone = st.gone || err != nil
	if st.buffer = data[:0]; cap(data) > 1<<20 {
		st.buffer = nil
	}
}
