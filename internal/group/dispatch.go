package group

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/outlast-dev/outlast/inspect"
)

// Verdict is how one call of a member ended.
type Verdict struct {
	// Kind is Busy or Unreachable if the member did not take the task; "" if it
	// did, however the attempt then ended.
	Kind    inspect.DispatchKind
	Message string
	After   time.Duration // how long the member wants to be left alone
	// Elsewhere says that this node may not call the member, and another may.
	Elsewhere bool
	// Own says that this node lacked the means to make the call, whoever is called:
	// nobody was asked, and the call itself says what is to be done.
	Own bool
}

// ErrElsewhere says that this node may call no member that has room, and that another
// node may. It says nothing of the group.
var ErrElsewhere = errors.New("another node may call the group")

// Call makes the request of a task at the URL of a member. It may say before its end that
// the member has taken the task: that may take long to be answered.
type Call func(ctx context.Context, url string, taken func()) Verdict

// Held says that no member has taken a task. It is no attempt: nothing was begun.
type Held struct {
	Group string
	inspect.Dispatch
	For   time.Duration // how long the group is left alone now
	Since time.Time     // when that was found
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
// not take the task another one. If none takes it, the error is a [*Held], or
// [ErrElsewhere], unless ctx has ended. Else it returns nil, and the outcome is the call's
// affair.
func (g *Groups) Send(ctx context.Context, name string, call Call) error {
	began, tried := time.Now(), map[string]bool{}
	last := Verdict{}
	for {
		m, at, why := g.take(name, tried)
		switch {
		case m == nil && last.Elsewhere:
			g.left(name)
			return ErrElsewhere
		case m == nil:
			if last.Kind == "" {
				last.Kind, last.Message = why, g.silence(name, why)
			}
			return g.fail(name, began, last)
		}
		verdict := g.call(ctx, name, m, at.URL, call)
		if verdict.Kind == "" || verdict.Own {
			return nil
		}
		if ctx.Err() != nil {
			return nil
		}
		verdict.After = max(verdict.After, last.After)
		verdict.Elsewhere = verdict.Elsewhere && (last.Elsewhere || len(tried) == 0)
		tried[at.ID] = true
		last = verdict
	}
}

// take counts a task as under way at the member with the least load, which is also told
// as it is now, since a beat may change it; none while the group is left alone.
func (g *Groups) take(name string, tried map[string]bool) (m *member, at inspect.Member, why inspect.DispatchKind) {
	g.mu.Lock()
	defer g.mu.Unlock()
	of, now := g.of(name), time.Now()
	if of.failures > 0 && now.Before(of.next) {
		return nil, at, of.kind // what was started before that was known
	}
	if m, why = of.least(now, tried); m != nil {
		m.flying++
		m.flies(now)
		at = m.Member
	}
	return m, at, why
}

// silence says of a group without a living member that it has silent ones.
func (g *Groups) silence(name string, why inspect.DispatchKind) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	count := 0
	for _, m := range g.of(name).members {
		if m.left.IsZero() {
			count++
		}
	}
	switch {
	case why != inspect.DispatchEmpty || count == 0:
		return ""
	case count == 1:
		return "its member is silent"
	}
	return "its " + strconv.Itoa(count) + " members are silent"
}

// call has a member run the task, and gives its place back whatever happens.
func (g *Groups) call(ctx context.Context, name string, m *member, url string, call Call) Verdict {
	defer g.giveBack(m)
	verdict := call(ctx, url, func() { g.taken(name, m) })
	switch {
	case verdict.Own:
	case verdict.Kind == "":
		g.taken(name, m)
	case verdict.Elsewhere:
		g.answered(m)
	}
	return verdict
}

func (g *Groups) giveBack(m *member) {
	g.mu.Lock()
	defer g.mu.Unlock()
	m.flies(time.Now())
	m.flying--
}

// taken ends a row of failures: a member has taken a task.
func (g *Groups) taken(name string, m *member) {
	g.mu.Lock()
	of := g.of(name)
	seen := of.lesson(time.Now())
	of.recovered()
	g.hasAnswered(m)
	g.mu.Unlock()
	seen.learn()
}

// left ends a row of failures too: they were found where no member may be called.
func (g *Groups) left(name string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.of(name).recovered()
}

// answered notes that nothing is to be found out of a member by calling it from here.
func (g *Groups) answered(m *member) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.hasAnswered(m)
}

func (g *Groups) hasAnswered(m *member) {
	if !m.answered {
		m.answered = true
		g.count(time.Now())
	}
}

func (g *group) recovered() {
	g.failures, g.kind, g.message, g.next = 0, "", "", time.Time{}
}

// Tested reports whether a living member of a group has taken a task of this node. It
// takes no lock.
func (g *Groups) Tested(name string) bool {
	known := g.tested.Load()
	return known != nil && (*known)[name]
}

// fail counts a failed dispatch. Those that had begun before the last one counted do
// not count again: they tell of the same outage.
func (g *Groups) fail(name string, began time.Time, verdict Verdict) *Held {
	g.mu.Lock()
	defer g.mu.Unlock()
	of, now := g.of(name), time.Now()
	if of.failures == 0 || began.After(of.failed) && !began.Before(of.next) {
		if of.failures++; of.failures == 1 {
			of.began = now
		}
		of.failed, of.kind, of.message = now, verdict.Kind, verdict.Message
		of.next = now.Add(of.wait(verdict.Kind, now, verdict.After, g.random))
		if of.joined.After(began) {
			of.next = now // somebody came meanwhile who was not asked
		}
	}
	return &Held{Group: name, Dispatch: of.dispatch(), For: max(0, of.next.Sub(now)), Since: now}
}

// Dispatch tells how the dispatches of a group fare on this node.
func (g *Groups) Dispatch(name string) inspect.Dispatch {
	g.mu.Lock()
	defer g.mu.Unlock()
	if of := g.groups[name]; of != nil {
		return of.dispatch()
	}
	return inspect.Dispatch{}
}
