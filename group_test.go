package outlast_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/faulty"
	"github.com/outlast-dev/outlast/task"
)

var closing = outlast.Define[task.GroupEnded, outlast.None]("closing")

// callbacks are what groups told when all their members had ended.
type callbacks struct {
	mu  sync.Mutex
	all []task.GroupEnded
}

func (c *callbacks) serve(client *outlast.Client) {
	closing.Handle(client, outlast.NoResult(func(_ context.Context, told task.GroupEnded) error {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.all = append(c.all, told)
		return nil
	}))
}

// want fails the test unless each of some groups has told once, with these counts.
func (c *callbacks) want(k *kit, want ...task.GroupCounts) {
	k.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.all) != len(want) {
		k.Fatalf("%d callbacks, want %d: %+v", len(c.all), len(want), c.all)
	}
	for i := range want {
		if c.all[i].GroupCounts != want[i] {
			k.Errorf("callback %d: %+v, want %+v", i, c.all[i], want[i])
		}
	}
}

func (k *kit) newGroup(id outlast.ID) *outlast.Group {
	k.Helper()
	group, err := outlast.NewGroup(k.ctx, k.client, task.Group{ID: id, Label: "March"}, closing)
	if err != nil {
		k.Fatal(err)
	}
	return group
}

func (k *kit) members(group *outlast.Group, drafts ...outlast.Draft) []outlast.Receipt {
	k.Helper()
	receipts, err := group.Enqueue(k.ctx, drafts...)
	if err != nil {
		k.Fatal(err)
	}
	return receipts
}

func (k *kit) closes(group *outlast.Group) {
	k.Helper()
	if err := group.Close(k.ctx); err != nil {
		k.Fatal(err)
	}
}

func (k *kit) status(group *outlast.Group) *task.Group {
	k.Helper()
	status, err := group.Status(k.ctx)
	if err != nil {
		k.Fatal(err)
	}
	return status
}

// mixed are handlers of members that end in each way.
func mixed(client *outlast.Client) {
	outlast.Handle(client, "good", func(context.Context, int) error { return nil })
	outlast.Handle(client, "bad", func(context.Context, int) error { return outlast.GiveUp(errors.New("no")) })
}

func TestGroupTellsOnceWhenAllHaveEnded(t *testing.T) {
	virtually(t, func(k *kit) {
		var told callbacks
		told.serve(k.client)
		mixed(k.client)
		k.start()
		group := k.newGroup(outlast.NewID())
		members := k.members(group, outlast.Draft{Type: "good", Payload: []byte("1")}, outlast.Draft{Type: "bad", Payload: []byte("2")},
			outlast.Draft{Type: "good", Payload: []byte("3"), Delay: 10 * time.Minute}, outlast.Draft{Type: "good", Payload: []byte("4"), Delay: 20 * time.Minute})
		k.after(time.Minute)
		k.closes(group)
		k.after(time.Minute)
		told.want(k)
		if got := k.status(group); got.State != task.GroupClosed || got.Counts != (task.GroupCounts{Members: 4, Succeeded: 1, Dead: 1}) {
			t.Fatalf("the group is %+v", got)
		}
		if _, err := k.client.Inspector().Tasks.Cancel(k.ctx, members[3].Task.ID); err != nil {
			t.Fatal(err)
		}
		k.after(30 * time.Minute)
		told.want(k, task.GroupCounts{Members: 4, Succeeded: 2, Dead: 1, Canceled: 1})
		done := k.status(group)
		if first := told.all[0]; first.Group != group.ID() || first.Label != "March" || !first.ClosedAt.Equal(done.ClosedAt) || !first.CreatedAt.Equal(done.CreatedAt) {
			t.Errorf("it told %+v", first)
		}
		callback := k.get(done.CallbackTask)
		if callback.Task.Spec.Parent != group.ID() || callback.Task.Spec.Follows != task.FollowGroup || !callback.Task.Spec.Group.IsZero() {
			t.Errorf("the callback is %+v", callback.Task.Spec)
		}
		if of := k.get(members[0].Task.ID).Task.Spec.Group; of != group.ID() {
			t.Errorf("a member shows the group %s", of)
		}
	})
}

func TestGroupIsMadeAgainByAProducerThatWasKilled(t *testing.T) {
	virtually(t, func(k *kit) {
		var told callbacks
		told.serve(k.client)
		mixed(k.client)
		id := outlast.NewID()
		for range 2 { // a client that has not started is enough for a producer
			group := k.newGroup(id)
			if group.ID() != id {
				t.Fatalf("the group is %s, want %s", group.ID(), id)
			}
			for i := range 3 {
				k.members(group, outlast.Draft{ID: group.Member(fmt.Sprint("row ", i)), Type: "good", Payload: []byte("1")})
			}
			k.closes(group)
			k.closes(group)
		}
		k.start()
		k.after(time.Minute)
		told.want(k, task.GroupCounts{Members: 3, Succeeded: 3})
	})
}

