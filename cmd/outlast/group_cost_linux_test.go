package main

import (
	"bufio"
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// cost is what a server has spent.
type cost struct {
	cpu     time.Duration // of the process, user and system
	written float64       // bytes handed to write calls
	commits float64       // transactions of claims and settlements
	rows    float64       // of these
}

func (c cost) minus(other cost) cost {
	return cost{c.cpu - other.cpu, c.written - other.written, c.commits - other.commits, c.rows - other.rows}
}

// spent reads it from the system and from /metrics.
func spent(t *testing.T, p *process) (c cost) {
	t.Helper()
	folder := fmt.Sprintf("/proc/%d/", p.PID())
	stat, err := os.ReadFile(folder + "stat")
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	for _, field := range fields[11:13] { // utime and stime, in hundredths of a second: proc(5)
		ticks, err := strconv.Atoi(field)
		if err != nil {
			t.Fatal(err)
		}
		c.cpu += time.Duration(ticks) * 10 * time.Millisecond
	}
	c.written = numbers(t, folder+"io", "wchar:")
	resp, err := http.Get(p.url + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), " ")
		n, _ := strconv.ParseFloat(value, 64)
		switch name {
		case `outlast_store_commit_rows_count{kind="claim"}`, `outlast_store_commit_rows_count{kind="settle"}`:
			c.commits += n
		case `outlast_store_commit_rows_sum{kind="claim"}`, `outlast_store_commit_rows_sum{kind="settle"}`:
			c.rows += n
		}
	}
	return c
}

// numbers is the value behind a word of a file.
func numbers(t *testing.T, path, word string) float64 {
	t.Helper()
	data, err := os.ReadFile(path) //nolint:gosec // a file of the system
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(data))
	n, err := strconv.ParseFloat(fields[slices.Index(fields, word)+1], 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// healthy is a worker group that answers, and how late its tasks come to it.
type healthy struct {
	mu      sync.Mutex
	arrived []time.Duration
}

// late sends tasks every so often for a time, and returns how long each took from its
// enqueue to its arrival at the member.
func (h *healthy) late(t *testing.T, server string, every, length time.Duration) []time.Duration {
	t.Helper()
	h.mu.Lock()
	h.arrived = nil
	h.mu.Unlock()
	sent := 0
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for end := time.Now().Add(length); time.Now().Before(end); sent++ {
		<-ticker.C
		body := fmt.Sprintf(`{"target":{"group":"fine","path":"/"},"payload":%d}`, time.Now().UnixNano())
		resp, err := http.Post(server+"/v1/tasks", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
	}
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) { // sleep: waits for a real server
		h.mu.Lock()
		arrived := slices.Clone(h.arrived)
		h.mu.Unlock()
		if len(arrived) >= sent {
			return arrived
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d tasks of the healthy group arrived", len(arrived), sent)
		}
	}
}

// percentile is the nearest rank.
func percentile(p float64, all []time.Duration) time.Duration {
	return slices.Sorted(slices.Values(all))[int(math.Ceil(p*float64(len(all))))-1]
}

func (h *healthy) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	var at int64
	_, _ = fmt.Fscan(r.Body, &at)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.arrived = append(h.arrived, time.Since(time.Unix(0, at)))
}

// phase is what was measured for a while.
type phase struct {
	cost
	calls int64         // of the member that is away
	p99   time.Duration // of the healthy group
}

func (p *phase) String() string {
	return fmt.Sprintf("%d calls, CPU %v, %.0f transactions of claims and settlements with %.0f rows, %.0f KB written; p99 of the healthy group %v",
		p.calls, p.cpu, p.commits, p.rows, p.written/1000, p.p99.Round(10*time.Microsecond))
}

// groupServer is a server with the group "crew", whose member is away, and the group
// "fine", whose member is not.
func groupServer(t *testing.T) (server *process, away *crewMember, fine *healthy) {
	t.Helper()
	folder := t.TempDir()
	config := filepath.Join(folder, "outlast.yaml")
	by := costScale(t) // of the steps that hold without configuration
	steps := fmt.Sprintf("groups:\n  crew: {dispatch: {steps: [%s, %s, %s, %s]}}\n", time.Second/by, 5*time.Second/by, 10*time.Second/by, time.Minute/by)
	if err := os.WriteFile(config, []byte(steps), 0o600); err != nil {
		t.Fatal(err)
	}
	away, fine = newCrewMember(t, 0), &healthy{}
	away.away.Store(true)
	server = startServer(t, "--store", "sqlite:"+filepath.Join(folder, "cost.db"), "--config", config)
	join(t, server.url, "crew", away.url)
	join(t, server.url, "fine", endpoint(t, fine.ServeHTTP))
	return server, away, fine
}

