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

	// lastDay is the last day for which each of so many tables has a partition.
	lastDay = newQuery(`SELECT min(d.day) FROM (SELECT max(right(c.relname::text, 8)) AS day FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
 JOIN pg_class p ON p.oid = i.inhparent JOIN pg_namespace n ON n.oid = p.relnamespace WHERE n.nspname = $1::text AND p.relname = ANY($2::text[]) GROUP BY p.oid) d
HAVING count(*) = $3::bigint`)
)

// Probe implements [store.Prober]. A pool that is used up makes it wait.
func (s *Store) Probe(ctx context.Context) (store.Probe, error) {
	stat := s.pool.Stat()
	probe := store.Probe{InUse: int(stat.AcquiredConns()), Most: int(stat.MaxConns())}
	err := s.connected(ctx, func(c *conn) error {
		began := time.Now()
		_, err := one(ctx, c, readClock, func(r row) {
			probe.Took = time.Since(began)
			probe.Ahead = stored.Time(r.int(0)).Sub(began.Add(probe.Took / 2))
		}, s.offset())
		if err != nil || s.spread {
			return err
		}
		probe.Until = began.Truncate(day) // no room at all
		_, err = one(ctx, c, lastDay, func(r row) {
			if last, err := time.Parse("20060102", r.text(0)); err == nil {
				probe.Until = last.Add(day)
			}
		}, s.schema, partitioned[:], len(partitioned))
		return err
	})
	return probe, s.explained(err)
}
