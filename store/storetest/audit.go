package storetest

import (
	"fmt"
	"reflect"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

func auditRules() []rule {
	return []rule{
		{"audit/written and read", "Change writes rows of the audit log, with an id and the store's time; all else comes back as given, byte for byte.", func(h *harness) {
			given := store.Audit{
				Actor: "token ab (deploy)", Address: "10.0.0.1", Action: "policy.put", Subject: "policy/päy", Before: []byte("{\"a\": 1}\x00"),
				After: []byte(`{"a": 2}`), Request: "r-1",
			}
			h.change(store.Change{Audit: []store.Audit{given, {Action: "x"}}})
			rows := h.audit(store.AuditFilter{}, 10)
			equal(h, "rows", len(rows), 2)
			h.expect(rows[0].Action == "x" && rows[0].Before == nil && rows[0].After == nil, "got %+v", rows[0])
			h.expect(rows[1].ID != "" && rows[1].ID < rows[0].ID && !rows[1].At.IsZero(), "got %+v and %+v", rows[1], rows[0])
			given.ID, given.At = rows[1].ID, rows[1].At
			h.expect(reflect.DeepEqual(rows[1], given), "gave %+v\n got %+v", given, rows[1])
		}},
		{"audit/pages", "Audit returns pages newest first; paging neither loses nor doubles rows, also of one time, and while others are added.", func(h *harness) {
			want := []string{}
			for i := range 12 {
				var rows []store.Audit
				for j := range 5 { // of one time
					rows = append(rows, store.Audit{Action: fmt.Sprintf("a%02d.%d", i, j), Actor: fmt.Sprint(j % 2)})
					want = append(want, rows[j].Action)
				}
				h.change(store.Change{Audit: rows})
			}
			for _, limit := range []int{1, 2, 7, 500} {
				rows := h.audit(store.AuditFilter{}, limit)
				equal(h, "rows", len(rows), len(want))
				for i, row := range rows {
					equal(h, "row", row.Action, want[len(want)-1-i])
				}
				equal(h, "rows of an actor", len(h.audit(store.AuditFilter{Actor: "1"}, limit)), 24)
			}
			first, next, err := h.s.Audit(h.ctx, store.AuditFilter{}, store.Page{Limit: 10})
			h.ok(err)
			h.change(store.Change{Audit: []store.Audit{{Action: "later"}}})
			second, _, err := h.s.Audit(h.ctx, store.AuditFilter{}, store.Page{Limit: 10, Cursor: next})
			h.ok(err)
			equal(h, "last of the first page", first[9].Action, want[50])
			equal(h, "first of the second page", second[0].Action, want[49])
		}},
		{"audit/filters", "Audit selects by actor, action and subject, whole or by their beginning, byte for byte, and by time.", func(h *harness) {
			for _, row := range []store.Audit{
				{Action: "policy.put", Subject: "policy/a", Actor: "x"}, {Action: "policy.delete", Subject: "policy/A", Actor: "X"},
				{Action: "policyx", Subject: "policy/a/b", Actor: "x"}, {Action: "dead.redrive", Subject: "operation/1", Actor: "y"},
			} {
				h.change(store.Change{Audit: []store.Audit{row}})
				h.pass(2 * time.Millisecond)
			}
			rows := h.audit(store.AuditFilter{}, 10)
			for _, c := range []struct {
				filter store.AuditFilter
				want   int
			}{
				{store.AuditFilter{Actor: "x"}, 2},
				{store.AuditFilter{Action: "policy.put"}, 1},
				{store.AuditFilter{Action: "policy."}, 2},
				{store.AuditFilter{Action: "policy"}, 0},
				{store.AuditFilter{Action: "p_licy."}, 0},
				{store.AuditFilter{Subject: "policy/a"}, 1},
				{store.AuditFilter{Subject: "policy/"}, 3},
				{store.AuditFilter{Subject: "policy/a/"}, 1},
				{store.AuditFilter{Actor: "x", Action: "policy.", Subject: "policy/"}, 1},
				{store.AuditFilter{Since: rows[1].At}, 2},
				{store.AuditFilter{Until: rows[1].At}, 2},
				{store.AuditFilter{Since: rows[2].At, Until: rows[0].At}, 2},
				{store.AuditFilter{Since: rows[0].At.Add(time.Nanosecond)}, 0},
				{store.AuditFilter{Until: time.Unix(0, 0)}, 0},
			} {
				for _, limit := range []int{1, 100} {
					got := h.audit(c.filter, limit)
					h.expect(len(got) == c.want, "%+v: %d rows, want %d", c.filter, len(got), c.want)
				}
			}
		}},
		{"audit/bad pages", "A page has 1 to 500 rows, and only a cursor of the same filter goes on.", func(h *harness) {
			h.change(store.Change{Audit: []store.Audit{{Action: "a"}, {Action: "a"}}})
			_, next, err := h.s.Audit(h.ctx, store.AuditFilter{Action: "a"}, store.Page{Limit: 1})
			h.ok(err)
			h.expect(next != "", "no cursor")
			for _, page := range []store.Page{{Limit: -1}, {Limit: 501}, {Cursor: "x"}, {Cursor: next + "A"}, {Cursor: next}} {
				_, _, err := h.s.Audit(h.ctx, store.AuditFilter{Action: "b"}, page)
				h.code(err, task.CodeInvalid)
			}
		}},
		{"audit/trimmed", "TrimAudit deletes the oldest rows written before a time, no more than asked for, tells how many, and touches no others.", checkTrimmedAudit},
	}
}

func checkTrimmedAudit(h *harness) {
	for i := range 7 {
		h.change(store.Change{Audit: []store.Audit{{Action: fmt.Sprintf("a%d", i)}}})
		h.pass(2 * time.Millisecond)
	}
	before := h.audit(store.AuditFilter{}, 10)[1].At // of a5
	for _, c := range []struct {
		before     store.Time
		limit      int
		want, left int
		least      string
	}{
		{time.Time{}, 10, 0, 7, "a0"}, {time.Unix(0, 0), 10, 0, 7, "a0"}, {before, 0, 0, 7, "a0"}, {before, -1, 0, 7, "a0"},
		{before, 2, 2, 5, "a2"}, {before, 10, 3, 2, "a5"}, {before, 10, 0, 2, "a5"}, {before.Add(time.Nanosecond), 10, 1, 1, "a6"},
	} {
		deleted, err := h.s.TrimAudit(h.ctx, c.before, c.limit)
		h.ok(err)
		rows := h.audit(store.AuditFilter{}, 10)
		h.expect(deleted == c.want && len(rows) == c.left && rows[len(rows)-1].Action == c.least,
			"before %v, at most %d: %d deleted, want %d; left %+v", c.before, c.limit, deleted, c.want, rows)
	}
}

// audit reads all pages of a filter.
func (h *harness) audit(filter store.AuditFilter, limit int) (all []store.Audit) {
	h.Helper()
	page := store.Page{Limit: limit}
	for {
		rows, next, err := h.s.Audit(h.ctx, filter, page)
		h.ok(err)
		h.expect(len(rows) <= limit, "a page of %d has %d rows", limit, len(rows))
		all = append(all, rows...)
		if next == "" {
			return all
		}
		h.expect(next != page.Cursor, "the cursor does not move")
		page.Cursor = next
	}
}
