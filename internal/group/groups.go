package group

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/background"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// The kinds of objects.
const (
	memberKind = "member"
	groupKind  = "group"
)

// Store is what groups need of a store.
type Store interface {
	Change(ctx context.Context, change store.Change) (*store.Changed, error)
	Objects(ctx context.Context, kind string) ([]store.Object, error)
	Object(ctx context.Context, kind, name string) (*store.Object, error)
}

const (
	readEvery   = time.Second     // how often members are read where there are some
	idleEvery   = 5 * time.Second // and where there are none
	readTime    = 5 * time.Second // limit of one reading
	forgetGroup = time.Hour       // a group that is not configured, has no member and was not named for so long is forgotten
	forgetAll   = 10              // a member that has not beaten for so many of its lives is deleted
)

// Groups are the groups that a node knows. Make them with [New]; all methods are safe
// for concurrent use.
type Groups struct {
	store  Store
	log    *slog.Logger
	opened func(group string) // a group may be called again, sooner than was thought
	random retry.Rand         // spreads learned waits; nil for one of the process

	mu     sync.Mutex
	groups map[string]*group

	capacities atomic.Pointer[map[string]int]
	tested     atomic.Pointer[map[string]bool]

	stop    context.CancelFunc
	reading sync.WaitGroup
}

// New makes the groups of a node. Opened is told of a group that has a new member
// while it is left alone; it must not block.
func New(s Store, log *slog.Logger, opened func(group string)) *Groups {
	return &Groups{store: s, log: log, opened: opened, groups: map[string]*group{}, stop: func() {}}
}

// Load reads what other nodes have heard.
func (g *Groups) Load(ctx context.Context) error { return g.read(ctx) }

// Start begins to read what other nodes hear, at the pace of ctx.
func (g *Groups) Start(ctx context.Context) {
	ctx, g.stop = context.WithCancel(background.WithPace(context.Background(), background.PaceOf(ctx)))
	g.reading.Go(func() {
		for running := ctx.Err() == nil; running; running = background.Idle(ctx, g.pause()) {
			if err := g.read(ctx); err != nil && ctx.Err() == nil {
				g.log.Warn("groups.failed", "error", err)
			}
		}
	})
}

// Stop ends the reading and waits for that.
func (g *Groups) Stop() {
	g.stop()
	g.reading.Wait()
}

func (g *Groups) pause() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.groups) > 0 {
		return readEvery
	}
	return idleEvery
}

// read takes over members and settings of the store, and deletes members that have
// not beaten for long.
func (g *Groups) read(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	begun := time.Now()
	members, err := g.store.Objects(ctx, memberKind)
	if err != nil {
		return err
	}
	configured, err := g.store.Objects(ctx, groupKind)
	if err != nil {
		return err
	}
	old := g.learn(members, configured, begun, time.Now())
	if len(old) == 0 {
		return nil
	}
	_, err = g.store.Change(ctx, store.Change{Delete: old[:min(len(old), store.MaxChange)], Quiet: true})
	if known := new(task.Error); errors.As(err, &known) && known.Code == task.CodeConflict {
		return nil // one of them has beaten after all, or another node was quicker
	}
	return err
}

// learn takes over what was read, and returns the objects of members that have been
// silent for long.
func (g *Groups) learn(members, configured []store.Object, begun, now time.Time) (old []store.Object) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.configure(configured)
	present := map[string]bool{}
	for i := range members {
		m, err := memberOf(&members[i])
		if err != nil {
			g.log.Warn("member.unreadable", "member", members[i].Name, "error", err)
			continue
		}
		present[members[i].Name] = true
		known := g.note(m, members[i].Version, begun, now)
		if known.left.IsZero() && now.Sub(known.seen) >= forgetAll*time.Duration(known.TTL) {
			old = append(old, members[i])
		}
	}
	g.forget(present, begun, now)
	g.count(now)
	return old
}

// forget notes who has left: who is not in the store in a reading that began after the
// last beat. It drops those of them that no other reading can bring back, and groups that
// nobody asks for: their names come from whoever enqueues. The lock must be held.
func (g *Groups) forget(present map[string]bool, begun, now time.Time) {
	for _, of := range g.groups {
		for id, m := range of.members {
			switch {
			case m.left.IsZero():
				if !present[of.name+"/"+id] && m.seen.Before(begun) {
					m.leaves(begun)
				}
			case m.flying == 0 && m.left.Before(begun):
				delete(of.members, id)
			}
		}
		if len(of.members) == 0 && now.Sub(of.named) > forgetGroup {
			delete(g.groups, of.name)
		}
	}
}

// configure takes over the settings of groups; a group that has none any more is as if
// it never had. What cannot be read changes nothing. The lock must be held.
func (g *Groups) configure(objects []store.Object) {
	named := map[string]bool{}
	for i := range objects {
		named[objects[i].Name] = true
		settings, err := ParseSettings(objects[i].Body)
		if err = cmp.Or(objects[i].Doubt, err); err != nil {
			g.log.Warn("group.unreadable", "group", objects[i].Name, "error", err)
			continue
		}
		g.of(objects[i].Name).settings = settings
	}
	for name, of := range g.groups {
		if !named[name] {
			of.settings = Settings{}
		}
	}
}

