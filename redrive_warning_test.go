package outlast_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
)

var errRefused = verdictError{retry.Verdict{Category: retry.Permanent, Effect: retry.Done}}

// warned is what a dry run warns of.
func (k *kit) warned(request inspect.RedriveRequest) []inspect.RedriveWarning {
	k.Helper()
	request.DryRun = true
	result, err := k.client.Inspector().Letters.Redrive(k.ctx, request)
	if err != nil {
		k.Fatal(err)
	}
	return result.Warnings
}

// wants fails where a dry run of all letters warns of something else.
func (k *kit) wants(when string, want ...inspect.RedriveWarning) {
	k.Helper()
	if got := k.warned(inspect.RedriveRequest{Filter: &store.Filter{}}); !slices.Equal(got, want) {
		k.Errorf("%s: %+v, want %+v", when, got, want)
	}
}

// refuses starts a client whose type "r" dies of a permanent failure at once, and lets n
// letters die under the policy "p".
func (k *kit) refuses(n int) (ids []outlast.ID) {
	k.Helper()
	outlast.Handle(k.client, "r", func(context.Context, string) error { return errRefused })
	k.start()
	k.putPolicy("p", `{"max_attempts": 3}`)
	for range n {
		ids = append(ids, k.enqueue(outlast.Draft{Type: "r", Policy: "p"}).ID)
	}
	k.after(5 * time.Second)
	if got := k.countLetters(); got != n {
		k.Fatalf("%d letters, want %d", got, n)
	}
	return ids
}

func permanent(n int) inspect.RedriveWarning {
	return inspect.RedriveWarning{Code: inspect.WarnPermanent, Letters: n, Of: n}
}

// A permanent failure is warned of until something changes that may mend it.
func TestRedriveWarnsOfPermanentFailures(t *testing.T) {
	changes := map[string]func(k *kit){
		"a version of its policy": func(k *kit) { k.putPolicy("p", `{"max_attempts": 4}`) },
		"a release": func(k *kit) {
			node := k.open(k.store, outlast.WithRelease("two"))
			if err := node.Start(k.ctx); err != nil {
				k.Fatal(err)
			}
		},
		"an order about its target": func(k *kit) {
			if _, err := k.client.Inspector().Targets.Order(k.ctx, "r", store.TargetReset); err != nil {
				k.Fatal(err)
			}
		},
	}
	for what, change := range changes {
		t.Run(what, func(t *testing.T) {
			virtually(t, func(k *kit) {
				k.refuses(2)
				k.wants("before", permanent(2))
				k.putPolicy("other", `{"max_attempts": 4}`)
				same := k.open(k.store, outlast.WithRelease("one"))
				if err := same.Start(k.ctx); err != nil {
					k.Fatal(err)
				}
				k.after(10 * time.Second)
				k.wants("after what is not about it", permanent(2))
				change(k)
				k.after(10 * time.Second)
				k.wants("after " + what)
			}, outlast.WithRelease("one"))
		})
	}
}

// A redrive that has failed before is warned of: after another failure it has not.
func TestRedriveWarnsOfTheSameDeath(t *testing.T) {
	virtually(t, func(k *kit) {
		p := &patient{}
		ids := k.dying(p, 3)
		k.wants("before the first redrive")
		again := func(ids []outlast.ID) {
			if _, err := k.client.Inspector().Letters.Redrive(k.ctx, inspect.RedriveRequest{IDs: ids}); err != nil {
				k.Fatal(err)
			}
			k.after(5 * time.Second)
		}
		again(ids[:2])
		same := inspect.RedriveWarning{Code: inspect.WarnDiedAgain, Letters: 2, Of: 3}
		k.wants("after a redrive of two", same)
		p.cured(func(int) error { return outlast.GiveUp(errors.New("another thing")) })
		again(ids[:1])
		same.Letters = 1
		k.wants("after one died of another thing", same)
		if got := k.warned(inspect.RedriveRequest{IDs: ids[1:2]}); len(got) != 1 || got[0].Letters != 1 || got[0].Of != 1 {
			k.Errorf("by its id: %+v", got)
		}
		if got := k.warned(inspect.RedriveRequest{Filter: &store.Filter{}, Payload: []byte(`{}`)}); len(got) != 0 {
			k.Errorf("with another payload: %+v", got)
		}
	})
}

// A breaker that is open holds what is redriven, whatever its payload, and mends nothing.
func TestRedriveWarnsOfAnOpenBreaker(t *testing.T) {
	virtually(t, func(k *kit) {
		k.refuses(3)
		order := func(action store.TargetAction) {
			if _, err := k.client.Inspector().Targets.Order(k.ctx, "r", action); err != nil {
				k.Fatal(err)
			}
			k.after(5 * time.Second)
		}
		order(store.TargetOpen)
		open := inspect.RedriveWarning{Code: inspect.WarnBreakerOpen, Letters: 3, Of: 3, Target: "r"}
		k.wants("while it is open", permanent(3), open)
		if got := k.warned(inspect.RedriveRequest{Filter: &store.Filter{}, Payload: []byte(`{}`)}); !slices.Equal(got, []inspect.RedriveWarning{open}) {
			k.Errorf("with another payload: %+v", got)
		}
		if got := k.warned(inspect.RedriveRequest{Filter: &store.Filter{Type: "others"}}); len(got) != 0 {
			k.Errorf("of other letters: %+v", got)
		}
		order(store.TargetReset)
		k.wants("after it was reset")
	})
}