func TestGroupRefuses(t *testing.T) {
	virtually(t, func(k *kit) {
		mixed(k.client)
		closing.Handle(k.client, outlast.NoResult(func(context.Context, task.GroupEnded) error { return nil }))
		k.start()
		group := k.newGroup(outlast.NewID())
		_, err := group.Enqueue(k.ctx, outlast.Draft{Type: "good", DedupeKey: "k"})
		if e := wantCode(t, err, task.CodeInvalid); len(e.Fields) != 1 || e.Fields[0].Path != "tasks[0].dedupe_key" {
			t.Errorf("told %+v", e.Fields)
		}
		many := make([]outlast.Draft, 1003)
		for i := range many {
			many[i] = outlast.Draft{Type: "good", Payload: []byte("1")}
		}
		many[1002].Priority = ptr(12)
		receipts, err := group.Enqueue(k.ctx, many...)
		if e := wantCode(t, err, task.CodeInvalid); len(receipts) != 1000 || e.Fields[0].Path != "tasks[1002].priority" {
			t.Errorf("%d receipts, told %+v", len(receipts), e.Fields)
		}
		k.closes(group)
		_, err = group.Enqueue(k.ctx, outlast.Draft{Type: "good"})
		wantCode(t, err, task.CodeConflict)
		_, err = k.client.Group(outlast.NewID()).Enqueue(k.ctx, outlast.Draft{Type: "good"})
		wantCode(t, err, task.CodeNotFound)
		wantCode(t, k.client.Group(outlast.NewID()).Close(k.ctx), task.CodeNotFound)
		for path, bad := range map[string]task.Group{
			"callback.type":           {},
			"callback.queue":          {Callback: task.Follow{Type: "closing", Queue: "nowhere"}},
			"callback.payload":        {Callback: task.Follow{Type: "closing", Payload: []byte("{")}},
			"callback.policy":         {Callback: task.Follow{Type: "closing", Policy: "none such"}},
			"id":                      {ID: outlast.ID{1}, Callback: task.Follow{Type: "closing"}},
			"label":                   {Label: string(make([]byte, 201)), Callback: task.Follow{Type: "closing"}},
			"callback.target.headers": {Callback: task.Follow{HTTP: &task.Request{URL: "https://a.example", Headers: map[string]string{"a b": "c"}}}},
		} {
			_, err := outlast.NewGroup(k.ctx, k.client, bad, nil)
			if e := wantCode(t, err, task.CodeInvalid); len(e.Fields) == 0 || e.Fields[0].Path[:min(len(path), len(e.Fields[0].Path))] != path {
				t.Errorf("%s: told %+v", path, e.Fields)
			}
		}
		_, err = outlast.NewGroup(k.ctx, k.client, task.Group{ID: group.ID(), Label: "April"}, closing)
		wantCode(t, err, task.CodeIDConflict)
	})
}

