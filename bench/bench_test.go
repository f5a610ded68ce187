package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestMain lets the test binary be its own child process.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == childCommand {
		main()
	}
	os.Exit(m.Run())
}

// Every bench runs through and reports figures, in miniature, on servers that sync
// nothing: the books balance, and a crash costs Outlast no attempt. Speed is not looked
// at, so most of them run side by side.
func TestBenches(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts processes and takes seconds")
	}
	given := bothServers(t)
	for _, b := range benches() {
		if slices.Contains(b.peers, temporalName) || b.store == onMySQL || b.store == onCitus && given.citus == "" {
			continue // the same benches: all are on PostgreSQL here
		}
		t.Run(b.id, func(t *testing.T) {
			given := given
			if b.id == nodeKilled.id {
				given.peers = "none" // they wait for minutes
			}
			if !b.compared { // that gives and takes the process its cores
				t.Parallel()
			}
			figures := miniature(t, given, b.id)
			for _, system := range given.contestants(b) {
				if !slices.ContainsFunc(figures, func(f figure) bool { return f.System == system.name() }) {
					t.Errorf("no figure of %s", system.name())
				}
			}
			for _, f := range figures {
				complete(t, b, f)
			}
		})
	}
}

// bothServers starts the servers that benches need once, as flags for all runs.
func bothServers(t *testing.T) config {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	all := &servers{config: config{fast: true}}
	t.Cleanup(func() {
		if err := all.stop(ctx); err != nil {
			t.Error(err)
		}
	})
	database, err := all.onPostgres(ctx)
	if err != nil {
		t.Fatal(err)
	}
	cache, err := all.onRedis(ctx)
	if err != nil {
		t.Fatal(err)
	}
	built := &session{server: new(string), say: io.Discard}
	if err := built.buildServer(ctx); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.Remove(*built.server); err != nil {
			t.Error(err)
		}
	})
	return config{citus: os.Getenv("OUTLAST_CITUS_DSN"), store: address(database.url), redis: cache.addr, server: *built.server, peers: strings.Join(peerNames(), ",")}
}

func miniature(t *testing.T, given config, id string) (figures []figure) {
	t.Helper()
	var out bytes.Buffer
	var messages notes
	args := []string{
		"run", id, "--runs", "1", "--n", "2000", "--seconds", "1", "--waiting", "2000", "--length", "3s", "--search=false", "--json",
		"--dir", t.TempDir(), "--store", string(given.store), "--redis", given.redis, "--server", given.server, "--peers", given.peers, "--citus", given.citus,
	}
	if code := run(t.Context(), args, &out, &messages); code != 0 {
		t.Fatalf("exit code %d: %s", code, messages.String())
	}
	for line := range strings.Lines(out.String()) {
		var f figure
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		figures = append(figures, f)
	}
	return figures
}

// notes are what a run and its child processes say, perhaps at once.
type notes struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (n *notes) Write(text []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.Write(text)
}

func (n *notes) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.String()
}

// complete checks what every figure says.
func complete(t *testing.T, b bench, f figure) {
	t.Helper()
	runs := 1
	if b.compared {
		runs = rounds
	}
	if benchOf(&f) != b.id || f.Store == "" || (f.Store == storeless) != b.storeless || f.N == 0 || len(f.Runs) != runs {
		t.Errorf("incomplete: %+v", f)
	}
	if f.System == outlastName && strings.HasSuffix(f.Bench, "/early") && f.Value != 0 {
		t.Errorf("tasks started early: %+v", f)
	}
	if f.System == outlastName && strings.HasSuffix(f.Bench, "/attempts-spent") && f.Value != 0 {
		t.Errorf("a crash cost an attempt: %+v", f)
	}
	if strings.HasSuffix(f.Bench, "-over-time") && len(f.Series) == 0 {
		t.Errorf("nothing over time: %+v", f)
	}
}

