package sqlstore

import (
	"context"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/objects"
	"github.com/outlast-dev/outlast/task"
)

const auditColumns = `id, at, actor, address, action, subject, "before", "after", request`

var (
	insertAudit = query(`INSERT INTO outlast_audit (` + auditColumns + `)
VALUES ($1::uuid, $2::bigint, $3::text, $4::text, $5::text, $6::text, $7::bytea, $8::bytea, $9::text)`)

	// selectAudit reads a page. Inputs: the ids from and before which, actor, action,
	// the head of actions, subject, the head of subjects, limit.
	selectAudit = query(`SELECT ` + auditColumns + ` FROM outlast_audit
WHERE id >= $1::uuid AND id < $2::uuid AND ($3::text = '' OR actor = $3::text)
 AND ($4::text = '' OR action = $4::text) AND substr(action, 1, length($5::text)) = $5::text
 AND ($6::text = '' OR subject = $6::text) AND substr(subject, 1, length($7::text)) = $7::text ORDER BY id DESC LIMIT $8::bigint`)

	// keptAudit is the oldest row that stays when some below an id are deleted.
	keptAudit = query(`SELECT id FROM outlast_audit WHERE id < $1::uuid ORDER BY id LIMIT 1 OFFSET $2::bigint`)
	trimAudit = query(`DELETE FROM outlast_audit WHERE id < $1::uuid`)
)

func scanAudit(r Row) objects.Row {
	return objects.Row{Key: r.ID(0), Audit: store.Audit{
		At: r.Time(1), Actor: r.Text(2), Address: r.Text(3), Action: r.Text(4), Subject: r.Text(5), Before: r.Blob(6), After: r.Blob(7), Request: r.Text(8),
	}}
}

// Audit inserts rows of the audit log.
func (t tables) Audit(rows []objects.Row) error {
	calls := make([]*Call, len(rows))
	for i, row := range rows {
		calls[i] = &Call{Query: insertAudit, Args: []any{row.Key, row.At.UnixMicro(), row.Actor, row.Address, row.Action, row.Subject,
			row.Before, row.After, row.Request}}
	}
	return t.Run(calls...)
}

// Log writes what is said of a change into the audit log, in its transaction.
func Log(tx Tx, given []store.Audit) error { return objects.Log(tables{tx}, given, now(tx)) }

// Audit implements [store.Config].
func (c Cold) Audit(ctx context.Context, filter store.AuditFilter, page store.Page) ([]store.Audit, string, error) {
	asked, err := objects.Asked(filter, page)
	if err != nil {
		return nil, "", err
	}
	rows, err := reading(ctx, c, func(s Session) ([]objects.Row, error) {
		return all(s, selectAudit, scanAudit, asked.From, asked.Before, asked.Actor, asked.Action, asked.ActionHead, asked.Subject, asked.SubjectHead, asked.Limit+1)
	})
	if err != nil {
		return nil, "", err
	}
	list, next := asked.Answer(rows)
	return list, next, nil
}

// TrimAudit implements [store.Admin].
func (c Cold) TrimAudit(ctx context.Context, before store.Time, limit int) (int, error) {
	return writing(ctx, c, "trim", func(tx Tx) (int, error) {
		end := objects.FirstKey(before)
		kept, more, err := first(tx, keptAudit, func(r Row) task.ID { return r.ID(0) }, end, max(0, limit))
		if err != nil {
			return 0, err
		}
		if more {
			end = kept
		}
		n, err := exec(tx, trimAudit, end)
		return int(n), err
	})
}