// A callback may be any task, with a payload of its own.
func TestGroupWithAnotherCallback(t *testing.T) {
	virtually(t, func(k *kit) {
		var got string
		outlast.Handle(k.client, "plain", func(_ context.Context, text string) error { got = text; return nil })
		k.start()
		group, err := outlast.NewGroup(k.ctx, k.client, task.Group{Callback: task.Follow{Type: "plain", Payload: []byte(`"over"`)}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		k.closes(group) // without members
		k.after(time.Second)
		if got != "over" || k.status(group).State != task.GroupDone {
			t.Errorf("the callback got %q", got)
		}
	})
}

func TestGroupWaitsForARedrivenMember(t *testing.T) {
	virtually(t, func(k *kit) {
		var told callbacks
		told.serve(k.client)
		var repaired bool
		outlast.Handle(k.client, "bad", func(context.Context, int) error {
			if repaired {
				return nil
			}
			return outlast.GiveUp(errors.New("no"))
		})
		outlast.Handle(k.client, "good", func(context.Context, int) error { return nil })
		k.start()
		group := k.newGroup(outlast.NewID())
		bad := k.members(group, outlast.Draft{Type: "bad", Payload: []byte("1")}, outlast.Draft{Type: "good", Payload: []byte("1"), Delay: 10 * time.Minute})[0].Task.ID
		k.closes(group)
		k.after(time.Minute)
		repaired = true
		if _, err := k.client.Inspector().Letters.Redrive(k.ctx, inspect.RedriveRequest{IDs: []outlast.ID{bad}}); err != nil {
			t.Fatal(err)
		}
		k.after(30 * time.Minute)
		told.want(k, task.GroupCounts{Members: 2, Succeeded: 2})
	})
}

// Whatever call of the store fails around the end, before it has done anything or after it has
// committed, the callback is enqueued once.
func TestGroupTellsOnceWhateverFails(t *testing.T) {
	for _, method := range []string{"FinishGroup", "Group", "CloseGroup", "Settle", "Enqueue"} {
		for _, kind := range []faulty.Kind{faulty.Fail, faulty.Lose} {
			t.Run(fmt.Sprint(method, " ", kind), func(t *testing.T) {
				virtually(t, func(k *kit) {
					failing, faults := faulty.Wrap(k.store, 1, faulty.Rule{Kind: kind, Methods: []string{method}, Probability: 1, Limit: 2})
					k.client = k.open(failing, outlast.WithLogger(k.log.logger()))
					var told callbacks
					told.serve(k.client)
					mixed(k.client)
					k.start()
					group := k.newGroup(outlast.NewID())
					members := []outlast.Draft{{ID: group.Member("a"), Type: "good", Payload: []byte("1")}, {ID: group.Member("b"), Type: "bad", Payload: []byte("1"), Delay: time.Minute}}
					k.members(group, members...)
					for group.Close(k.ctx) != nil {
						k.after(time.Second)
					}
					k.after(5 * time.Minute)
					told.want(k, task.GroupCounts{Members: 2, Succeeded: 1, Dead: 1})
					if faults.Total() == 0 {
						t.Error("nothing failed")
					}
				})
			})
		}
	}
}

// A node that dies between the last end and the callback is followed by another, which looks
// at groups that are closed.
func TestGroupIsFoundWhenItsNodeHasDied(t *testing.T) {
	virtually(t, func(k *kit) {
		mixed(k.client)
		closing.Handle(k.client, outlast.NoResult(func(context.Context, task.GroupEnded) error { return nil }))
		group := k.newGroup(outlast.NewID())
		member := k.members(group, outlast.Draft{Type: "good", Payload: []byte("1"), Delay: 10 * time.Minute})[0].Task
		if _, err := k.store.CloseGroup(k.ctx, group.ID()); err != nil {
			t.Fatal(err)
		}
		if _, err := k.store.Cancel(k.ctx, member.ID); err != nil { // of which nobody is told
			t.Fatal(err)
		}
		k.start()
		k.after(time.Minute)
		if got := k.status(group); got.State != task.GroupDone {
			t.Errorf("the group is %+v", got)
		}
	})
}

// Ten thousand members and one callback, in one pass of a program that has no loops.
func TestGroupOfTenThousand(t *testing.T) {
	virtually(t, func(k *kit) {
		var told callbacks
		told.serve(k.client)
		mixed(k.client)
		k.start()
		group := k.newGroup(outlast.NewID())
		drafts := make([]outlast.Draft, 10_000)
		for i := range drafts {
			drafts[i] = outlast.Draft{Type: "good", Payload: []byte("1")}
			if i%100 == 0 {
				drafts[i].Type = "bad"
			}
		}
		k.members(group, drafts...)
		k.closes(group)
		k.after(time.Minute)
		told.want(k, task.GroupCounts{Members: 10_000, Succeeded: 9_900, Dead: 100})
	})
}

func TestGroupInRunDue(t *testing.T) {
	virtually(t, func(k *kit) {
		var told callbacks
		told.serve(k.client)
		mixed(k.client)
		group := k.newGroup(outlast.NewID())
		k.members(group, outlast.Draft{Type: "good", Payload: []byte("1")})
		k.closes(group)
		for range 2 { // the callback is for the second call
			if _, err := k.client.RunDue(k.ctx, outlast.Due{}); err != nil {
				t.Fatal(err)
			}
			k.after(time.Second)
		}
		told.want(k, task.GroupCounts{Members: 1, Succeeded: 1})
	})
}

func TestGroupInATransaction(t *testing.T) {
	virtually(t, func(k *kit) {
		var told callbacks
		told.serve(k.client)
		mixed(k.client)
		k.start()
		group := k.newGroup(outlast.NewID())
		for _, commits := range []bool{true, false} {
			tx := k.store.Begin()
			if _, err := group.EnqueueIn(k.ctx, tx, outlast.Draft{Type: "good", Payload: []byte("1")}); err != nil {
				t.Fatal(err)
			}
			end := tx.Rollback
			if commits {
				end = tx.Commit
			}
			if err := end(); err != nil {
				t.Fatal(err)
			}
		}
		k.closes(group)
		k.after(time.Minute)
		told.want(k, task.GroupCounts{Members: 1, Succeeded: 1})
	})
}
