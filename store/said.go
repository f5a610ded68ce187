package store

import (
	"time"

	"github.com/outlast-dev/outlast/task"
)

// mostNamed is how many ids a filter says.
const mostNamed = 20

// Said is a filter for people and the audit log: what it asks for, by the names of
// the API.
func (f Filter) Said() map[string]any {
	said := map[string]any{}
	for name, value := range map[string]string{
		"type": f.Type, "queue": f.Queue, "key": f.Key, "category": f.Category, "trace": f.Trace, "reason": string(f.Reason), "fingerprint": f.Fingerprint,
		"target": f.Target, "q": f.Search, "state": string(f.State),
	} {
		if value != "" {
			said[name] = value
		}
	}
	for name, value := range map[string]time.Time{"since": f.Since, "until": f.Until, "died_before": f.DiedBefore, "failed_since": f.FailedSince, "failed_until": f.FailedUntil} {
		if !value.IsZero() {
			said[name] = value.UTC()
		}
	}
	if f.Failed {
		said["state"] = "failed"
	}
	if f.AttemptMin > 0 {
		said["attempt_min"] = f.AttemptMin
	}
	if len(f.Metadata) > 0 {
		said["metadata"] = f.Metadata
	}
	if f.IDs != nil {
		said["ids"], said["named"] = len(f.IDs), firstOf(f.IDs)
	}
	return said
}

func firstOf(ids []task.ID) []task.ID { return ids[:min(len(ids), mostNamed)] }
