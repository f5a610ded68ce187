package mysql

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/stored"
)

var _ store.Prober = (*Store)(nil)

// Probe implements [store.Prober]. Connections are those that the store may use of
// the pool; it waits while all are busy.
func (s *Store) Probe(ctx context.Context) (store.Probe, error) {
	probe := store.Probe{
		InUse: len(s.sessions.slots) + len(s.beats.slots),
		Most:  cap(s.sessions.slots) + cap(s.beats.slots),
	}
	err := s.read(ctx, func(c *session) error {
		var micro int64
		began := time.Now()
		err := c.one(`SELECT `+clock, &micro)
		probe.Took = time.Since(began)
		probe.Ahead = stored.Time(micro).Add(s.offset()).Sub(began.Add(probe.Took / 2))
		return err
	})
	return probe, err
}
