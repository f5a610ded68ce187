package postgres

// Claimed makes the store believe that so many rows were claimed.
func (s *Store) Claimed(n int64) { s.claims.Add(n) }

// Unswept is how many claims there were since the table was swept.
func (s *Store) Unswept() int64 { return s.claims.Load() }

// TidyAfter is after how many claims the store sweeps.
const TidyAfter = tidyAfter