const forCrew = `{"target":{"group":"crew","path":"/send"}}`

// enqueueMany hands in a draft 10 000 times.
func enqueueMany(t *testing.T, server *process, draft string) {
	t.Helper()
	command{t: t, server: server.url, input: strings.Repeat(draft+"\n", 10_000)}.run("task", "enqueue", "--file", "-").exits(0)
}

// costOf measures a healthy group with 50 tasks a second, first alone and then beside
// 10 000 tasks for a member that is away.
func costOf(t *testing.T, draft func(url string) string, length time.Duration) (alone, beside phase) {
	server, away, fine := groupServer(t)
	measure := func() (p phase) {
		before, called := spent(t, server), away.calls.Load()
		p.p99 = percentile(0.99, fine.late(t, server.url, 20*time.Millisecond, length))
		p.cost, p.calls = spent(t, server).minus(before), away.calls.Load()-called
		return p
	}
	alone = measure()
	enqueueMany(t, server, draft(away.url))
	beside = measure()
	server.stop(syscall.SIGKILL)
	return alone, beside
}

// TestDeadGroupCostsLittle: 10 000 tasks for a worker group that is away cost a server
// next to nothing. The control puts them back at once, as the next attempt at a URL
// that is away. OUTLAST_GROUP_COST is for how long each of them goes on: 30s is five
// minutes shortened to a tenth, like the steps of the group; 36s with
// OUTLAST_GROUP_SCALE=100 is an hour shortened to a hundredth.
func TestDeadGroupCostsLittle(t *testing.T) {
	length := costLength(t)
	alone, group := costOf(t, func(string) string { return forCrew }, length)
	_, control := costOf(t, func(url string) string {
		return `{"target":{"url":"` + url + `/send"},"retry":{"unlimited":true,"backoff":{"kind":"fixed","initial":"10ms","jitter":"none"},"budget":"none","breaker":"none"}}`
	}, length)
	t.Logf("\nnothing: %v\ngroup:   %v\ncontrol: %v", &alone, &group, &control)
	if most := 10 + int64(length*costScale(t)/time.Minute); group.calls > most {
		t.Errorf("%d calls of a group that is away", group.calls)
	}
	if group.rows > control.rows/2 || group.written > control.written/2 || control.calls < 100 { // the processor's time is shown only
		t.Error("a group that is away costs more than half of what it does to put its tasks back at once")
	}
}

// costScale is how much shorter than usual the steps of the group are.
func costScale(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv("OUTLAST_GROUP_SCALE")
	if text == "" {
		return 10
	}
	by, err := strconv.Atoi(text)
	if err != nil || by < 1 {
		t.Fatalf("OUTLAST_GROUP_SCALE is %q", text)
	}
	return time.Duration(by)
}

// costLength is what OUTLAST_GROUP_COST says. Without it nothing is measured: that a group
// which is away is tried rarely and delays nobody is shown in virtual time, by
// TestDeadGroupIsTriedRarely of package engine.
func costLength(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv("OUTLAST_GROUP_COST")
	if text == "" {
		t.Skip("it measures, for as long as OUTLAST_GROUP_COST says")
	}
	length, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	return length
}

// TestHealthyGroupBesideOneThatIsAway: its tasks come as soon as ever. Two servers are
// used in turn for half a second each, one of them with 10 000 tasks for a group that is
// away, so that both meet the same noise. A machine that stalls for a moment troubles one
// measure; a group that is away would trouble each.
func TestHealthyGroupBesideOneThatIsAway(t *testing.T) {
	length := costLength(t)
	calm, _, fine := groupServer(t)
	troubled, away, fineToo := groupServer(t)
	enqueueMany(t, calm, `{"type":"nobody.starts.it","delay":"24h"}`)
	enqueueMany(t, troubled, forCrew)
	measure := func() (alone, beside []time.Duration) {
		const turn = 500 * time.Millisecond
		for range max(1, length/turn/2) {
			alone = append(alone, fine.late(t, calm.url, 5*time.Millisecond, turn)...)
			beside = append(beside, fineToo.late(t, troubled.url, 5*time.Millisecond, turn)...)
		}
		return alone, beside
	}
	var alone99, beside99 time.Duration
	for range 4 {
		alone, beside := measure()
		for _, p := range []float64{0.5, 0.95, 0.99} {
			t.Logf("p%g: %v alone, %v beside a group that is away (%d tasks each, %d calls of that group)", 100*p, percentile(p, alone), percentile(p, beside), len(alone), away.calls.Load())
		}
		if alone99, beside99 = percentile(0.99, alone), percentile(0.99, beside); beside99 <= 3*alone99+50*time.Millisecond {
			return
		}
	}
	t.Errorf("p99 is %v beside a group that is away, %v without it, and was as bad before", beside99, alone99)
}
