package outlast_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

// damages are what may become of a chunk of a plan, and how that is told by the operation
// and by its report.
var damages = map[string]struct {
	body, operation, report string
	code                    task.Code
}{
	"cut off":       {`{"ids":"AAAA`, "is damaged", "is damaged", task.CodeConflict},
	"half an id":    {`{"ids":"AAAAAAAA"}`, "is damaged", "is damaged", task.CodeConflict},
	"other content": {`{"ids":7}`, "is damaged", "is damaged", task.CodeConflict},
	"short":         {`{"ids":""}`, "has 0 ", "is too short", task.CodeConflict},
	"gone":          {"", "is missing", "is missing", task.CodeNotFound},
}

// ruined is a store that loses the first chunk of a plan as soon as it has it.
type ruined struct {
	*memory.Store
	damage string
}

func (s *ruined) Change(ctx context.Context, change store.Change) (*store.Changed, error) {
	changed, err := s.Store.Change(ctx, change)
	if err != nil || len(change.Put) == 0 || !strings.HasSuffix(change.Put[0].Kind, ".chunk") || s.damage == "" {
		return changed, err
	}
	ruin := store.Change{Delete: changed.Put[:1]}
	if s.damage != "gone" {
		ruin = store.Change{Put: slices.Clone(changed.Put[:1])}
		ruin.Put[0].Body = []byte(damages[s.damage].body)
	}
	s.damage = ""
	_, ruinErr := s.Store.Change(ctx, ruin)
	return changed, ruinErr
}

// An operation whose plan cannot be read ends, and it and its report say which part of
// the plan that is.
func TestOperationOfADamagedPlan(t *testing.T) {
	for name, damage := range damages {
		for _, kind := range []string{"redrive", "bulk"} {
			t.Run(kind+" "+name, func(t *testing.T) {
				virtually(t, func(k *kit) {
					k.client = k.open(&ruined{k.store, name}, outlast.WithLogger(k.log.logger()))
					inspector, p := k.client.Inspector(), &patient{}
					k.dying(p, 3)
					p.cured(nil)
					var id string
					var read func() error
					if kind == "bulk" {
						k.enqueue(outlast.Draft{Type: "t", Delay: time.Hour})
						k.after(time.Second)
						id = k.bulk(inspect.BulkRequest{Action: inspect.BulkCancel, Filter: &store.Filter{Type: "t"}}).Operation
						read = func() error { _, _, err := inspector.Operations.BulkItems(k.ctx, id, store.Page{}); return err }
					} else {
						id = k.redrive(inspect.RedriveRequest{Filter: &store.Filter{}})
						read = func() error { _, _, err := inspector.Operations.RedriveItems(k.ctx, id, store.Page{}); return err }
					}
					k.after(10 * time.Second)
					operation, err := inspector.Operations.Get(k.ctx, id)
					if err != nil {
						k.Fatal(err)
					}
					if operation.State != store.OperationFailed || !strings.HasPrefix(operation.Error, "chunk 0 of the plan ") || !strings.Contains(operation.Error, damage.operation) || operation.FinishedAt.IsZero() || operation.Done != 0 {
						k.Errorf("the operation is %s, %d done: %q", operation.State, operation.Done, operation.Error)
					}
					if e := wantCode(k.T, read(), damage.code); e.Message != "chunk 0 of the plan of the operation \""+id+"\" "+damage.report || e.Hint == "" {
						k.Errorf("the report ends with %v", e)
					}
					if events := k.log.events(k.T, "operation.repeated"); len(events) != 0 {
						k.Errorf("events %v", events)
					}
				})
			})
		}
	}
}
