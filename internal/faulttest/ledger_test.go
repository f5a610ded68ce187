package faulttest

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/task"
)

// work is the payload of every task: it tells the receiver what to do.
type work struct {
	N      int   `json:"n"`               // number of the order in the ledger
	Fail   int   `json:"fail,omitempty"`  // attempts that are answered by 500
	Failed []int `json:"codes,omitempty"` // status of attempts 1, 2, …; 200 after them
	Millis int   `json:"ms,omitempty"`    // how long a call takes
}

// order is one task that was handed in.
type order struct {
	work
	draft    client.Draft
	place    int       // position within its key, from 1
	attempts int       // limit of attempts, 0 for none
	due      time.Time // nothing may run before, zero for at once
	sent     time.Time
	acked    time.Time // zero while the outcome is unknown
	id       task.ID   // as acknowledged
	moved    bool      // an operator changed it: due is what the operator said
	odd      bool      // an operator redrove, canceled or deleted it: its test looks at its history
}

// call is one run of a task, as the receiver saw it.
type call struct {
	n       int
	id      string
	claim   int64
	attempt int
	node    string
	start   time.Time
	end     time.Time // zero while it runs
	status  int       // 0: it runs, or its process was gone before the answer
}

// trouble is the death of a process, or a time for which it stood still or was cut
// off: the only causes for which a run may be taken from it.
type trouble struct {
	node     string    // "*" for any
	from, to time.Time // to is when nothing that it sent can arrive any more
}

// ledger is what the outside world knows: it outlives every process.
type ledger struct {
	mu       sync.Mutex
	orders   []*order
	calls    []*call
	byTask   map[int][]*call
	keys     map[string]int // orders per key
	troubles []trouble
	open     map[net.Conn]bool
	server   *httptest.Server

	onCall func(c *call) (status int) // called before the answer, without locks; 0 for what the work says
	block  chan struct{}              // calls with Millis < 0 wait for it
	gates  map[string]*gate           // by node: they wait for that of their node too
	free   bool                       // they wait for none
	quit   chan struct{}              // closed at the end of the test: nothing waits any more
}

func newLedger(t testing.TB) *ledger {
	l := &ledger{byTask: map[int][]*call{}, keys: map[string]int{}, open: map[net.Conn]bool{}, gates: map[string]*gate{}, block: make(chan struct{}), quit: make(chan struct{})}
	l.server = httptest.NewUnstartedServer(l)
	l.server.Config.ConnState = l.connection
	l.server.Start()
	t.Cleanup(func() {
		close(l.quit)
		l.server.CloseClientConnections()
		l.server.Close()
	})
	return l
}

func (l *ledger) connection(c net.Conn, state http.ConnState) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch state {
	case http.StateNew:
		l.open[c] = true
	case http.StateClosed, http.StateHijacked:
		delete(l.open, c)
	}
}

// order adds a task to the ledger before it is sent.
func (l *ledger) order(w work, change func(o *order)) *order {
	l.mu.Lock()
	defer l.mu.Unlock()
	o := &order{work: w}
	o.N = len(l.orders) + 1
	o.draft.ID = client.NewID()
	if change != nil {
		change(o)
	}
	if o.draft.Key != "" {
		l.keys[o.draft.Key]++
		o.place = l.keys[o.draft.Key]
	}
	o.draft.Payload, _ = json.Marshal(o.work)
	if o.draft.Type == "" {
		o.draft.Target = &client.Target{URL: l.server.URL + "/run"}
	}
	if o.attempts > 0 {
		o.draft.MaxAttempts = &o.attempts
	}
	l.orders = append(l.orders, o)
	return o
}

func (l *ledger) sending(o *order) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if o.sent.IsZero() {
		o.sent = time.Now()
		if o.due.IsZero() {
			o.due = o.sent.Add(time.Duration(o.draft.Delay))
		}
	}
}

func (l *ledger) acknowledged(o *order, id task.ID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	o.acked, o.id = time.Now(), id
}

