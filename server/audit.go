package server

import (
	"context"
	"encoding/json"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/token"
)

type auditInput struct {
	Actor   string      `query:"actor" doc:"The whole name, such as token abcdefgh (ops)."`
	Action  string      `query:"action" doc:"policy.put, or policy. for all that begin so."`
	Subject string      `query:"subject" doc:"policy/payment, or policy/ for all that begin so."`
	Since   client.Time `query:"since" doc:"At or after."`
	Until   client.Time `query:"until" doc:"Before."`
	Limit   *int        `query:"limit" doc:"Rows per page, 1 to 500, 100 when absent."`
	Cursor  string      `query:"cursor" doc:"next_cursor of the page before."`
}

func (s *Server) addAudit() {
	handle(s, route{
		method: "GET", path: "/v1/audit", id: "list-audit", needs: token.Operate, scope: whole, tag: "audit", answers: []int{200},
		summary: "List the audit log, newest first: who did what to what",
		about:   "Every action that changed something has one row, written in the same transaction.",
	}, func(ctx context.Context, in *auditInput) (answer[client.AuditLog], error) {
		page, err := pageOf(in.Limit, in.Cursor)
		if err != nil {
			return fail[client.AuditLog](err)
		}
		rows, next, err := s.inspect.Audit.List(ctx, store.AuditFilter{
			Actor: in.Actor, Action: in.Action, Subject: in.Subject, Since: in.Since.Time, Until: in.Until.Time,
		}, page)
		if err != nil {
			return fail[client.AuditLog](err)
		}
		out := client.AuditLog{Rows: make([]client.AuditRow, len(rows)), NextCursor: next}
		for i := range rows {
			row := &rows[i]
			out.Rows[i] = client.AuditRow{
				ID: row.ID, At: wireTime(row.At), Actor: row.Actor, Address: row.Address, Action: row.Action, Subject: row.Subject,
				Before: jsonOrText(row.Before), After: jsonOrText(row.After), Request: row.Request,
			}
		}
		return ok(out)
	})
}

// jsonOrText is JSON for people, and as a text what is not JSON.
func jsonOrText(data []byte) json.RawMessage {
	if len(data) == 0 || json.Valid(data) {
		return client.PlainJSON(data)
	}
	text, _ := json.Marshal(string(data)) // a text: it cannot fail
	return client.PlainJSON(text)
}
