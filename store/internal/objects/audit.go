package objects

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/cursor"
	"github.com/outlast-dev/outlast/store/internal/pages"
	"github.com/outlast-dev/outlast/task"
)

// Row is a row of the audit log as it is stored.
type Row struct {
	Key task.ID // orders rows by their time
	store.Audit
}

// keyOfRow is the µs of a row, its place in the change, and a random rest.
func keyOfRow(at store.Time, place int) (key task.ID) {
	_, _ = rand.Read(key[10:]) // it never fails
	binary.BigEndian.PutUint64(key[:], uint64(at.UnixMicro()))
	binary.BigEndian.PutUint16(key[8:], uint16(place))
	return key
}

func rowsOf(given []store.Audit, now store.Time) []Row {
	rows := make([]Row, len(given))
	for i, row := range given {
		key := keyOfRow(now, i)
		row.ID, row.At = key.String(), now
		row.Before, row.After = task.HideJSON(row.Before), task.HideJSON(row.After)
		rows[i] = Row{key, row}
	}
	return rows
}

// CheckAudit refuses rows that can never be stored.
func CheckAudit(given []store.Audit) error {
	for i := range given {
		if err := checkAudit(fmt.Sprintf("audit[%d].", i), &given[i]); err != nil {
			return err
		}
	}
	return nil
}

// Log writes rows of the audit log with another change than one of objects.
func Log(tables interface{ Audit(rows []Row) error }, given []store.Audit, now store.Time) error {
	if len(given) == 0 {
		return nil
	}
	if err := CheckAudit(given); err != nil {
		return err
	}
	return tables.Audit(rowsOf(given, now))
}

// Request is a page of the audit log that was asked for.
type Request struct {
	Limit                int
	From, Before         task.ID // keys of rows are not below From, and below Before
	Actor                string
	Action, ActionHead   string // exact, or the beginning
	Subject, SubjectHead string
	name                 string
}

// Asked checks what a caller asks for.
func Asked(filter store.AuditFilter, page store.Page) (r Request, err error) {
	if r.Limit = page.Limit; r.Limit == 0 {
		r.Limit = pages.Default
	}
	if r.Limit < 1 || r.Limit > pages.Most {
		return r, task.Invalid("limit", "it is not between 1 and 500", "")
	}
	name, err := json.Marshal(filter)
	if err != nil {
		return r, task.Invalid("filter", err.Error(), "")
	}
	r.name, r.Actor = "audit"+string(name), filter.Actor
	r.Action, r.ActionHead = split(filter.Action, ".")
	r.Subject, r.SubjectHead = split(filter.Subject, "/")
	r.From, r.Before = firstKey(filter.Since, task.ID{}), firstKey(filter.Until, lastOfAll)
	if page.Cursor != "" {
		at, err := cursor.Decode(page.Cursor, r.name)
		if err != nil {
			return r, err
		}
		if at.ID.Compare(r.Before) < 0 {
			r.Before = at.ID
		}
	}
	return r, nil
}

var lastOfAll = task.ID{0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}

// firstKey is the least key of a time, or what stands for none.
func firstKey(at store.Time, none task.ID) (key task.ID) {
	if at.IsZero() {
		return none
	}
	micro := at.Truncate(time.Microsecond)
	if micro.Before(at) {
		micro = micro.Add(time.Microsecond)
	}
	binary.BigEndian.PutUint64(key[:], uint64(max(0, micro.UnixMicro())))
	return key
}

// FirstKey is the least key that a row written at a time can have, and at zero
// that of no row.
func FirstKey(at store.Time) task.ID { return firstKey(at, task.ID{}) }

// split tells a whole name from the beginning of names.
func split(text, end string) (whole, head string) {
	if strings.HasSuffix(text, end) {
		return "", text
	}
	return text, ""
}

// Matches reports whether a row is one of those asked for, but for its place
// between From and Before.
func (r *Request) Matches(row *store.Audit) bool {
	return (r.Actor == "" || row.Actor == r.Actor) &&
		(r.Action == "" || row.Action == r.Action) && strings.HasPrefix(row.Action, r.ActionHead) &&
		(r.Subject == "" || row.Subject == r.Subject) && strings.HasPrefix(row.Subject, r.SubjectHead)
}

// Answer makes a page of rows, newest first, of which one more than the limit
// was read where there are so many.
func (r *Request) Answer(rows []Row) (page []store.Audit, next string) {
	for i := range rows {
		if i == r.Limit {
			return page, cursor.Encode(cursor.Place{ID: rows[i-1].Key}, r.name)
		}
		rows[i].ID = rows[i].Key.String()
		rows[i].Before, rows[i].After = task.HideJSON(rows[i].Before), task.HideJSON(rows[i].After) // older versions kept them whole
		page = append(page, rows[i].Audit)
	}
	return page, ""
}
