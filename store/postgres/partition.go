package postgres

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/store/postgres/internal/wire"
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
    FOREACH whole IN ARRAY ARRAY['%[2]s'] LOOP
      part := whole || to_char(today + ahead * interval '1 day', '_YYYYMMDD');
      since := extract(epoch FROM today + ahead * interval '1 day')::bigint * 1000000;
      IF to_regclass(part) IS NULL THEN
        EXECUTE format('CREATE TABLE %%I (LIKE %%I INCLUDING DEFAULTS) WITH (%[3]s)', part, whole);
        EXECUTE format('ALTER TABLE %%I ATTACH PARTITION %%I FOR VALUES FROM (%%s) TO (%%s)', whole, part, since, since + 86400000000);
      END IF;
    END LOOP;
  END LOOP;
END $$;
`, daysAhead, strings.Join(partitioned[:], "', '"), partitionSettings)

// partitionSettings: rows of a day are only added, until it is dropped.
const partitionSettings = `autovacuum_vacuum_insert_scale_factor = 1`

// daysAhead is how many days' partitions are made before they are needed.
const daysAhead = 7

// partitionExists finds a table of our schema by its name.
var partitionExists = wire.NewQuery(`SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1::text AND c.relname = $2::text`)

// partitioned are the tables with a partition for each day.
var partitioned = [...]string{"outlast_done", "outlast_attempt", stepTable}

// stepTable came after the other two.
const stepTable = "outlast_step"

func partitionName(table string, at time.Time) string {
	return table + "_" + at.UTC().Format("20060102")
}

// today is the beginning of the store's day.
func today(ctx context.Context, s *Store) (time.Time, error) {
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
	first, err := today(ctx, s)
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
		err := t.Run(ctx, &wire.Call{Text: `SELECT pg_advisory_xact_lock(hashtextextended($1::text, 0))`, Args: []any{s.schema + "." + name}})
		if err != nil {
			return err
		}
		there, err := wire.One(ctx, t, partitionExists, func(wire.Row) {}, s.schema, name)
		if err != nil || there {
			return err
		}
		part, whole := quote(s.schema)+"."+name, quote(s.schema)+"."+table
		return t.Run(ctx, s.asOwner(table),
			&wire.Call{Text: fmt.Sprintf(`CREATE TABLE %s (LIKE %s INCLUDING DEFAULTS) WITH (%s)`, part, whole, partitionSettings)},
			&wire.Call{Text: fmt.Sprintf(`ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM (%d) TO (%d)`, whole, part, at.UnixMicro(), at.Add(day).UnixMicro())})
	})
}

// partitioning runs fn, and once more if it met a day without a partition.
func (s *Store) partitioning(ctx context.Context, fn func() error) error {
	err := fn()
	if wire.CodeOf(err) != wire.CodeNoPartition {
		return err
	}
	if err := s.makePartitions(ctx, 1); err != nil {
		return err // that of the missing right, if it is that
	}
	return fn()
}

var _ store.Prober = (*Store)(nil)

var (
	// readClock reads the database's clock with the offset of tests.
	readClock = wire.NewQuery(`SELECT ` + wire.NowMicro)

	// wholeDays are the days for which each of so many tables has a partition,
	// in order.
	wholeDays = wire.NewQuery(`SELECT right(c.relname::text, 8) AS day FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
 JOIN pg_class p ON p.oid = i.inhparent JOIN pg_namespace n ON n.oid = p.relnamespace WHERE n.nspname = $1::text AND p.relname = ANY($2::text[])
GROUP BY 1 HAVING count(*) = $3::bigint ORDER BY 1`)
)

// Probe implements [store.Prober]. A pool that is used up makes it wait.
func (s *Store) Probe(ctx context.Context) (store.Probe, error) {
	stat := s.pool.Stat()
	probe := store.Probe{InUse: int(stat.AcquiredConns()), Most: int(stat.MaxConns())}
	err := s.connected(ctx, func(c *wire.Conn) error {
		began := time.Now()
		_, err := wire.One(ctx, c, readClock, func(r wire.Row) {
			now := stored.Time(r.Int(0))
			probe.Took = time.Since(began)
			probe.Ahead = now.Sub(began.Add(probe.Took / 2))
			probe.Until = now.Truncate(day) // no room at all
		}, s.offset())
		if err != nil || s.spread {
			probe.Until = time.Time{}
			return err
		}
		return wire.Each(ctx, c, wholeDays, func(r wire.Row) error {
			if at, err := time.Parse("20060102", r.Text(0)); err == nil && at.Equal(probe.Until) { // up to the first gap
				probe.Until = at.Add(day)
			}
			return nil
		}, s.schema, partitioned[:], len(partitioned))
	})
	return probe, s.explained(err)
}

// mayMakeDays tells who owns the partitioned tables, and whether this role has a
// part in that one and may make tables in their schema.
var mayMakeDays = wire.NewQuery(`SELECT pg_get_userbyid(c.relowner)::text, pg_has_role(c.relowner, 'USAGE'), has_schema_privilege(c.relnamespace, 'CREATE')
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1::text AND c.relname = ANY($2::text[])
ORDER BY pg_has_role(c.relowner, 'USAGE') LIMIT 1`)

// mayPartition refuses a role that cannot make the partitions of later days:
// whatever else it may do, it would settle nothing once those that are there
// have passed.
func (s *Store) mayPartition(ctx context.Context) (problem error) {
	err := s.read(ctx, func(c wire.Session) error {
		problem = nil
		_, err := wire.One(ctx, c, mayMakeDays, func(r wire.Row) {
			user := quote(s.user())
			if r.Bool(1) && r.Text(0) != s.user() {
				s.owner = r.Text(0)
			}
			switch owner := r.Text(0); {
			case !r.Bool(1):
				problem = lacksRight(fmt.Sprintf("the role %s has no part in the role %s, which owns the tables, and cannot make those of later days", user, quote(owner)),
					fmt.Sprintf("GRANT %s TO %s", quote(owner), user))
			case !r.Bool(2):
				problem = lacksRight(fmt.Sprintf("the role %s cannot make the tables of later days in the schema %s", user, quote(s.schema)),
					fmt.Sprintf("GRANT CREATE ON SCHEMA %s TO %s", quote(s.schema), user))
			}
		}, s.schema, partitioned[:])
		return err
	})
	if err != nil {
		return err
	}
	return problem
}

// partitionsOf lists the partitions of a table, oldest first.
var partitionsOf = wire.NewQuery(`SELECT c.relname::text FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid JOIN pg_class p ON p.oid = i.inhparent
JOIN pg_namespace n ON n.oid = p.relnamespace WHERE n.nspname = $1::text AND p.relname = $2::text ORDER BY c.relname`)

// days lists the partitions of a table that are wanted by the time of their
// beginning, their end, and the store's now; oldest first.
func (s *Store) days(ctx context.Context, table string, wanted func(since, end, now time.Time) bool) (names []string, err error) {
	var now time.Time
	err = s.read(ctx, func(c wire.Session) error {
		names = nil
		return c.Run(ctx, &wire.Call{Query: selectNow, Args: []any{s.offset()}, Scan: func(r wire.Row) error {
			now = r.Time(0)
			return nil
		}}, &wire.Call{Query: partitionsOf, Args: []any{s.schema, table}, Scan: func(r wire.Row) error {
			at, err := time.Parse("20060102", strings.TrimPrefix(r.Text(0), table+"_"))
			if err == nil && wanted(at, at.Add(day), now) {
				names = append(names, r.Text(0))
			}
			return nil
		}})
	})
	return names, err
}
