package incidenttest

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/internal/binarytest"
	"github.com/outlast-dev/outlast/task"
)

const (
	callers = 1000
	// outage is how long the service is down, from the first call on.
	outage = 4 * time.Second
)

// crew is how many goroutines more a server may have: one for each of its 1000 slots,
// which it keeps for a while, and some for connections. That is fewer than the calls
// that wait.
const crew = 1200

// The incident: 1000 callers failed together, all slept exactly 100 ms, all woke
// together. Three retries at 95 % failure are 3.7 times the load on a service that is
// down already; and all that time each caller held a goroutine.
//
// Here 1000 callers hand their calls in and are free. While the service is down it
// gets hardly more than the first attempts: with the default policy not even those,
// since the breaker opens; without a breaker the budget bounds the retries to a tenth.
// Afterwards the rest is let out little by little, and every call is made.
//
// Waves are of the real clock, so make faults has it; what bounds the retries is shown in
// virtual time by stormtest and by the simulator.
func TestRetryStorm(t *testing.T) {
	if os.Getenv("OUTLAST_FAULT_LONG") == "" {
		t.Skip("waves of a real machine: make faults")
	}
	storm := byHand(t)
	for try := 1; try < 5 && !storm.rages(); try++ {
		storm = byHand(t) // a machine that does other things spreads the waves itself
	}
	t.Logf("by hand: load %.2f, at most %d retries in 100 ms", storm.load(), storm.wave())
	if !storm.rages() {
		t.Fatalf("the control is no storm: load %.2f, at most %d retries in 100 ms", storm.load(), storm.wave())
	}

	server := binarytest.Serve(t, "--store", onDisk(t))
	before := goroutines(t, server)
	guarded, budgeted := newService(t, 0), newService(t, 0)
	var ids [2][]task.ID
	var all sync.WaitGroup
	for n, draft := range []client.Draft{
		{Target: &client.Target{URL: guarded.url}},
		{Target: &client.Target{URL: budgeted.url}, Retry: json.RawMessage(`{"max_attempts": 8, "breaker": "none"}`)},
	} {
		ids[n] = make([]task.ID, callers)
		for i := range callers {
			all.Go(func() { ids[n][i] = accepted(t, server, draft) })
		}
	}
	all.Wait()
	time.Sleep(time.Until(guarded.began().Add(outage - time.Second))) // sleep: the outage goes on
	during := goroutines(t, server)
	for during > before+crew && time.Since(guarded.began()) < outage {
		during = goroutines(t, server) // first attempts may be under way still
	}
	for _, id := range slices.Concat(ids[:]...) {
		if is := ended(t, server, id); is.State != task.Succeeded {
			t.Fatalf("%s: %s after %d attempts", id, is.State, is.Attempt)
		}
	}
	took, after := time.Since(guarded.began()), goroutines(t, server)
	for name, s := range map[string]*service{"default policy": guarded, "no breaker": budgeted} {
		t.Logf("%s: load %.2f in the outage, at most %d retries in 100 ms", name, s.load(), s.wave())
		// The tenth of the budget, its floor of one a second, and the ten that it begins with.
		if most := 1.1 + (outage.Seconds()+10)/callers; s.load() > most {
			t.Errorf("%s: load %.3f, at most %.3f is promised", name, s.load(), most)
		}
		if s.wave() > storm.wave()/4 {
			t.Errorf("%s: %d retries arrived in 100 ms; by hand it were %d", name, s.wave(), storm.wave())
		}
	}
	t.Logf("%s for everything; goroutines: %d before, %d while %d calls waited, %d after", took.Round(time.Second), before, during, 2*callers, after)
	if during > before+crew || after > before+crew {
		t.Errorf("goroutines: %d before, %d in the outage, %d after", before, during, after)
	}
}

// byHand is the incident: callers that sleep 100 ms and try again, three times, on a
// service that fails 95 of 100 calls.
func byHand(t *testing.T) *service {
	t.Helper()
	s := newService(t, 20)
	web := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: callers}}
	defer web.CloseIdleConnections()
	var all sync.WaitGroup
	for range callers {
		all.Go(func() {
			for try := range 4 {
				if try > 0 {
					time.Sleep(100 * time.Millisecond) // sleep: the mistake itself
				}
				req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url, nil)
				if err != nil {
					t.Error(err)
					return
				}
				req.Header.Set("Outlast-Attempt", strconv.Itoa(try+1))
				resp, err := web.Do(req)
				if err != nil {
					t.Error(err)
					return
				}
				_ = resp.Body.Close()
				if resp.StatusCode == http.StatusOK {
					return
				}
			}
		})
	}
	all.Wait()
	return s
}

// service is down for a while from its first call on, and notes what arrives.
type service struct {
	url   string
	lucky int // one call of so many succeeds nevertheless, 0 for none

	mu      sync.Mutex
	first   time.Time
	calls   int           // in the outage
	retries map[int64]int // by tenths of a second
}

func newService(t *testing.T, lucky int) *service {
	s := &service{lucky: lucky, retries: map[int64]int{}}
	s.url = endpoint(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Connection", "close") // those of the first wave would be kept for a while
		s.mu.Lock()
		defer s.mu.Unlock()
		now := time.Now()
		if s.first.IsZero() {
			s.first = now
		}
		if r.Header.Get("Outlast-Attempt") != "1" {
			s.retries[int64(now.Sub(s.first)/(100*time.Millisecond))]++
		}
		if now.Sub(s.first) > outage {
			return
		}
		if s.calls++; s.lucky == 0 || s.calls%s.lucky != 0 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	return s
}

func (s *service) began() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.first
}

// load is the number of calls in the outage for each caller.
func (s *service) load() float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return float64(s.calls) / callers
}

// wave is the most retries that arrived in a tenth of a second.
func (s *service) wave() (most int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.retries {
		most = max(most, n)
	}
	return most
}

// rages reports whether it is the storm that callers make who come back together.
func (s *service) rages() bool { return s.load() >= 3.5 && s.wave() >= callers/2 }

var goroutineLine = regexp.MustCompile(`(?m)^go_goroutines (\d+)$`)

// goroutines is how many the server has.
func goroutines(t *testing.T, s *binarytest.Server) int {
	t.Helper()
	s.API.Close() // what callers keep open is not meant
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	web := http.Client{Timeout: 20 * time.Second}
	defer web.CloseIdleConnections()
	resp, err := web.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	line := goroutineLine.FindSubmatch(text)
	if line == nil {
		t.Fatal("the server does not say how many goroutines it has")
	}
	n, _ := strconv.Atoi(string(line[1])) // digits
	return n
}
