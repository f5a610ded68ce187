package retry

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// plainTarget is a target with nothing but a breaker.
func plainTarget(name string) *Target {
	return &Target{Name: name, Breaker: must(NewBreaker(BreakerConfig{}))}
}

func names(targets *Targets) (names []string) {
	for _, target := range targets.All() {
		names = append(names, target.Name)
	}
	return names
}

// TestTargetsBounded: the least recently used closed one gives way, one that is
// not closed or is forced never, and a name for which there is no room gets a
// target that is not kept.
func TestTargetsBounded(t *testing.T) {
	targets := NewTargets(3, time.Hour, plainTarget)
	at := func(s int) time.Time { return after(time.Duration(s) * time.Second) }
	a := targets.Get("a", at(0))
	targets.Get("b", at(1))
	targets.Get("c", at(2))
	if targets.Get("a", at(3)) != a {
		t.Fatal("a is another one")
	}
	targets.Get("d", at(4))
	if got := fmt.Sprint(names(targets)); got != "[a c d]" {
		t.Errorf("%s, b was the least recently used", got)
	}
	targets.Get("c", at(5)).Breaker.Force(at(5), Open)
	targets.Get("a", at(5)).Breaker.Force(at(5), Closed)
	targets.Get("e", at(6))
	targets.Get("e", at(7)).Breaker.Force(at(7), Open)
	if got := fmt.Sprint(names(targets)); got != "[a c e]" {
		t.Errorf("%s, a and c are forced", got)
	}
	f := targets.Get("f", at(8))
	if f == nil || f == targets.Get("f", at(8)) || len(names(targets)) != 3 {
		t.Errorf("f is kept: %v", names(targets))
	}
	a.Breaker.Unforce(at(9))
	a.Breaker.View(at(30)) // the ramp is over
	targets.Get("f", at(31))
	if got := fmt.Sprint(names(targets)); got != "[c e f]" {
		t.Errorf("%s, a has a closed breaker again", got)
	}
}

// TestTargetsIdle: what nobody asks for is forgotten when a name is added.
func TestTargetsIdle(t *testing.T) {
	targets := NewTargets(0, time.Minute, plainTarget)
	for i := range 200 {
		targets.Get(fmt.Sprint(i), day)
	}
	targets.Get("7", day).Breaker.Force(day, Open)
	targets.Get("8", after(50*time.Second))
	targets.Get("new", after(90*time.Second))
	if got := fmt.Sprint(names(targets)); got != "[7 8 new]" {
		t.Error(got)
	}
}

// TestTargetsModel compares with a map and the time of the last use: the least
// recently used one goes, and a name keeps its target until then.
func TestTargetsModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(1, 40).Draw(t, "most")
		targets := NewTargets(most, time.Hour, plainTarget)
		used, known := map[string]int{}, map[string]*Target{}
		for second := range rapid.IntRange(1, 200).Draw(t, "steps") {
			name := fmt.Sprint(rapid.IntRange(0, 60).Draw(t, "name"))
			got := targets.Get(name, after(time.Duration(second)*time.Second))
			if known[name] != nil && known[name] != got {
				t.Fatalf("%s is another target", name)
			}
			if known[name] == nil && len(known) == most {
				gone := slices.MinFunc(slices.Collect(maps.Keys(used)), func(a, b string) int { return used[a] - used[b] })
				delete(used, gone)
				delete(known, gone)
			}
			used[name], known[name] = second, got
			if want := slices.Sorted(maps.Keys(known)); !slices.Equal(names(targets), want) {
				t.Fatalf("%v, want %v", names(targets), want)
			}
		}
	})
}

// TestTargetsConcurrent: many goroutines ask for the same names and get the same
// targets, and a flood of names does not make the registry grow.
func TestTargetsConcurrent(t *testing.T) {
	targets := NewTargets(1000, time.Hour, plainTarget)
	var group sync.WaitGroup
	got := make([][]*Target, 64)
	for g := range got {
		group.Go(func() {
			for i := range 200 {
				got[g] = append(got[g], targets.Get(fmt.Sprint(i), day))
			}
		})
	}
	group.Wait()
	for g := range got {
		if !slices.Equal(got[g], got[0]) {
			t.Fatal("two goroutines have different targets of the same name")
		}
	}
	for g := range got {
		group.Go(func() {
			for i := range 1000 {
				targets.Get(fmt.Sprint("other", g, i), after(time.Duration(i)*time.Millisecond))
			}
		})
	}
	group.Wait()
	if n := len(targets.All()); n != 1000 {
		t.Errorf("%d targets", n)
	}
}

func TestTargetsGetAllocations(t *testing.T) {
	targets := NewTargets(0, 0, plainTarget)
	for i := range 1000 {
		targets.Get(fmt.Sprint(i), day)
	}
	now := day
	if n := testing.AllocsPerRun(1000, func() { now = now.Add(time.Second); targets.Get("500", now) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
