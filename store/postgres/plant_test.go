package postgres

import (
	"github.com/outlast-dev/outlast/store/postgres/internal/wire"
	"os"
)

// defects are parts of statements and what stands in their place, by name.
var defects = map[string][2]string{
	"claim_ignores_epoch":         {` AND l.epoch = e.epoch AND l.owner = $2::text`, ``},
	"claim_ignores_run_at":        {` AND t.run_at <= n.now`, ``},
	"claim_ignores_order":         {`ORDER BY (k.attempt + k.crashes = 0), k.seq LIMIT 1) = t.id`, `ORDER BY (k.attempt + k.crashes = 0), k.seq LIMIT 1) IS NOT NULL`},
	"claim_ignores_hold":          {`(SELECT true FROM outlast_key_hold h WHERE h.lane = t.lane AND h.key = t.key) IS NULL`, `true`},
	"claim_ignores_log":           {`DESC LIMIT 1), 0) = e.version`, `DESC LIMIT 1), 0) >= 0`},
	"claim_ignores_number":        {` AND n.past >= u.number`, ``},
	"claim_ignores_rows_apart":    {`(SELECT true FROM outlast_run r WHERE r.id = u.id) IS NULL`, `true`},
	"settle_without_claim_check":  {` AND r.claim = u.claim`, ``},
	"settle_ignores_cancel":       {"\n AND NOT r.cancel RETURNING r.id", ` RETURNING r.id`},
	"settle_without_log":          {` AND (t.lane, u.claim) IN (SELECT lane, claim FROM b)`, ``},
	"settle_ignores_past":         {`u.apart IS NOT TRUE AND ` + past + ` < u.claim`, `u.apart IS NOT TRUE`},
	"past_without_creation":       {past, `greatest(t.claim, t.apart, 0)`},
	"apart_without_a_number":      {`SET apart = c.claim`, `SET apart = t.apart`},
	"mark_ignores_log":            {` AND (SELECT true FROM m WHERE m.id = t.id AND m.claim > ` + past + ` LIMIT 1) IS NULL`, ``},
	"batch_ended_early":           {runsBy + `) AS ids`, `false) AS ids`},
	"suspect_ignores_log":         {` AND t.crashes >= 2 AND ` + past, ` AND t.crashes >= 200 AND ` + past},
	"claim_ignores_changes":       {`l.changes = e.changes AND `, ``},
	"change_not_counted":          {`SET changes = changes + 1 WHERE lane = $1::integer`, `SET changes = changes WHERE lane = $1::integer`},
	"mark_not_counted":            {`SET changes = changes + 1 WHERE lane = ANY`, `SET changes = changes WHERE lane = ANY`},
	"claim_ignores_server":        {` AND e.server = ` + serverStart, ``},
	"lease_without_a_number":      {`FROM c WHERE key IS NULL AND park = 0 AND `, `FROM c WHERE NOT alone AND `},
	"recover_ignores_node":        {`WHERE n.state IS DISTINCT FROM 'alive' ORDER BY x.node`, `ORDER BY x.node`},
	"recover_keeps_claim":         {`crashes = u.crashes, claim = u.claim,`, `crashes = u.crashes,`},
	"crash_spends_attempt":        {`SET crashes = u.crashes,`, `SET attempt = t.attempt + 1, crashes = u.crashes,`},
	"dedupe_not_kept":             {` AND expires <= $4::bigint FOR UPDATE`, ` AND $4::bigint > 0 FOR UPDATE`},
	"step_without_lock":           {` ORDER BY t.id FOR SHARE OF t`, ` ORDER BY t.id`},
	"step_with_a_key_lock":        {` ORDER BY t.id FOR SHARE OF t`, ` ORDER BY t.id FOR KEY SHARE OF t`},
	"step_ignores_ends":           {endedLast + ` < p.claim`, `true`},
	"step_ignores_rows_set_apart": {endedLast + ` < p.claim`, past + ` < p.claim`},
	"step_ignores_log":            {` AND c.claim = p.claim AND t.id = ANY(c.ids) LIMIT 1)`, ` LIMIT 1)`},
	"step_ignores_members":        {` AND c.claim = p.claim AND t.id = ANY(c.ids) LIMIT 1)`, ` AND c.claim = p.claim LIMIT 1)`},
	"step_ignores_number_apart":   {`WHERE r.id = t.id AND r.claim = p.claim LIMIT 1`, `WHERE r.id = t.id LIMIT 1`},
	"step_of_another_task":        {` AND s.claim >= t.created_at`, ``},
	"signal_without_lock":         {` FOR NO KEY UPDATE OF t`, ``},
	"take_ignores_epoch":          {` AND l.epoch = e.epoch` + "\n" + `  AND NOT EXISTS (SELECT 1 FROM outlast_node`, "\n" + `  AND NOT EXISTS (SELECT 1 FROM outlast_node`},
}

// Defect names in the environment the defect that this process plants.
const Defect = "OUTLAST_MUTANT"

// The statements that every store then takes its own from are changed before any test.
func init() {
	defect, planted := defects[os.Getenv(Defect)]
	if !planted {
		return
	}
	if wire.Plant(defect[0], defect[1]) == 0 {
		panic("no statement has what " + os.Getenv(Defect) + " takes away")
	}
}
