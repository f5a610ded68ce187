package alert

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast/internal/background"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// mostPublished is how many series of each kind a node tells others of.
const mostPublished = 40

// Where the backlog of a queue is counted to, for rules of users and for those
// that are built in.
const (
	mostCounted = 10_000
	mostGlanced = 100
)

// measure turns the windows of this node and, on the node that does it for
// all, looks at what the aggregates say.
func (k *Keeper) measure(ctx context.Context) {
	tidied := time.Now()
	for background.Sleep(ctx, Step) {
		k.windows.Turn()
		k.publishRates(ctx)
		if !k.first() {
			continue
		}
		k.Measure(ctx)
		if time.Since(tidied) >= tidyEvery {
			k.tidy(ctx)
			tidied = time.Now()
		}
	}
}

// first reports whether this node is the one that measures for all. Where two do it
// for a moment, the compare-and-set of the states lets one tell.
func (k *Keeper) first() bool { return k.Node.Topology().First(k.Node.Node()) }

// alone reports whether no other node lives.
func (k *Keeper) alone() bool {
	for _, node := range k.Node.Topology().Nodes {
		if node.State == store.NodeAlive && node.ID != k.Node.Node() {
			return false
		}
	}
	return true
}

// Measure looks at all aggregates now.
func (k *Keeper) Measure(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, Step)
	defer cancel()
	b := k.book.Load()
	states, err := k.Backend.Objects(ctx, kindFires)
	if err != nil {
		k.failed(ctx, err)
		return
	}
	known := map[string]bool{}
	for i := range states {
		known[states[i].Name] = true
	}
	now := time.Now()
	sample, err := k.sample(ctx, b, now)
	if err != nil {
		k.failed(ctx, err)
		return
	}
	seen := map[string]bool{}
	for _, o := range sample.Occurrences(now) {
		for _, rule := range b.rules[o.On] {
			name, holds := stateName(rule.Name, o.Subject), rule.holds(o)
			seen[name] = true
			if holds || known[name] {
				k.failed(ctx, k.measured(ctx, rule, o, holds))
			}
		}
	}
	k.ended(ctx, b, states, seen)
}

func (k *Keeper) failed(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		k.Logger.Warn("alert.measure_failed", "error", err)
	}
}

// measured takes what one rule says of one subject.
func (k *Keeper) measured(ctx context.Context, rule *compiled, o *Occurrence, holds bool) error {
	return k.update(ctx, "", kindFires, rule.Name, o.Subject, func(now time.Time, s *State) ([]store.Insert, error) {
		since, size, acked := s.Since, s.Size, s.Acked
		reading := Reading{Holds: holds, Size: o.Size, Total: o.On == OnLetters || o.On == OnBlocked}
		fires, recovers := s.Measure(now, reading, length(rule.Hold, 0), rule.CooldownTime())
		id := task.NewID(now, random{})
		switch {
		case fires:
			return k.deliveries(rule.message(id, o), k.audience(rule.Channels))
		case recovers && rule.TellsRecovery():
			m := rule.message(id, o)
			m.Kind, m.Fields = Recovered, fields("lasted", Span(now.Sub(since).Round(time.Second)))
			return k.deliveries(m, k.audience(rule.Channels))
		case recovers || since != s.Since || size != s.Size || acked != s.Acked:
			return nil, nil
		}
		return nil, errUnchanged
	})
}

// ended tells that it is over for subjects that are not there any more, such as
// a target that nobody calls, and for rules that are gone.
func (k *Keeper) ended(ctx context.Context, b *book, states []store.Object, seen map[string]bool) {
	for i := range states {
		var s State
		if seen[states[i].Name] || json.Unmarshal(states[i].Body, &s) != nil || s.Since.IsZero() {
			continue
		}
		rule := &compiled{Rule: Rule{Name: s.Rule, On: OnLetters, Recovery: new(bool)}}
		for _, rules := range b.rules {
			for _, one := range rules {
				if one.Name == s.Rule {
					rule = one
				}
			}
		}
		k.failed(ctx, k.measured(ctx, rule, &Occurrence{On: rule.On, Subject: s.Subject, At: time.Now(), Text: s.Subject + " is not seen any more"}, false))
	}
}

