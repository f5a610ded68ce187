package retry

// sqlState is implemented by the errors of PostgreSQL drivers such as pgx and
// lib/pq.
type sqlState interface{ SQLState() string }

// sqlStates is the table of SQLSTATE codes. A row of two characters stands for
// the class, after all full codes. Conflicts ask for the whole transaction again.
//
// Source: PostgreSQL documentation, appendix A and §13.5; the categories follow
// Npgsql's list of transient errors except that an unknown outcome (40003, 08007)
// is [Maybe] and a full disk is [Local].
var sqlStates = map[string]struct {
	category Category
	effect   Effect
}{
	"40001": {Conflict, Done}, "40P01": {Conflict, Done}, "40000": {Conflict, Done}, "40002": {Permanent, Done},
	"40003": {Network, Maybe}, "08007": {Network, Maybe},
	"55P03": {Conflict, Done}, "55006": {Conflict, Done}, "55000": {Permanent, Done},
	"08000": {Network, Maybe}, "08003": {Network, Maybe}, "08006": {Network, Maybe},
	"08001": {Unsent, NotSent}, "08004": {Unsent, NotSent}, "08P01": {Permanent, Maybe},
	"53300": {Throttled, NotSent}, "53400": {Throttled, NotSent},
	"53000": {Unavailable, Maybe}, "53200": {Unavailable, Maybe},
	"53100": {Local, Maybe}, "58030": {Permanent, Maybe},
	"57P01": {Unavailable, Maybe}, "57P02": {Unavailable, Maybe}, "57P03": {Unavailable, NotSent},
	"57P05": {Network, Maybe}, "25P03": {Network, Maybe},
	"57014": {Timeout, Done}, "57P04": {Permanent, Done}, "3D000": {Permanent, NotSent},
	"25006": {Unavailable, NotSent}, "25P02": {Permanent, Done},
	"XX000": {Bug, Maybe}, "XX001": {Bug, Maybe}, "XX002": {Bug, Maybe},
	"22": {Permanent, Done}, "23": {Permanent, Done}, "28": {Permanent, NotSent}, "42": {Permanent, Done},
}

// bySQLState classifies the error of a database by its code.
func bySQLState(err error) (Verdict, bool) {
	state, ok := err.(sqlState)
	if !ok {
		return Verdict{}, false
	}
	code := state.SQLState()
	row, known := sqlStates[code]
	if !known && len(code) == 5 {
		row, known = sqlStates[code[:2]]
	}
	return Verdict{Category: row.category, Effect: row.effect, Code: code}, known
}