// ServeHTTP is the receiver: one request is one run.
func (l *ledger) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	arrived := time.Now()
	body, err := io.ReadAll(r.Body)
	var what work
	if err != nil || json.Unmarshal(body, &what) != nil {
		http.Error(w, "not a run", http.StatusBadRequest)
		return
	}
	c := &call{n: what.N, id: r.Header.Get("Webhook-Id"), node: r.Header.Get("Outlast-Node"), start: arrived}
	c.claim, _ = strconv.ParseInt(r.Header.Get("Outlast-Claim"), 10, 64)
	c.attempt, _ = strconv.Atoi(r.Header.Get("Outlast-Attempt"))
	l.mu.Lock()
	l.calls = append(l.calls, c)
	l.byTask[c.n] = append(l.byTask[c.n], c)
	hook := l.onCall
	l.mu.Unlock()
	status := 0
	if hook != nil {
		status = hook(c)
	}
	if answer := l.wait(r, c.node, what.Millis); status == 0 {
		status = answer
	}
	if status == 0 {
		status = what.status(c.attempt)
	}
	l.answer(w, r, c, status)
}

func (w *work) status(attempt int) int {
	switch {
	case attempt >= 1 && attempt <= len(w.Failed):
		return w.Failed[attempt-1]
	case attempt <= w.Fail:
		return http.StatusInternalServerError
	}
	return http.StatusOK
}

// gate holds the calls of one node until it is opened.
type gate struct {
	open   chan struct{}
	status int // what they are answered, 0 for what the work says
}

// gate is the gate of a node.
func (l *ledger) gate(node string) *gate {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.free {
		return &gate{open: alwaysOpen}
	}
	if l.gates[node] == nil {
		l.gates[node] = &gate{open: make(chan struct{})}
	}
	return l.gates[node]
}

var alwaysOpen = func() chan struct{} { open := make(chan struct{}); close(open); return open }()

// openGate answers the calls of a node that wait; those that come later wait again.
func (l *ledger) openGate(node string, status int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if g := l.gates[node]; g != nil {
		g.status = status
		close(g.open)
		delete(l.gates, node)
	}
}

// openGates lets all calls go on, those that come later too.
func (l *ledger) openGates() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.free = true
	for node, g := range l.gates {
		close(g.open)
		delete(l.gates, node)
	}
}

// shutGates makes calls wait again.
func (l *ledger) shutGates() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.free = false
}

// wait waits as long as the work says, and returns the status that a gate gives.
func (l *ledger) wait(r *http.Request, node string, millis int) int {
	switch {
	case millis < 0:
		g := l.gate(node)
		select {
		case <-g.open:
			return g.status
		case <-l.block:
		case <-l.quit:
		case <-r.Context().Done():
		}
	case millis > 0:
		timer := time.NewTimer(time.Duration(millis) * time.Millisecond)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-r.Context().Done():
		}
	}
	return 0
}

// answer notes the end before the caller can know of it.
func (l *ledger) answer(w http.ResponseWriter, r *http.Request, c *call, status int) {
	l.mu.Lock()
	c.end = time.Now()
	gone := r.Context().Err() != nil
	if !gone {
		c.status = status
	}
	l.mu.Unlock()
	if !gone {
		w.WriteHeader(status)
	}
}

// note adds a trouble.
func (l *ledger) note(what trouble) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.troubles = append(l.troubles, what)
}

// trouble reports whether something befell a process between two moments;
// node "*" is any process. l is locked.
func (l *ledger) trouble(node string, from, to time.Time) bool {
	for _, one := range l.troubles {
		if (node == "*" || one.node == "*" || node == one.node) && !from.After(one.to) && !to.Before(one.from) {
			return true
		}
	}
	return false
}

// allClosed waits until nothing that dead processes sent is on its way.
func (l *ledger) allClosed() error {
	deadline := time.Now().Add(slowest)
	for {
		l.mu.Lock()
		left := len(l.open)
		l.mu.Unlock()
		if left == 0 {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%d connections of dead processes are still open", left)
		}
		time.Sleep(200 * time.Microsecond) // sleep: no event says that the kernel has told of the last end
	}
}

// count is how many calls match.
func (l *ledger) count(match func(c *call) bool) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for _, c := range l.calls {
		if match(c) {
			n++
		}
	}
	return n
}

// callsOf returns copies of the calls of an order.
func (l *ledger) callsOf(n int) []call {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []call
	for _, c := range l.byTask[n] {
		out = append(out, *c)
	}
	return out
}

// unknown are orders whose outcome is not known.
func (l *ledger) unknown() []*order {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []*order
	for _, o := range l.orders {
		if !o.sent.IsZero() && o.acked.IsZero() {
			out = append(out, o)
		}
	}
	return out
}
