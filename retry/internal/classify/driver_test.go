package classify

import (
	"errors"
	"fmt"
	"testing"
	"time"
)

// databaseError is an error with an SQLSTATE, as pgx and lib/pq have them.
type databaseError string

func (e databaseError) Error() string    { return "connection timeout" }
func (e databaseError) SQLState() string { return string(e) }

// MySQLError has the shape of that of github.com/go-sql-driver/mysql.
type MySQLError struct {
	Number   uint16
	SQLState [5]byte
	Message  string
}

func (e *MySQLError) Error() string { return "connection timeout" }

// redisError has the methods of go-redis' errors.
type redisError string

func (e redisError) Error() string { return string(e) }
func (e redisError) RedisError()   {}

// grpcError has the methods of google.golang.org/grpc/internal/status.Error.
type grpcError struct {
	code  grpcCode
	delay *time.Duration // of a RetryInfo
}

type grpcCode uint32

type grpcStatus struct{ grpcError }

// RetryInfo has the methods of google.golang.org/genproto/googleapis/rpc/errdetails.
type RetryInfo struct{ delay time.Duration }

type protoDuration time.Duration

func (e grpcError) Error() string                  { return "rpc error: connection timeout" }
func (e grpcError) GRPCStatus() *grpcStatus        { return &grpcStatus{e} }
func (s *grpcStatus) Code() grpcCode               { return s.code }
func (r *RetryInfo) GetRetryDelay() *protoDuration { return (*protoDuration)(&r.delay) }
func (d *protoDuration) AsDuration() time.Duration { return time.Duration(*d) }

func (s *grpcStatus) Details() []any {
	if s.delay == nil {
		return nil
	}
	return []any{errors.New("other"), nil, &RetryInfo{*s.delay}}
}

// sortOf is what a row of a table says.
type sortOf struct {
	category Category
	effect   Effect
}

// checkRows classifies each row as a test of its name and compares the names with
// those of the table, so that no row of either is forgotten.
func checkRows(t *testing.T, want map[sortOf][]string, inTable []string, classify func(row string) Verdict) {
	t.Helper()
	left := map[string]bool{}
	for _, row := range inTable {
		left[row] = true
	}
	for sort, rows := range want {
		for _, row := range rows {
			t.Run(row, func(t *testing.T) {
				if v := classify(row); v.Category != sort.category || v.Effect != sort.effect {
					t.Errorf("%+v", v)
				}
			})
			delete(left, row)
		}
	}
	for row := range left {
		t.Errorf("no test of %s", row)
	}
}

// TestSQLState is the table of codes; the text must not matter.
func TestSQLState(t *testing.T) {
	var table []string
	for _, row := range sqlStates {
		if len(row.code) == 5 {
			table = append(table, row.code)
		}
	}
	checkRows(t, map[sortOf][]string{
		{Conflict, Done}:       {"40001", "40P01", "40000", "55P03", "55006", "25P03"},
		{Network, Maybe}:       {"40003", "08007", "08000", "08003", "08006"},
		{Unsent, NotSent}:      {"08001", "08004", "57P05"},
		{Throttled, NotSent}:   {"53300", "53400"},
		{Unavailable, Maybe}:   {"53000", "53200", "57P01", "57P02"},
		{Unavailable, NotSent}: {"57P03", "25006"},
		{Local, Maybe}:         {"53100"},
		{Timeout, Done}:        {"57014", "25P04"},
		{Bug, Maybe}:           {"XX000", "XX001", "XX002"},
		{Permanent, Maybe}:     {"08P01", "58030"},
		{Permanent, NotSent}:   {"3D000", "28P01", "28000"},
		{Permanent, Done}: {"23505", "23P01", "40002", "55000", "57P04", "25P02", "42601", "42P01",
			"22001", "22P02", "0A000", "54000", "54001"},
		// Codes without a row fall through to the text.
		{Timeout, Maybe}: {"", "0", "99999"},
	}, table, func(code string) Verdict {
		v := of(fmt.Errorf("insert: %w", databaseError(code)))
		if v.Type != "classify.databaseError" || v.Code != code && v.Category != Timeout {
			t.Errorf("%s: %+v", code, v)
		}
		return v
	})
}

// TestMySQL is the table of error numbers of MySQL and MariaDB.
func TestMySQL(t *testing.T) {
	var table []string
	for _, row := range mysqlErrors {
		table = append(table, row.code)
	}
	checkRows(t, map[sortOf][]string{
		{Conflict, Done}:       {"1213", "1205", "1020", "1412", "1613", "1614", "3058", "3101", "3572"},
		{Throttled, NotSent}:   {"1040", "1203", "1226", "1637"},
		{Unavailable, NotSent}: {"1290", "1836", "1792", "1047"},
		{Unavailable, Maybe}:   {"1053", "1927", "3169", "1037", "1041"},
		{Unavailable, Done}:    {"1206"},
		{Unsent, NotSent}:      {"2002", "2003", "2005", "2006", "4031"},
		{Network, Maybe}:       {"2013", "2055", "1158", "1159", "1160", "1161"},
		{Timeout, Done}:        {"3024", "1969", "1317"},
		{Local, Maybe}:         {"1021", "1114"},
		{Permanent, NotSent}:   {"1044", "1045", "1049", "1130"},
		{Permanent, Done}: {"1062", "1064", "1146", "1048", "1054", "1142", "1264", "1364", "1366", "1406",
			"1451", "1452", "3819", "4025"},
		{Timeout, Maybe}: {"0", "1105", "65535"}, // no row: the text
	}, table, func(number string) Verdict {
		failed := &MySQLError{}
		if _, err := fmt.Sscan(number, &failed.Number); err != nil {
			t.Fatal(err)
		}
		return of(fmt.Errorf("insert: %w", failed))
	})
}

