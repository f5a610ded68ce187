// Package keeper keeps alerts in a store and tells people: the rules, channels and silences
// that hold ([Book]), what is raised of events ([Events]), told or held back ([Teller]) and
// sent ([Sender]), what is measured ([Measures], [Queues]), and what people do about it
// ([Desk]). That no message is lost is a matter of tasks: each is one, put on disk in the
// transaction of what it tells.
package keeper

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/background"
)

// Keeper runs the alerts of one node: a goroutine that looks for changed rules
// and writes what was held back, one that raises what happens outside of a
// task's settlement, and one that measures. Its parts are safe for concurrent use.
type Keeper struct {
	Book     *Book
	Events   *Events
	Teller   *Teller
	Sender   *Sender
	Queues   *Queues
	Measures *Measures
	Desk     *Desk

	loops background.Loops
}

// New makes a keeper. Until [Book.Load] it knows the built-in rules only.
func New(config Config) *Keeper {
	k := &Keeper{Book: newBook(&config)}
	l := &ledger{config.Backend, config.Node, config.Logger}
	k.Sender = &Sender{ledger: l, book: k.Book, told: config.Told, console: config.Console, last: map[string]error{}}
	k.Teller = &Teller{l, k.Book, k.Sender}
	k.Events = &Events{ledger: l, book: k.Book, teller: k.Teller, events: make(chan *alerts.Occurrence, mostEvents)}
	k.Queues = &Queues{ledger: l}
	k.Measures = &Measures{ledger: l, config: &config, book: k.Book, sender: k.Sender, queues: k.Queues, windows: alerts.NewWindows()}
	k.Desk = &Desk{l, k.Book}
	return k
}

// lookEvery is how often the keeper looks for changed rules and writes what was held back.
const lookEvery = time.Second

// Start begins to work; ctx bounds nothing of it. Call it once.
func (k *Keeper) Start(ctx context.Context) {
	k.loops.Start(ctx, k.look, k.Events.raiseAll, k.Measures.measure)
}

// Stop ends the work, writes what was held back, and waits no longer than ctx.
func (k *Keeper) Stop(ctx context.Context) error {
	if !k.loops.Started() {
		return nil
	}
	if err := k.loops.Stop(ctx); err != nil {
		return err
	}
	k.Events.last(ctx)
	return nil
}

func (k *Keeper) look(ctx context.Context) {
	for background.Idle(ctx, lookEvery) {
		if err := k.Book.Renew(ctx); err != nil && ctx.Err() == nil {
			k.Book.config.Logger.Warn("alert.load_failed", "error", err)
		}
		k.Events.writeHeld(ctx)
	}
}
