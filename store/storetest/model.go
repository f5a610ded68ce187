package storetest

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// RunModel does the same random operations on a reference store and on the
// tested one, and compares every answer and, after each operation, all
// rows. Both stores must be empty, and hold on to what they get. There are a
// few runs, the same ones each time, unless RAPID_CHECKS or the flags of
// package rapid ask for a number of others.
func RunModel(t *testing.T, reference, tested store.Backend) {
	t.Helper()
	fewRuns()
	runs := 0
	base := time.Now().UTC().Truncate(time.Second)
	rapid.Check(t, func(rt *rapid.T) {
		runs++
		m := &machine{T: rt, ctx: context.WithoutCancel(t.Context()), stores: [2]store.Backend{reference, tested}, base: base, run: runs}
		m.begin()
		rt.Repeat(map[string]func(*rapid.T){
			"":           m.compare,
			"enqueue":    m.enqueue,
			"claim":      m.claim,
			"claim more": m.claim,
			"settle":     m.settle,
			"settle more": func(rt *rapid.T) {
				m.settle(rt)
			},
			"add steps":  m.addStep,
			"borrow":     m.borrow,
			"mark":       m.mark,
			"cancel":     m.cancel,
			"reschedule": m.reschedule,
			"redrive":    m.redrive,
			"purge":      m.purge,
			"release":    m.release,
			"crash":      m.crash,
		})
		m.compareHistories()
	})
	CheckInvariants(t, reference)
	CheckInvariants(t, tested)
}

// fewRuns makes 30 runs from a seed with which they reach as much of the stores' code
// as the 100 that package rapid would make.
var fewRuns = sync.OnceFunc(func() {
	checks, seed := flag.Lookup("rapid.checks"), flag.Lookup("rapid.seed")
	if checks.Value.String() != "100" || seed.Value.String() != "0" {
		return
	}
	if err := errors.Join(checks.Value.Set("30"), seed.Value.Set("8")); err != nil {
		panic(err) // they are numbers
	}
})

// machine is one run, on a queue and with nodes of its own.
type machine struct {
	*rapid.T
	ctx      context.Context
	stores   [2]store.Backend // the reference, the tested one
	base     time.Time
	run      int
	queue    string
	lanes    []store.LaneEpoch
	owner    string
	borrower string
	nodes    int
	ids      []task.ID
	claims   []pair // every claim made, old ones too
	group    task.ID
}

// pair is one claim in both stores; the claim numbers differ.
type pair [2]*task.Task

// both asks both stores and fails unless they answer alike; it returns the
// answer of the reference.
func both[T any](m *machine, what string, ask func(s store.Backend, i int) (T, error), show func(T) string) [2]T {
	var answers [2]T
	var shown [2]string
	for i, s := range m.stores {
		answer, err := ask(s, i)
		answers[i], shown[i] = answer, codeOf(err)
		if err == nil {
			shown[i] = show(answer)
		}
	}
	if shown[0] != shown[1] {
		m.Fatalf("%s:\nreference %s\ntested    %s", what, shown[0], shown[1])
	}
	return answers
}

func codeOf(err error) string {
	var typed *task.Error
	switch {
	case !errors.As(err, &typed):
	case typed.Code == task.CodeConflict:
		return fmt.Sprintf("%s %s", typed.Code, typed.State)
	default:
		return string(typed.Code)
	}
	return fmt.Sprint(err)
}

func (m *machine) begin() {
	m.queue = fmt.Sprintf("model-%d", m.run)
	numbers := both(m, "PutQueue", func(s store.Backend, _ int) (*store.Queue, error) {
		return s.PutQueue(m.ctx, store.Queue{Name: m.queue, Lanes: 2})
	}, func(q *store.Queue) string { return fmt.Sprint(q.Numbers) })
	for _, number := range numbers[0].Numbers {
		m.lanes = append(m.lanes, store.LaneEpoch{Lane: number})
	}
	m.owner, m.borrower = m.join(), m.join()
	m.group = m.newID(0)
	both(m, "PutGroup", func(s store.Backend, _ int) (*task.Group, error) {
		return s.PutGroup(m.ctx, task.Group{ID: m.group, Callback: task.Follow{Type: "x"}})
	}, func(g *task.Group) string { return string(g.State) })
	m.lanes = both(m, "TakeLanes", func(s store.Backend, _ int) ([]store.LaneEpoch, error) {
		return s.TakeLanes(m.ctx, m.owner, m.lanes)
	}, func(l []store.LaneEpoch) string { return fmt.Sprint(l) })[0]
}