// TestMySQLState: a number without a row is classified by its SQLSTATE.
func TestMySQLState(t *testing.T) {
	v := of(&MySQLError{Number: 1586, SQLState: [5]byte([]byte("23000"))})
	if want := (Verdict{Category: Permanent, Effect: Done, Type: "*classify.MySQLError", Code: "1586"}); v != want {
		t.Errorf("%+v", v)
	}
}

// TestRedis is the table of first words, each as go-redis reports it.
func TestRedis(t *testing.T) {
	var table []string
	for _, row := range redisErrors {
		table = append(table, row.word)
	}
	for _, row := range redisTexts {
		table = append(table, row.text)
	}
	checkRows(t, map[sortOf][]string{
		{Unavailable, NotSent}: {"LOADING", "READONLY", "MASTERDOWN", "CLUSTERDOWN", "MISCONF"},
		{Unavailable, Maybe}:   {"NOREPLICAS"},
		{Conflict, NotSent}:    {"TRYAGAIN"},
		{Conflict, Done}:       {"redis: transaction failed"},
		{Unsent, NotSent}:      {"MOVED", "ASK"},
		{Throttled, NotSent}:   {"BUSY", "OOM", "ERR max number of clients reached"},
		{Permanent, NotSent}:   {"NOSCRIPT", "NOAUTH", "WRONGPASS", "NOPERM", "CROSSSLOT", "EXECABORT"},
		{Permanent, Done}:      {"WRONGTYPE", "BUSYGROUP", "BUSYKEY", "ERR", "redis: nil"},
		{Timeout, Maybe}:       {"", "LUACODE", "loading"}, // no row: the text
	}, table, func(word string) Verdict {
		return of(fmt.Errorf("get: %w", redisError(word+" connection timeout")))
	})
	// Some servers put ERR in front of the word.
	if v := of(redisError("ERR LOADING x")); v.Category != Unavailable || v.Code != "LOADING" {
		t.Errorf("%+v", v)
	}
	// The client's own errors have no method.
	if v := of(errors.New("redis: connection pool timeout")); v.Category != Local || v.Effect != Maybe {
		t.Errorf("%+v", v)
	}
}

// TestGRPC is the table of status codes, by number and as errors.
func TestGRPC(t *testing.T) {
	numbers := map[string]uint32{}
	var table []string
	for number, row := range grpcCodes {
		numbers[row.name] = uint32(number)
		if number > 0 {
			table = append(table, row.name)
		}
	}
	checkRows(t, map[sortOf][]string{
		{Unavailable, Maybe}: {"UNAVAILABLE", "CANCELLED"},
		{Conflict, Done}:     {"ABORTED"},
		{Timeout, Maybe}:     {"DEADLINE_EXCEEDED"},
		{Bug, Maybe}:         {"INTERNAL", "UNKNOWN", "DATA_LOSS"},
		{Permanent, Done}: {"FAILED_PRECONDITION", "INVALID_ARGUMENT", "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED",
			"OUT_OF_RANGE", "UNIMPLEMENTED", "UNAUTHENTICATED", "RESOURCE_EXHAUSTED"},
	}, table, func(name string) Verdict {
		v := of(fmt.Errorf("call: %w", grpcError{code: grpcCode(numbers[name])}))
		if pure := GRPC(numbers[name], Hint{}, false); pure.Category != v.Category || pure.Effect != v.Effect ||
			pure.Code != name || v.Code != name {
			t.Errorf("%s: %+v and %+v", name, v, pure)
		}
		return v
	})
	if v := GRPC(0, Hint{}, false); v != (Verdict{}) {
		t.Errorf("OK: %+v", v)
	}
	if v := GRPC(17, Hint{}, false); v.Category != Unknown {
		t.Errorf("17: %+v", v)
	}
	// An error whose status is OK says nothing; the text decides.
	if v := of(grpcError{}); v.Category != Timeout || v.Code != "" {
		t.Errorf("OK: %+v", v)
	}
}

// TestGRPCHints: RESOURCE_EXHAUSTED is worth a retry only when the server says
// when, and a wait of nothing says so.
func TestGRPCHints(t *testing.T) {
	for delay, want := range map[time.Duration]time.Duration{0: 1, time.Second: time.Second, -time.Second: 1} {
		v := of(grpcError{8, &delay})
		if v.Category != Throttled || v.Effect != NotSent || v.Hint.After != want {
			t.Errorf("RetryInfo of %v: %+v", delay, v)
		}
		if v := of(grpcError{14, &delay}); v.Category != Unavailable || v.Hint.After != want {
			t.Errorf("UNAVAILABLE with RetryInfo of %v: %+v", delay, v)
		}
	}
	if v := GRPC(8, Hint{GiveUp: true}, true); v.Category != Permanent || !v.Hint.GiveUp {
		t.Errorf("negative pushback: %+v", v)
	}
}
