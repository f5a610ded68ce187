package ticks

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/drafts"
	"github.com/outlast-dev/outlast/internal/schedules"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

const (
	// ManagedByCode marks schedules that the code of an application has put.
	ManagedByCode = "code"

	// kindPeriodic are objects by which nodes say what their code names, by their ids.
	kindPeriodic = "periodic"
	// mostNamed is how many schedules a process may name, and mostSaid how many bytes their
	// names and hashes may have: as many as a change and an object of a store take.
	mostNamed = store.MaxChange
	mostSaid  = 60 << 10
	// lookEvery is how often a node looks again though nothing seems to have changed.
	lookEvery = time.Minute
	// lookAgain is the pause after a look that has failed.
	lookAgain = time.Second
)

// PeriodicConfig is what the schedules of a process are kept with.
type PeriodicConfig struct {
	Backend store.Backend
	Node    PeriodicNode
	Check   func(ctx context.Context, s *inspect.Schedule) error
	Logger  *slog.Logger
}

// PeriodicNode is what they need of the engine.
type PeriodicNode interface {
	Topology() *store.Topology
	Node() string
}

// Periodic keeps in the store the schedules that the code of this process names. The rule
// that is there stays as long as a living node names it, so that nodes of two releases do not
// change it back and forth; when none does, one of those that are left puts its own. What no
// code names any more stays, since its nodes may just be down. It is safe for concurrent use.
type Periodic struct {
	PeriodicConfig

	mu     sync.Mutex
	joined bool // this process is a node: it does more than work what is due
	named  []func() (inspect.Schedule, error)
	rules  map[string]store.Object // as checked, by name
	said   string                  // the id under which it was said what is named
	seen   string                  // what the last look saw of the cluster
	next   time.Time               // when to look though that has not changed
	left   map[string]bool         // rules of others that were told of
}

// Of is a schedule that makes a call: what its task leaves open is as the draft has it.
func Of(s inspect.Schedule, d drafts.Draft) (inspect.Schedule, error) {
	t := &s.Task
	own := t.Retry != nil || t.Policy != "" // the schedule says by which policy
	if d.Given != nil && !own {
		wrong := accept.Complaints{Prefix: "task."}
		if d.WriteRetry(&wrong); len(wrong.Fields) > 0 {
			return s, wrong.Err("the schedule is invalid")
		}
	}
	metadata := maps.Clone(d.Metadata)
	if metadata == nil {
		metadata = map[string]string{}
	}
	maps.Copy(metadata, t.Metadata)
	*t = inspect.ScheduledTask{
		Type: d.Type, Payload: d.Payload, Queue: cmp.Or(t.Queue, d.Queue), Key: cmp.Or(t.Key, d.Key), ShareKey: cmp.Or(t.ShareKey, d.ShareKey),
		Priority: cmp.Or(t.Priority, d.Priority), Policy: cmp.Or(t.Policy, d.Policy), MaxAttempts: cmp.Or(t.MaxAttempts, d.MaxAttempts),
		Timeout: cmp.Or(t.Timeout, d.Timeout), TTL: cmp.Or(t.TTL, d.TTL), Target: cmp.Or(t.Target, d.Target),
		Retry: t.Retry, Metadata: metadata, Fallback: d.Fallback, OnSuccess: d.OnSuccess, OnDead: d.OnDead,
	}
	if !own {
		t.Retry = d.Retry
	}
	return s, nil
}

// NewPeriodic makes the keeper of a process that names none so far.
func NewPeriodic(config PeriodicConfig) *Periodic {
	return &Periodic{PeriodicConfig: config, left: map[string]bool{}}
}

// Add names a schedule, which is asked for at the start.
func (p *Periodic) Add(s func() (inspect.Schedule, error)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.named = append(p.named, s)
}

