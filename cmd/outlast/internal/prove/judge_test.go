package prove

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/task"
)

var began = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

func at(seconds float64) time.Time { return began.Add(time.Duration(seconds * float64(time.Second))) }

// planted is a history in which all is well: a task that succeeds at once, one that is
// retried, two of a key, one that was handed in twice, one that dies as planned, one that
// comes late, and one that was running on a node when that was killed.
func planted() *history {
	h := newHistory()
	h.began = began
	h.nodes = map[string]string{"one": "node 1", "two": "node 2"}
	h.troubles = []trouble{{fault: fault{kind: killed}, node: "node 2", from: at(20), back: time.Second}}
	h.troubles[0].end(at(21))
	add := func(o *order) *order {
		o.sent, o.acked, o.id = at(1), at(1.1), client.NewID()
		o.draft.ID = o.id
		h.add(o)
		h.rows[o.n] = []row{{Task: &task.Task{ID: o.id, State: task.Succeeded, Attempt: o.spends()}}}
		return o
	}
	run := func(o *order, node string, start float64, status int, outcome task.Outcome) {
		claim := int64(start * 1000)
		c := &call{n: o.n, claim: claim, start: at(start), status: status}
		if status != 0 {
			c.end = at(start + 0.1)
		}
		h.calls = append(h.calls, c)
		r := &h.rows[o.n][0]
		r.attempts = append(r.attempts, task.Attempt{Claim: claim, Node: node, Outcome: outcome, NextDelay: 200 * time.Millisecond,
			StartedAt: c.start, EndedAt: c.start.Add(100 * time.Millisecond)})
	}
	run(add(&order{}), "one", 2, 200, task.OutcomeSucceeded)
	retried := add(&order{fail: 1})
	run(retried, "one", 2, 500, task.OutcomeFailed)
	run(retried, "two", 3, 200, task.OutcomeSucceeded)
	for place := 1; place <= 2; place++ {
		keyed := add(&order{place: place})
		keyed.draft.Key = "a"
		run(keyed, "one", float64(3+place), 200, task.OutcomeSucceeded)
	}
	twice := add(&order{})
	twice.draft.DedupeKey, twice.second = "d", twice.id
	run(twice, "one", 2, 200, task.OutcomeSucceeded)
	dying := add(&order{fail: 1, dies: true})
	h.rows[dying.n][0].State = task.Dead
	run(dying, "one", 2, 500, task.OutcomeDead)
	delayed := add(&order{})
	delayed.draft.Delay = client.Duration(time.Second)
	run(delayed, "one", 2.2, 200, task.OutcomeSucceeded)
	cut := add(&order{})
	run(cut, "two", 19, 0, task.OutcomeCrashed)
	run(cut, "one", 25, 200, task.OutcomeSucceeded)
	return h
}

// The numbers of the orders of planted.
const (
	_ = iota
	plain
	retriedOne
	firstOfKey
	secondOfKey
	twiceOne
	dyingOne
	delayedOne
	cutOne
)

// callsOf are the calls of an order.
func callsOf(h *history, n int) (all []*call) {
	for _, c := range h.calls {
		if c.n == n {
			all = append(all, c)
		}
	}
	return all
}

func callOf(h *history, n int) *call { return callsOf(h, n)[0] }

func lastCallOf(h *history, n int) *call { all := callsOf(h, n); return all[len(all)-1] }

// A history in which all is well is kept, and says why a run was made again.
func TestKept(t *testing.T) {
	j := judge(planted())
	if j.verdict() != "kept" {
		t.Fatalf("broken: %q", j.lines(9))
	}
	if got := j.repeats[killed]; got == nil || *got != (repeats{Runs: 1}) {
		t.Errorf("repeats are %+v", got)
	}
	if j.cut[0] != 1 || j.waited[0] != 5*time.Second {
		t.Errorf("the kill cut off %d runs, which waited %s", j.cut[0], j.waited[0])
	}
}

