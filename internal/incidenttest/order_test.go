package incidenttest

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/internal/binarytest"
)

// The incident: a warehouse told the system of another company "light on, light off"
// and "send car, release car". A message was lost or overtaken by the next one; the
// wrong car came, or the light stayed on.
//
// Here messages about one thing have its name as ordering key. They arrive in the
// order in which they were accepted, through refusals, lost answers and the kill of
// the server, and none is missing.
func TestWrongOrder(t *testing.T) {
	t.Parallel()
	disk, plant := onDisk(t), newPlant(t)
	plant.faulty = true
	server := binarytest.Serve(t, "--store", disk)
	const messages = 12
	for n := range messages {
		for thing, says := range map[string][2]string{"light-7": {"on", "off"}, "light-8": {"on", "off"}, "car-1": {"send", "release"}} {
			accepted(t, server, plant.message(thing, thing, strconv.Itoa(n)+" "+says[n%2]))
		}
	}
	for _, arrived := range []int{5, 14, 24} {
		eventually(t, "messages arrive", func() bool { return plant.count() >= arrived })
		server.Stop(syscall.SIGKILL)
		server = binarytest.Serve(t, "--store", disk)
	}
	eventually(t, "all messages arrive", func() bool { return plant.count() == 3*messages })
	for thing, got := range plant.all() {
		for n, says := range got {
			if number, _, _ := strings.Cut(says, " "); number != strconv.Itoa(n) {
				t.Errorf("%s heard %q", thing, got)
				break
			}
		}
	}
	if off := plant.all()["light-7"][messages-1]; off != "11 off" {
		t.Errorf("the light heard %q last", off)
	}
}

// The control: without an ordering key the retry of "on" comes after "off".
func TestWrongOrderWithoutKey(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{"": "off, on", "light-7": "on, off"} {
		plant := newPlant(t)
		plant.refuse, plant.backoff = 1, `"initial": "5s", "jitter": "none"` // "off" is on its way long before
		server := binarytest.Serve(t, "--store", "memory:")
		accepted(t, server, plant.message("light-7", key, "on"))
		eventually(t, "the first message is refused", func() bool { return plant.refused() })
		accepted(t, server, plant.message("light-7", key, "off"))
		eventually(t, "both messages arrive", func() bool { return plant.count() == 2 })
		if got := strings.Join(plant.all()["light-7"], ", "); got != want {
			t.Errorf("with the key %q the light heard %s", key, got)
		}
	}
}

// What a dead process has sent may still be on its way when the next one has sent it
// again, and "off" after it. The receiver that remembers the largest Outlast-Claim
// refuses it; one that does not is left with the light on.
func TestStaleMessageIsRefused(t *testing.T) {
	t.Parallel()
	for _, careful := range []bool{true, false} {
		disk, plant := onDisk(t), newPlant(t)
		plant.careful, plant.slow = careful, make(chan struct{})
		server := binarytest.Serve(t, "--store", disk)
		accepted(t, server, plant.message("light-7", "light-7", "on"))
		accepted(t, server, plant.message("light-7", "light-7", "off"))
		eventually(t, "a message is on its way", func() bool { return plant.delayed() })
		server.Stop(syscall.SIGKILL)
		binarytest.Serve(t, "--store", disk)
		eventually(t, "both messages arrive", func() bool { return plant.count() == 2 })
		close(plant.slow)
		want := map[bool]string{true: "on, off", false: "on, off, on"}[careful]
		eventually(t, "the late message arrives", func() bool { return plant.late() })
		if got := strings.Join(plant.all()["light-7"], ", "); got != want {
			t.Errorf("careful: %t; the light heard %s", careful, got)
		}
	}
}

// plant is the other company's system. It does what it hears, each message once.
type plant struct {
	url     string
	faulty  bool          // refuses some calls, and loses some answers
	refuse  int           // calls to refuse first
	careful bool          // refuses callers with an older claim
	backoff string        // of messages
	slow    chan struct{} // holds up the first call until it is closed

	mu      sync.Mutex
	calls   int
	done    map[string]bool  // ids of messages
	claims  map[string]int64 // the largest seen of each thing
	heard   map[string][]string
	arrived bool // the call that was held up
	was503  bool
}

func newPlant(t *testing.T) *plant {
	p := &plant{backoff: `"initial": "20ms", "max": "200ms"`, done: map[string]bool{}, claims: map[string]int64{}, heard: map[string][]string{}}
	p.url = endpoint(t, p.serve)
	return p
}

// message is to tell a thing something, in the order of its key.
func (p *plant) message(thing, key, says string) client.Draft {
	body, _ := json.Marshal(map[string]string{"thing": thing, "says": says})
	return client.Draft{Key: key, Payload: body, Target: &client.Target{URL: p.url},
		Retry: json.RawMessage(`{"max_attempts": 50, "backoff": {` + p.backoff + `}, "budget": "none", "breaker": "none"}`)}
}

func (p *plant) serve(w http.ResponseWriter, r *http.Request) {
	var message struct{ Thing, Says string }
	if err := json.NewDecoder(r.Body).Decode(&message); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	claim, _ := strconv.ParseInt(r.Header.Get("Outlast-Claim"), 10, 64)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls++
	held := p.slow != nil && p.calls == 1
	if held {
		p.mu.Unlock()
		<-p.slow
		p.mu.Lock()
		p.arrived = true
	}
	switch {
	case p.calls <= p.refuse, p.faulty && p.calls%3 == 0:
		p.was503 = true
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	case p.careful && claim < p.claims[message.Thing]:
		w.WriteHeader(http.StatusPreconditionFailed)
		return
	}
	p.claims[message.Thing] = claim
	if id := r.Header.Get("Idempotency-Key"); !p.done[id] || held {
		p.done[id] = true
		p.heard[message.Thing] = append(p.heard[message.Thing], message.Says)
	}
	if p.faulty && p.calls%7 == 0 {
		panic(http.ErrAbortHandler) // done, and the answer is lost
	}
	time.Sleep(5 * time.Millisecond) // sleep: a receiver takes its time
}

// count is how many messages were heard.
func (p *plant) count() (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.done)
}

func (p *plant) all() map[string][]string {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := map[string][]string{}
	for thing, heard := range p.heard {
		all[thing] = append([]string(nil), heard...)
	}
	return all
}

func (p *plant) refused() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.was503
}

// delayed reports whether the first call is held up.
func (p *plant) delayed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.calls == 1
}

// late reports whether the call that was held up has been treated.
func (p *plant) late() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.arrived
}
