// Package audit is the call about the audit log.
package audit

import (
	"context"
	"encoding/json"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/wire"
	"github.com/outlast-dev/outlast/server/internal/query"
	"github.com/outlast-dev/outlast/server/internal/route"
	"github.com/outlast-dev/outlast/server/internal/scope"
	"github.com/outlast-dev/outlast/store"
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

// Add adds the call about the audit log.
func Add(to *route.Table, log inspect.Audit) {
	route.Handle(to, route.Route{
		Method: "GET", Path: "/v1/audit", ID: "list-audit", Needs: inspect.PermissionOperate, Scope: scope.Whole, Tag: "audit",
		Summary: "List the audit log, newest first: who did what to what",
		About:   "Every action that changed something has one row, written in the same transaction.",
	}, func(ctx context.Context, in *auditInput) (*route.Answer[client.AuditLog], error) {
		page, err := query.Page(in.Limit, in.Cursor)
		if err != nil {
			return nil, err
		}
		rows, next, err := log.List(ctx, store.AuditFilter{
			Actor: in.Actor, Action: in.Action, Subject: in.Subject, Since: in.Since.Time, Until: in.Until.Time,
		}, page)
		if err != nil {
			return nil, err
		}
		out := client.AuditLog{Rows: make([]client.AuditRow, len(rows)), NextCursor: next}
		for i := range rows {
			row := &rows[i]
			out.Rows[i] = client.AuditRow{
				ID: row.ID, At: wire.Time(row.At), Actor: row.Actor, Address: row.Address, Action: row.Action, Subject: row.Subject,
				Before: jsonOrText(row.Before), After: jsonOrText(row.After), Request: row.Request,
			}
		}
		return route.OK(out)
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
