package mysql

import (
	"cmp"
	"database/sql"

	"github.com/outlast-dev/outlast/store/internal/ending"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

const (
	// historyOf reads history rows, oldest first: claims only grow.
	historyOf = `SELECT id, number, claim, node, started_at, ended_at, outcome, failure, next_delay, label FROM outlast_attempt WHERE id IN (@ids) ORDER BY id, claim`

	deleteHistory = `DELETE a FROM outlast_attempt a WHERE a.id IN (@ids)`

	lastErrors = `SELECT id, last_error FROM outlast_task WHERE id IN (@ids)`

	insertDead = `INSERT INTO outlast_dead (id, queue, type, claim, attempt, node, started_at, finished_at, cancel, reason, category, fingerprint, fallback,
 last_error, attempts) VALUES `

	// holdKeys blocks keys by dead letters, which were their heads.
	holdKeys = `INSERT INTO outlast_key_hold (lane, line, id, hold_mode, since) VALUES `

	holdOver = ` ON DUPLICATE KEY UPDATE id = VALUES(id), hold_mode = VALUES(hold_mode), since = VALUES(since)`
)

// death is an attempt that makes a dead letter of its task.
type death struct {
	*ending.Attempt
	row     *ending.Row
	history []stored.Attempt
	last    *task.Failure // that the letter keeps
}

// readHistories reads the attempts of what dies, and the errors that it keeps.
func (b *settling) readHistories() error {
	if len(b.deaths) == 0 {
		return nil
	}
	dying := b.ended[dead]
	histories, err := b.tx.histories(dying)
	if err != nil {
		return err
	}
	errs := map[task.ID]*task.Failure{}
	err = ids(dying, lastErrors, func(query string) error {
		return b.tx.each(query, func(rows *sql.Rows) error {
			var id task.ID
			var text []byte
			err := rows.Scan((*identity)(&id), &text)
			errs[id] = stored.FailureOf(text)
			return err
		})
	})
	for _, d := range b.deaths {
		d.history, d.last = histories[d.ID], cmp.Or(d.Failure, errs[d.ID])
	}
	return err
}

// histories reads the recorded attempts of tasks that are not dead.
func (s *session) histories(all []task.ID) (map[task.ID][]stored.Attempt, error) {
	histories := map[task.ID][]stored.Attempt{}
	err := ids(all, historyOf, func(query string) error {
		return s.each(query, func(rows *sql.Rows) error {
			id, a, err := scanAttempt(rows)
			histories[id] = append(histories[id], a)
			return err
		})
	})
	return histories, err
}

func scanAttempt(rows *sql.Rows) (id task.ID, a stored.Attempt, err error) {
	var startedAt number
	var failure []byte
	var label text
	err = rows.Scan((*identity)(&id), &a.Number, &a.Claim, &a.Node, &startedAt, &a.EndedAt, &a.Outcome, &failure, &a.NextDelay, &label)
	a.StartedAt, a.Failure, a.Label = int64(startedAt), failure, string(label)
	return id, a, err
}

// bury makes dead letters, with their attempts, the holds on their keys and
// the counters. What follows them is inserted first.
func (b *settling) bury() error {
	if len(b.deaths) == 0 {
		return nil
	}
	for _, d := range b.deaths {
		if err := b.follow(d.Attempt); err != nil {
			return err
		}
	}
	into := insertion{on: b.tx.session, head: insertDead}
	holds := insertion{on: b.tx.session, head: holdKeys, tail: holdOver}
	letters := make([]stored.Letter, len(b.deaths))
	for i, d := range b.deaths {
		letters[i] = stored.NewLetter(d.ID, d.row.Entry.Type, d.DeadReason, d.last, b.tx.now)
		row, err := d.letterRow(&letters[i])
		if err != nil {
			return err
		}
		if err := into.add(row...); err != nil {
			return err
		}
		if err := b.failed.add(d.ID, letters[i].At); err != nil {
			return err
		}
		if key := d.row.Entry.Key; key != "" && d.OrderOnDead != "skip" {
			if err := holds.add(d.ID.Lane(), key, d.ID, cmp.Or(d.OrderOnDead, "block"), b.tx.now); err != nil {
				return err
			}
		}
	}
	if err := cmp.Or(into.flush(), b.failed.flush()); err != nil {
		return err
	}
	if _, err := b.tx.execIDs(b.ended[dead], deleteHistory); err != nil {
		return err
	}
	if err := holds.flush(); err != nil {
		return err
	}
	return b.tx.count(letters)
}

func (d *death) letterRow(letter *stored.Letter) ([]any, error) {
	failure, err := encodedFailure(d.last)
	if err != nil {
		return nil, err
	}
	own, err := encodedFailure(d.Failure)
	if err != nil {
		return nil, err
	}
	if !d.Unstarted {
		d.history = append(d.history, stored.Attempt{
			Number: d.Number, Claim: d.Claim, Node: d.Node, StartedAt: stored.Micro(d.Started), EndedAt: d.Ended, Outcome: d.Outcome, Failure: own,
			Label: d.Label.String(),
		})
	}
	attempts, err := packed(d.history)
	if err != nil {
		return nil, err
	}
	var fallback any
	if id := d.Task.FallbackTask; !id.IsZero() {
		fallback = id
	}
	return []any{
		d.ID, d.row.Queue, letter.Type, d.Claim, d.After, d.Node, stored.MicroOrNull(d.Started), letter.At, d.row.Cancel, letter.Reason, letter.Category, letter.Fingerprint,
		fallback, failure, attempts,
	}, nil
}

// maxHistory bounds the attempts of a dead letter, as JSON: the text of errors
// may take six times its length there.
const maxHistory = 3 << 20

// packed is the last of a history as JSON, less of it where that is very long.
func packed(history []stored.Attempt) ([]byte, error) {
	text, err := encoded(stored.Attempts(history))
	for err == nil && len(text) > maxHistory {
		history = history[(len(history)+1)/2:]
		text, err = encoded(stored.Attempts(history))
	}
	return text, err
}
