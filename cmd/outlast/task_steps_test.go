package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/client"
)

// What is done of a task is shown wherever the task is, and a cancel may undo it.
func TestStepsByCommandLine(t *testing.T) {
	t.Parallel()
	c := command{t: t, server: startServer(t, "--store", "sqlite:"+filepath.Join(t.TempDir(), "steps.db")).url}
	api, err := client.New(c.server)
	if err != nil {
		t.Fatal(err)
	}
	defer api.Close()
	made, _, err := api.Enqueue(t.Context(), client.Draft{Type: "order"})
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := api.Poll(t.Context(), client.Poll{Worker: "w", Types: []string{"order"}, Wait: client.Duration(time.Minute)})
	if err != nil || len(tasks) != 1 {
		t.Fatal(tasks, err)
	}
	long := json.RawMessage(`"` + strings.Repeat("x", 200) + `"`)
	added, err := api.AddSteps(t.Context(), []client.DoneStep{
		{ID: made.ID, Claim: tasks[0].Claim, Name: "reserve", Result: json.RawMessage(`{"id": 1}`), Compensation: &client.Compensation{Type: "release", Payload: json.RawMessage(`{"of": 1}`)}},
		{ID: made.ID, Claim: tasks[0].Claim, Name: "charge\x1b[31m", Occurrence: 2, Result: long},
	})
	if err != nil || len(added) != 2 || added[0].Status != "ok" || added[1].Status != "ok" {
		t.Fatalf("%+v, %v", added, err)
	}
	id := made.ID.String()
	for _, args := range [][]string{{"task", "get", id}, {"task", "attempts", id}} {
		shown := c.run(args...).exits(0)
		for _, want := range []string{"COMPENSATION", "reserve", `{"id": 1}`, `release {"of": 1}`, "#2"} {
			if !strings.Contains(shown.out, want) {
				t.Errorf("%v lacks %q:\n%s", args, want, shown.out)
			}
		}
		if strings.Contains(shown.out, "\x1b") || strings.Contains(shown.out, string(long)) {
			t.Errorf("%v shows a name or a result as it is:\n%s", args, shown.out)
		}
		if whole := c.run(append(args, "--output", "json")...).exits(0); !strings.Contains(whole.out, string(long)) {
			t.Errorf("%v as JSON is not whole:\n%s", args, whole.out)
		}
	}
	c.run("task", "cancel", id, id, "--compensate").exits(2).says("takes one id")
	c.run("task", "cancel", "--type", "order", "--compensate").exits(2).says("takes one id")
	asked := c.run("task", "cancel", id, "--compensate", "--output", "json").exits(0).json()
	if asked["compensation_task"] == nil {
		t.Errorf("the answer does not say that steps are undone: %v", asked)
	}
	if _, err := api.Settle(t.Context(), []client.TaskResult{{ID: made.ID, Claim: tasks[0].Claim, Outcome: "canceled"}}); err != nil {
		t.Fatal(err)
	}
	undo, err := api.Poll(t.Context(), client.Poll{Worker: "w", Types: []string{"release"}, Wait: client.Duration(time.Minute)})
	if err != nil || len(undo) != 1 || string(undo[0].Payload) != `{"of": 1}` || undo[0].Parent != made.ID {
		t.Fatalf("%+v, %v", undo, err)
	}
	if shown := c.run("task", "get", id).exits(0); !strings.Contains(shown.out, "compensation  ") {
		t.Errorf("shown as:\n%s", shown.out)
	}
}
