package postgres

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/stored"
)

var _ store.Prober = (*Store)(nil)

// readClock reads the database's clock with the offset of tests.
var readClock = newQuery(`SELECT ` + nowMicro)

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
		return err
	})
	return probe, err
}
