package group

import (
	"time"

	"github.com/outlast-dev/outlast/inspect"
)

// member is a member as this node sees it.
type member struct {
	inspect.Member
	version int64
	seen    time.Time // when this node saw its last beat
	left    time.Time // before when it has left; zero while it has not
	flying  int       // tasks that this node has under way there
	// answered says that it has taken a task of this node since it came, or that this
	// node may not call it.
	answered bool
	others   float64   // what it had in hand at its last beat beyond those
	most     int       // of those under way, of late
	mostAt   time.Time // when it was so many
}

// living reports whether the member has beaten lately, and has not left. Nobody's clock
// but this node's counts.
func (m *member) living(now time.Time) bool {
	return m.left.IsZero() && now.Sub(m.seen) < time.Duration(m.TTL)
}

// leaves notes that the member has left before a time. It is kept while tasks run there,
// and so long that what was read before does not bring it back; the versions of its beats
// start over.
func (m *member) leaves(before time.Time) { m.left, m.version = before, 0 }

// beatDelay is how old what a beat says may be: tasks of this node may have ended since
// the member counted them.
const beatDelay = time.Second

// flies notes how many tasks are under way.
func (m *member) flies(now time.Time) {
	if m.flying >= m.most || now.Sub(m.mostAt) > beatDelay {
		m.most, m.mostAt = m.flying, now
	}
}

// mine is how many tasks of this node the member may have counted for its last beat.
func (m *member) mine(now time.Time) int {
	if now.Sub(m.mostAt) > beatDelay {
		return m.flying
	}
	return max(m.most, m.flying)
}

// share is how busy the member is: 1 at its capacity.
func (m *member) share() float64 {
	return (m.others + float64(m.flying)) / float64(max(1, m.Capacity))
}

// group is a group as this node sees it.
type group struct {
	name     string
	settings Settings
	members  map[string]*member
	named    time.Time // when somebody last asked for it
	joined   time.Time // when a member last came or came back

	failures int       // dispatches in a row
	began    time.Time // the first of them
	kind     inspect.DispatchKind
	message  string
	failed   time.Time // the last of them
	next     time.Time // until when the group is left alone

	histories map[inspect.DispatchKind]*history // of outages that are over
}

// member is a member of the group, new if need be.
func (g *group) member(id string) *member {
	known := g.members[id]
	if known == nil {
		known = &member{}
		g.members[id] = known
	}
	return known
}

// least is the living member with the least load that is not to be left out; and why
// there is none.
func (g *group) least(now time.Time, without map[string]bool) (best *member, why inspect.DispatchKind) {
	why = inspect.DispatchEmpty
	for _, m := range g.members {
		switch {
		case !m.living(now):
		case without[m.ID]:
		case m.share() >= 1:
			why = inspect.DispatchBusy
		case best == nil || m.share() < best.share() || m.share() == best.share() && m.flying < best.flying:
			best = m
		}
	}
	return best, why
}