func (m *machine) join() string {
	m.nodes++
	node := fmt.Sprintf("model-%d-%d", m.run, m.nodes)
	both(m, "Join", func(s store.Backend, _ int) (bool, error) { return true, s.Join(m.ctx, store.Node{ID: node}) }, show)
	return node
}

func show[T any](v T) string { return fmt.Sprint(v) }

// counter is a source of ids that are the same in every replay.
type counter uint64

// Uint64 returns the next number.
func (c *counter) Uint64() uint64 {
	*c++
	return uint64(*c)
}

func (m *machine) newID(lane uint16) task.ID {
	number := counter(uint64(m.run)<<32 | uint64(len(m.ids))<<16)
	id := task.NewID(m.base.Add(time.Duration(len(m.ids))*time.Millisecond), &number)
	binary.BigEndian.PutUint32(id[10:], uint32(m.run)<<8|uint32(len(m.ids))&0xff)
	return id.WithLane(lane)
}

// pick draws one of the ids so far; the operation is skipped without any.
func (m *machine) pick(rt *rapid.T) task.ID {
	if len(m.ids) == 0 {
		rt.Skip("no tasks yet")
	}
	return rapid.SampledFrom(m.ids).Draw(rt, "id")
}

// at draws a time well past or well ahead, so that clocks do not matter.
func (m *machine) at(rt *rapid.T) time.Time {
	return m.base.Add(rapid.SampledFrom([]time.Duration{-72 * time.Hour, -48 * time.Hour, -47 * time.Hour, -24 * time.Hour, 24 * time.Hour}).Draw(rt, "at"))
}

func (m *machine) insert(rt *rapid.T) store.Insert {
	t := &task.Task{
		Queue: m.queue, Type: rapid.SampledFrom([]string{"x", "y"}).Draw(rt, "type"), Target: "t", RunAt: m.at(rt),
		Key: rapid.SampledFrom([]string{"", "", "a", "b"}).Draw(rt, "key"), Priority: rapid.IntRange(0, 9).Draw(rt, "priority"),
	}
	lane := m.lanes[0].Lane
	if t.Key == "" && rapid.Bool().Draw(rt, "second lane") {
		lane = m.lanes[1].Lane
	}
	if len(m.ids) > 0 && rapid.IntRange(0, 5).Draw(rt, "old id") == 0 {
		t.ID = m.pick(rt)
	} else {
		t.ID = m.newID(lane)
		m.ids = append(m.ids, t.ID)
	}
	insert := store.Insert{Task: t}
	if rapid.IntRange(0, 4).Draw(rt, "dedupe") == 0 {
		insert.Dedupe = &store.Dedupe{
			Lane: m.lanes[0].Lane, Key: rapid.SampledFrom([]string{"d", "e"}).Draw(rt, "dedupe key"), Window: 24 * time.Hour,
			Content: [16]byte{byte(rapid.IntRange(0, 1).Draw(rt, "content"))},
		}
	} else if rapid.Bool().Draw(rt, "member") {
		t.Spec.Group = m.group
	}
	return insert
}

func (m *machine) enqueue(rt *rapid.T) {
	var batches []store.Batch
	for range rapid.IntRange(1, 3).Draw(rt, "batches") {
		var batch store.Batch
		for range rapid.IntRange(1, 3).Draw(rt, "items") {
			batch.Items = append(batch.Items, m.insert(rt))
		}
		batches = append(batches, batch)
	}
	both(m, "Enqueue", func(s store.Backend, _ int) ([]store.BatchResult, error) { return s.Enqueue(m.ctx, batches) },
		func(results []store.BatchResult) string {
			var text strings.Builder
			for _, result := range results {
				fmt.Fprintf(&text, "[%s", codeOf(result.Err))
				for _, item := range result.Items {
					fmt.Fprintf(&text, " %s", showEntry(item.Entry))
					if item.Existing != nil { // a purged task has left its id only
						fmt.Fprintf(&text, "=%s", item.Existing.ID)
					}
				}
				text.WriteString("]")
			}
			return text.String()
		})
}

