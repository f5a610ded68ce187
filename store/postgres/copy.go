package postgres

import (
	"bytes"
	"context"
	"encoding/binary"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// copyFrom is from how many tasks on COPY is quicker than INSERT, which makes
// a table of each array first.
const copyFrom = 256

// nextSeqs takes a number for each of so many keyed tasks.
var nextSeqs = newQuery(`SELECT nextval('outlast_seq'::text::regclass) FROM generate_series(1, $1::bigint)`)

const copyText = `COPY outlast_task (id, lane, priority, rank, run_at, seq, created_at, updated_at, queue, type, target, policy, key, spec, payload) FROM STDIN (FORMAT binary)`

const copyColumns = 15

// copy inserts new tasks in one transaction, as fast as the database takes
// them. It fails with nothing done if one is not new.
func (e *enqueuing) copy(ctx context.Context, in *inserts) (made []store.Inserted, err error) {
	text := newStatement(copyText, quote(e.store.schema)+".").text
	err = e.store.repeat(ctx, func() error {
		return e.store.connected(ctx, func(c *conn) error {
			err := e.copyOn(ctx, c, text, in, &made)
			c.rollback(ctx)
			return err
		})
	})
	return made, err
}

func (e *enqueuing) copyOn(ctx context.Context, c *conn, text string, in *inserts, made *[]store.Inserted) error {
	var now int64
	var seqs []int64
	err := c.run(ctx, &call{query: beginTx},
		&call{query: settingsFresh, args: []any{e.store.offset()}, scan: func(r row) error {
			now = r.int(0)
			return nil
		}},
		in.seqsCall(&seqs))
	if err != nil {
		return err
	}
	var data []byte
	data, *made = in.binary(now, seqs)
	if _, err := c.pg.CopyFrom(ctx, bytes.NewReader(data), text); err != nil {
		return err
	}
	return c.run(ctx, append(in.checks(e.store), &call{query: commitTx})...) // a check that fails leaves the commit out
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

// binary is the tasks in the binary format of COPY (see the manual), with
// what the caller is answered.
func (in *inserts) binary(now int64, seqs []int64) ([]byte, []store.Inserted) {
	made := make([]store.Inserted, len(in.ids))
	data := make([]byte, 0, len(in.ids)*256)
	data = append(data, "PGCOPY\n\xff\r\n\x00\x00\x00\x00\x00\x00\x00\x00\x00"...)
	for i, id := range in.ids {
		runAt := in.runAt[i]
		if runAt == 0 {
			runAt = now + in.delays[i]
		}
		seq := int64(0)
		if in.keys[i] != "" {
			seq, seqs = seqs[0], seqs[1:]
		}
		rank := runAt - int64(in.priorities[i])*task.PriorityStep.Microseconds()
		made[i] = inserted(in.items[i].Task, seq, rank, runAt, now)
		data = binary.BigEndian.AppendUint16(data, copyColumns)
		data = field16(data, id)
		data = binary.BigEndian.AppendUint32(element(data, 4), uint32(in.lanes[i]))
		data = binary.BigEndian.AppendUint16(element(data, 2), uint16(in.priorities[i]))
		for _, number := range [...]int64{rank, runAt, seq, now, now} {
			data = binary.BigEndian.AppendUint64(element(data, 8), uint64(number))
		}
		for _, text := range [...]string{in.queues[i], in.types[i], in.targets[i]} {
			data = append(element(data, len(text)), text...)
		}
		for _, text := range [...]string{in.policies[i], in.keys[i]} {
			if text == "" {
				data = element(data, -1)
			} else {
				data = append(element(data, len(text)), text...)
			}
		}
		if in.specs[i] == nil {
			data = element(data, -1)
		} else {
			data = append(element(data, len(in.specs[i])), in.specs[i]...)
		}
		data = append(element(data, len(in.payloads[i])), in.payloads[i]...)
	}
	return binary.BigEndian.AppendUint16(data, 0xffff), made
}

func field16(data []byte, id task.ID) []byte { return append(element(data, len(id)), id[:]...) }
