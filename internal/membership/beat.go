package membership

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/internal/background"
	"github.com/outlast-dev/outlast/store"
)

// beat raises this node's counter, for as long as the node lives.
type beat struct {
	member   *Member
	reported []store.Target     // what was last said of targets
	asks     chan chan struct{} // raise the counter now, and close it then
	context  context.Context    // ends just before the node leaves
	stop     context.CancelFunc
	loop     sync.WaitGroup
}

// run is the loop that raises this node's counter. A timer of its own
// declares the node lost, since a raise may hang.
func (b *beat) run() {
	ticker := background.NewTicker(b.context, b.member.config.Beat)
	defer ticker.Stop()
	silence := time.AfterFunc(b.member.lostAfter(), func() { b.lose("no contact with the store") })
	defer silence.Stop()
	for {
		var asked chan struct{}
		select {
		case <-b.context.Done():
			return
		case <-ticker.C:
		case asked = <-b.asks:
		}
		b.beatOrRejoin(silence)
		if asked != nil {
			close(asked)
		}
	}
}

// beatOrRejoin raises the counter, or returns under a new id; either puts off
// the silence.
func (b *beat) beatOrRejoin(silence *time.Timer) {
	sent := time.Now()
	err := b.beatOnce()
	if errors.Is(err, store.ErrNodeDead) {
		b.lose("marked dead")
		err = b.rejoin()
	}
	if err != nil {
		if b.context.Err() == nil { // else the node leaves: it needs no beat any more
			b.member.log.Warn("beat.failed", "error", err)
			b.member.config.Host.Doubt()
		}
		return
	}
	if left := b.member.lostAfter() - time.Since(sent); left > 0 {
		b.member.Contacted(sent)
		silence.Reset(left)
		b.found()
	}
}

func (b *beat) beatOnce() error {
	ctx, cancel := context.WithTimeout(b.context, lostAfter)
	defer cancel()
	running, targets := b.member.config.Host.Report()
	report := store.Report{Serves: b.member.config.Host.Serves(b.member.view.Load()), Load: store.Load{Running: running, Slots: b.member.config.Slots}}
	if !slices.Equal(targets, b.reported) {
		report.Targets = targets
	}
	canceled, err := b.member.config.Store.Beat(ctx, b.member.ID(), report)
	if err == nil {
		b.reported = targets
	}
	b.member.config.Host.CancelRequested(canceled)
	return err
}

// lose makes the node one without contact: others may be about to run its tasks.
func (b *beat) lose(why string) {
	news := false
	b.member.config.Host.Lost(func() bool {
		news = !b.member.lost.Swap(true)
		return news
	})
	if news {
		b.member.log.Error("node.lost", "node", b.member.ID(), "why", why)
	}
}

// found ends the state of being lost: the node is alive, its rows are its
// own still.
func (b *beat) found() {
	if b.member.lost.Swap(false) {
		b.member.config.Host.Found()
		b.member.Balance()
	}
}

// rejoin returns under a new id.
func (b *beat) rejoin() error {
	old, node := b.member.ID(), b.member.config.Node
	_, targets := b.member.config.Host.Report()
	node.ID += "~" + randomSuffix()
	node.Serves, node.Targets, node.Load.Slots = b.member.config.Host.Serves(b.member.view.Load()), targets, b.member.config.Slots
	ctx, cancel := context.WithTimeout(b.context, storeCall)
	defer cancel()
	if err := b.member.config.Store.Join(ctx, node); err != nil {
		return err
	}
	b.reported = node.Targets
	b.member.config.Host.Rejoined(func() { b.member.id.Store(&node.ID) })
	b.member.log.Warn("node.rejoined", "old", old, "new", node.ID)
	if f := b.member.config.Died; f != nil {
		f(old, node.ID)
	}
	return nil
}

func randomSuffix() string {
	var bits [4]byte
	_, _ = rand.Read(bits[:]) // never fails: crypto/rand documents that
	return hex.EncodeToString(bits[:])
}
