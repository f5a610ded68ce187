package server_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/task"
)

// A program without our library makes a group, brings members, closes it, and hears once.
func TestTaskGroupByTheAPI(t *testing.T) {
	told := make(chan task.GroupEnded, 2)
	a := start(t, func(node *outlast.Client) {
		outlast.Handle(node, "good", func(context.Context, int) error { return nil })
		outlast.Handle(node, "dies", func(context.Context, int) error { return outlast.GiveUp(errors.New("no way")) })
		outlast.Handle(node, "closing", func(_ context.Context, ended task.GroupEnded) error { told <- ended; return nil })
	})
	api, err := client.New(a.url)
	must(t, err)
	defer api.Close()
	ctx := t.Context()
	draft := client.TaskGroupDraft{ID: client.NewID(), Label: "March", Callback: client.Follow{Type: "closing"}}
	for range 2 {
		group, err := api.CreateTaskGroup(ctx, draft)
		must(t, err)
		if group.ID != draft.ID || group.State != task.GroupOpen || group.Callback.Queue != "default" {
			t.Fatalf("created %+v", group)
		}
	}
	members := []client.Draft{{ID: client.NewID(), Type: "good", Payload: []byte("1"), Group: draft.ID}, {ID: client.NewID(), Type: "dies", Payload: []byte("1"), Group: draft.ID}}
	var member task.ID
	for range 2 {
		results, err := api.EnqueueBatch(ctx, members, true)
		must(t, err)
		for _, result := range results {
			if result.Error != nil {
				t.Fatal(result.Error)
			}
		}
		member = results[0].ID
	}
	if shown, err := api.Task(ctx, member); err != nil || shown.Group != draft.ID {
		t.Errorf("a member shows the group %v: %v", shown, err)
	}
	_, err = api.CloseTaskGroup(ctx, draft.ID)
	must(t, err)
	select {
	case ended := <-told:
		if ended.GroupCounts != (task.GroupCounts{Members: 2, Succeeded: 1, Dead: 1}) || ended.Group != draft.ID {
			t.Errorf("told %+v", ended)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("nothing is told")
	}
	group, err := api.TaskGroup(ctx, draft.ID)
	must(t, err)
	if group.State != task.GroupDone || group.Members != 2 || group.CallbackTask.IsZero() {
		t.Errorf("the group is %+v", group)
	}
	page, err := api.TaskGroups(ctx, task.GroupDone, 1, "")
	must(t, err)
	if len(page.TaskGroups) != 1 || page.TaskGroups[0].ID != draft.ID || page.NextCursor == "" {
		t.Errorf("listed %+v", page)
	}
	if page, err = api.TaskGroups(ctx, task.GroupDone, 1, page.NextCursor); err != nil || len(page.TaskGroups) != 0 {
		t.Errorf("listed behind it %+v: %v", page, err)
	}
	a.call("POST", "/v1/tasks", `{"type":"good","group":"`+draft.ID.String()+`"}`).is(409)
	a.call("POST", "/v1/tasks", `{"type":"good","group":"`+client.NewID().String()+`"}`).is(404)
	a.call("POST", "/v1/tasks", `{"type":"good","dedupe_key":"k","group":"`+draft.ID.String()+`"}`).is(400)
	a.call("POST", "/v1/task-groups", `{"callback":{}}`).is(400)
	a.call("GET", "/v1/task-groups?state=over", "").is(400)
	a.call("GET", "/v1/task-groups?cursor=x", "").is(400)
}

// A token for one queue sees groups with a callback there, and brings members to no others.
func TestTaskGroupsOfOtherQueues(t *testing.T) {
	g := startGuarded(t)
	red := g.token(inspect.Operator, "red")
	own, other := g.taskGroup("red"), g.taskGroup("blue")
	g.as(red, "GET", "/v1/task-groups/"+own, "").is(200)
	g.as(red, "GET", "/v1/task-groups/"+other, "").is(404)
	g.as(red, "POST", "/v1/task-groups/"+other+"/close", "").is(404)
	g.as(red, "POST", "/v1/tasks", `{"type":"dies","queue":"red","group":"`+own+`"}`).is(201)
	g.as(red, "POST", "/v1/tasks", `{"type":"dies","queue":"red","group":"`+other+`"}`).is(404)
	g.as(red, "POST", "/v1/task-groups", `{"callback":{"type":"dies","queue":"blue"}}`).is(403)
	list := string(g.as(red, "GET", "/v1/task-groups", "").is(200).body)
	if !strings.Contains(list, own) || strings.Contains(list, other) {
		t.Errorf("listed %s", list)
	}
}
