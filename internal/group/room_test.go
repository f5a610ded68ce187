package group_test

import (
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/group"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

// Groups and members of one are bounded; who is there goes on beating.
func TestGroupsAreBounded(t *testing.T) {
	put := func(g *group.Groups, name, id string) error {
		return g.Put(t.Context(), inspect.Member{Group: name, ID: id, URL: "http://a", Capacity: 1, TTL: retry.Duration(time.Minute)})
	}
	for name, at := range map[string]func(i int) (string, string){
		"group": func(i int) (string, string) { return fmt.Sprint("g", i), "m" },
		"id":    func(i int) (string, string) { return "g", fmt.Sprint("m", i) },
	} {
		g := group.New(memory.New(), slog.New(slog.DiscardHandler), func(string) {})
		for i := range 1000 {
			of, id := at(i)
			if err := put(g, of, id); err != nil {
				t.Fatalf("%d: %v", i, err)
			}
		}
		var known *task.Error
		if err := put(g, "new", "new"); name == "group" && (!errors.As(err, &known) || known.Code != task.CodeConflict || known.Hint == "" || known.Fields[0].Path != name) {
			t.Errorf("one more group: %v", err)
		}
		if err := put(g, "g", "new"); name == "id" && (!errors.As(err, &known) || known.Fields[0].Path != name) {
			t.Errorf("one more member: %v", err)
		}
		of, id := at(0)
		if err := put(g, of, id); err != nil {
			t.Errorf("a beat: %v", err)
		}
	}
}
