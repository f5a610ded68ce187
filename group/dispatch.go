package group

import (
	"context"
	"time"
)

// Verdict is how one call of a member ended.
type Verdict struct {
	// Kind is Busy or Unreachable if the member did not take the task; "" if it
	// did, however the attempt then ended.
	Kind    Kind
	Message string
	After   time.Duration // how long the member wants to be left alone
}

// Held says that no member has taken a task. It is no attempt: nothing was begun.
type Held struct {
	Group string
	Dispatch
	For time.Duration // how long the group is left alone now
}

// Error is what happened last.
func (h *Held) Error() string {
	text := "the group " + h.Group + " is " + string(h.Kind)
	if h.Message != "" {
		text += ": " + h.Message
	}
	return text
}

// Send has a member of a group run a task: the one with the least load, and if it does
// not take the task another one. The call gets the member's URL. If none takes it, the
// error is a [*Held], unless ctx has ended. Else it returns nil, and the outcome is the
// call's affair.
func (g *Groups) Send(ctx context.Context, name string, call func(ctx context.Context, url string) Verdict) error {
	began, tried := time.Now(), map[string]bool{}
	last := Verdict{}
	for {
		m, why := g.take(name, tried)
		if m == nil {
			if last.Kind == "" {
				last.Kind = why
			}
			return g.fail(name, began, last)
		}
		verdict := call(ctx, m.URL)
		g.giveBack(m)
		if verdict.Kind == "" {
			g.Taken(name)
			return nil
		}
		if ctx.Err() != nil {
			return nil
		}
		tried[m.ID] = true
		verdict.After = max(verdict.After, last.After)
		last = verdict
	}
}

// take counts a task as under way at the member with the least load; none while the
// group is left alone.
func (g *Groups) take(name string, tried map[string]bool) (*member, Kind) {
	g.mu.Lock()
	defer g.mu.Unlock()
	of, now := g.of(name), time.Now()
	if of.failures > 0 && now.Before(of.next) {
		return nil, of.kind // what was started before that was known
	}
	m, why := of.least(now, tried)
	if m != nil {
		m.flying++
	}
	return m, why
}

func (g *Groups) giveBack(m *member) {
	g.mu.Lock()
	defer g.mu.Unlock()
	m.flying--
}

// Taken ends a row of failures: a member has taken a task, although it may take long to
// answer. Send does so itself when the call has ended.
func (g *Groups) Taken(name string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	of := g.of(name)
	of.failures, of.kind, of.message, of.next = 0, "", "", time.Time{}
}

// fail counts a failed dispatch. Those that had begun before the last one counted do
// not count again: they tell of the same outage.
func (g *Groups) fail(name string, began time.Time, verdict Verdict) *Held {
	g.mu.Lock()
	defer g.mu.Unlock()
	of, now := g.of(name), time.Now()
	if of.failures == 0 || began.After(of.failed) && !began.Before(of.next) {
		of.failures++
		of.failed, of.kind, of.message = now, verdict.Kind, verdict.Message
		of.next = now.Add(of.settings.wait(verdict.Kind, of.failures, verdict.After))
	}
	return &Held{Group: name, Dispatch: of.dispatch(), For: max(0, of.next.Sub(now))}
}

// Dispatch tells how the dispatches of a group fare on this node.
func (g *Groups) Dispatch(name string) Dispatch {
	g.mu.Lock()
	defer g.mu.Unlock()
	if of := g.groups[name]; of != nil {
		return of.dispatch()
	}
	return Dispatch{}
}