// showEntry leaves out the seq, whose value is the store's own.
func showEntry(e store.Entry) string {
	e.Seq = min(e.Seq, 1)
	return fmt.Sprintf("%+v", e)
}

func (m *machine) claim(rt *rapid.T) {
	claim := store.Claim{Node: m.owner, Lanes: slices.Clone(m.lanes)}
	for range rapid.IntRange(1, 6).Draw(rt, "items") {
		claim.Items = append(claim.Items, store.ClaimItem{ID: m.pick(rt)})
	}
	if rapid.IntRange(0, 9).Draw(rt, "stale") == 0 {
		claim.Lanes[0].Epoch++
	}
	m.doClaim(claim)
}

func (m *machine) borrow(rt *rapid.T) {
	m.doClaim(store.Claim{Node: m.borrower, Items: []store.ClaimItem{
		{ID: m.pick(rt), Mark: int64(rapid.IntRange(1, 2).Draw(rt, "mark"))}, {ID: m.pick(rt), Mark: 1},
	}})
}

func (m *machine) doClaim(claim store.Claim) {
	claimed := both(m, "Claim", func(s store.Backend, _ int) (store.Claimed, error) {
		claimed, err := s.Claim(m.ctx, claim)
		sortTasks(claimed.Tasks)
		return claimed, err
	}, func(claimed store.Claimed) string {
		var lines []string
		for _, refusal := range claimed.Refused {
			lines = append(lines, fmt.Sprintf("%s %s %s head %s", refusal.ID, refusal.Reason, showEntry(refusal.Entry), showEntry(refusal.Head)))
		}
		slices.Sort(lines)
		return showTasks(claimed.Tasks) + strings.Join(lines, "\n")
	})
	for i, t := range claimed[0].Tasks {
		m.claims = append(m.claims, pair{t, claimed[1].Tasks[i]})
	}
}

func sortTasks(tasks []*task.Task) {
	slices.SortFunc(tasks, func(a, b *task.Task) int { return strings.Compare(a.ID.String(), b.ID.String()) })
}

// showTasks shows what must be equal in both stores: all but the claim
// number, the seq and the times that come from the store's clock.
func showTasks(tasks []*task.Task) string {
	var text strings.Builder
	for _, t := range tasks {
		category := ""
		if t.LastError != nil {
			category = t.LastError.Category
		}
		fmt.Fprintf(&text, "%s %s %s run %s key %q seq %v attempt %d crashes %d failed %v node %q cancel %v park %d end %v error %q reason %q result %q\n",
			t.ID, t.Type, t.State, t.RunAt, t.Key, t.Seq > 0, t.Attempt, t.Crashes, !t.LastFailedAt.IsZero(), t.Node, t.CancelRequested, t.Park, !t.FinishedAt.IsZero(),
			category, t.DeadReason, t.Result)
	}
	return text.String()
}

func (m *machine) settle(rt *rapid.T) {
	if len(m.claims) == 0 {
		rt.Skip("no claims yet")
	}
	from := 0
	if rapid.IntRange(0, 3).Draw(rt, "recent") > 0 {
		from = max(0, len(m.claims)-6)
	}
	claim := rapid.SampledFrom(m.claims[from:]).Draw(rt, "claim")
	s := settlement(nil, rapid.SampledFrom(settleOutcomes).Draw(rt, "outcome"))
	s.RunAt = m.at(rt)
	s.OrderOnDead = rapid.SampledFrom([]string{"block", "skip", "park"}).Draw(rt, "order")
	if s.Outcome == task.OutcomeSucceeded || s.Outcome == task.OutcomeDead {
		if rapid.IntRange(0, 3).Draw(rt, "follow") == 0 {
			s.Follow = []store.Insert{m.insert(rt)}
		}
	}
	both(m, "Settle", func(backend store.Backend, i int) ([]store.Settled, error) {
		s.Task = claim[i]
		return backend.Settle(m.ctx, []store.Settlement{s, s})
	}, func(settled []store.Settled) string {
		var text strings.Builder
		for _, one := range settled {
			fmt.Fprintf(&text, "%s %s %s %v\n", one.Status, one.State, showEntry(one.Entry), one.Err != nil)
		}
		return text.String()
	})
}