// sample measures what the rules look at.
func (k *Keeper) sample(ctx context.Context, b *book, now time.Time) (*Sample, error) {
	sample := &Sample{}
	var err error
	if len(b.rules[OnLetters]) > 0 {
		if sample.Letters, err = k.letters(ctx); err != nil {
			return nil, err
		}
	}
	if len(b.rules[OnQueue]) > 0 {
		if sample.Queues, err = k.queues(ctx, b, now); err != nil {
			return nil, err
		}
	}
	if b.measures || len(b.rules[OnKey]) > 0 {
		if err := k.told(ctx, sample, now); err != nil {
			return nil, err
		}
	}
	if k.Groups != nil && len(b.rules[OnGroup]) > 0 {
		sample.Groups = k.Groups()
	}
	if len(b.rules[OnBlocked]) > 0 {
		if sample.Blocked, err = k.blocked(ctx); err != nil {
			return nil, err
		}
	}
	if k.Changes != nil && len(b.rules[OnChange]) > 0 {
		if sample.Changes, err = k.Changes(ctx); err != nil {
			return nil, err
		}
	}
	return sample, nil
}

// letters are the dead letters without those of alerts that could not be sent:
// an alert about them would go the same way.
func (k *Keeper) letters(ctx context.Context) (*store.DeadStats, error) {
	stats, err := k.Backend.DeadStats(ctx)
	if err != nil {
		return nil, err
	}
	own := 0
	copied := *stats
	copied.ByType = maps.Clone(stats.ByType)
	for name, count := range stats.ByType {
		if IsType(name) {
			own += count
			delete(copied.ByType, name)
		}
	}
	copied.Total -= own
	return &copied, nil
}

// IsType reports whether a type of tasks is one of alerts.
func IsType(taskType string) bool {
	return taskType == TypeRaise || taskType == TypeDigest || len(taskType) > len(typeSend) && taskType[:len(typeSend)] == typeSend
}

// queues measures them. The built-in rule only asks whether there is anything to
// do; counting further is for those who ask for more.
func (k *Keeper) queues(ctx context.Context, b *book, now time.Time) (samples []QueueSample, err error) {
	for _, rule := range b.rules[OnQueue] {
		if !b.builtin[rule.Name] {
			return k.Queues(ctx, now)
		}
	}
	if last := k.looked.held(); last != nil {
		return slices.Clone(last.samples), nil
	}
	return k.glanced.see(func() ([]QueueSample, error) { return k.queuesTo(ctx, now, mostGlanced) })
}

// Queues measures all queues but that of alerts: their pending tasks, counted to 10 000,
// and how long the oldest has been due.
func (k *Keeper) Queues(ctx context.Context, now time.Time) ([]QueueSample, error) {
	return k.looked.see(func() ([]QueueSample, error) { return k.queuesTo(ctx, now, mostCounted) })
}

// looks are looks at the queues. One that took long, like the one before, holds holdFor times
// as long, so that who asks again and again keeps neither the store nor this node busy. A
// count walks past all rows that have ended as long as an old snapshot keeps them.
type looks struct{ last atomic.Pointer[look] }

// see is what the last look has seen, if it holds, or a new one.
func (l *looks) see(queues func() ([]QueueSample, error)) ([]QueueSample, error) {
	if last := l.held(); last != nil {
		return slices.Clone(last.samples), nil
	}
	began := time.Now()
	samples, err := queues()
	if err != nil {
		return nil, err
	}
	now := &look{samples: slices.Clone(samples), ended: time.Now(), took: time.Since(began)}
	if before := l.last.Load(); before != nil {
		now.long = min(now.took, before.took)
	}
	l.last.Store(now)
	return samples, nil
}

// held is the last look if it holds, else nil.
func (l *looks) held() *look {
	if last := l.last.Load(); last != nil && last.long >= longLook && time.Since(last.ended) < holdFor*last.long {
		return last
	}
	return nil
}

const (
	longLook = 500 * time.Millisecond // from when on a look is long
	holdFor  = 20                     // times its length
)

