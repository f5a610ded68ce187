package postgres

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/stored"
)

var _ store.Prober = (*Store)(nil)

var (
	// readClock reads the database's clock with the offset of tests.
	readClock = newQuery(`SELECT ` + nowMicro)

	// wholeDays are the days for which each of so many tables has a partition,
	// in order.
	wholeDays = newQuery(`SELECT right(c.relname::text, 8) AS day FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
 JOIN pg_class p ON p.oid = i.inhparent JOIN pg_namespace n ON n.oid = p.relnamespace WHERE n.nspname = $1::text AND p.relname = ANY($2::text[])
GROUP BY 1 HAVING count(*) = $3::bigint ORDER BY 1`)
)

// Probe implements [store.Prober]. A pool that is used up makes it wait.
func (s *Store) Probe(ctx context.Context) (store.Probe, error) {
	stat := s.pool.Stat()
	probe := store.Probe{InUse: int(stat.AcquiredConns()), Most: int(stat.MaxConns())}
	err := s.connected(ctx, func(c *conn) error {
		began := time.Now()
		_, err := one(ctx, c, readClock, func(r row) {
			now := stored.Time(r.Int(0))
			probe.Took = time.Since(began)
			probe.Ahead = now.Sub(began.Add(probe.Took / 2))
			probe.Until = now.Truncate(day) // no room at all
		}, s.offset())
		if err != nil || s.spread {
			probe.Until = time.Time{}
			return err
		}
		return each(ctx, c, wholeDays, func(r row) error {
			if at, err := time.Parse("20060102", r.Text(0)); err == nil && at.Equal(probe.Until) { // up to the first gap
				probe.Until = at.Add(day)
			}
			return nil
		}, s.schema, partitioned[:], len(partitioned))
	})
	return probe, s.explained(err)
}
