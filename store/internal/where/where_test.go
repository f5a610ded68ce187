package where_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/where"
	"github.com/outlast-dev/outlast/task"
)

// Every field of a filter selects: what looks at tasks, what makes conditions, what counts by
// counters and what the audit log says are lists by hand, and one that leaves a field out
// takes more tasks than were meant.
func TestEveryFieldOfAFilterSelects(t *testing.T) {
	other := &task.Task{ID: task.NewID(time.Now().Add(time.Hour), rand.NewPCG(1, 2)), Queue: "other", State: task.Succeeded}
	// A store decides by them which tables it reads, and in which order; no caller asks for the last.
	ownWay := []string{"IDs", "State", "Live"}
	unsaid := []string{"Live", "Without", "Queues"}
	words := &where.Dialect{Attempt: "attempt >= ?", Category: "category = ?", Trace: "trace = ?", Message: "message = ?", Metadata: "metadata = ?"}
	for field := range reflect.TypeFor[store.Filter]().Fields() {
		filter := store.Filter{}
		set(t, reflect.ValueOf(&filter).Elem().FieldByIndex(field.Index), field.Name)
		if filter.Matches(other) {
			t.Errorf("Filter.Matches leaves %s out", field.Name)
		}
		if where.Empty(filter) {
			t.Errorf("where.Empty leaves %s out", field.Name)
		}
		if len(filter.Said()) == 0 && !slices.Contains(unsaid, field.Name) {
			t.Errorf("Filter.Said leaves %s out", field.Name)
		}
		var w where.Where
		w.Columns(filter, words)
		w.Created(filter, "id")
		w.Failed(filter, "failed_at")
		if (&where.Where{}).String() == w.String() && !slices.Contains(ownWay, field.Name) {
			t.Errorf("there is no condition for %s", field.Name)
		}
	}
}

// set gives a field of a filter a value that the task of the test has not.
func set(t *testing.T, field reflect.Value, name string) {
	switch value := field.Addr().Interface().(type) {
	case *[]task.ID:
		*value = []task.ID{{1}}
	case *[]string:
		*value = []string{"x"}
	case *map[string]string:
		*value = map[string]string{"x": "y"}
	case *time.Time:
		*value = time.Now()
		if name == "Since" {
			*value = value.Add(2 * time.Hour)
		}
	default:
		switch field.Kind() {
		case reflect.String:
			field.SetString("x")
			if name == "Without" {
				field.SetString("other")
			}
		case reflect.Int:
			field.SetInt(1)
		case reflect.Bool:
			field.SetBool(true)
		default:
			t.Fatalf("say what a filter asks for by %s", name)
		}
	}
}