// look is what was seen of the queues, and how long that took.
type look struct {
	samples    []QueueSample
	ended      time.Time
	took, long time.Duration // long is the shorter of this one and the one before: one may have met a stall
}

// queuesTo counts pending tasks to most, and looks for the oldest if that is the usual
// bound.
func (k *Keeper) queuesTo(ctx context.Context, now time.Time, most int) (samples []QueueSample, err error) {
	topology := k.Node.Topology()
	alive := map[string]bool{}
	for _, node := range topology.Nodes {
		alive[node.ID] = node.State == store.NodeAlive
	}
	lanes, owned := map[string][]uint16{}, map[string]bool{}
	for _, lane := range topology.Lanes {
		lanes[lane.Queue] = append(lanes[lane.Queue], lane.Number)
		owned[lane.Queue] = owned[lane.Queue] || alive[lane.Owner]
	}
	for _, queue := range topology.Queues {
		if queue.Name == Queue {
			continue
		}
		sample := QueueSample{Name: queue.Name, Owned: owned[queue.Name], Paused: queue.Paused, Bound: most}
		waits, err := k.Backend.Backlog(ctx, lanes[queue.Name], most)
		if err != nil {
			return nil, err
		}
		sample.Backlog, sample.Aside, sample.Parked = waits.Pending, waits.Aside, waits.Parked
		if sample.Backlog > 0 {
			if err := k.rows(ctx, &sample, lanes[queue.Name], most == mostCounted, now); err != nil {
				return nil, err
			}
		}
		samples = append(samples, sample)
	}
	return samples, nil
}

// mostMarks bounds how many marks of a queue are looked at, since each type that nobody
// can start is one; of each lane fewestMarks are.
const (
	mostMarks   = 1000
	fewestMarks = 10
)

// rows looks at what waits in a queue: what nobody can start, and how old it is. Its
// cost does not grow with the number of types.
func (k *Keeper) rows(ctx context.Context, sample *QueueSample, lanes []uint16, age bool, now time.Time) (err error) {
	var marks []store.Entry
	if sample.Aside > 0 {
		if marks, err = k.Backend.Marks(ctx, lanes, max(fewestMarks, mostMarks/len(lanes))); err != nil {
			return err
		}
	}
	if sample.Owned {
		sample.Stranded = stranded(k.Node.Topology(), sample.Name, marks, now)
	}
	if !age {
		return nil
	}
	var parked map[laneKey]bool
	if sample.Parked > 0 {
		if parked, err = k.parked(ctx, lanes); err != nil {
			return err
		}
	}
	sample.OldestDue, err = k.oldest(ctx, lanes, marks, parked, now)
	return err
}

// mostAhead is how many rows of a lane are looked at for one that is not parked.
const mostAhead = 100

// oldest is how long the first rows of the lanes, parked ones included, have
// been due, but for those behind keys held in mode park. Rows go by rank, so one of higher priority may stand before one
// that has been due for up to a few minutes longer.
func (k *Keeper) oldest(ctx context.Context, lanes []uint16, marked []store.Entry, parked map[laneKey]bool, now time.Time) (time.Duration, error) {
	ranges, limit := make([]store.Range, len(lanes)), 1
	if len(parked) > 0 {
		limit = mostAhead
	}
	for i, lane := range lanes {
		ranges[i] = store.Range{Lane: lane, Until: now.UnixMicro(), After: -1 << 62, Limit: limit}
	}
	found, err := k.Backend.Scan(ctx, ranges)
	if err != nil {
		return 0, err
	}
	first := now.UnixMicro()
	for _, entries := range append(found, marked) {
		for i := range entries {
			if !parked[laneKey{entries[i].ID.Lane(), entries[i].Key}] {
				first = min(first, entries[i].RunAt)
			}
		}
	}
	return time.Duration(now.UnixMicro()-first) * time.Microsecond, nil
}

// published is what a node tells of its rates.
type published struct {
	At    time.Time      `json:"at"`
	Rates *Rates         `json:"rates"`
	Keys  map[string]int `json:"keys,omitempty"` // tasks that do not open there, by key
}

