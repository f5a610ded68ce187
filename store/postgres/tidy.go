package postgres

import (
	"context"
	"time"
)

// Claims and settlements leave dead rows in outlast_claim and outlast_run, which the server's own
// vacuum looks at once a minute: after ten million of them who looks for the
// rows of a lost node reads for seconds. So the store sweeps the tables itself,
// after so many claims of its own and not more often than so.
const (
	tidyAfter = 500_000
	tidyEvery = 5 * time.Second
)

// tidyRuns needs the rights of the tables' owner; without them the server's own
// vacuum has to do. It waits for nobody and locks out nobody.
var tidyRuns = newQuery(`VACUUM (SKIP_LOCKED, TRUNCATE false) outlast_run, outlast_claim`)

// tidy sweeps them if it is time to.
func (s *Store) tidy(ctx context.Context) {
	last := s.tidied.Load()
	if s.claims.Load() < tidyAfter || time.Since(time.Unix(0, last)) < tidyEvery || !s.tidied.CompareAndSwap(last, time.Now().UnixNano()) {
		return
	}
	s.claims.Store(0)
	_ = s.reserved(ctx, func(c *conn) error { return c.run(ctx, &call{query: tidyRuns}) }) // it is not needed for anything to be right
}