func (m *machine) addStep(rt *rapid.T) {
	if len(m.claims) == 0 {
		rt.Skip("no claims yet")
	}
	claim := rapid.SampledFrom(m.claims[max(0, len(m.claims)-6):]).Draw(rt, "claim")
	seq := rapid.IntRange(1, 3).Draw(rt, "seq")
	both(m, "AddSteps", func(s store.Backend, i int) ([]store.Status, error) {
		return s.AddSteps(m.ctx, []task.Step{step(claim[i], seq, "a"), step(claim[i], seq+1, fmt.Sprint("b", seq))})
	}, show)
}

func showSteps(steps []task.Step) string {
	var text strings.Builder
	for i := range steps {
		fmt.Fprintf(&text, "%s %d %s %s\n", steps[i].Task, steps[i].Seq, steps[i].Name, steps[i].Result)
	}
	return text.String()
}

func (m *machine) mark(rt *rapid.T) {
	marks := []store.Marking{{ID: m.pick(rt), Mark: int64(rapid.IntRange(0, 2).Draw(rt, "mark"))}, {ID: m.pick(rt), Mark: 1}}
	if marks[0].ID == marks[1].ID {
		marks = marks[:1]
	}
	both(m, "Mark", func(s store.Backend, _ int) (bool, error) { return true, s.Mark(m.ctx, marks) }, show)
}

func (m *machine) cancel(rt *rapid.T) {
	id := m.pick(rt)
	both(m, "Cancel", func(s store.Backend, _ int) (*task.Task, error) { return s.Cancel(m.ctx, id) }, showTask)
	for _, node := range []string{m.owner, m.borrower} {
		both(m, "Beat", func(s store.Backend, _ int) ([]task.ID, error) {
			ids, err := s.Beat(m.ctx, node, store.Report{})
			slices.SortFunc(ids, func(a, b task.ID) int { return strings.Compare(a.String(), b.String()) })
			return ids, err
		}, show)
	}
}

func showTask(t *task.Task) string { return showTasks([]*task.Task{t}) }

func (m *machine) reschedule(rt *rapid.T) {
	id, at := m.pick(rt), m.at(rt)
	both(m, "Reschedule", func(s store.Backend, _ int) (*task.Task, error) { return s.Reschedule(m.ctx, id, at) }, showTask)
}

func (m *machine) redrive(rt *rapid.T) {
	ids := []task.ID{m.pick(rt), m.pick(rt)}
	options := store.RedriveOptions{KeepAttempts: rapid.Bool().Draw(rt, "keep"), RunAt: []time.Time{m.at(rt), m.at(rt)}}
	if rapid.Bool().Draw(rt, "payload") {
		options.Payload = []byte("mended")
	}
	both(m, "Redrive", func(s store.Backend, _ int) (string, error) {
		done, missing, err := s.Redrive(m.ctx, ids, options)
		for i := range done {
			done[i].Claim = 0 // stores count claims each in their own way
		}
		return fmt.Sprintf("%+v %v", done, missing), err
	}, show)
}

func (m *machine) purge(rt *rapid.T) {
	filter := store.Filter{Queue: m.queue, Type: rapid.SampledFrom([]string{"x", "y"}).Draw(rt, "type")}
	both(m, "Purge", func(s store.Backend, _ int) ([]*task.Task, error) {
		purged, err := s.Purge(m.ctx, filter, 1000)
		sortTasks(purged)
		return purged, err
	}, showTasks)
}

func (m *machine) release(rt *rapid.T) {
	key := rapid.SampledFrom([]string{"a", "b"}).Draw(rt, "key")
	both(m, "ReleaseKey", func(s store.Backend, _ int) (bool, error) { return s.ReleaseKey(m.ctx, m.queue, key) }, show)
}