// publishRates lets the node that measures know the rates of this one, and what does
// not open here.
func (k *Keeper) publishRates(ctx context.Context) {
	if k.first() || k.alone() {
		return
	}
	rates, keys := &Rates{}, k.keys()
	if k.book.Load().measures {
		rates = k.windows.Rates()
	}
	if len(rates.Types)+len(keys) == 0 {
		return
	}
	for most := mostPublished; most > 0; most /= 2 {
		rates.Targets, rates.Types, rates.Categories = busiest(rates.Targets, most), busiest(rates.Types, most), busiest(rates.Categories, most)
		told := published{time.Now().UTC(), rates, keys}
		if body, err := json.Marshal(told); err != nil || len(body) > store.MaxObject {
			continue
		}
		k.failed(ctx, k.swap(ctx, "", kindRates, k.Node.Node(), func([]byte) (any, []store.Insert, error) { return told, nil, nil }))
		return
	}
}

func (k *Keeper) keys() map[string]int {
	if k.Keys == nil {
		return nil
	}
	return k.Keys()
}

// busiest are the series with the most attempts.
func busiest(all map[string]Counts, most int) map[string]Counts {
	if len(all) <= most {
		return all
	}
	names := slices.SortedFunc(maps.Keys(all), func(a, b string) int {
		return cmp.Or(cmp.Compare(all[b].Now.Attempts, all[a].Now.Attempts), cmp.Compare(a, b))
	})
	out := make(map[string]Counts, most)
	for _, name := range names[:most] {
		out[name] = all[name]
	}
	return out
}

// told adds to a sample what all nodes have told of lately.
func (k *Keeper) told(ctx context.Context, sample *Sample, now time.Time) error {
	nodes, err := k.published(ctx, now)
	if err != nil {
		return err
	}
	rates, waiting := make([]*Rates, len(nodes)), map[string]int{}
	for i := range nodes {
		rates[i] = nodes[i].Rates
		for key, count := range nodes[i].Keys {
			waiting[key] += count
		}
	}
	sample.Targets, sample.Types, sample.Categories = Merge(rates)
	for _, key := range slices.Sorted(maps.Keys(waiting)) {
		sample.Keys = append(sample.Keys, KeySample{Name: key, Waiting: waiting[key]})
	}
	return nil
}

// published is what this node and the others have told of lately.
func (k *Keeper) published(ctx context.Context, now time.Time) ([]published, error) {
	nodes := []published{{now, k.windows.Rates(), k.keys()}}
	if k.alone() {
		return nodes, nil
	}
	objects, err := k.Backend.Objects(ctx, kindRates)
	if err != nil {
		return nil, err
	}
	for i := range objects {
		var told published
		if objects[i].Name != k.Node.Node() && json.Unmarshal(objects[i].Body, &told) == nil && told.Rates != nil && now.Sub(told.At).Abs() < 3*Step {
			nodes = append(nodes, told)
		}
	}
	return nodes, nil
}

// tidy deletes state without which nothing would be lost.
func (k *Keeper) tidy(ctx context.Context) {
	for _, kind := range []string{kindState, kindFires, kindRates, kindAck, KindSilence} {
		objects, err := k.Backend.Objects(ctx, kind)
		if err != nil {
			k.failed(ctx, err)
			return
		}
		now := time.Now()
		for i := range objects {
			if !idle(&objects[i], now) {
				continue
			}
			change := store.Change{Quiet: true, Delete: []store.Object{objects[i]}}
			if _, err := k.Backend.Change(ctx, change); err != nil && !errors.Is(err, &task.Error{Code: task.CodeConflict}) {
				k.failed(ctx, err)
				return
			}
		}
	}
}

func idle(object *store.Object, now time.Time) bool {
	switch object.Kind {
	case kindRates:
		var told published
		return json.Unmarshal(object.Body, &told) != nil || now.Sub(told.At) > tidyEvery
	case KindSilence:
		var silence Silence
		return json.Unmarshal(object.Body, &silence) != nil || now.Sub(silence.Until) > silenceMemory
	case kindAck:
		var ack Ack
		return json.Unmarshal(object.Body, &ack) != nil || now.Sub(ack.At) > ackMemory
	}
	var s State
	return json.Unmarshal(object.Body, &s) != nil || s.Idle(now)
}
