package alert

import (
	"sync"
	"time"
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

type gateKey struct{ rule, subject string }

// gates hold back alerts on this node before anything is written. They never
// hold back the first of a subject.
type gates struct {
	mu   sync.Mutex
	open map[gateKey]*gate
}

type gate struct {
	until  time.Time
	raised int
	held   int
	names  []string
	rule   *compiled
}

// passes reports whether the alert is to be raised; one that is not is counted.
// The subject is that of the gate that took it.
func (g *gates) passes(now time.Time, rule *compiled, o *Occurrence) (subject string, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open == nil {
		g.open = map[gateKey]*gate{}
	}
	key := gateKey{rule.Name, o.Subject}
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
	if !now.Before(at.until) && at.held == 0 {
		at.until, at.raised = now.Add(rule.CooldownTime()), 0
	}
	at.rule = rule
	if at.raised < raisesPerGate || rule.CooldownTime() == 0 && key.subject != otherSubjects {
		at.raised++
		return key.subject, true
	}
	if at.held++; len(at.names) < mostNames && o.Name != "" {
		at.names = append(at.names, o.Name)
	}
	return key.subject, false
}

// heldBack is what a gate has counted.
type heldBack struct {
	gateKey
	rule  *compiled
	count int
	names []string
}

// take empties the counts, and forgets gates that are over.
func (g *gates) take(now time.Time) (all []heldBack) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for key, at := range g.open {
		if at.held > 0 {
			all = append(all, heldBack{key, at.rule, at.held, at.names})
			at.held, at.names = 0, nil
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
		at = &gate{rule: h.rule}
		g.open[h.gateKey] = at
	}
	at.held += h.count
	at.names = append(h.names, at.names...)[:min(mostNames, len(h.names)+len(at.names))]
}
