package keeper

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/background"
)

// mostEvents bounds what waits to be raised. Beyond it events are dropped and
// counted.
const mostEvents = 1024

// Events raises alerts of what happens, unless this node holds them back. It is safe for
// concurrent use.
type Events struct {
	*ledger
	book    *Book
	teller  *Teller
	gates   gates
	events  chan *alerts.Occurrence
	dropped atomic.Int64
}

// Happened takes an event that is no end of an attempt. It does not block: the
// alert is put on disk by a goroutine of the keeper, in milliseconds.
func (e *Events) Happened(o *alerts.Occurrence) {
	select {
	case e.events <- o:
	default:
		e.dropped.Add(1)
	}
}

func (e *Events) raiseAll(ctx context.Context) {
	for {
		select {
		case o := <-e.events:
			e.raiseOne(ctx, o)
		case <-ctx.Done():
			return
		}
	}
}

// raiseOne enqueues the alerts of an event, and repeats that until it is done.
func (e *Events) raiseOne(ctx context.Context, o *alerts.Occurrence) {
	inserts := e.raise(holding(nil, e.book.edition.Load().rules[o.On], o), o)
	if len(inserts) == 0 {
		return
	}
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, 5*time.Second) {
		err := e.enqueue(ctx, inserts)
		if err == nil {
			return
		}
		e.Logger.Warn("alert.raise_failed", "on", string(o.On), "error", err)
		if !background.Sleep(ctx, pause) {
			e.dropped.Add(int64(len(inserts)))
			return
		}
	}
}

// writeHeld adds to the states what this node has held back.
func (e *Events) writeHeld(ctx context.Context) {
	for _, held := range e.gates.take(time.Now()) {
		if err := e.teller.holdBack(ctx, &held); err != nil {
			e.gates.putBack(held)
			e.Logger.Warn("alert.held_unwritten", "rule", held.askers[0].Rule, "error", err)
		}
	}
}

// last puts on disk what is only known here.
func (e *Events) last(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, callTime/2)
	defer cancel()
	for {
		select {
		case o := <-e.events:
			e.raiseOne(ctx, o)
			continue
		default:
		}
		break
	}
	e.writeHeld(ctx)
}

// Dropped counts events that no alert could be raised for because too many
// came at once, or the store did not take them.
func (e *Events) Dropped() int64 { return e.dropped.Load() }
