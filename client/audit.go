package client

import (
	"context"
	"encoding/json"
	"net/url"
	"strconv"
	"time"
)

// AuditRow says who did what to what.
type AuditRow struct {
	ID      string          `json:"id" doc:"Id of the row."`
	At      Time            `json:"at" doc:"When it was done."`
	Actor   string          `json:"actor" doc:"token ID (NAME), api without tokens, cli, file or library."`
	Address string          `json:"address,omitempty" doc:"Of the caller."`
	Action  string          `json:"action" doc:"policy.put, task.cancel, queue.pause and the like."`
	Subject string          `json:"subject" doc:"policy/payment, task/ID, queue/mail and the like."`
	Before  json.RawMessage `json:"before,omitempty" doc:"What was; no secrets."`
	After   json.RawMessage `json:"after,omitempty" doc:"What is."`
	Request string          `json:"request,omitempty" doc:"X-Request-Id of the request."`
}

// AuditLog is a page of the audit log.
type AuditLog struct {
	Rows       []AuditRow `json:"rows" doc:"The rows of the page, newest first."`
	NextCursor string     `json:"next_cursor" doc:"Give it back as cursor for the next page; empty on the last one."`
}

// AuditFilter selects rows of the audit log. Zero fields do not filter.
type AuditFilter struct {
	Actor        string
	Action       string // "policy.put", or "policy." for all that begin so
	Subject      string // "policy/payment", or "policy/" for all that begin so
	Since, Until time.Time
	Limit        int
	Cursor       string
}

// Audit returns a page of the audit log, newest first.
func (c *Client) Audit(ctx context.Context, filter AuditFilter) (*AuditLog, error) {
	query := url.Values{}
	for name, value := range map[string]string{"actor": filter.Actor, "action": filter.Action, "subject": filter.Subject, "cursor": filter.Cursor} {
		if value != "" {
			query.Set(name, value)
		}
	}
	for name, value := range map[string]time.Time{"since": filter.Since, "until": filter.Until} {
		if !value.IsZero() {
			query.Set(name, value.UTC().Format(time.RFC3339Nano))
		}
	}
	if filter.Limit > 0 {
		query.Set("limit", strconv.Itoa(filter.Limit))
	}
	return get[AuditLog](ctx, c, "/v1/audit", query)
}
