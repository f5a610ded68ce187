package storetest

import (
	"reflect"
	"slices"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// ofStore are the fields of a task that are not as its caller gave them: a store sets
// them, or they change as the task runs. All others, and those to come, are checked here.
var ofStore = []string{
	"ID", "State", "RunAt", "Seq", "Spec", "Attempt", "Crashes", "Claim", "Node", "StartedAt", "CancelRequested", "Park", "CreatedAt", "UpdatedAt",
	"FinishedAt", "LastError", "LastFailedAt", "DeadReason", "Result", "FallbackTask",
}

func givenRules() []rule {
	return []rule{
		{"given/ended", "What a caller gives a task is there in every answer that has it, while it waits, runs, is tried again, recovered, and when it has ended.", checkGivenToTheEnd},
		{"given/dead", "What a caller gives a task is there in every answer that has it when it is a dead letter, is sent back and is purged.", checkGivenDead},
		{"given/together", "What a caller gives tasks is there however they come in: many at once, beside others that are there already, as what follows.", checkGivenTogether},
		{"tx/what is given", "What a caller gives a task is there when it has come in a transaction of the caller's.", func(h *harness) {
			enqueuer := h.txEnqueuer()
			given := []*task.Task{h.given(""), h.given("k")}
			tx, commit, _ := h.begin()
			for _, t := range given {
				_, err := enqueuer.EnqueueTx(h.ctx, tx, []store.Insert{{Task: t}})
				h.ok(err)
			}
			h.ok(commit())
			for _, t := range given {
				h.stays("enqueued in a transaction", h.claimOne(t.ID), t)
			}
		}},
	}
}

// given is a task of which a caller has set everything, with an ordering key or without.
func (h *harness) given(key string) *task.Task {
	h.Helper()
	t := h.task(keyed(key), func(t *task.Task) { t.Spec = fullSpec(h) })
	fields := reflect.ValueOf(t).Elem()
	for field, value := range fields.Fields() {
		if slices.Contains(ofStore, field.Name) || field.Name == "Key" || !value.IsZero() {
			continue
		}
		switch value.Kind() {
		case reflect.String:
			value.SetString("given " + field.Name)
		case reflect.Int, reflect.Int64:
			value.SetInt(3)
		case reflect.Bool:
			value.SetBool(true)
		default:
			h.Fatalf("say in given.go what a caller gives as %s", field.Name)
		}
	}
	for field, value := range reflect.ValueOf(t.Spec).Fields() {
		h.expect(!value.IsZero() || field.Tag.Get("json") == "-", "fullSpec has no %s", field.Name)
	}
	return t
}

// stays fails the test unless a task is as it was given.
func (h *harness) stays(where string, got, given *task.Task) {
	h.Helper()
	was, is := reflect.ValueOf(given).Elem(), reflect.ValueOf(got).Elem()
	for field, value := range was.Fields() {
		if !slices.Contains(ofStore, field.Name) {
			h.expect(reflect.DeepEqual(value.Interface(), is.FieldByIndex(field.Index).Interface()), "%s, %s is %#v, and was given as %#v",
				where, field.Name, is.FieldByIndex(field.Index).Interface(), value.Interface())
		}
	}
	a, b := got.Spec, given.Spec
	a.Redrive, a.RedrivenAt, a.Undone, b.Redrive, b.RedrivenAt, b.Undone = "", b.Deadline, 0, "", b.Deadline, 0 // a redrive sets them
	h.sameSpec(a, b)
}

func checkGivenToTheEnd(h *harness) {
	for _, key := range []string{"", "k"} {
		t := h.given(key)
		h.insert(t)
		h.stays("pending", h.get(t.ID), t)
		h.stays("listed", h.find(store.Filter{IDs: []task.ID{t.ID}}, 10)[0], t)
		h.stays("among pending ones", h.find(store.Filter{State: task.Pending, Key: key}, 10)[0], t)
		h.stays("answered to a repeat", h.enqueue(store.Insert{Task: t})[0].Items[0].Existing, t)
		claimed := h.claimOne(t.ID)
		h.stays("claimed", claimed, t)
		for _, ids := range [][]task.ID{nil, {t.ID}} {
			running, err := h.s.Running(h.ctx, "n1", ids)
			h.ok(err)
			h.stays("running", running[0], t)
		}
		h.settle(settlement(claimed, task.OutcomeFailed))
		h.stays("to be tried again", h.get(t.ID), t)
		h.crash("crashed"+key, t.ID)
		h.stays("recovered", h.get(t.ID), t)
		h.stays("claimed again", h.run(t.ID, task.OutcomeSucceeded), t)
		h.stays("succeeded", h.get(t.ID), t)
		h.stays("among succeeded ones", h.find(store.Filter{State: task.Succeeded, Key: key}, 10)[0], t)
		t = h.given(key)
		h.insert(t)
		canceled, err := h.s.Cancel(h.ctx, t.ID)
		h.ok(err)
		h.stays("as a cancel answers", canceled, t)
		h.stays("canceled", h.get(t.ID), t)
	}
}

func checkGivenDead(h *harness) {
	for _, key := range []string{"", "k"} {
		t := h.given(key)
		h.insert(t)
		h.die(t.ID)
		h.stays("dead", h.get(t.ID), t)
		h.stays("among dead ones", h.find(store.Filter{State: task.Dead, Key: key}, 10)[0], t)
		h.redrive(store.RedriveOptions{}, t.ID)
		h.stays("sent back", h.get(t.ID), t)
		h.stays("claimed again", h.die(t.ID), t)
		purged, err := h.s.Purge(h.ctx, store.Filter{}, 10)
		h.ok(err)
		h.stays("purged", purged[0], t)
	}
}

func checkGivenTogether(h *harness) {
	const many = 300 // more than any store takes one by one
	parent := h.task()
	h.insert(parent)
	batch := store.Batch{}
	var ids []task.ID
	for range many {
		t := h.given("")
		batch.Items, ids = append(batch.Items, store.Insert{Task: t}), append(ids, t.ID)
	}
	enqueue := func() {
		results, err := h.s.Enqueue(h.ctx, []store.Batch{batch})
		h.ok(err)
		h.ok(results[0].Err)
	}
	enqueue()
	for i, claimed := range h.claim(ids...) {
		h.stays("claimed with others", claimed, batch.Items[i].Task)
	}
	batch.Items[1].Task, batch.Items[2].Task = h.given(""), h.given("k")
	enqueue()
	for i, item := range batch.Items[:3] {
		h.stays("enqueued beside others", h.get(item.Task.ID), batch.Items[i].Task)
	}
	follow := h.given("")
	end := settlement(h.claimOne(parent.ID), task.OutcomeSucceeded)
	end.Follow = []store.Insert{{Task: follow}}
	h.settle(end)
	h.stays("following", h.get(follow.ID), follow)
}