// crash ends the borrower or the owner, whose place a new node takes, and
// recovers its rows.
func (m *machine) crash(rt *rapid.T) {
	node := &m.borrower
	if rapid.Bool().Draw(rt, "owner") {
		node = &m.owner
	}
	left := rapid.IntRange(0, 2).Draw(rt, "leaves") == 0
	both(m, "Bury or Leave", func(s store.Backend, _ int) (bool, error) {
		if left {
			return true, s.Leave(m.ctx, *node)
		}
		topology, err := s.Topology(m.ctx)
		if err != nil {
			return false, err
		}
		at := slices.IndexFunc(topology.Nodes, func(n store.Node) bool { return n.ID == *node })
		return s.Bury(m.ctx, *node, topology.Nodes[at].Counter)
	}, show)
	if *node = m.join(); node == &m.owner {
		m.lanes = both(m, "TakeLanes", func(s store.Backend, _ int) ([]store.LaneEpoch, error) {
			return s.TakeLanes(m.ctx, m.owner, m.lanes)
		}, show)[0]
	}
	for _, lane := range m.lanes {
		both(m, "Recover", func(s store.Backend, _ int) ([]string, error) {
			rows, err := s.Recover(m.ctx, []uint16{lane.Lane}, 1000)
			var lines []string
			for _, row := range rows {
				lines = append(lines, fmt.Sprint(row.ID, row.Node, row.Crashes, row.Cause, row.Canceled, showEntry(row.Entry)))
			}
			slices.Sort(lines)
			return lines, err
		}, show)
	}
}

// compare compares all rows of the run, the scans, the keys and the groups.
func (m *machine) compare(*rapid.T) {
	filter := store.Filter{Queue: m.queue}
	both(m, "Find", func(s store.Backend, _ int) ([]*task.Task, error) {
		tasks, _, err := s.Find(m.ctx, filter, store.Page{Limit: 500})
		return tasks, err
	}, showTasks)
	for _, mark := range []int64{0, 1, 2} {
		both(m, "Scan", func(s store.Backend, _ int) ([][]store.Entry, error) {
			one := store.Range{Lane: m.lanes[0].Lane, Park: mark, After: -1 << 62, Until: 1 << 62, Limit: 500}
			two := one
			two.Lane = m.lanes[1].Lane
			return s.Scan(m.ctx, []store.Range{one, two})
		}, func(lists [][]store.Entry) string {
			var text strings.Builder
			for _, entry := range slices.Concat(lists...) {
				text.WriteString(showEntry(entry) + "\n")
			}
			return text.String()
		})
	}
	for _, key := range []string{"a", "b"} {
		both(m, "Key", func(s store.Backend, _ int) (*store.KeyState, error) { return s.Key(m.ctx, m.lanes[0].Lane, key) },
			func(k *store.KeyState) string { return fmt.Sprint(k.Held, k.Holder, k.Mode, k.Running, k.First) })
	}
	both(m, "Count", func(s store.Backend, _ int) (int, error) {
		return s.Count(m.ctx, store.Filter{Queue: m.queue, State: task.Dead}, 500)
	}, show)
	both(m, "Group", func(s store.Backend, _ int) (*task.Group, error) { return s.Group(m.ctx, m.group) },
		func(g *task.Group) string { return fmt.Sprint(g.Counts) })
}

func (m *machine) compareHistories() {
	both(m, "StepsOf", func(s store.Backend, _ int) ([]task.Step, error) { return s.StepsOf(m.ctx, m.ids) }, showSteps)
	for _, id := range m.ids {
		both(m, "Attempts", func(s store.Backend, _ int) ([]task.Attempt, error) { return s.Attempts(m.ctx, id) },
			func(attempts []task.Attempt) string {
				var text strings.Builder
				for _, attempt := range attempts {
					fmt.Fprintf(&text, "%d %s %s failure %v;", attempt.Number, attempt.Outcome, attempt.Node, attempt.Failure != nil)
				}
				return text.String()
			})
	}
}