// Ready finds what is wrong with the schedules that are named, all at once.
func (p *Periodic) Ready(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	rules := make(map[string]store.Object, len(p.named))
	var wrong accept.Complaints
	for _, one := range p.named {
		s, err := one()
		if err == nil {
			err = p.Check(ctx, &s)
		}
		wrong.Prefix = "periodic." + s.Name + "."
		if rules[s.Name].Kind != "" {
			wrong.Add("name", "names two schedules", "give each a name of its own")
		}
		if err != nil && !collect(&wrong, err) {
			return err
		}
		rule, invalid := schedules.Object(&s)
		if err == nil && invalid != nil {
			return invalid
		}
		rules[s.Name] = rule
	}
	p.rules = rules
	if wrong.Prefix = ""; len(wrong.Fields) == 0 && (len(rules) > mostNamed || p.size() > mostSaid) {
		wrong.Add("periodic", fmt.Sprintf("the code names %d schedules, with %d bytes of names and hashes; %d and %d are the limit", len(rules), p.size(), mostNamed, mostSaid),
			"name fewer: one schedule whose handler enqueues a task for each tenant, for example")
	}
	return wrong.Err("some schedules of the code are invalid")
}

// collect adds what is wrong with one schedule to what is wrong with all.
func collect(wrong *accept.Complaints, err error) bool {
	typed, ok := errors.AsType[*task.Error](err)
	if !ok || len(typed.Fields) == 0 {
		return false
	}
	for _, field := range typed.Fields {
		wrong.Add(field.Path, field.Message, typed.Hint)
	}
	return true
}

// Start is Keep for a process that has become a node.
func (p *Periodic) Start(ctx context.Context) {
	p.mu.Lock()
	p.joined = true
	p.mu.Unlock()
	p.Keep(ctx)
}

// Keep puts what is named, where nobody else names another rule. It is quick where nothing
// has changed since the last time. What fails is tried again by the next call.
func (p *Periodic) Keep(ctx context.Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.rules) == 0 {
		return
	}
	now, seen := time.Now(), p.cluster()
	if now.Before(p.next) && (seen == p.seen || p.seen == "") {
		return
	}
	p.seen, p.next = seen, now.Add(lookEvery)
	if err := p.look(ctx); err != nil {
		p.seen, p.next = "", now.Add(lookAgain)
		if ctx.Err() == nil && !errors.Is(err, &task.Error{Code: task.CodeConflict}) { // else somebody was quicker
			p.Logger.Warn("periodic.failed", "error", err)
		}
	}
}

// cluster is what may change who names what: the nodes that live, and the number of the
// configuration.
func (p *Periodic) cluster() string {
	topology := p.Node.Topology()
	text := append([]byte(p.Node.Node()), 0)
	for i := range topology.Nodes {
		if n := &topology.Nodes[i]; lives(n) {
			text = append(append(text, n.ID...), 0)
		}
	}
	number, _ := json.Marshal(topology.Config)
	return string(append(text, number...))
}

func (p *Periodic) look(ctx context.Context) error {
	if err := p.say(ctx); err != nil {
		return err
	}
	living, err := p.living(ctx)
	if err != nil {
		return err
	}
	there, err := p.Backend.Objects(ctx, schedules.Kind)
	if err != nil {
		return err
	}
	byName := make(map[string]*store.Object, len(there))
	for i := range there {
		byName[there[i].Name] = &there[i]
	}
	var change store.Change
	for name, rule := range p.rules {
		before := byName[name]
		if before != nil && p.stays(before, &rule, living) {
			continue
		}
		rule.Managed, rule.Actor = ManagedByCode, ManagedByCode
		row := store.Audit{Actor: ManagedByCode, Action: "schedule.put", Subject: schedules.Kind + "/" + name, After: rule.Body}
		if before != nil {
			rule.Version, row.Before = before.Version, before.Body
		}
		change.Put, change.Audit = append(change.Put, rule), append(change.Audit, row)
	}
	if len(change.Put) == 0 {
		return nil
	}
	_, err = p.Backend.Change(ctx, change)
	return err
}

// stays reports whether a rule that is there stays: it is the one that is wanted, a living
// node names it, or the configuration file has it.
func (p *Periodic) stays(before, rule *store.Object, living named) bool {
	same, owned := bytes.Equal(before.Body, rule.Body), before.Managed != "" && before.Managed != ManagedByCode
	switch {
	case before.Doubt != nil: // it cannot be told what it says: two nodes with other keys would put it in turns
		return p.elsewhere(before.Name, living)
	case same:
		return before.Managed != ""
	case !owned && living[before.Name][schedules.Hash(*before)] == "":
		return false
	}
	if told := before.Name + " " + schedules.Hash(*before); !p.left[told] {
		p.left[told] = true
		by := "the configuration file"
		if !owned {
			by = "node " + living[before.Name][schedules.Hash(*before)]
		}
		p.Logger.Warn("periodic.waits", "schedule", before.Name, "kept_by", by)
	}
	return true
}

