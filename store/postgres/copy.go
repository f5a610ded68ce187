package postgres

import (
	"cmp"
	"context"
	"encoding/binary"
	"io"
	"slices"
	"sync"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/store/postgres/internal/wire"
	"github.com/outlast-dev/outlast/task"
)

// copyFrom is from how many tasks on COPY is quicker than INSERT, which makes
// a table of each array first.
const copyFrom = 256

// nextSeqs takes a number for each of so many keyed tasks.
var nextSeqs = wire.NewQuery(`SELECT nextval('outlast_seq'::text::regclass) FROM generate_series(1, $1::bigint)`)

const copyText = `COPY outlast_task (id, lane, priority, rank, run_at, seq, created_at, updated_at, queue, type, target, policy, key, spec, payload, share_key) FROM STDIN (FORMAT binary)`

const copyColumns = 16

// copying are new tasks that go to the database by COPY, in the order of their
// ids: indexes grow at their ends then.
type copying struct {
	items []store.Insert
	ids   []task.ID
	keyed int        // how many have a key
	specs wire.JSONs // nil if no task has one
	order []madeAt   // in which they go
}

// madeAt is when the task at a place was made, and with it the random bits that
// follow in the id.
type madeAt struct {
	at    uint64
	place int
}

// newCopying refuses specs that cannot be stored, as newInserts does.
func newCopying(items []store.Insert) (*copying, error) {
	c := &copying{items: items, ids: make([]task.ID, len(items)), order: make([]madeAt, len(items))}
	for i := range items {
		t := items[i].Task
		spec, err := stored.Spec(&t.Spec)
		if err != nil {
			return nil, refusedData(err)
		}
		if spec != nil && c.specs == nil {
			c.specs = make(wire.JSONs, len(items))
		}
		if spec != nil {
			c.specs[i] = spec
		}
		if t.Key != "" {
			c.keyed++
		}
		c.ids[i], c.order[i] = t.ID, madeAt{binary.BigEndian.Uint64(t.ID[:]), i}
	}
	slices.SortFunc(c.order, func(a, b madeAt) int {
		if a.at != b.at {
			return cmp.Compare(a.at, b.at)
		}
		return c.ids[a.place].Compare(c.ids[b.place])
	})
	return c, nil
}

// copy inserts new tasks in one transaction, as fast as the database takes
// them. It fails with nothing done if one is not new.
func (e *enqueuing) copy(ctx context.Context, in *copying) (made []store.Inserted, err error) {
	var seqs []int64
	var first []*wire.Call
	if in.keyed > 0 {
		first = append(first, takeSeqs(in.keyed, &seqs))
	}
	text := e.store.book.Here(copyText)
	err = e.store.begun(ctx, func(t *tx, c *wire.Conn) error {
		rows := &copyReader{copying: in, now: t.now, made: in.numbered(seqs)}
		_, err := c.PG.CopyFrom(ctx, rows, text)
		rows.stop()
		if err != nil {
			return err
		}
		made = rows.made
		checks := (&inserts{ids: in.ids}).checks(e.store)
		return c.Run(ctx, append(checks, &wire.Call{Query: wire.CommitTx})...) // a check that fails leaves the commit out
	}, first...)
	return made, err
}

// takeSeqs takes numbers for so many keyed tasks.
func takeSeqs(keyed int, seqs *[]int64) *wire.Call {
	return &wire.Call{Query: nextSeqs, Args: []any{keyed}, Start: func() { *seqs = nil }, Scan: func(r wire.Row) error {
		*seqs = append(*seqs, r.Int(0))
		return nil
	}}
}

// numbered are answers with the numbers of keyed tasks, in the order of the call.
func (c *copying) numbered(seqs []int64) []store.Inserted {
	made := make([]store.Inserted, len(c.items))
	for i := range c.items {
		if len(seqs) > 0 && c.items[i].Task.Key != "" {
			made[i].Entry.Seq, seqs = seqs[0], seqs[1:]
		}
	}
	return made
}

// copyReader is the tasks in the binary format of COPY (see the manual). Rows are
// written, and answered, as they are read, while the database works on those before.
type copyReader struct {
	*copying
	mu   sync.Mutex
	now  int64
	made []store.Inserted // the answers: at first their numbers alone
	sent int              // of order
	room []byte           // in which data is written
	data []byte           // that is still to be read
	end  bool             // nothing comes after it
}

// Read implements [io.Reader].
func (r *copyReader) Read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.data) == 0 && r.end {
		return 0, io.EOF
	}
	if len(r.data) == 0 {
		r.write(len(p))
	}
	n := copy(p, r.data)
	r.data = r.data[n:]
	return n, nil
}

// stop ends the reading: where a connection breaks, pgx gives up and may still read a
// little. The tasks are the caller's again afterwards.
func (r *copyReader) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.data, r.end = nil, true
}

// write writes what comes next, as many bytes as wanted or a row more.
func (r *copyReader) write(wanted int) {
	data := r.room[:0]
	if r.sent == 0 {
		data = append(data, "PGCOPY\n\xff\r\n\x00\x00\x00\x00\x00\x00\x00\x00\x00"...)
	}
	for r.sent < len(r.order) && len(data) < wanted {
		data = r.row(data, r.order[r.sent].place)
		r.sent++
	}
	if r.sent == len(r.order) {
		data, r.end = binary.BigEndian.AppendUint16(data, 0xffff), true
	}
	r.room, r.data = data, data
}

// answer is what the caller is told of a task.
func (r *copyReader) answer(i int) {
	t, runAt := r.items[i].Task, stored.Micro(r.items[i].Task.RunAt)
	if runAt == 0 {
		runAt = r.now + r.items[i].Delay.Microseconds()
	}
	rank := runAt - int64(t.Priority)*task.PriorityStep.Microseconds()
	r.made[i] = inserted(t, r.made[i].Entry.Seq, rank, runAt, r.now)
}

// row writes one task behind others.
func (r *copyReader) row(data []byte, i int) []byte {
	r.answer(i)
	t, made := r.items[i].Task, &r.made[i].Entry
	data = binary.BigEndian.AppendUint16(data, copyColumns)
	data = append(wire.Element(data, len(t.ID)), t.ID[:]...)
	data = binary.BigEndian.AppendUint32(wire.Element(data, 4), uint32(t.ID.Lane()))
	data = binary.BigEndian.AppendUint16(wire.Element(data, 2), uint16(t.Priority))
	for _, number := range [...]int64{made.Rank, made.RunAt, made.Seq, r.now, r.now} {
		data = binary.BigEndian.AppendUint64(wire.Element(data, 8), uint64(number))
	}
	for _, text := range [...]string{t.Queue, t.Type, t.Target} {
		data = append(wire.Element(data, len(text)), text...)
	}
	for _, text := range [...]string{t.Policy, t.Key} {
		if text == "" {
			data = wire.Element(data, -1)
		} else {
			data = append(wire.Element(data, len(text)), text...)
		}
	}
	if r.specs == nil || r.specs[i] == nil {
		data = wire.Element(data, -1)
	} else {
		data = append(wire.Element(data, len(r.specs[i])), r.specs[i]...)
	}
	data = append(wire.Element(data, len(t.Payload)), t.Payload...)
	if t.Spec.ShareKey == "" {
		return wire.Element(data, -1)
	}
	return append(wire.Element(data, len(t.Spec.ShareKey)), t.Spec.ShareKey...)
}
