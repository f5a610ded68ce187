package sqlstore

import (
	"context"
	"slices"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/grouped"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

// Letter is a dead letter that is locked, to be sent back.
type Letter struct {
	stored.Letter
	Queue             string
	Priority, Attempt int
	Claim             int64
	Spec              task.Spec
	attempts          []byte

	Key       string // this and the others are read where revived rows are written anew
	Seq, Died int64
	LastError []byte

	// What it is sent back with.
	RunAt   store.Time
	Spent   int    // attempts
	Text    []byte // its spec
	History []stored.Attempt
}

// ScanLetter reads id, type, reason, category, fingerprint, priority, attempt, claim,
// queue, spec and attempts.
func ScanLetter(r Row) *Letter {
	return &Letter{
		Letter:   stored.Letter{ID: r.ID(0), Type: r.Text(1), Reason: r.Text(2), Category: r.Text(3), Fingerprint: r.Text(4)},
		Priority: int(r.Int(5)), Attempt: int(r.Int(6)), Claim: r.Int(7), Queue: r.Text(8), Spec: stored.SpecOf(r.Blob(9)), attempts: r.Blob(10),
	}
}

// was is what is told of the letter when it was sent back.
func (l *Letter) was() store.Redriven {
	return store.Redriven{ID: l.ID, Type: l.Type, Queue: l.Queue, Attempt: l.Attempt, Claim: l.Claim, TraceParent: l.Spec.TraceParent}
}

// stays reports whether a redrive leaves the letter where it is: what cannot be read
// cannot be written again.
func (l *Letter) stays(options *store.RedriveOptions) bool {
	return l.Spec.Unreadable != "" || options.Operation != "" && l.Spec.Redrive == options.Operation
}

// ready says what the letter is sent back with; it is the one at a place of the call.
func (l *Letter) ready(now store.Time, place int, options *store.RedriveOptions) (err error) {
	if l.RunAt = now; place < len(options.RunAt) && !options.RunAt[place].IsZero() {
		l.RunAt = options.RunAt[place]
	}
	if options.KeepAttempts {
		l.Spent = l.Attempt
	}
	spec := l.Spec.Redriven(now, options.Operation, l.Claim)
	if l.Text, err = stored.Spec(&spec); err != nil {
		return err
	}
	l.History, err = stored.ParseAttempts(l.attempts)
	return err
}

// Redrive implements [store.Admin]. What is large goes back in several transactions.
func (c Cold) Redrive(ctx context.Context, ids []task.ID, options store.RedriveOptions) (done []store.Redriven, missing []task.ID, err error) {
	if !store.Fits(options.Payload, task.MaxPayload) {
		return nil, nil, &task.Error{Code: task.CodeTooLarge, Message: "the payload is too large"}
	}
	sizes, err := reading(ctx, c, func(s Session) (map[task.ID]int, error) { return c.db.Weigh(s, ids) })
	if err != nil {
		return nil, nil, err
	}
	return inParts(ids, sizes, options, func(ids []task.ID, options store.RedriveOptions) ([]store.Redriven, []task.ID, error) {
		return c.redrive(ctx, ids, &options)
	})
}

// redriveBytes is how much may go back in one transaction, beside what a single letter
// has.
const redriveBytes = 16 << 20

// inParts sends letters back in as few transactions as their sizes allow, in their
// order. The audit row is written with the first that sends anything. What was sent
// before an error is told with it.
func inParts(ids []task.ID, sizes map[task.ID]int, options store.RedriveOptions,
	send func([]task.ID, store.RedriveOptions) ([]store.Redriven, []task.ID, error),
) (done []store.Redriven, missing []task.ID, err error) {
	for from := 0; from < len(ids); {
		to, sum := from+1, sizes[ids[from]]
		for to < len(ids) && sum+sizes[ids[to]] <= redriveBytes {
			sum += sizes[ids[to]]
			to++
		}
		part := options
		part.RunAt = options.RunAt[min(from, len(options.RunAt)):]
		if len(done) > 0 {
			part.Audit = nil
		}
		sent, lost, err := send(ids[from:to], part)
		done, missing = append(done, sent...), append(missing, lost...)
		if err != nil {
			return done, missing, err
		}
		from = to
	}
	return done, missing, nil
}

// redrive sends letters back in one transaction.
func (c Cold) redrive(ctx context.Context, ids []task.ID, options *store.RedriveOptions) (done []store.Redriven, missing []task.ID, err error) {
	err = c.db.Write(ctx, "redrive", func(tx Tx) error {
		done, missing = nil, nil
		letters, err := tx.Letters(ids)
		if err != nil {
			return err
		}
		if err := leaveGroups(tx, letters); err != nil {
			return err
		}
		var counts grouped.Tally
		var back []*Letter
		var gone []stored.Letter
		for i, id := range ids {
			l := letters[id]
			if l == nil || l.stays(options) {
				missing = append(missing, id)
				continue
			}
			delete(letters, id) // the next of the same id finds nothing
			if err := l.ready(now(tx), i, options); err != nil {
				return err
			}
			counts.Revived(l.Spec.Group, l.ID)
			done, back, gone = append(done, l.was()), append(back, l), append(gone, l.Letter)
		}
		if len(done) == 0 {
			return nil
		}
		if err := tx.Revive(back, options.Payload); err != nil {
			return err
		}
		if err := tx.Remove(gone, false); err != nil {
			return err
		}
		if err := AddCounts(tx, counts, false); err != nil {
			return err
		}
		return Log(tx, options.Audit)
	})
	if err != nil {
		return nil, nil, err
	}
	return done, missing, nil
}

// leaveGroups takes letters out of groups that are done: nobody counts what becomes of them.
func leaveGroups(tx Tx, letters map[task.ID]*Letter) error {
	var groups []task.ID
	for _, l := range letters {
		if !l.Spec.Group.IsZero() {
			groups = append(groups, l.Spec.Group)
		}
	}
	slices.SortFunc(groups, task.ID.Compare)
	standings, err := Standings(tx, slices.Compact(groups), false)
	for _, l := range letters {
		if group, found := standings[l.Spec.Group]; !found || group.State == task.GroupDone {
			l.Spec.Group = task.ID{}
		}
	}
	return err
}

// Doomed are columns that say of dead letters what their counters have; see [Doom].
const Doomed = `, category, fingerprint`

// Doom is a call that reads the columns of tasks, and then [Doomed].
func Doom(text string, args []any, tasks *[]*task.Task, letters *[]stored.Letter) *Call {
	return &Call{Query: Made(text), Args: args, Scan: func(r Row) error {
		t := ScanTask(r)
		*tasks = append(*tasks, t)
		*letters = append(*letters, stored.Letter{ID: t.ID, Type: t.Type, Reason: string(t.DeadReason), Category: r.Text(TaskWidth), Fingerprint: r.Text(TaskWidth + 1)})
		return nil
	}}
}

// Purge implements [store.Admin].
func (c Cold) Purge(ctx context.Context, filter store.Filter, limit int, audit ...store.Audit) ([]*task.Task, error) {
	if limit <= 0 {
		return nil, nil
	}
	return writing(ctx, c, "purge", func(tx Tx) ([]*task.Task, error) {
		purged, letters, err := tx.Doom(c.dead(filter), limit)
		if err != nil || len(purged) == 0 {
			return nil, err
		}
		if err := tx.Remove(letters, true); err != nil {
			return nil, err
		}
		return purged, Log(tx, audit)
	})
}