// Every kind of violation is found, and told as what it is.
func TestBroken(t *testing.T) {
	for name, one := range map[string]struct {
		breaks promise
		how    func(h *history)
	}{
		"a task that is gone":       {lost, func(h *history) { delete(h.rows, plain) }},
		"a task that did not end":   {lost, func(h *history) { h.rows[plain][0].State = task.Pending }},
		"a task that was dropped":   {lost, func(h *history) { h.rows[retriedOne][0].State = task.Dead }},
		"a success without a call":  {lost, func(h *history) { callOf(h, plain).status = 500 }},
		"a task never accepted":     {lost, func(h *history) { h.orders[plain-1].acked = time.Time{} }},
		"a task under another id":   {lost, func(h *history) { h.rows[plain][0].ID = client.NewID() }},
		"a task of nobody":          {unknown, func(h *history) { h.rows[99] = []row{{Task: &task.Task{}}} }},
		"a call of nobody":          {unknown, strayCall},
		"a repeat without a fault":  {repeated, func(h *history) { h.troubles = nil }},
		"a repeat, another's fault": {repeated, func(h *history) { h.troubles[0].node = "node 1" }},
		"a repeat before the fault": {repeated, func(h *history) { h.troubles[0].from, h.troubles[0].to = at(50), at(60) }},
		"a success that ran again": {repeated, func(h *history) {
			callOf(h, retriedOne).status = 200
			h.rows[retriedOne][0].attempts[0].Outcome = task.OutcomeSucceeded
		}},
		"a run without a record":     {repeated, func(h *history) { h.rows[cutOne][0].attempts[0].Claim = 1 }},
		"a key out of order":         {disorder, func(h *history) { callOf(h, firstOfKey).start = at(9) }},
		"two of a key at once":       {disorder, func(h *history) { callOf(h, firstOfKey).end = at(9) }},
		"a dedupe key with two ids":  {doubled, func(h *history) { h.orders[twiceOne-1].second = client.NewID() }},
		"a dedupe key with two rows": {doubled, func(h *history) { h.rows[twiceOne] = append(h.rows[twiceOne], h.rows[plain][0]) }},
		"a delay cut short":          {early, func(h *history) { callOf(h, delayedOne).start = at(1.5) }},
		"a retry too early":          {early, func(h *history) { callOf(h, retriedOne).end = at(2.9) }},
		"a crash that cost":          {miscount, func(h *history) { h.rows[cutOne][0].Attempt = 2 }},
		"a failure that nobody saw":  {miscount, func(h *history) { failUnseen(h, plain, 2) }},
		"an attempt too few":         {miscount, func(h *history) { h.rows[dyingOne][0].Attempt = 0 }},
		"a success that no receiver said, with an attempt that failed unseen": {lost, func(h *history) {
			failUnseen(h, plain, 2)
			stall(h, 1, 10)
			callOf(h, plain).status = 500
		}},
		"a success that another attempt was answered": {lost, func(h *history) {
			callOf(h, retriedOne).status = 200
			lastCallOf(h, retriedOne).status = 500
			stall(h, 2, 10)
		}},
		"too many attempts, one of them unseen": {miscount, func(h *history) {
			h.orders[retriedOne-1].fail = 0
			failUnseen(h, retriedOne, 2)
			stall(h, 1, 10)
		}},
		"too few attempts, one of them unseen": {miscount, func(h *history) {
			h.orders[retriedOne-1].fail = 2
			callOf(h, retriedOne).status = 0
			stall(h, 1, 10)
		}},
		"a death too soon, unseen": {miscount, func(h *history) {
			h.orders[dyingOne-1].fail = 3
			callOf(h, dyingOne).status = 0
			stall(h, 1, 10)
		}},
		"a success that ran again, long before the fault": {repeated, func(h *history) {
			c := callOf(h, cutOne)
			c.start, c.end, c.status = at(8), at(8.1), 200
		}},
		"a run that broke off long before the fault": {repeated, func(h *history) { callOf(h, cutOne).start = at(8) }},
		"a repeat of the process after the killed one": {repeated, func(h *history) {
			callOf(h, cutOne).start, lastCallOf(h, cutOne).start = at(21.2), at(22)
		}},
		"a late call of the process after the killed one": {disorder, func(h *history) {
			callOf(h, firstOfKey).start, callOf(h, firstOfKey).end = at(23), at(23.1)
			h.rows[firstOfKey][0].attempts[0].Node = "two"
		}},
		"two calls in an attempt": {repeated, func(h *history) {
			again := *callOf(h, retriedOne)
			again.start, again.end = at(2.3), at(2.4)
			h.calls = append(h.calls, &again)
		}},
		"two calls in an attempt, under a fault": {repeated, func(h *history) {
			again := *callOf(h, retriedOne)
			again.start, again.end = at(3.5), at(3.6)
			h.calls = append(h.calls, &again)
			stall(h, 1, 10)
		}},
		"a node that stays away":    {unhealthy, func(h *history) { h.troubles[0].problems = []string{"node 2: gone"} }},
		"a store that is not sound": {unhealthy, func(h *history) { h.unsound = []string{"a claim of nobody"} }},
	} {
		t.Run(name, func(t *testing.T) {
			h := planted()
			one.how(h)
			j := judge(h)
			if j.verdict() != "broken" || len(j.broken) != 1 || len(j.broken[one.breaks]) == 0 {
				t.Errorf("want %s and nothing else, got %q", one.breaks, j.lines(9))
			}
		})
	}
}

