package sqlite

import (
	"context"

	"github.com/outlast-dev/outlast/store"
)

// EarlyClaim is a claim that has looked its rows up.
type EarlyClaim struct {
	store *Store
	claim store.Claim
	early early
}

// LookUp looks the rows of a claim up among those that scans have read.
func (s *Store) LookUp(claim store.Claim) EarlyClaim {
	claim.MaxBytes = 8 << 20
	return EarlyClaim{s, claim, lookUp(s, claim.Items)}
}

// Found is how many rows were found.
func (c *EarlyClaim) Found() int { return len(c.early.rows) }

// Stale reports whether the rows will be read again, as far as is known.
func (c *EarlyClaim) Stale() bool {
	w := c.store.writer
	return c.early.changes != w.changes.Load() || c.early.claims != w.claims.Load()
}

// Go claims the rows.
func (c *EarlyClaim) Go(ctx context.Context) (store.Claimed, error) {
	return c.early.claim(ctx, c.store, c.claim)
}

// BeginScan reads ranges; keep keeps what was read.
func (s *Store) BeginScan(ctx context.Context, ranges []store.Range) (keep func(), err error) {
	_, keep, err = scan(ctx, s, ranges)
	return keep, err
}

// Queued is how many operations wait for the writer.
func (s *Store) Queued() int {
	s.writer.mu.Lock()
	defer s.writer.mu.Unlock()
	return len(s.writer.queue)
}

// Commits is how many transactions the writer has committed.
func (s *Store) Commits() int64 { return s.writer.commits.Load() }
