package query_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/server/internal/query"
)

// Every field of a filter reaches the store, and is there when an operation shows what was
// asked: the fields are listed by hand in both directions.
func TestFiltersComeBack(t *testing.T) {
	tasks := filled[client.TaskFilter](t)
	if got := query.TaskFilter(query.TaskFilterOf(&tasks)); !reflect.DeepEqual(*got, tasks) {
		t.Errorf("of tasks: %+v became %+v", tasks, *got)
	}
	letters := filled[client.DeadFilter](t)
	if got := query.DeadFilter(query.DeadFilterOf(&letters)); !reflect.DeepEqual(*got, letters) {
		t.Errorf("of dead letters: %+v became %+v", letters, *got)
	}
	if query.TaskFilter(query.TaskFilterOf(nil)) != nil || query.DeadFilter(query.DeadFilterOf(nil)) != nil {
		t.Error("no filter became one")
	}
}

// filled is a filter of which every field has a value of its own.
func filled[F any](t *testing.T) (filter F) {
	n := 0
	for field, value := range reflect.ValueOf(&filter).Elem().Fields() {
		n++
		switch at := value.Addr().Interface().(type) {
		case *string:
			*at = field.Name
		case *int:
			*at = n
		case *client.Time:
			at.Time = time.Unix(int64(n), 0).UTC()
		case *map[string]string:
			*at = map[string]string{"name": field.Name}
		default:
			t.Fatalf("say what a filter asks for by %s", field.Name)
		}
	}
	return filter
}
