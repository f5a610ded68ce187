package stats_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/stats"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func keeper(backend store.Config, release string) *stats.Keeper {
	return stats.New(stats.Config{Backend: backend, Logger: slog.New(slog.DiscardHandler), Release: release})
}

func compare(t *testing.T, k *stats.Keeper, q inspect.ComparisonQuestion) []inspect.Comparison {
	t.Helper()
	all, err := k.Compare(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// What two nodes have counted is added up, outlives them, and is compared with the
// release before.
func TestCompare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		backend := memory.New()
		for n, release := range []string{"1", "2", "2"} {
			k := keeper(backend, release)
			k.Start(t.Context())
			for i := range 100 {
				k.Add(&stats.Attempt{Type: "t", Number: 1, Policy: "p", Version: int64(1 + n), Run: 10 * time.Millisecond})
				k.Add(&stats.Attempt{Type: "t", Number: 2, Failed: i < 7, Run: time.Duration(n+1) * time.Second, Delay: time.Millisecond})
			}
			time.Sleep(time.Minute)
			k.Stop(t.Context())
		}
		k := keeper(backend, "3")
		all := compare(t, k, inspect.ComparisonQuestion{})
		if len(all) != 2 || all[0].Number != 1 || all[1].Number != 2 {
			t.Fatalf("%+v", all)
		}
		from, to := all[1].From, all[1].To
		if from.Name != "1" || to.Name != "2" || from.Count != 100 || to.Count != 200 || from.Failed != 7 || to.Failed != 14 {
			t.Errorf("%+v, %+v", from, to)
		}
		if from.P99 < time.Second || from.P99 > 5*time.Second/4 || to.P50 < 2*time.Second || to.P99 < 3*time.Second || to.P99 > 15*time.Second/4 {
			t.Errorf("%+v, %+v", from, to)
		}
		if got := stats.Growth(all[0].From.P99, all[0].To.P99); got != 1 {
			t.Errorf("attempts as long as before have grown %v times", got)
		}
		versions := compare(t, k, inspect.ComparisonQuestion{By: inspect.ByPolicyVersion, Type: "t"})
		if len(versions) != 1 || versions[0].From.Name != "p@2" || versions[0].To.Name != "p@3" {
			t.Errorf("%+v", versions)
		}
		named := compare(t, k, inspect.ComparisonQuestion{By: inspect.ByPolicyVersion, From: "p@3", To: "p@1"})
		if len(named) != 1 || named[0].From.Name != "p@3" || named[0].To.Name != "p@1" {
			t.Errorf("%+v", named)
		}
		if got := compare(t, k, inspect.ComparisonQuestion{To: "4"}); len(got) != 0 {
			t.Errorf("%+v", got)
		}
		if got := compare(t, k, inspect.ComparisonQuestion{To: "1"}); len(got) != 2 || got[0].From != nil {
			t.Errorf("%+v", got)
		}
	})
}

// Another policy of a type is no change of the one before.
func TestVersionsOfOnePolicyAreCompared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := keeper(memory.New(), "r")
		for _, of := range []stats.Attempt{{Policy: "pa", Version: 1}, {Policy: "pb", Version: 1}, {Policy: "pa", Version: 2}, {Policy: "pc", Version: 1}} {
			of.Type, of.Number, of.Run = "t", 1, time.Second
			k.Add(&of)
			time.Sleep(time.Minute)
		}
		got := map[string]string{}
		for _, c := range compare(t, k, inspect.ComparisonQuestion{By: inspect.ByPolicyVersion}) {
			if got[c.To.Name] = ""; c.From != nil {
				got[c.To.Name] = c.From.Name
			}
		}
		if len(got) != 3 || got["pa@2"] != "pa@1" || got["pb@1"] != "" || got["pc@1"] != "" {
			t.Errorf("compared with the one before: %v", got)
		}
		for _, q := range []inspect.ComparisonQuestion{{From: "pa@1"}, {To: "pa@2"}} {
			q.By = inspect.ByPolicyVersion
			if all := compare(t, k, q); len(all) != 1 || all[0].From == nil || all[0].From.Name != "pa@1" || all[0].To.Name != "pa@2" {
				t.Errorf("%+v: %+v", q, all)
			}
		}
	})
}

