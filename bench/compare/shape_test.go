package compare

import (
	"bytes"
	"context"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	avast "github.com/avast/retry-go/v5"
	"github.com/cenkalti/backoff/v5"
	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	"github.com/sony/gobreaker/v2"

	"github.com/outlast-dev/outlast/internal/sim"
	"github.com/outlast-dev/outlast/plan"
	"github.com/outlast-dev/outlast/retry"
)

var shapeClaims = []claim{
	{
		name: "success_allocates_nothing",
		what: "A call that succeeds at once allocates nothing",
		how:  "testing.AllocsPerRun; policies and executors are reused (times: docs/explanation/benchmarks.md, B11)",
		ours: "0, also with budget and breaker",
		peers: []rival{
			defect(failsafeGo, "14 allocations", allocations(14, func() func() {
				executor := failsafe.With[any](retrypolicy.NewWithDefaults[any]())
				op := func() error { return nil }
				return func() { _ = executor.Run(op) }
			})),
			defect(cenkalti, "3 allocations", allocations(3, func() func() {
				ctx, op, options := context.Background(), func() (any, error) { return nil, nil }, []backoff.RetryOption{backoff.WithBackOff(&backoff.ZeroBackOff{})}
				return func() { _, _ = backoff.Retry(ctx, op, options...) }
			})),
			sound(avastRetry, "0", allocations(0, func() func() {
				retrier, op := avast.New(), func() error { return nil }
				return func() { _ = retrier.Do(op) }
			})),
			sound(sonyGobreaker, "0", allocations(0, func() func() {
				b, op := gobreaker.NewCircuitBreaker[any](gobreaker.Settings{}), func() (any, error) { return nil, nil }
				return func() { _, _ = b.Execute(op) }
			})),
		},
		outlast: allocations(0, func() func() {
			b, err := retry.NewBudget(retry.BudgetConfig{})
			if err != nil {
				panic(err)
			}
			guard, err := retry.NewBreaker(retry.BreakerConfig{})
			if err != nil {
				panic(err)
			}
			p, err := retry.New(retry.WithBudget(b), retry.WithBreaker(guard))
			if err != nil {
				panic(err)
			}
			ctx, op := context.Background(), func(context.Context) error { return nil }
			return func() { _ = retry.Do(ctx, p, op) }
		}),
	},
	{
		name: "core_needs_the_standard_library_only",
		what: "The retry core imports nothing but the standard library",
		how:  "go list -deps of the package that retries",
		ours: "nothing else (the module around it, which holds the durable engine, has more)",
		peers: []rival{
			defect(failsafeGo, "retrypolicy imports a bit set of another module; its module also asks for gRPC and protobuf", func(t *testing.T) {
				exactly(t, "others", strings.Join(others(t, "github.com/failsafe-go/failsafe-go/retrypolicy"), " "), "github.com/bits-and-blooms/bitset")
			}),
			sound(cenkalti, "nothing else", needsNothing("github.com/cenkalti/backoff/v5")),
			sound(avastRetry, "nothing else", needsNothing("github.com/avast/retry-go/v5")),
			sound(sonyGobreaker, "nothing else, in the breaker itself", needsNothing("github.com/sony/gobreaker/v2")),
		},
		outlast: needsNothing("github.com/outlast-dev/outlast/retry"),
	},
	{
		name: "loop_form",
		what: "Retries can be written as a loop",
		how:  "for a := range p.Attempts(ctx) { … }; who exports an iterator (package iter)?",
		ours: "yes; break gives up, the body keeps its variables and may return",
		peers: []rival{
			defect(failsafeGo, "no iterators", noIterators(failsafeGo)),
			defect(cenkalti, "no iterators; a Ticker, which is a channel", noIterators(cenkalti)),
			defect(avastRetry, "no iterators", noIterators(avastRetry)),
		},
		outlast: bubble(func(t *testing.T) {
			g := newTarget()
			var err error
			for a := range policy(t, retry.Idempotent()).Attempts(t.Context()) {
				exactly(t, "the attempt's context is alive", a.Context().Err(), nil)
				err = errReset
				if g.hit() == 3 {
					err = nil
				}
				err = a.Done(err)
			}
			exactly(t, "error", err, nil)
			exactly(t, "attempts", g.hits(), 3)
		}),
	},
	{
		name: "planner_and_simulator",
		what: "A policy can be planned, and tried in a storm, before it meets one",
		how:  "the packages of each library; here, the plan of a policy without jitter, and the storm of HotOS'21 at 93 % utilisation",
		ours: "the plan warns (no_jitter, and the load that it bears); the storm is survived, and its control without a budget is not",
		peers: []rival{
			defect(failsafeGo, "neither", noPlans(failsafeGo)),
			defect(cenkalti, "neither", noPlans(cenkalti)),
			defect(avastRetry, "neither", noPlans(avastRetry)),
			defect(sonyGobreaker, "neither", noPlans(sonyGobreaker)),
		},
		outlast: func(t *testing.T) {
			report, err := plan.Of(policy(t, retry.Attempts(4), retry.Exponential(time.Second, 2, 30*time.Second), retry.NoJitter()), plan.Env{FailRate: 0.5})
			if err != nil {
				t.Fatal(err)
			}
			exactly(t, "it warns of missing jitter", slices.ContainsFunc(report.Warnings, func(w plan.Warning) bool { return w.Code == "no_jitter" }), true)
			exactly(t, "total wait", report.Total.Nominal, 7*time.Second)
			exactly(t, "success of four attempts", report.Success[3], 0.9375)
			storm := sim.Find("S4").Run(1, nil)
			for _, v := range storm.Verdicts {
				t.Logf("%s: %s, wanted %s", v.Name, v.Measured, v.Bound)
			}
			exactly(t, "the storm is survived", storm.Passed, true)
			exactly(t, "it has controls that must fail", slices.ContainsFunc(storm.Variants, func(v sim.Variant) bool { return v.Control }), true)
		},
	},
	{
		name: "virtual_time",
		what: "Tests need not wait: everything runs in virtual time (testing/synctest)",
		how:  "ten attempts with an hour between them",
		ours: "nine hours pass in no time; guards also take the time as an argument, so that a simulator needs no goroutines",
		peers: []rival{
			sound(failsafeGo, "so does it", bubble(func(t *testing.T) {
				for _, gap := range failsafeDelays(t, 9, retrypolicy.NewBuilder[any]().WithDelay(time.Hour)) {
					exactly(t, "wait", gap, time.Hour)
				}
			})),
			sound(cenkalti, "so does it", bubble(func(t *testing.T) {
				g := newTarget()
				_, _ = backoff.Retry(t.Context(), func() (any, error) { g.hit(); return nil, errReset },
					backoff.WithBackOff(backoff.NewConstantBackOff(time.Hour)), backoff.WithMaxTries(10), backoff.WithMaxElapsedTime(0))
				exactly(t, "attempts", g.hits(), 10)
				exactly(t, "time", g.times()[9], 9*time.Hour)
			})),
			sound(avastRetry, "so does it", bubble(func(t *testing.T) {
				gaps := avastDelays(t, 9, avast.Delay(time.Hour), avast.DelayType(avast.FixedDelay))
				exactly(t, "waits", len(gaps), 9)
				exactly(t, "wait", gaps[8], time.Hour)
			})),
			sound(sonyGobreaker, "so does it", bubble(func(t *testing.T) {
				b := gobreaker.NewCircuitBreaker[any](gobreaker.Settings{Timeout: time.Hour})
				for range 6 {
					_, _ = b.Execute(func() (any, error) { return nil, errReset })
				}
				time.Sleep(time.Hour + 1)
				exactly(t, "state", b.State(), gobreaker.StateHalfOpen)
			})),
		},
		outlast: bubble(func(t *testing.T) {
			gaps := ownDelays(t, 9, retry.Fixed(time.Hour), retry.NoJitter())
			exactly(t, "waits", len(gaps), 9)
			exactly(t, "wait", gaps[8], time.Hour)
		}),
	},
}

