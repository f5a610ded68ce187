package postgres

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/outlast-dev/outlast/internal/hints"
	"github.com/outlast-dev/outlast/task"
)

// knownParams are the parameters of a store URL that pgx or the store reads. What
// is none of them goes to the server as a setting, of which there are hundreds, so
// that others are refused only where one of these must have been meant.
var knownParams = []string{
	"schema", "pool_max_conns", "pool_min_conns", "pool_min_idle_conns", "pool_max_conn_lifetime", "pool_max_conn_lifetime_jitter",
	"pool_max_conn_idle_time", "pool_health_check_period", "pool_ping_timeout", "default_query_exec_mode", "statement_cache_capacity", "description_cache_capacity",
	"sslmode", "sslkey", "sslcert", "sslrootcert", "sslpassword", "sslsni", "sslnegotiation", "connect_timeout", "target_session_attrs",
	"application_name", "host", "port", "user", "password", "dbname", "passfile", "service", "servicefile", "krbsrvname", "krbspn", "channel_binding",
	"search_path", "options", "timezone", "statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout", "synchronous_commit",
}

// checkParams refuses parameters that are misspelled, and a pool of nothing.
func checkParams(params url.Values) error {
	for _, name := range slices.Sorted(maps.Keys(params)) {
		if meant := nearest(strings.ToLower(name), knownParams); meant != "" && meant != name {
			return task.Invalid("store", "the store URL has no parameter "+task.Quote(name), "did you mean "+meant+"?")
		}
	}
	const most = "pool_max_conns"
	if n, err := strconv.Atoi(params.Get(most)); params.Has(most) && (err != nil || n < 1) {
		return task.Invalid("store", most+" "+task.Quote(params.Get(most))+" in the store URL is not 1 or more", "leave it out for the number of cores, at least 4")
	}
	return nil
}

// nearest is the name that a misspelled one is two edits or fewer away from, itself
// if it is one of them, "" if there is none.
func nearest(name string, known []string) (best string) {
	distance := 3
	for _, candidate := range known {
		if d := hints.Edits(name, candidate, distance); d < distance && 3*d < len(candidate) {
			best, distance = candidate, d
		}
	}
	return best
}
