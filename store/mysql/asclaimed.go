package mysql

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/outlast-dev/outlast/store/internal/ending"
	"github.com/outlast-dev/outlast/task"
)

// A settlement brings its task as it was claimed, and nothing changes a running row but
// by its claim number. So its row need not be read: all is written, and last of all what
// says that the rows run is deleted, of each under its claim and without a cancel
// request. That is the fence. Unless as many rows are deleted as there are settlements,
// nothing is kept of it, and the rows are read first after all.

// endClaims deletes what says that rows run under their claims.
const endClaims = `DELETE r FROM outlast_run r FORCE INDEX (PRIMARY) WHERE r.cancel = 0 AND (@claims)`

// claimsAtOnce is how many claim numbers endClaims tells apart: a row is held against
// each of them.
const claimsAtOnce = 64

// errOtherwise says that a row is not as it was claimed.
var errOtherwise = errors.New("mysql: a row is not as it was claimed")

// asClaimed reports whether the settlement needs to know no more of its row than its task
// says.
func (i settleItem) asClaimed() bool {
	t := i.Task
	return (i.Outcome == task.OutcomeSucceeded || ending.GivesBack(i.Outcome)) && len(i.Follow) == 0 &&
		t.State == task.Running && t.Attempt > 0 && t.Node != ""
}

// rowAsClaimed is the row of a task that still runs under its claim.
func rowAsClaimed(t *task.Task) ending.Row {
	return ending.Row{Entry: entryOf(t), State: task.Running, Claim: t.Claim, Priority: t.Priority, Node: t.Node, Queue: t.Queue, StartedAt: t.StartedAt}
}

// settleAsClaimed settles items whose rows were not read.
func (b *settling) settleAsClaimed(items []settleItem) error {
	if len(items) > 0 && b.tx.now == 0 && needClock(items) {
		if err := b.tx.readClock(); err != nil {
			return err
		}
	}
	b.claims = make(map[int64][]task.ID)
	row := new(ending.Row) // of none of these anything is kept
	for _, item := range items {
		*row = rowAsClaimed(item.Task)
		b.claims[row.Claim] = append(b.claims[row.Claim], row.Entry.ID)
		if err := b.settle(item, row); err != nil {
			return err
		}
	}
	return nil
}

// needClock reports whether what is written of the items depends on the store's now.
func needClock(items []settleItem) bool {
	return slices.ContainsFunc(items, func(i settleItem) bool { return i.Outcome != task.OutcomeSucceeded || i.EndedAt.IsZero() })
}

// fenceAsClaimed ends the runs of items whose rows were not read, all of them or none.
func (b *settling) fenceAsClaimed() error {
	numbers := make([]int64, 0, len(b.claims))
	for number := range b.claims {
		numbers = append(numbers, number)
	}
	slices.Sort(numbers)
	for some := range slices.Chunk(numbers, claimsAtOnce) {
		var wanted int64
		var text []byte
		for i, number := range some {
			ids := b.claims[number]
			sortIDs(ids)
			wanted += int64(len(ids))
			if i > 0 {
				text = append(text, " OR "...)
			}
			text = append(strconv.AppendInt(append(text, "r.claim = "...), number, 10), " AND r.id IN ("...)
			text = append(appendIDs(text, ids), ')')
		}
		ended, err := b.tx.changed(strings.Replace(endClaims, "@claims", string(text), 1))
		if err != nil {
			return err
		}
		if ended != wanted {
			return fmt.Errorf("%w: %d of %d run under their claims", errOtherwise, ended, wanted)
		}
	}
	return nil
}

// otherwise reports whether an error may be due to rows that are not as they were
// claimed, which those who read them first find out about before they write.
func (b *settling) otherwise(err error) bool {
	return len(b.claims) > 0 && (errors.Is(err, errOtherwise) || refusal(err) || numbered(err) == duplicateKey)
}