// A percentile is never too low, and at most a quarter too high.
func TestPercentiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		took := rapid.Int64Range(1, int64(24*time.Hour/time.Microsecond)).Draw(t, "µs")
		k := keeper(memory.New(), "r")
		k.Add(&stats.Attempt{Type: "t", Number: 1, Run: time.Duration(took) * time.Microsecond})
		all, err := k.Compare(context.Background(), inspect.ComparisonQuestion{})
		if err != nil || len(all) != 1 {
			t.Fatal(all, err)
		}
		got, exact := all[0].To.P99, time.Duration(took)*time.Microsecond
		if got < exact || got > exact+exact/4+time.Microsecond || all[0].To.P50 != got {
			t.Fatalf("%s became %s", exact, got)
		}
	})
}

// flaky loses answers: every other change is made and reported as failed.
type flaky struct {
	store.Config
	mu    sync.Mutex
	calls int
}

func (f *flaky) Change(ctx context.Context, change store.Change) (*store.Changed, error) {
	changed, err := f.Config.Change(ctx, change)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.calls++; f.calls%2 == 1 {
		return nil, errors.New("the answer was lost")
	}
	return changed, err
}

// Nothing is lost or counted twice by nodes that write at once through a store whose
// answers get lost.
func TestLostAnswers(t *testing.T) {
	backend := &flaky{Config: memory.New()}
	const nodes, attempts = 4, 50
	var running sync.WaitGroup
	for range nodes {
		running.Go(func() {
			k := keeper(backend, "r")
			for range attempts {
				k.Add(&stats.Attempt{Type: "t", Number: 1, Run: time.Millisecond})
				if _, err := k.Compare(t.Context(), inspect.ComparisonQuestion{}); err != nil {
					t.Error(err)
				}
			}
			for range 40 { // until all is written
				_, _ = k.Compare(t.Context(), inspect.ComparisonQuestion{})
			}
		})
	}
	running.Wait()
	all, err := stats.Compare(t.Context(), backend, inspect.ComparisonQuestion{})
	if err != nil || len(all) != 1 || all[0].To.Count != nodes*attempts {
		t.Fatalf("%+v, %v", all, err)
	}
}

// However many types and versions there are, what is kept is bounded.
func TestBounds(t *testing.T) {
	backend := memory.New()
	k := keeper(backend, "r")
	for i := range 1000 {
		k.Add(&stats.Attempt{Type: fmt.Sprint("t", i), Number: 1 + i, Policy: "p", Version: 1, Run: time.Second})
	}
	all := compare(t, k, inspect.ComparisonQuestion{})
	total := 0
	for _, one := range all {
		total += one.To.Count
	}
	if total != 1000 || len(all) > 205 {
		t.Errorf("%d attempts in %d", total, len(all))
	}
	for release := range 20 {
		k := keeper(backend, fmt.Sprint(release))
		for number := range 5 {
			for us := range 5000 {
				k.Add(&stats.Attempt{Type: "t0", Number: number + 1, Run: time.Duration(us*us) * time.Microsecond, Delay: time.Duration(us) * time.Millisecond})
			}
		}
		if got := compare(t, k, inspect.ComparisonQuestion{Type: "t0"}); len(got) != 5 || got[0].To.Name != fmt.Sprint(release) {
			t.Fatalf("%d: %+v", release, got)
		}
	}
	o, err := backend.Object(t.Context(), stats.Kind, "t0")
	if err != nil || len(o.Body) > store.MaxObject {
		t.Errorf("%d bytes, %v", len(o.Body), err)
	}
}

func TestAddAllocatesNothing(t *testing.T) {
	k := keeper(memory.New(), "r")
	a := &stats.Attempt{Type: "t", Number: 1, Policy: "p", Version: 1, Run: time.Second}
	k.Add(a)
	if got := testing.AllocsPerRun(100, func() { k.Add(a) }); got != 0 {
		t.Errorf("%v allocations", got)
	}
}

func BenchmarkAdd(b *testing.B) {
	k := keeper(memory.New(), "r")
	a := &stats.Attempt{Type: "t", Number: 1, Policy: "p", Version: 1, Run: time.Second}
	for b.Loop() {
		k.Add(a)
	}
}
