package postgres

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/store/postgres/internal/wire"
)

// distributed are the tables of tasks. All rows of a lane are on one machine.
// What is not listed stays on the coordinator.
//
// outlast_anchor is there with Citus only and has a row for each lane: an
// INSERT … SELECT is sent to one machine only if it selects its lane from a
// distributed table. Cancel requests of nodes are kept in outlast_cancel on
// the coordinator, so that a beat need not ask every machine.
var distributed = [...]string{
	"outlast_task", "outlast_run", "outlast_attempt", "outlast_done", "outlast_dead", "outlast_dedupe", "outlast_key_hold", "outlast_anchor", claimLogTable, stepTable,
}

const claimLogTable = "outlast_claim"

// came are those that were not distributed at first.
var came = []string{claimLogTable, stepTable}

// logViews are the views of what runs as a statement of one lane may read them, and
// keep programs away that know of no claim log on Citus.
var logViews = []string{
	`CREATE OR REPLACE VIEW outlast_running AS
SELECT id, lane, node FROM outlast_run
UNION ALL
SELECT t.id, t.lane, c.node FROM outlast_claim c CROSS JOIN unnest(c.ids) AS m (id) JOIN outlast_task t ON t.lane = c.lane AND t.id = m.id AND ` + past + ` < c.claim`,
	`CREATE OR REPLACE VIEW outlast_live AS
SELECT t.id, t.lane, (r.claim IS NOT NULL OR c.claim IS NOT NULL)::integer AS state, CASE WHEN r.claim IS NULL AND c.claim IS NULL THEN t.park ELSE 0 END AS park,
  t.rank, t.run_at, coalesce(r.claim, c.claim, t.claim) AS claim, t.attempt + (r.claim IS NOT NULL OR c.claim IS NOT NULL)::integer AS attempt, t.crashes,
  t.priority, coalesce(r.node, c.node) AS node, coalesce(r.started_at, c.started_at) AS started_at, coalesce(r.cancel, false) AS cancel, t.key, t.seq,
  t.queue, t.type, t.target, t.policy, t.spec, t.created_at, coalesce(r.started_at, c.started_at, t.updated_at) AS updated_at,
  NULL::bigint AS finished_at, t.last_error, t.unstarted, NULL::text AS reason, NULL::bytea AS result, NULL::uuid AS fallback, t.payload, t.failed_at, t.share_key
FROM outlast_task t LEFT JOIN outlast_run r ON r.lane = t.lane AND r.id = t.id
LEFT JOIN outlast_claim c ON c.lane = t.lane AND c.claim > ` + past + ` AND t.id = ANY(c.ids)`,
	`ALTER TABLE outlast_node DROP CONSTRAINT outlast_node_protocol`,
	`ALTER TABLE outlast_node ADD CONSTRAINT outlast_node_protocol CHECK (protocol >= 3 OR state <> 'alive') NOT VALID`,
}

// Distribution is the SQL that distributes the tables of a schema by lane with
// Citus (https://www.citusdata.com), to be run as one transaction with the
// schema first in the search path, while no store uses the schema. Partitioned
// tables become whole ones: there retention deletes rows.
func Distribution() []string {
	all := slices.Clone(logViews)
	for _, table := range partitioned {
		all = append(all, whole(table)...)
	}
	all = append(all,
		"CREATE INDEX outlast_done_end ON outlast_done (lane, finished_at)",
		"CREATE TABLE outlast_cancel (node text COLLATE \"C\" NOT NULL, id uuid NOT NULL, PRIMARY KEY (node, id))",
		"CREATE TABLE outlast_anchor (lane integer PRIMARY KEY)",
		"INSERT INTO outlast_anchor SELECT lane FROM outlast_lane")
	return append(all, distribute(distributed[:]...)...)
}

// idIndexes are the columns of the indexes by id that partitioned tables have.
var idIndexes = map[string]string{"outlast_done": "id", "outlast_attempt": "id, claim", stepTable: "id"}

// whole is the SQL that makes one table of a partitioned one.
func whole(table string) []string {
	return []string{
		fmt.Sprintf("CREATE TABLE %[1]s_whole (LIKE %[1]s INCLUDING DEFAULTS)", table),
		fmt.Sprintf("INSERT INTO %[1]s_whole SELECT * FROM %[1]s", table),
		fmt.Sprintf("DROP TABLE %s", table),
		fmt.Sprintf("ALTER TABLE %[1]s_whole RENAME TO %[1]s", table),
		fmt.Sprintf("CREATE INDEX %[1]s_id ON %[1]s (%[2]s)", table, idIndexes[table]),
	}
}

// rest is the SQL that distributes tables that came after the others were distributed.
func rest(tables []string) (all []string) {
	if slices.Contains(tables, claimLogTable) {
		all = append(all, logViews...)
	}
	if slices.Contains(tables, stepTable) {
		all = append(all, whole(stepTable)...)
	}
	return append(all, distribute(tables...)...)
}

// distribute is the SQL that distributes tables, the first of all before others.
func distribute(tables ...string) (all []string) {
	for _, table := range tables {
		beside := "none"
		if table != distributed[0] {
			beside = distributed[0]
		}
		all = append(all, fmt.Sprintf("SELECT create_distributed_table('%s', 'lane', colocate_with => '%s')", table, beside))
	}
	for _, table := range tables { // their rows have been copied
		all = append(all, fmt.Sprintf("SELECT truncate_local_data_after_distributing_table('%s')", table))
	}
	return all
}