// elsewhere reports whether another living node names a schedule, or may do so.
func (p *Periodic) elsewhere(name string, living named) bool {
	self := p.Node.Node()
	for _, node := range living[name] {
		if node != self {
			return true
		}
	}
	return len(living[""]) > 0
}

// names is the body of the object by which a node says what it names.
type names struct {
	Rules map[string]string `json:"rules"` // hashes by the names of schedules
}

// names are the rules that this process names.
func (p *Periodic) names() names {
	body := names{make(map[string]string, len(p.rules))}
	for name, rule := range p.rules {
		body.Rules[name] = schedules.Hash(rule)
	}
	return body
}

// size is how many bytes these have as they are stored.
func (p *Periodic) size() int {
	text, _ := json.Marshal(p.names()) // a map of texts
	return len(text)
}

// say says what this node names, once under each of its ids.
func (p *Periodic) say(ctx context.Context) error {
	self := p.Node.Node()
	if self == p.said || !p.joined {
		return nil
	}
	text, err := json.Marshal(p.names())
	if err != nil {
		return err
	}
	object := store.Object{Kind: kindPeriodic, Name: self, Body: text, Actor: ManagedByCode}
	_, err = p.Backend.Change(ctx, store.Change{Put: []store.Object{object}, Quiet: true})
	if err == nil || errors.Is(err, &task.Error{Code: task.CodeConflict}) { // it was said by a call of unknown outcome
		p.said, err = self, nil
	}
	return err
}

// named are nodes, by schedule and hash of the rule that they name: one of each, and not
// this one where there is another. Under "" is one whose words cannot be read here, since it has
// another key.
type named map[string]map[string]string

// living is what living nodes name. What others have said is forgotten. A node has joined
// before it says something, so that all of them are known when their objects were read.
func (p *Periodic) living(ctx context.Context) (named, error) {
	objects, err := p.Backend.Objects(ctx, kindPeriodic)
	if err != nil {
		return nil, err
	}
	if len(objects) == 0 {
		return nil, nil
	}
	topology, err := p.Backend.Topology(ctx)
	if err != nil {
		return nil, err
	}
	all, self := named{}, p.Node.Node()
	var gone []store.Object
	for _, object := range objects {
		if !slices.ContainsFunc(topology.Nodes, func(n store.Node) bool { return n.ID == object.Name && lives(&n) }) {
			gone = append(gone, object)
			continue
		}
		if object.Doubt != nil {
			all[""] = map[string]string{"": object.Name}
			continue
		}
		var body names
		if json.Unmarshal(object.Body, &body) == nil {
			for name, hash := range body.Rules {
				if all[name] == nil {
					all[name] = map[string]string{}
				}
				if by := all[name][hash]; by == "" || by == self {
					all[name][hash] = object.Name
				}
			}
		}
	}
	if gone = gone[:min(len(gone), store.MaxChange)]; len(gone) > 0 {
		_, err = p.Backend.Change(ctx, store.Change{Delete: gone, Quiet: true})
		if errors.Is(err, &task.Error{Code: task.CodeConflict}) { // another node was quicker
			err = nil
		}
	}
	return all, err
}

// lives reports whether a node lives, as far as anybody knows.
func lives(n *store.Node) bool { return n.State == store.NodeAlive && !n.Gone }

// Owned refuses a change of a schedule that the code of a living node names.
func (p *Periodic) Owned(ctx context.Context, name string) error {
	living, err := p.living(ctx)
	if err != nil || len(living[name]) == 0 {
		return err
	}
	return &task.Error{Code: task.CodeConflict, Message: "the code of an application keeps the schedule " + task.Quote(name),
		Hint: "change it there, or pause it; it can be changed here when no node names it any more"}
}
