package outlast_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/racetest"
	"github.com/outlast-dev/outlast/internal/stats"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Attempts of remote workers are counted and recorded under the release that their
// poll names, whichever node hears of their end, and under the node's where it names
// none. An attempt that is lost names it too.
func TestReleasesOfWorkers(t *testing.T) {
	virtually(t, func(k *kit) {
		k.start()
		k.putPolicy("p", `{"max_attempts":5,"backoff":{"kind":"fixed","initial":"1s","jitter":"none"},"breaker":"none","budget":"none"}`)
		poll := func(release string) outlast.Leased {
			k.Helper()
			leased, err := k.client.Workers().Poll(k.ctx, outlast.Poll{
				Worker: "w", Release: release, Queues: []string{"default"}, Most: 1, Wait: time.Minute, Lease: time.Minute,
			})
			if err != nil || len(leased) != 1 {
				k.Fatal(leased, err)
			}
			return leased[0]
		}
		for n, release := range []string{"1/a b", "2"} {
			for range 20 {
				id := k.enqueue(outlast.Draft{Type: "t", Policy: "p"}).ID
				for _, end := range []error{errBroken, nil} {
					leased := poll(release)
					k.after(time.Duration(n+1) * time.Second)
					if got, err := k.client.Workers().Settle(k.ctx, []outlast.Ending{{ID: id, Claim: leased.Task.Claim, Err: end}}); err != nil || got[0].Status != store.StatusOK {
						k.Fatal(got, err)
					}
				}
				attempts, err := k.client.Inspector().Tasks.Attempts(k.ctx, id)
				want := task.Label{Policy: "p", PolicyVersion: 1, Release: release}
				if err != nil || len(attempts) != 2 || attempts[0].Label != want || attempts[1].Label != want {
					k.Fatalf("%+v, %v", attempts, err)
				}
			}
		}
		lost := k.enqueue(outlast.Draft{Type: "t"}).ID
		poll("3")
		k.after(2 * time.Minute)
		unnamed := poll("")
		other := k.open(k.store, outlast.WithRelease("node 2"))
		if err := other.Start(k.ctx); err != nil {
			k.Fatal(err)
		}
		if _, err := other.Workers().Settle(k.ctx, []outlast.Ending{{ID: lost, Claim: unnamed.Task.Claim}}); err != nil {
			k.Fatal(err)
		}
		attempts, err := k.client.Inspector().Tasks.Attempts(k.ctx, lost)
		if err != nil || len(attempts) != 2 || attempts[1].Release != "node 2" {
			k.Fatalf("%+v, %v", attempts, err)
		}
		if _, worker, release := task.Runner(attempts[0].Node); attempts[0].Outcome != task.OutcomeCrashed || worker != "w" || release != "3" {
			k.Errorf("%+v", attempts[0])
		}
		for _, client := range []*outlast.Client{k.client, other} {
			if err := client.Stop(k.ctx); err != nil {
				k.Fatal(err)
			}
		}
		all, err := k.client.Inspector().Stats.Compare(k.ctx, inspect.ComparisonQuestion{Type: "t", From: "1/a b", To: "2"})
		if err != nil || len(all) != 2 {
			k.Fatal(all, err)
		}
		for _, one := range all {
			if one.From.Count != 20 || one.To.Count != 20 || stats.Growth(one.From.P50, one.To.P50) < 1.7 {
				k.Errorf("%+v, %+v", one.From, one.To)
			}
		}
	})
}

// Attempts are counted under the release of their node and the version of the policy
// in force, those that succeed included, and what another node has counted is there.
func TestCompareStats(t *testing.T) {
	racetest.WithoutDetector(t)
	virtually(t, func(k *kit) {
		for n, release := range []string{"1", "2"} {
			client := k.open(k.store, outlast.WithRelease(release))
			outlast.Handle(client, "t", func(ctx context.Context, _ mail) error {
				<-time.After(time.Duration(n+1) * time.Second)
				if info, _ := outlast.Info(ctx); info.Attempt == 1 {
					return errors.New("no")
				}
				return nil
			})
			if err := client.Start(k.ctx); err != nil {
				k.Fatal(err)
			}
			if _, _, err := client.Inspector().Policies.Put(k.ctx, inspect.PolicyChange{Name: "p", Form: []byte([]string{`{"max_attempts":5}`, `{"max_attempts":6}`}[n])}); err != nil {
				k.Fatal(err)
			}
			for range 60 {
				if _, err := client.Enqueue(k.ctx, outlast.Draft{Type: "t", Policy: "p"}); err != nil {
					k.Fatal(err)
				}
			}
			k.after(time.Hour)
			if err := client.Stop(k.ctx); err != nil {
				k.Fatal(err)
			}
		}
		k.start()
		for by, names := range map[inspect.ComparisonBy][2]string{inspect.ByRelease: {"1", "2"}, inspect.ByPolicyVersion: {"p@1", "p@2"}} {
			all, err := k.client.Inspector().Stats.Compare(k.ctx, inspect.ComparisonQuestion{By: by, Type: "t"})
			if err != nil || len(all) != 2 {
				k.Fatal(all, err)
			}
			for i, one := range all {
				if one.Number != i+1 || one.From.Name != names[0] || one.To.Name != names[1] || one.From.Count != 60 || one.To.Count != 60 {
					k.Errorf("%s: %+v, %+v", by, one.From, one.To)
				}
				if failed := 60 * (1 - i); one.From.Failed != failed || one.To.Failed != failed {
					k.Errorf("%s: %d and %d failed", by, one.From.Failed, one.To.Failed)
				}
				if growth := stats.Growth(one.From.P99, one.To.P99); growth < 1.9 || growth > 2.1 {
					k.Errorf("%s: %s became %s", by, one.From.P99, one.To.P99)
				}
			}
		}
		// The second attempts take twice as long as before, in both comparisons.
		k.after(2 * time.Minute)
		told := map[any]bool{}
		for _, event := range k.log.events(k.T, "alert") {
			if event["rule"] == "slower_after_change" {
				told[event["subject"]] = true
			}
		}
		if len(told) != 2 || !told["t attempt 2 2"] || !told["t attempt 2 p@2"] {
			k.Errorf("told of %v", told)
		}
		_, err := k.client.Inspector().Stats.Compare(k.ctx, inspect.ComparisonQuestion{By: "node", From: "a", To: "a"})
		if e := wantCode(k.T, err, "invalid"); len(e.Fields) != 2 {
			k.Errorf("%+v", e.Fields)
		}
	})
}