// PrintDistribution writes [Distribution] as a script.
func PrintDistribution(w io.Writer) error {
	_, err := io.WriteString(w, "BEGIN;\n"+strings.Join(Distribution(), ";\n")+";\nCOMMIT;\n")
	return err
}

var (
	citusThere = wire.NewQuery(`SELECT 1 FROM pg_extension WHERE extname = 'citus'`)

	// spreadTables lists the tables of a schema that are distributed by lane.
	spreadTables = wire.NewQuery(`SELECT c.relname::text FROM pg_dist_partition p JOIN pg_class c ON c.oid = p.logicalrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = $1::text AND c.relname = ANY($2::text[]) AND p.partmethod = 'h'`)
)

// detect finds out whether the tables are distributed, and makes the
// statements for it.
func (s *Store) detect(ctx context.Context) error {
	found := map[string]bool{}
	err := s.read(ctx, func(c wire.Session) error {
		there, err := wire.One(ctx, c, citusThere, func(wire.Row) {})
		if err != nil || !there {
			return err
		}
		return wire.Each(ctx, c, spreadTables, func(r wire.Row) error {
			found[r.Text(0)] = true
			return nil
		}, s.schema, distributed[:])
	})
	if err != nil {
		return err
	}
	s.spread = len(found) > 0
	s.later = slices.DeleteFunc(slices.Clone(distributed[:]), func(table string) bool { return found[table] || !s.spread })
	if slices.ContainsFunc(s.later, func(table string) bool { return !slices.Contains(came, table) }) {
		return unusable(fmt.Sprintf("%d of the %d tables of tasks are distributed", len(found), len(distributed)),
			"distribute all as outlast migrate citus says, in one transaction")
	}
	s.book = wire.NewBook(quote(s.schema)+".", s.spread)
	s.cold, s.taskGroups = sqlstore.New(database{s}, &own), sqlstore.NewTaskGroups(database{s})
	if s.spread {
		s.cold = sqlstore.New(database{s}, ownSpread())
	}
	return nil
}

// distributedWhole fails if the tables were distributed before some came that are to be
// so too.
func (s *Store) distributedWhole() error {
	if len(s.later) == 0 {
		return nil
	}
	return unusable("not distributed yet: "+strings.Join(s.later, ", "), "stop all nodes and producers, and run outlast migrate citus --run")
}

// Distribute brings the schema of the store up to date and runs [Distribution]
// in it, and reports whether that was left to do. Nobody else may use the
// schema meanwhile: it refuses while a node beats, for which it looks for a few
// seconds if there are nodes that have not left. A database without Citus is
// left as it is.
func (s *Store) Distribute(ctx context.Context) (done bool, err error) {
	if err := s.detect(ctx); err != nil || s.spread && len(s.later) == 0 {
		return false, err
	}
	err = s.connected(ctx, func(c *wire.Conn) error {
		there, err := wire.One(ctx, c, citusThere, func(wire.Row) {})
		if err == nil && !there {
			err = unusable("the database has no Citus", "CREATE EXTENSION citus, as described in its manual")
		}
		return err
	})
	if err == nil {
		err = s.Migrate(ctx)
	}
	if err == nil {
		err = s.unused(ctx, beatWithin)
	}
	if err != nil {
		return false, err
	}
	err = s.connected(ctx, func(c *wire.Conn) error {
		defer c.Rollback(ctx)
		calls := []*wire.Call{{Query: wire.BeginTx}, {Text: `SELECT set_config('search_path', $1::text, true)`, Args: []any{quote(s.schema)}}}
		statements := Distribution()
		if s.spread {
			statements = rest(s.later)
		}
		for _, statement := range statements {
			calls = append(calls, &wire.Call{Text: statement})
		}
		for _, one := range append(calls, &wire.Call{Query: wire.CommitTx}) {
			if err := c.Run(ctx, one); err != nil {
				return fmt.Errorf("%s: %w", one.Text, err)
			}
		}
		return nil
	})
	if err != nil {
		return false, err
	}
	return true, s.detect(ctx)
}

// beatWithin is within which time a node that lives has beaten: one that has not
// is held to be dead by others too.
const beatWithin = 5 * time.Second

// aliveNodes reads the counters of nodes that have neither left nor died.
var aliveNodes = wire.NewQuery(`SELECT id, counter FROM outlast_node WHERE state = 'alive' ORDER BY id`)

// unused fails if a node beats within a time. It does not wait where all nodes
// have left.
func (s *Store) unused(ctx context.Context, within time.Duration) error {
	before, err := countersOf(ctx, s)
	if err != nil || len(before) == 0 {
		return err
	}
	if !sleep(ctx, within) {
		return ctx.Err()
	}
	after, err := countersOf(ctx, s)
	if err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(after)) {
		if counter, there := before[id]; !there || counter != after[id] {
			return unusable("the node "+id+" uses the schema", "stop all nodes and producers first")
		}
	}
	return nil
}

func countersOf(ctx context.Context, s *Store) (counters map[string]int64, err error) {
	err = s.read(ctx, func(c wire.Session) error {
		counters = map[string]int64{}
		return wire.Each(ctx, c, aliveNodes, func(r wire.Row) error {
			counters[r.Text(0)] = r.Int(1)
			return nil
		})
	})
	return counters, err
}
