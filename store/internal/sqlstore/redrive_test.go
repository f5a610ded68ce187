package sqlstore

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Letters that carry much go back in parts, in their order, each with its own run time;
// one letter that is larger than a part goes alone.
func TestLargeLettersGoBackInParts(t *testing.T) {
	ids, sizes := make([]task.ID, 7), map[task.ID]int{}
	at := make([]time.Time, len(ids))
	for i, size := range []int{6 << 20, 6 << 20, 6 << 20, 40 << 20, 1, 2, 3} {
		ids[i] = task.ID{byte(i + 1)}
		sizes[ids[i]], at[i] = size, time.Unix(int64(i), 0)
	}
	options := store.RedriveOptions{RunAt: at, Audit: []store.Audit{{Action: "dead.redrive"}}}
	var parts [][]task.ID
	var audits int
	send := func(part []task.ID, options store.RedriveOptions) ([]store.Redriven, []task.ID, error) {
		if from := int(part[0][0]) - 1; !options.RunAt[0].Equal(at[from]) {
			t.Errorf("part %d runs at %s", len(parts), options.RunAt[0])
		}
		audits += len(options.Audit)
		parts = append(parts, part)
		sent := make([]store.Redriven, len(part))
		for i := range part {
			sent[i].ID = part[i]
		}
		return sent, nil, nil
	}
	done, missing, err := inParts(ids, sizes, options, send)
	if err != nil || len(done) != len(ids) || len(missing) != 0 || audits != 1 {
		t.Fatalf("%d sent, %d missing, %d audit rows, %v", len(done), len(missing), audits, err)
	}
	if want := [][]task.ID{ids[0:2], ids[2:3], ids[3:4], ids[4:7]}; !reflect.DeepEqual(parts, want) {
		t.Errorf("parts %v, want %v", parts, want)
	}
	broken := errors.New("broken")
	calls := 0
	done, _, err = inParts(ids, sizes, options, func(part []task.ID, o store.RedriveOptions) ([]store.Redriven, []task.ID, error) {
		if calls++; calls == 2 {
			return nil, nil, broken
		}
		return send(part, o)
	})
	if !errors.Is(err, broken) || len(done) != 2 {
		t.Errorf("%d sent before the error, %v", len(done), err)
	}
}
