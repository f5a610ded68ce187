package postgres

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/store/internal/stored"
)

const day = 24 * time.Hour

// firstDays makes the partitions of today and the next days in the schema in use:
// what makePartitions does, as a script.
var firstDays = fmt.Sprintf(`
-- the tables of today and the next %[1]d days; nodes make those of later ones
DO $$
DECLARE
  whole text; part text; since bigint;
  today timestamp := date_trunc('day', now() AT TIME ZONE 'UTC');
BEGIN
  FOR ahead IN 0..%[1]d LOOP
    FOREACH whole IN ARRAY ARRAY['%[2]s', '%[3]s'] LOOP
      part := whole || to_char(today + ahead * interval '1 day', '_YYYYMMDD');
      since := extract(epoch FROM today + ahead * interval '1 day')::bigint * 1000000;
      IF to_regclass(part) IS NULL THEN
        EXECUTE format('CREATE TABLE %%I (LIKE %%I INCLUDING DEFAULTS) WITH (%[4]s)', part, whole);
        EXECUTE format('ALTER TABLE %%I ATTACH PARTITION %%I FOR VALUES FROM (%%s) TO (%%s)', whole, part, since, since + 86400000000);
      END IF;
    END LOOP;
  END LOOP;
END $$;
`, daysAhead, partitioned[0], partitioned[1], partitionSettings)

// partitionSettings: rows of a day are only added, until it is dropped.
const partitionSettings = `autovacuum_vacuum_insert_scale_factor = 1`

// daysAhead is how many days' partitions are made before they are needed.
const daysAhead = 7

// partitions remembers the last day for which partitions were made, so that
// the check costs nothing.
type partitions struct {
	mu    sync.Mutex
	until time.Time // exclusive
}

// partitionExists finds a table of our schema by its name.
var partitionExists = newQuery(`SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1::text AND c.relname = $2::text`)

// partitioned are the tables with a partition for each day.
var partitioned = [...]string{"outlast_done", "outlast_attempt"}

func partitionName(table string, at time.Time) string {
	return table + "_" + at.UTC().Format("20060102")
}

// today is the beginning of the store's day.
func (s *Store) today(ctx context.Context) (time.Time, error) {
	now, err := s.pipeline(ctx)
	return stored.Time(now).Truncate(day), err
}

// makePartitions makes the partitions of today and so many days after it.
func (s *Store) makePartitions(ctx context.Context, ahead int) error {
	if s.spread {
		return nil
	}
	first, err := s.today(ctx)
	if err != nil {
		return err
	}
	until := first.Add(time.Duration(ahead+1) * day)
	s.partitions.mu.Lock()
	defer s.partitions.mu.Unlock()
	if !until.After(s.partitions.until) {
		return nil
	}
	for at := first; at.Before(until); at = at.Add(day) {
		for _, table := range partitioned {
			if err := s.makePartition(ctx, table, at); err != nil {
				return err
			}
		}
	}
	s.partitions.until = until
	return nil
}

// makePartition makes the partition of one day unless it is there. It is made
// apart and attached then, which locks out nobody who reads or writes the
// other partitions.
func (s *Store) makePartition(ctx context.Context, table string, at time.Time) error {
	name := partitionName(table, at)
	return s.write(ctx, func(t *tx) error {
		err := t.run(ctx, &call{text: `SELECT pg_advisory_xact_lock(hashtextextended($1::text, 0))`, args: []any{s.schema + "." + name}})
		if err != nil {
			return err
		}
		there, err := one(ctx, t, partitionExists, func(row) {}, s.schema, name)
		if err != nil || there {
			return err
		}
		part, whole := quote(s.schema)+"."+name, quote(s.schema)+"."+table
		return t.run(ctx, s.asOwner(table),
			&call{text: fmt.Sprintf(`CREATE TABLE %s (LIKE %s INCLUDING DEFAULTS) WITH (%s)`, part, whole, partitionSettings)},
			&call{text: fmt.Sprintf(`ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM (%d) TO (%d)`, whole, part, at.UnixMicro(), at.Add(day).UnixMicro())})
	})
}

// partitioning runs fn, and once more if it met a day without a partition.
func (s *Store) partitioning(ctx context.Context, fn func() error) error {
	err := fn()
	if codeOf(err) != codeNoPartition {
		return err
	}
	s.partitions.mu.Lock()
	s.partitions.until = time.Time{}
	s.partitions.mu.Unlock()
	if err := s.makePartitions(ctx, 1); err != nil {
		return err // that of the missing right, if it is that
	}
	return fn()
}