// failUnseen gives a task an attempt that failed before it reached the receiver.
func failUnseen(h *history, n int, start float64) {
	r := &h.rows[n][0]
	r.Attempt++
	r.attempts = append(r.attempts, task.Attempt{Number: 1, Claim: 1, Node: "one", Outcome: task.OutcomeFailed, StartedAt: at(start), EndedAt: at(start + 1)})
}

// strayCall is a call of a task that nobody handed in.
func strayCall(h *history) { h.calls = append(h.calls, &call{n: 99, start: at(2)}) }

// stall lets node 1 stand still.
func stall(h *history, from, until float64) {
	one := trouble{fault: fault{kind: paused}, node: "node 1", from: at(from)}
	one.end(at(until))
	h.troubles = append(h.troubles, one)
}

// A node that stands still may find that a call of its own has failed meanwhile.
func TestFailedWhileHalted(t *testing.T) {
	h := planted()
	failUnseen(h, plain, 2)
	stall(h, 1, 10)
	if j := judge(h); j.verdict() != "kept" {
		t.Errorf("broken: %q", j.lines(9))
	}
}

// A call that a node sends after it has stood still is told by its claim; without the
// fault it is a violation.
func TestLateCall(t *testing.T) {
	for name, want := range map[string]string{"node 1": "kept", "node 2": "broken"} {
		h := planted()
		h.troubles = append(h.troubles, trouble{fault: fault{kind: paused}, node: name, from: at(2), until: at(10), to: at(13)})
		late := *callOf(h, firstOfKey)
		late.claim, late.start, late.status, late.end = 2500, at(9), 0, time.Time{}
		h.calls = append(h.calls, &late)
		r := &h.rows[firstOfKey][0]
		r.attempts = append(r.attempts, task.Attempt{Claim: 2500, Node: "one", Outcome: task.OutcomeCrashed})
		if j := judge(h); j.verdict() != want {
			t.Errorf("%s stood still: %s, %q", name, j.verdict(), j.lines(9))
		}
	}
}

// A run that had been answered when its node was killed, but not settled, is explained.
func TestAnsweredBeforeTheKill(t *testing.T) {
	h := planted()
	c := callOf(h, cutOne)
	c.end, c.status = at(19.5), 200
	j := judge(h)
	if got := j.repeats[killed]; j.verdict() != "kept" || *got != (repeats{Runs: 1, Answered: 1}) {
		t.Errorf("repeats %+v, broken %q", got, j.lines(9))
	}
}

// An attempt that a stalled node lost after its answer leads to one more.
func TestAnsweredAndFailed(t *testing.T) {
	h := planted()
	callOf(h, retriedOne).status = 200
	h.orders[retriedOne-1].fail = 0
	stall(h, 2.05, 10)
	if j := judge(h); j.verdict() != "kept" {
		t.Errorf("broken: %q", j.lines(9))
	}
}

// The report says the same as text and as a page, which is whole and escapes what it shows.
func TestReport(t *testing.T) {
	h := planted()
	h.troubles[0].problems = []string{"node 2: <script>"}
	strayCall(h)
	j := judge(h)
	r := newReport(j, "postgres", &options{Nodes: 2, Seed: 7})
	r.Seconds = 30
	var text strings.Builder
	r.table(&text)
	r.text(&text)
	for _, want := range []string{"node 2: kill -9", "8 tasks on 2 nodes, 2 with an ordering key, 1 handed in twice", "7 succeeded, 1 died as planned", "nodes: node 2: <script>", "unknown: a call of task 99",
		"BROKEN under 1 fault (1 × kill -9)", "Seed 7", "was killed\t1 run, 0 of them"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in %s", want, text.String())
		}
	}
	page, err := r.page(j)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(page); strings.Contains(got, "<script") || strings.Contains(got, "http") && strings.Contains(got, " src=") {
		t.Errorf("the page is not one file of its own: %s", got)
	}
	if n := strings.Count(string(page), `<rect class="kill"`); n != 1 {
		t.Errorf("%d kills on the timeline", n)
	}
	_, pictures, _ := strings.Cut(string(page), "<svg")
	for decoder := xml.NewDecoder(strings.NewReader("<svg" + pictures[:strings.LastIndex(pictures, "</svg>")+6])); ; {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("a picture is not whole: %v", err)
		}
	}
}

// A seed fixes the plan, every kind of fault is in it, and cuts only where there is a network.
func TestPlan(t *testing.T) {
	for _, network := range []bool{true, false} {
		one, same, made := newPlanner(7, 3, network), newPlanner(7, 3, network), map[mishap]int{}
		for range len(one.kinds) {
			f := one.next()
			if f != same.next() {
				t.Error("the same seed makes another plan")
			}
			made[f.kind]++
		}
		if len(made) != len(one.kinds) || (made[silent] > 0) != network {
			t.Errorf("network %v: the first faults are %v", network, made)
		}
	}
}
