package keeper

import (
	"strings"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/alerts"
)

// Limits of what one node raises by itself. Beyond them alerts are counted
// and told together; that keeps a storm of failures from becoming a storm of
// alerts.
const (
	// raisesPerGate is how many alerts of a subject are put on disk one by one
	// within a cool-down; further ones are counted, and named as far as there
	// is room.
	raisesPerGate = 8
	// mostGates is how many subjects of one node can be within a cool-down.
	mostGates = 2000
	// otherSubjects stands for all beyond.
	otherSubjects = "(others)"
)

// gateKey is of the rules that hold for an event together, and its subject.
type gateKey struct{ rules, subject string }

// gates hold back alerts on this node before anything is written. They never
// hold back the first of a subject.
type gates struct {
	mu   sync.Mutex
	open map[gateKey]*gate
}

type gate struct {
	until  time.Time
	raised int
	held   alert.Tallies
	askers []asker
	on     alert.On
}

// passes reports whether the alert that rules ask for is to be raised; one that is not is counted.
// The subject is that of the gate that took it.
func (g *gates) passes(now time.Time, askers []asker, o *alerts.Occurrence) (subject string, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open == nil {
		g.open = map[gateKey]*gate{}
	}
	key, cooldown := gateKey{togetherAs(askers), o.Subject}, shortest(askers)
	at := g.open[key]
	if at == nil {
		if len(g.open) >= mostGates {
			key.subject = otherSubjects
			at = g.open[key]
		}
		if at == nil {
			at = &gate{}
			g.open[key] = at
		}
	}
	if !now.Before(at.until) && len(at.held) == 0 {
		at.until, at.raised = now.Add(cooldown), 0
	}
	at.askers, at.on = askers, o.On
	if at.raised < raisesPerGate || cooldown == 0 && key.subject != otherSubjects {
		at.raised++
		return key.subject, true
	}
	alerts.AddTallies(&at.held, o.Tallies()...)
	return key.subject, false
}

// heldBack is what a gate has counted.
type heldBack struct {
	gateKey
	askers []asker
	on     alert.On
	held   alert.Tallies
}

// togetherAs names rules that hold together.
func togetherAs(askers []asker) string {
	if len(askers) == 1 {
		return askers[0].Account
	}
	accounts := make([]string, len(askers))
	for i := range askers {
		accounts[i] = askers[i].Account
	}
	return strings.Join(accounts, " ")
}

// shortest is the shortest cool-down.
func shortest(askers []asker) time.Duration {
	least := askers[0].Cooldown
	for i := range askers {
		least = min(least, askers[i].Cooldown)
	}
	return least
}

// take empties the counts, and forgets gates that are over.
func (g *gates) take(now time.Time) (all []heldBack) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for key, at := range g.open {
		if len(at.held) > 0 {
			all = append(all, heldBack{key, at.askers, at.on, at.held})
			at.held = nil
		}
		if !now.Before(at.until) {
			delete(g.open, key)
		}
	}
	return all
}

// putBack counts again what could not be written.
func (g *gates) putBack(h heldBack) {
	g.mu.Lock()
	defer g.mu.Unlock()
	at := g.open[h.gateKey]
	if at == nil {
		at = &gate{askers: h.askers, on: h.on}
		g.open[h.gateKey] = at
	}
	alerts.AddTallies(&h.held, at.held...)
	at.held = h.held
}
