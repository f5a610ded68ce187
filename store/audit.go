package store

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/task"
)

// taskAudit is what an operator's change of a task can change.
type taskAudit struct {
	State           task.State `json:"state"`
	RunAt           time.Time  `json:"run_at"`
	CancelRequested bool       `json:"cancel_requested,omitempty"`
}

func auditOf(t *task.Task) taskAudit {
	return taskAudit{t.State, time.UnixMicro(t.RunAt.UnixMicro()).UTC(), t.CancelRequested}
}

// AuditTask completes the rows of the audit log about a change of a task with what
// was and what is: none if that is the same.
func AuditTask(rows []Audit, before, after *task.Task) []Audit {
	was, is := auditOf(before), auditOf(after)
	if was == is {
		return nil
	}
	return between(rows, was, is)
}

// queueAudit is what an operator can change of a queue.
type queueAudit struct {
	Lanes       int    `json:"lanes"`
	Paused      bool   `json:"paused"`
	Policy      string `json:"policy,omitempty"`
	UnknownType string `json:"unknown_type"`
	Concurrency int    `json:"concurrency,omitempty"`
	MaxPending  int    `json:"max_pending,omitempty"`
	Weight      int    `json:"weight"`

	ShareConcurrency int       `json:"share_concurrency,omitempty"`
	ShareRate        ShareRate `json:"share_rate,omitempty"`
}

func auditOfQueue(q *Queue) queueAudit {
	policy, _, _ := strings.Cut(q.Policy, PolicyProof)
	return queueAudit{q.Lanes, q.Paused, policy, q.UnknownType, q.Concurrency, q.MaxPending, q.Weight, q.Shares.Concurrency, q.Shares.Rate}
}

// AuditQueue is [AuditTask] for a queue; before is nil for a new one.
func AuditQueue(rows []Audit, before, after *Queue) []Audit {
	is := auditOfQueue(after)
	if before == nil {
		return between(rows, nil, is)
	}
	if auditOfQueue(before) == is && before.Policy == after.Policy {
		return nil
	}
	return between(rows, auditOfQueue(before), is)
}

func between(rows []Audit, was, is any) []Audit {
	completed := make([]Audit, len(rows))
	for i, row := range rows {
		if was != nil {
			row.Before, _ = json.Marshal(was) // texts, numbers and times: it cannot fail
		}
		row.After, _ = json.Marshal(is)
		completed[i] = row
	}
	return completed
}