// allocations says how many allocations a call makes.
func allocations(want float64, prepare func() func()) func(t *testing.T) {
	return func(t *testing.T) { exactly(t, "allocations", testing.AllocsPerRun(1000, prepare()), want) }
}

// golist asks the go command about packages.
func golist(t *testing.T, args ...string) []string {
	t.Helper()
	var message bytes.Buffer
	command := exec.CommandContext(t.Context(), "go", append([]string{"list"}, args...)...)
	command.Stderr = &message
	out, err := command.Output()
	if err != nil {
		t.Fatalf("go list: %v: %s", err, message.String())
	}
	return strings.Fields(string(out))
}

// others are the packages below one that belong to neither its module nor the
// standard library.
func others(t *testing.T, path string) []string {
	own := golist(t, "-f", "{{.Module.Path}}", path)[0]
	return slices.DeleteFunc(golist(t, "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", path), func(p string) bool {
		return p == own || strings.HasPrefix(p, own+"/")
	})
}

func needsNothing(path string) func(t *testing.T) {
	return func(t *testing.T) { exactly(t, "others", len(others(t, path)), 0) }
}

// noIterators says that no package of a peer imports iter.
func noIterators(p peer) func(t *testing.T) {
	return func(t *testing.T) {
		all := golist(t, p.module+"/...")
		atLeast(t, "packages", len(all), 1)
		exactly(t, "one of them imports iter", slices.Contains(golist(t, "-f", `{{join .Imports "\n"}}`, p.module+"/..."), "iter"), false)
	}
}

// noPlans says that no package of a peer plans or simulates.
func noPlans(p peer) func(t *testing.T) {
	return func(t *testing.T) {
		for _, path := range golist(t, p.module+"/...") {
			t.Log(path)
			for _, word := range []string{"plan", "sim", "storm", "chaos"} {
				if strings.Contains(strings.TrimPrefix(path, p.module), word) {
					t.Errorf("package %s may do that", path)
				}
			}
		}
	}
}

// goroutinesInWait starts 100 calls and counts the goroutines of this bubble
// that are there while they wait: those of other tests come and go.
func goroutinesInWait(start func() (stop func())) int {
	before := goroutinesOfBubble()
	var stops []func()
	for range 100 {
		stops = append(stops, start())
	}
	synctest.Wait()
	count := goroutinesOfBubble() - before
	for _, stop := range stops {
		stop()
	}
	return count
}

// ofBubble finds in the first line of a goroutine's stack the bubble that it
// is in: "goroutine 9 [chan receive (durable), synctest bubble 7]:".
var ofBubble = regexp.MustCompile(`(?m)^goroutine \d+ \[.*(synctest bubble \d+)`)

func goroutinesOfBubble() int {
	stack := func(all bool) string {
		buf := make([]byte, 4<<20)
		return string(buf[:runtime.Stack(buf, all)])
	}
	own := ofBubble.FindStringSubmatch(stack(false))[1]
	count := 0
	for _, found := range ofBubble.FindAllStringSubmatch(stack(true), -1) {
		if found[1] == own {
			count++
		}
	}
	return count
}
