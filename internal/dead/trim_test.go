package dead

import (
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
)

// The daily housekeeping deletes what is older than the retention, in batches, and
// nothing younger.
func TestOldRowsOfTheAuditLogAreDeleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		backend := memory.New()
		write := func(n int) {
			rows := make([]store.Audit, n)
			for i := range rows {
				rows[i].Action = "policy.put"
			}
			if _, err := backend.Change(t.Context(), store.Change{Audit: rows}); err != nil {
				t.Fatal(err)
			}
		}
		left := func() int {
			rows, _, err := backend.Audit(t.Context(), store.AuditFilter{}, store.Page{Limit: 500})
			if err != nil {
				t.Fatal(err)
			}
			return len(rows)
		}
		write(2*trimBatch + 7)
		time.Sleep(24 * time.Hour)
		write(3)
		r := newRetention(Config{}.withDefaults(), backend, nil, slog.New(slog.DiscardHandler))
		r.audit.runOnce(t.Context(), time.Now().Add(DefaultAudit-25*time.Hour))
		if n := left(); n != 500 {
			t.Errorf("%d rows are left of the first page: some were deleted before their time", n)
		}
		r.audit.runOnce(t.Context(), time.Now().Add(DefaultAudit-time.Hour))
		if n := left(); n != 3 {
			t.Errorf("%d rows are left, want the 3 young ones", n)
		}
	})
}