func memberOf(o *store.Object) (m inspect.Member, err error) {
	if err = o.Doubt; err == nil {
		err = json.Unmarshal(o.Body, &m)
	}
	m.Group, m.ID, _ = strings.Cut(o.Name, "/")
	return m, err
}

// of is a group, new if need be. The lock must be held.
func (g *Groups) of(name string) *group {
	known := g.groups[name]
	if known == nil {
		known = &group{name: name, members: map[string]*member{}}
		g.groups[name] = known
	}
	known.named = time.Now()
	return known
}

// note takes over what a member says of itself; begun is when it began to be read. Its
// versions start over when it leaves and joins again: a lower one is news, unless it was
// read before what is known, and so is any of a member that has left, unless it was read
// before that. The lock must be held.
func (g *Groups) note(m inspect.Member, version int64, begun, now time.Time) *member {
	of := g.of(m.Group)
	known := of.member(m.ID)
	if version == known.version || version < known.version && !known.seen.Before(begun) || begun.Before(known.left) {
		return known
	}
	returns := !known.living(now) || known.URL != m.URL
	known.Member, known.version, known.seen, known.left = m, version, now, time.Time{}
	known.others = max(0, m.Load-float64(known.mine(now)))
	if returns {
		known.answered, of.joined = false, now
		g.count(now)
	}
	if returns && of.failures > 0 && now.Before(of.next) {
		of.next = now
		g.opened(of.name)
	}
	return known
}

// Capacity is how many tasks the living members of a group take at once, as this node
// saw it lately; 0 without such members. It takes no lock.
func (g *Groups) Capacity(name string) int {
	if known := g.capacities.Load(); known != nil {
		return (*known)[name]
	}
	return 0
}

// count adds up what the living members of groups have. The lock must be held.
func (g *Groups) count(now time.Time) {
	all, tested := map[string]int{}, map[string]bool{}
	for name, of := range g.groups {
		for _, m := range of.members {
			if m.living(now) {
				all[name] += max(1, m.Capacity)
				tested[name] = tested[name] || m.answered
			}
		}
	}
	g.capacities.Store(&all)
	g.tested.Store(&tested)
}

const mostTries = 8 // of a beat that meets others

// Put registers a member, or is its beat.
func (g *Groups) Put(ctx context.Context, m inspect.Member) error {
	g.mu.Lock()
	if err := g.room(m); err != nil {
		g.mu.Unlock()
		return err
	}
	if m.TTL == 0 {
		m.TTL = retry.Duration(g.of(m.Group).settings.ttl())
	}
	g.mu.Unlock()
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	for try := 1; ; try++ {
		object := store.Object{Kind: memberKind, Name: m.Group + "/" + m.ID, Body: body, Actor: "member"}
		current, err := g.store.Object(ctx, memberKind, object.Name)
		if current != nil && err == nil {
			object.Version = current.Version
		} else if !hasCode(err, task.CodeNotFound) {
			return err
		}
		begun := time.Now()
		changed, err := g.store.Change(ctx, store.Change{Put: []store.Object{object}, Quiet: true})
		if hasCode(err, task.CodeConflict) && try < mostTries {
			continue
		}
		if err != nil {
			return err
		}
		g.mu.Lock()
		g.note(m, changed.Put[0].Version, begun, time.Now())
		g.mu.Unlock()
		return nil
	}
}

func hasCode(err error, code task.Code) bool {
	known := new(task.Error)
	return errors.As(err, &known) && known.Code == code
}

// Remove lets a member leave, and reports whether it was there.
func (g *Groups) Remove(ctx context.Context, name, id string) (bool, error) {
	for try := 1; ; try++ {
		current, err := g.store.Object(ctx, memberKind, name+"/"+id)
		if hasCode(err, task.CodeNotFound) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		current.Actor = "member"
		_, err = g.store.Change(ctx, store.Change{Delete: []store.Object{*current}, Quiet: true})
		if hasCode(err, task.CodeConflict) && try < mostTries {
			continue
		}
		if err != nil {
			return false, err
		}
		g.mu.Lock()
		g.of(name).member(id).leaves(time.Now())
		g.count(time.Now())
		g.mu.Unlock()
		return true, nil
	}
}

// List shows all groups by name.
func (g *Groups) List() []inspect.Group {
	g.mu.Lock()
	defer g.mu.Unlock()
	now, out := time.Now(), make([]inspect.Group, 0, len(g.groups))
	for _, name := range slices.Sorted(maps.Keys(g.groups)) {
		of := g.groups[name]
		view := inspect.Group{Name: name, Dispatch: of.dispatch()}
		for _, id := range slices.Sorted(maps.Keys(of.members)) {
			if m := of.members[id]; m.left.IsZero() {
				view.Members = append(view.Members, inspect.MemberView{Member: m.Member, Living: m.living(now), Seen: m.seen, Flying: m.flying})
			}
		}
		out = append(out, view)
	}
	return out
}

func (g *group) dispatch() inspect.Dispatch {
	if g.failures == 0 {
		return inspect.Dispatch{}
	}
	return inspect.Dispatch{Failures: g.failures, Kind: g.kind, Message: g.message, Next: g.next}
}
