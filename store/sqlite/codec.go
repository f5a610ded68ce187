package sqlite

import (
	"strings"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

// States as they are stored.
const (
	pending   = 0
	running   = 1
	succeeded = 2
	dead      = 3
	canceled  = 4
	live      = 5 // in outlast_task: pending or running
)

// Column lists that [sqlstore.ScanTask] understands, one per kind of table.
const (
	headColumns = `id, queue, type, payload, priority, run_at, key, seq, target, policy, spec,
	attempt, crashes, claim, node, started_at, cancel, created_at, last_error`
	taskColumns = headColumns + `, state, updated_at, park, finished_at, null, result, null, failed_at`
	deadColumns = headColumns + `, 3, finished_at, 0, finished_at, reason, null, fallback, finished_at`
)

func specText(spec *task.Spec) (any, error) { return jsonText(stored.Spec(spec)) }

func failureText(failure *task.Failure) (any, error) { return jsonText(stored.Failure(failure)) }

// labelText is the label of an attempt, null for an empty one.
func labelText(s *store.Settlement) any { return optional(s.Label.String()) }

// jsonText is JSON as a column of text, null for none.
func jsonText(text []byte, err error) (any, error) {
	switch {
	case err != nil:
		return nil, refusedError{err.Error()}
	case text == nil:
		return nil, nil
	}
	return string(text), nil
}

// entryColumns are what scanEntry reads, from pending rows.
const entryColumns = `id, run_at, rank, seq, park, key, type, target, attempt, crashes, length(payload), share_key`

func scanEntry(r row) store.Entry { return scanEntryNamed(r, row.Text) }

// scanEntryNamed reads texts that occur in many rows by name.
func scanEntryNamed(r row, name func(r row, i int) string) store.Entry {
	return store.Entry{
		ID: r.ID(0), RunAt: r.Int(1), Rank: r.Int(2), Seq: r.Int(3), Park: r.Int(4), Key: r.Text(5),
		Type: name(r, 6), Target: name(r, 7), Attempt: int(r.Int(8)), Crashes: int(r.Int(9)), Size: int(r.Int(10)), Share: r.Text(11),
	}
}

// manyRows is how many rows one statement takes in a VALUES list.
const manyRows = 50

// someRows is how many a smaller statement takes, for callers that share a
// commit.
const someRows = 8

// valueRows is the text of a VALUES list.
func valueRows(rows, columns int) string {
	one := "(" + strings.Repeat("?, ", columns-1) + "?)"
	return strings.Repeat(one+", ", rows-1) + one
}

// markList is the text of a list of arguments.
func markList(n int) string { return strings.Repeat("?,", n-1) + "?" }

// chunk is how many ids one statement takes.
const chunk = 100

// idQuery is a statement over the ids of a chunk, with ?1 for the ids'
// place in the text: short lists have a statement of their own.
type idQuery struct{ single, many *query }

func newIDQuery(sql string) idQuery {
	marks := markList(chunk)
	return idQuery{
		single: &query{sql: strings.ReplaceAll(sql, "(@ids)", "(?)")},
		many:   &query{sql: strings.ReplaceAll(sql, "(@ids)", "("+marks+")")},
	}
}

// chunks calls run with a statement and its arguments, the leading ones
// first, for all ids. Absent ids of the last chunk are null.
func (q idQuery) chunks(ids []task.ID, leading []any, run func(q *query, args []any) error) error {
	for len(ids) > 0 {
		statement, width := q.many, chunk
		if len(ids) == 1 {
			statement, width = q.single, 1
		}
		args := append(make([]any, 0, len(leading)+width), leading...)
		n := min(len(ids), width)
		for i := range ids[:n] {
			args = append(args, ids[i][:])
		}
		for range width - n {
			args = append(args, nil)
		}
		if err := run(statement, args); err != nil {
			return err
		}
		ids = ids[n:]
	}
	return nil
}

func (q idQuery) exec(s session, ids []task.ID, leading ...any) (changed int64, err error) {
	err = q.chunks(ids, leading, func(q *query, args []any) error {
		n, err := s.exec(q, args...)
		changed += n
		return err
	})
	return changed, err
}

func (q idQuery) each(s session, ids []task.ID, scan func(row) error, leading ...any) error {
	return q.chunks(ids, leading, func(q *query, args []any) error { return s.each(q, scan, args...) })
}
