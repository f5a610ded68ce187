package mysql

import (
	"database/sql"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/ending"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

const (
	// standing reads rows as they stand, of whatever state.
	standing = `SELECT ` + entryColumns + `, ` + stateColumn + `, COALESCE(r.claim, e.claim, d.claim, t.claim), t.unstarted, d.attempts
FROM outlast_task t` + knownJoins + ` WHERE t.id IN (@ids)`
)

// strangerRow is a row that does not run under a settlement's claim.
type strangerRow struct {
	ending.Row
	history []stored.Attempt // of a dead one
}

// recorded is how the attempt of a claim ended by the history.
func (r *strangerRow) recorded(claim int64) task.Outcome {
	for i := range r.history {
		if r.history[i].Claim == claim {
			return r.history[i].Outcome
		}
	}
	return ""
}

// repeats answers settlements whose rows do not run under their claims.
func (b *settling) repeats(items []settleItem) error {
	if len(items) == 0 {
		return nil
	}
	if b.tx.foreign { // whose caller has to roll back, unlike that of a repeat
		for _, item := range items {
			*item.result = store.Settled{Status: store.StatusStale}
		}
		return nil
	}
	wanted := make([]task.ID, len(items))
	for i, item := range items {
		wanted[i] = item.Task.ID
	}
	rows, err := b.tx.standing(wanted)
	if err != nil {
		return err
	}
	histories, err := b.tx.histories(wanted)
	if err != nil {
		return err
	}
	for _, item := range items {
		row := rows[item.Task.ID]
		if row == nil {
			*item.result = ending.Repeated(item.Settlement, nil, "")
			continue
		}
		row.history = append(row.history, histories[item.Task.ID]...)
		*item.result = ending.Repeated(item.Settlement, &row.Row, row.recorded(item.Task.Claim))
	}
	return nil
}

func (s *session) standing(all []task.ID) (map[task.ID]*strangerRow, error) {
	rows := make(map[task.ID]*strangerRow, len(all))
	err := ids(all, standing, func(query string) error {
		return s.each(query, func(found *sql.Rows) error {
			row := &strangerRow{}
			var state, unstarted number
			var attempts []byte
			entry, err := scanEntry(found, &state, &row.Claim, &unstarted, &attempts)
			if err != nil {
				return err
			}
			row.Entry, row.State, row.Unstarted = entry, sqlstore.States[state], int64(unstarted)
			row.history, err = stored.ParseAttempts(attempts)
			rows[entry.ID] = row
			return err
		})
	})
	return rows, err
}
