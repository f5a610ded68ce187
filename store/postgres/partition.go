package postgres

import (
	"context"
	"fmt"
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

// makePartitions makes the partitions of today and so many days after it, as
// far as the database lacks them: what was made before says nothing of days
// that have been dropped since, or were left out while the clock was wrong.
func (s *Store) makePartitions(ctx context.Context, ahead int) error {
	if s.spread {
		return nil
	}
	s.making.Lock() // one of a process is enough
	defer s.making.Unlock()
	first, err := s.today(ctx)
	if err != nil {
		return err
	}
	for _, table := range partitioned {
		there := map[time.Time]bool{}
		if _, err := s.days(ctx, table, func(since, _, _ time.Time) bool { there[since] = true; return false }); err != nil {
			return err
		}
		for n := range ahead + 1 {
			at := first.Add(time.Duration(n) * day)
			if there[at] {
				continue
			}
			if err := s.makePartition(ctx, table, at); err != nil {
				return err
			}
		}
	}
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
	if err := s.makePartitions(ctx, 1); err != nil {
		return err // that of the missing right, if it is that
	}
	return fn()
}