// The search takes what is best, and goes on where settings do not fit.
func TestSearch(t *testing.T) {
	var tried []string
	sys := knobbed{asynqSystem{}, []knob{{"a", []string{"1", "2", "bad"}}, {"b", []string{"1", "5", "3"}}}}
	b := bench{id: "X", run: func(_ context.Context, s *session) error {
		set := s.tuning()
		tried = append(tried, set["a"]+set["b"])
		if set["a"] == "bad" {
			return errors.New("does not fit")
		}
		s.record("", float64(set.number("a", 0)*10+set.number("b", 0)), "tasks/s", 1, "", nil)
		return nil
	}}
	s := &session{config: config{search: true, runs: 3, n: 1}, bench: b, say: io.Discard, servers: &servers{}}
	best, err := s.tune(t.Context(), sys)
	if err != nil || best["a"] != "2" || best["b"] != "5" || best["searched"] != "4" || len(tried) != 5 {
		t.Error(best, tried, err)
	}
	b.run = func(_ context.Context, s *session) error {
		s.record("p99", float64(s.tuning().number("a", 9)), "ms", 1, "", nil)
		return nil
	}
	b.score = "p99"
	s = &session{config: config{search: true, n: 1}, bench: b, say: io.Discard, servers: &servers{}}
	if best, err := s.tune(t.Context(), sys); err != nil || best["a"] != "1" {
		t.Error("less is better of a duration:", best, err)
	}
}

// knobbed is a system with other knobs.
type knobbed struct {
	system
	own []knob
}

func (k knobbed) knobs(work) []knob { return k.own }

// Ratios are taken run by run.
func TestRatioIsOfRuns(t *testing.T) {
	s := &session{bench: bench{id: "X", ratios: map[string]string{riverName: ">= 5"}}}
	for _, pair := range [][2]float64{{100, 10}, {60, 20}, {80, 10}} {
		s.recordOf(outlastName, "", pair[0], "tasks/s", 1, "", nil)
		s.recordOf(riverName, "", pair[1], "tasks/s", 1, "", nil)
	}
	s.compareScores(systems())
	f := s.figureOf(outlastName, "times-river")
	if f == nil || f.Value != 8 || f.Low != 3 || f.High != 10 || !*f.Reached {
		t.Errorf("%+v", f)
	}
}

func TestFigureIsMedianWithSpread(t *testing.T) {
	f := figure{Target: ">= 10"}
	for _, v := range []float64{30, 9, 11} {
		f.add(v)
	}
	if f.Value != 11 || f.Low != 9 || f.High != 30 || !*f.Reached {
		t.Errorf("%+v", f)
	}
	if f.add(5); f.Value != 10 || !*f.Reached {
		t.Errorf("of an even number: %+v", f)
	}
}

func TestQuantiles(t *testing.T) {
	var s samples
	for i := range 100 {
		s.add(time.Duration(100-i) * time.Millisecond)
	}
	if s.quantile(0.5) != 51 || s.quantile(0.99) != 100 || s.quantile(1) != 100 {
		t.Error(s.quantile(0.5), s.quantile(0.99), s.quantile(1))
	}
}

func TestArguments(t *testing.T) {
	for _, args := range [][]string{
		{}, {"measure"}, {"run", "B99"}, {"run", "--runs", "0"}, {"run", "--peers", "celery"}, {"run", "--store", "oracle://x"}, {"run", "--waiting", "many"}, {"run", "--nonsense"},
		{"here", "B99"}, {"here", "--json"}, {"here", "--store", "mysql:"}, {"here", "--store", "postgres://x@127.0.0.1:1/x", "--postgres-bin", "/x"},
	} {
		var out, messages bytes.Buffer
		if code := run(t.Context(), args, &out, &messages); code != 2 || messages.Len() == 0 {
			t.Errorf("%q: exit code %d, %q", args, code, messages.String())
		}
	}
	c, err := parse([]string{"B1", "--n", "5", "B2", "--json", "--store", "sqlite:"}, os.Stderr)
	if err != nil || len(c.ids) != 2 || c.n != 5 || !c.json {
		t.Errorf("%+v, %v", c, err)
	}
}

// The list names every bench.
func TestList(t *testing.T) {
	var out, messages bytes.Buffer
	if code := run(t.Context(), []string{"list"}, &out, &messages); code != 0 {
		t.Fatalf("exit code %d, %q", code, messages.String())
	}
	for _, b := range benches() {
		if !strings.Contains(out.String(), b.id) {
			t.Errorf("%s is not listed", b.id)
		}
	}
}

func TestStampedPayload(t *testing.T) {
	at, i, err := readStamp(stamped(7))
	if err != nil || i != 7 || time.Since(at) > time.Minute {
		t.Error(at, i, err)
	}
	if at, i, err = readStamp([]byte(`{"i": 12, "at": 1000}`)); err != nil || i != 12 || at.UnixNano() != 1000 {
		t.Error("as PostgreSQL writes it:", at, i, err)
	}
	if _, _, err = readStamp([]byte(`{"at":12}`)); err == nil {
		t.Error("half a stamp is none")
	}
}
