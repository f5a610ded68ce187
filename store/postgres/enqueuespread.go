package postgres

import (
	"context"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/postgres/internal/wire"
	"github.com/outlast-dev/outlast/task"
)

// lanePart are the tasks of one lane of a call, with the numbers of those that
// have keys.
type lanePart struct {
	inserts
	seqs []int64
}

// byLane parts tasks by lane, in the order in which lanes come first, and
// gives the numbers to those with keys in the order of the call.
func (in *inserts) byLane(seqs []int64) []*lanePart {
	parts := map[int32]*lanePart{}
	var all []*lanePart
	for i, lane := range in.lanes {
		part := parts[lane]
		if part == nil {
			part = &lanePart{}
			parts[lane] = part
			all = append(all, part)
		}
		part.take(in, i)
		seq := int64(0)
		if in.keys[i] != "" {
			seq, seqs = seqs[0], seqs[1:]
		}
		part.seqs = append(part.seqs, seq)
	}
	return all
}

// take adds one task of others.
func (in *inserts) take(from *inserts, i int) {
	in.items, in.ids, in.lanes = append(in.items, from.items[i]), append(in.ids, from.ids[i]), append(in.lanes, from.lanes[i])
	in.priorities, in.runAt, in.delays = append(in.priorities, from.priorities[i]), append(in.runAt, from.runAt[i]), append(in.delays, from.delays[i])
	in.queues, in.types, in.targets = append(in.queues, from.queues[i]), append(in.types, from.types[i]), append(in.targets, from.targets[i])
	in.policies, in.keys = append(in.policies, from.policies[i]), append(in.keys, from.keys[i])
	in.specs, in.payloads = append(in.specs, from.specs[i]), append(in.payloads, from.payloads[i])
	if from.shares != nil {
		in.shares = append(in.shares, from.shares[i])
	}
}

// call inserts the tasks at the coordinator's now, and adds to made what was.
func (p *lanePart) call(q *wire.Query, now int64, made map[task.ID]store.Inserted) *wire.Call {
	byID := make(map[task.ID]*task.Task, len(p.items))
	for i := range p.items {
		byID[p.ids[i]] = p.items[i].Task
	}
	return &wire.Call{Query: q, Args: append(p.args(now), p.seqs), Scan: func(r wire.Row) error {
		id := r.ID(0)
		made[id] = inserted(byID[id], r.Int(1), r.Int(2), r.Int(3), r.Int(4))
		return nil
	}}
}

// keyed is how many of the tasks have a key.
func (in *inserts) keyed() (n int) {
	for _, key := range in.keys {
		if key != "" {
			n++
		}
	}
	return n
}

// seqsCall takes numbers for the tasks with keys.
func (in *inserts) seqsCall(seqs *[]int64) *wire.Call {
	return takeSeqs(in.keyed(), seqs)
}

// insertSpread is insert where tables are distributed: a statement for each
// lane, all in one transaction.
func (e *enqueuing) insertSpread(ctx context.Context, in *inserts) ([]store.Inserted, error) {
	var answers map[task.ID]store.Inserted
	var seqs []int64
	err := e.store.begun(ctx, func(t *tx, c *wire.Conn) error {
		answers = make(map[task.ID]store.Inserted, len(in.ids))
		var calls []*wire.Call
		for _, part := range in.byLane(seqs) {
			calls = append(calls, part.call(insertNew, t.now, answers), part.noneEnded())
		}
		if err := c.Run(ctx, calls...); err != nil {
			return err
		}
		if len(answers) < len(in.ids) {
			return unusable("a lane of the tasks does not exist", "make the queue first")
		}
		return c.Run(ctx, &wire.Call{Query: wire.CommitTx})
	}, in.seqsCall(&seqs))
	if err != nil {
		return nil, err
	}
	made := make([]store.Inserted, len(in.ids))
	for i, id := range in.ids {
		made[i] = answers[id]
	}
	return made, nil
}

// checks are noneEnded for each lane where tables are distributed.
func (in *inserts) checks(s *Store) (calls []*wire.Call) {
	for _, ids := range s.byLane(in.ids) {
		calls = append(calls, (&inserts{ids: ids}).noneEnded())
	}
	return calls
}

// insertUnless inserts those of distinct tasks of which there is no live row,
// and lists those that have ended before.
func (in *inserts) insertUnless(ctx context.Context, s wire.Session, own *Store, now int64) (made map[task.ID]store.Inserted, ended []task.ID, err error) {
	made = make(map[task.ID]store.Inserted, len(in.ids))
	var calls []*wire.Call
	insert := insertAny
	if t, ok := s.(*tx); ok && t.callers {
		insert = insertOfCaller
	}
	if own.spread {
		var seqs []int64
		if in.keyed() > 0 {
			if err := s.Run(ctx, in.seqsCall(&seqs)); err != nil {
				return nil, nil, err
			}
		}
		for _, part := range in.byLane(seqs) {
			calls = append(calls, part.call(insert, now, made))
		}
	} else {
		all := lanePart{inserts: *in}
		one := all.call(insert, 0, made)
		one.Args = in.args(own.offset())
		calls = append(calls, one)
	}
	for _, ids := range own.byLane(in.ids) {
		calls = append(calls, &wire.Call{Query: endedOf, Args: []any{ids}, Scan: func(r wire.Row) error {
			ended = append(ended, r.ID(0))
			return nil
		}})
	}
	return made, ended, s.Run(ctx, calls...)
}
