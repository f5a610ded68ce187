package storetest

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// auditActionRules are about the rows that operators' actions leave.
func auditActionRules() []rule {
	return []rule{
		{"audit/cancel", "Cancel writes its row of the audit log with what was and what is; a second request to a running task, and a refused one, write none.", func(h *harness) {
			waits, runs := h.add(), h.claimOne(h.add()).ID
			cancel := func(id task.ID) func(store.Audit) error {
				return func(row store.Audit) error { _, err := h.s.Cancel(h.ctx, id, row); return err }
			}
			h.logs("state", `"pending"`, `"canceled"`, cancel(waits))
			h.logs("cancel_requested", "", "true", cancel(runs))
			h.logsNothing("", cancel(runs))
			h.logsNothing(task.CodeConflict, cancel(waits))
			h.logsNothing(task.CodeNotFound, cancel(h.task().ID))
		}},
		{"audit/reschedule", "Reschedule writes its row with the time before and after, and none if the time stays.", func(h *harness) {
			id := h.add()
			at := time.Now().Add(time.Hour).UTC().Truncate(time.Millisecond)
			move := func(row store.Audit) error { _, err := h.s.Reschedule(h.ctx, id, at, row); return err }
			before, _ := json.Marshal(h.get(id).RunAt.UTC())
			after, _ := json.Marshal(at)
			h.logs("run_at", string(before), string(after), move)
			h.logsNothing("", move)
		}},
		{"audit/release key", "ReleaseKey writes its row as it is given if there was a hold, and none otherwise.", func(h *harness) {
			h.die(h.add(keyed("k")))
			release := func(row store.Audit) error {
				row.Before = []byte(`{"key":"k"}`)
				_, err := h.s.ReleaseKey(h.ctx, "q", "k", row)
				return err
			}
			h.logs("key", `"k"`, "", release)
			h.logsNothing("", release)
		}},
		{"audit/queues", "PutQueue and PauseQueue write their row with what was and what is, and none if nothing changes.", func(h *harness) {
			put := func(weight int) func(store.Audit) error {
				return func(row store.Audit) error {
					_, err := h.s.PutQueue(h.ctx, store.Queue{Name: "logged", Lanes: 2, Weight: weight}, row)
					return err
				}
			}
			pause := func(paused bool) func(store.Audit) error {
				return func(row store.Audit) error { _, err := h.s.PauseQueue(h.ctx, "logged", paused, row); return err }
			}
			h.logs("weight", "", "2", put(2))
			h.logs("weight", "2", "3", put(3))
			h.logsNothing("", put(3))
			h.logs("paused", "false", "true", pause(true))
			h.logsNothing("", pause(true))
			h.logs("paused", "true", "false", pause(false))
			h.logsNothing(task.CodeNotFound, func(row store.Audit) error { _, err := h.s.PauseQueue(h.ctx, "absent", true, row); return err })
		}},
		{"audit/target orders", "PutTargetOrder writes its row as it is given, and none if it is refused.", func(h *harness) {
			order := func(action store.TargetAction) func(store.Audit) error {
				return func(row store.Audit) error {
					row.After = fmt.Appendf(nil, `{"action":%q}`, action)
					_, err := h.s.PutTargetOrder(h.ctx, store.TargetOrder{Target: "t", Action: action}, row)
					return err
				}
			}
			h.logs("action", "", `"open"`, order(store.TargetOpen))
			h.logs("action", "", `"close"`, order(store.TargetClose))
			h.logsNothing(task.CodeInvalid, order("shake"))
		}},
	}
}

// logs does something that must leave one row, with these values of a field
// before and after, "" for none.
func (h *harness) logs(field, before, after string, do func(row store.Audit) error) {
	h.Helper()
	count := len(h.audit(store.AuditFilter{}, 500))
	h.ok(do(store.Audit{Actor: "ann", Address: "192.0.2.1", Action: "did", Subject: "it", Request: "r"}))
	rows := h.audit(store.AuditFilter{}, 500)
	equal(h, "rows", len(rows), count+1)
	row := rows[0]
	h.expect(row.Actor == "ann" && row.Address == "192.0.2.1" && row.Action == "did" && row.Subject == "it" && row.Request == "r" && !row.At.IsZero(), "got %+v", row)
	value := func(text []byte) string {
		var object map[string]json.RawMessage
		_ = json.Unmarshal(text, &object) // no object has no fields
		return string(object[field])
	}
	equal(h, field+" before", value(row.Before), before)
	equal(h, field+" after", value(row.After), after)
}

// logsNothing does something that must leave no row.
func (h *harness) logsNothing(code task.Code, do func(row store.Audit) error) {
	h.Helper()
	count := len(h.audit(store.AuditFilter{}, 500))
	err := do(store.Audit{Action: "did"})
	if code == "" {
		h.ok(err)
	} else {
		h.code(err, code)
	}
	equal(h, "rows", len(h.audit(store.AuditFilter{}, 500)), count)
}
