//go:build unix

package engine_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/internal/servertest"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/postgres"
	"github.com/outlast-dev/outlast/task"
)

func TestMain(m *testing.M) { servertest.Main(m) }

// Three nodes on PostgreSQL share the lanes, and only one can start a type: it
// runs the tasks of all lanes.
func TestTypesRunWhereTheyCanOnPostgreSQL(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a server")
	}
	t.Parallel()
	typesRunWhereTheyCan(t, servertest.Postgres(t), func(err error) { t.Error(err) })
}

// The same behind a pooler in transaction mode, where no notification arrives and
// nodes find each other's tasks by their polls alone. Debian's PgBouncer may end itself
// (server in bad state) at a request to cancel what has just ended, which a stop sends.
func TestTypesRunWhereTheyCanBehindPgBouncer(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a server")
	}
	t.Parallel()
	database := servertest.Postgres(t)
	typesRunWhereTheyCan(t, servertest.PgBouncer(t, database)+"&default_query_exec_mode=exec", func(err error) { t.Log(err) })
}

func typesRunWhereTheyCan(t *testing.T, url string, stopped func(error)) {
	var where began
	var nodes []*engine.Engine
	var first *postgres.Store
	for i := range 3 {
		s, err := postgres.OpenURL(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = s
			if _, err := s.PutQueue(t.Context(), store.Queue{Name: "default", Lanes: 9}); err != nil {
				t.Fatal(err)
			}
		}
		name := fmt.Sprint("n", i)
		can := handlers("t", where.handler(name))
		if i == 2 {
			can["special"] = where.handler(name)
		}
		e, err := engine.New(engine.Config{
			Store: s, Registry: &registry{policy: retry.Default(), handlers: can}, Node: store.Node{ID: name, Embedded: true},
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := errors.Join(e.Stop(context.Background()), s.Close()); err != nil {
				stopped(err)
			}
		})
		nodes = append(nodes, e)
	}
	owned := func() map[string]int {
		out := map[string]int{}
		for _, l := range nodes[0].Topology().Lanes {
			out[l.Owner]++
		}
		return out
	}
	eventually(t, time.Minute, "the lanes are spread", func() bool { // a node that was not heard of for long has another name
		o := owned()
		return o[nodes[0].Node()] == 3 && o[nodes[1].Node()] == 3 && o[nodes[2].Node()] == 3
	})
	queue, _ := nodes[0].Queue("default")
	var inserts []store.Insert
	for i := range 90 {
		in := fresh(queue.Numbers[i%9:][:1])
		in.Task.Type, in.Task.Target = "special", "special"
		inserts = append(inserts, in)
	}
	if _, err := nodes[0].EnqueueEach(t.Context(), inserts); err != nil {
		t.Fatal(err)
	}
	eventually(t, time.Minute, "all have succeeded", func() bool {
		done, err := first.Count(t.Context(), store.Filter{State: task.Succeeded}, 1000)
		return err == nil && done == len(inserts)
	})
	where.mu.Lock()
	defer where.mu.Unlock()
	for _, in := range inserts {
		if where.where[in.Task.ID] != "n2" {
			t.Errorf("a task ran on %q", where.where[in.Task.ID])
		}
	}
}
