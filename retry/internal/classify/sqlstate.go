package classify

// sqlState is implemented by the errors of PostgreSQL drivers such as pgx and
// lib/pq.
type sqlState interface{ SQLState() string }

// sqlStateEntry is a row of the SQLSTATE table.
type sqlStateEntry struct {
	code     string
	name     string
	category Category
	effect   Effect
}

// sqlStates is the table of SQLSTATE codes. A row of two characters stands for
// the class, after all full codes. Conflicts ask for the whole transaction again.
//
// Source: PostgreSQL documentation, appendix A and §13.5; the categories follow
// Npgsql's list of transient errors except that an unknown outcome (40003, 08007)
// is [Maybe] and so never repeated blindly, and a full disk is [Local].
var sqlStates = []sqlStateEntry{
	{"40001", "serialization_failure", Conflict, Done},
	{"40P01", "deadlock_detected", Conflict, Done},
	{"40000", "transaction_rollback", Conflict, Done},
	{"40002", "transaction_integrity_constraint_violation", Permanent, Done},
	{"40003", "statement_completion_unknown", Network, Maybe},
	{"08007", "transaction_resolution_unknown", Network, Maybe},
	{"55P03", "lock_not_available", Conflict, Done},
	{"55006", "object_in_use", Conflict, Done},
	{"55000", "object_not_in_prerequisite_state", Permanent, Done},
	{"08000", "connection_exception", Network, Maybe},
	{"08003", "connection_does_not_exist", Network, Maybe},
	{"08006", "connection_failure", Network, Maybe},
	{"08001", "sqlclient_unable_to_establish_sqlconnection", Unsent, NotSent},
	{"08004", "sqlserver_rejected_establishment_of_sqlconnection", Unsent, NotSent},
	{"08P01", "protocol_violation", Permanent, Maybe},
	{"53300", "too_many_connections", Throttled, NotSent},
	{"53400", "configuration_limit_exceeded", Throttled, NotSent},
	{"53000", "insufficient_resources", Unavailable, Maybe},
	{"53200", "out_of_memory", Unavailable, Maybe},
	{"53100", "disk_full", Local, Maybe},
	{"58030", "io_error", Permanent, Maybe},
	{"57P01", "admin_shutdown", Unavailable, Maybe},
	{"57P02", "crash_shutdown", Unavailable, Maybe},
	{"57P03", "cannot_connect_now", Unavailable, NotSent},
	{"57P05", "idle_session_timeout", Unsent, NotSent},
	{"25P03", "idle_in_transaction_session_timeout", Conflict, Done},
	{"25P04", "transaction_timeout", Timeout, Done},
	{"57014", "query_canceled", Timeout, Done},
	{"57P04", "database_dropped", Permanent, Done},
	{"3D000", "invalid_catalog_name", Permanent, NotSent},
	{"25006", "read_only_sql_transaction", Unavailable, NotSent},
	{"25P02", "in_failed_sql_transaction", Permanent, Done},
	{"XX000", "internal_error", Bug, Maybe},
	{"XX001", "data_corrupted", Bug, Maybe},
	{"XX002", "index_corrupted", Bug, Maybe},
	{"22", "data_exception", Permanent, Done},
	{"23", "integrity_constraint_violation", Permanent, Done},
	{"28", "invalid_authorization_specification", Permanent, NotSent},
	{"42", "syntax_error_or_access_rule_violation", Permanent, Done},
	{"0A", "feature_not_supported", Permanent, Done},
	{"54", "program_limit_exceeded", Permanent, Done},
}

// sqlStateRows is sqlStates by code.
var sqlStateRows = func() map[string]*sqlStateEntry {
	rows := make(map[string]*sqlStateEntry, len(sqlStates))
	for i := range sqlStates {
		rows[sqlStates[i].code] = &sqlStates[i]
	}
	return rows
}()

// bySQLState classifies the error of a database by its code.
func bySQLState(code string) (Verdict, bool) {
	row := sqlStateRows[code]
	if row == nil && len(code) == 5 {
		row = sqlStateRows[code[:2]]
	}
	if row == nil {
		return Verdict{}, false
	}
	return Verdict{Category: row.category, Effect: row.effect, Code: code}, true
}
