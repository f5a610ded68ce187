package classify

import (
	"reflect"
	"strconv"
)

// mysqlEntry is a row of the MySQL table.
type mysqlEntry struct {
	code     string
	name     string
	category Category
	effect   Effect
}

// mysqlErrors is the table of error numbers of MySQL and MariaDB. After 1205 only
// the statement was rolled back: the transaction must be rolled back before it is
// tried again, which package retry/retrysql does. The numbers from 2000 to 2999
// are those of the C client.
//
// Source: MySQL Server Error Message Reference and the InnoDB manual, "InnoDB
// Error Handling"; MariaDB Error Code Reference. Numbers without a row are
// classified by their SQLSTATE.
var mysqlErrors = []mysqlEntry{
	{"1213", "ER_LOCK_DEADLOCK", Conflict, Done},
	{"1205", "ER_LOCK_WAIT_TIMEOUT", Conflict, Done},
	{"1020", "ER_CHECKREAD", Conflict, Done},
	{"1412", "ER_TABLE_DEF_CHANGED", Conflict, Done},
	{"1614", "ER_XA_RBDEADLOCK", Conflict, Done},
	{"1613", "ER_XA_RBTIMEOUT", Conflict, Done},
	{"3058", "ER_USER_LOCK_DEADLOCK", Conflict, Done},
	{"3101", "ER_TRANSACTION_ROLLBACK_DURING_COMMIT", Conflict, Done},
	{"3572", "ER_LOCK_NOWAIT", Conflict, Done},
	{"1040", "ER_CON_COUNT_ERROR", Throttled, NotSent},
	{"1203", "ER_TOO_MANY_USER_CONNECTIONS", Throttled, NotSent},
	{"1226", "ER_USER_LIMIT_REACHED", Throttled, NotSent},
	{"1637", "ER_TOO_MANY_CONCURRENT_TRXS", Throttled, NotSent},
	{"1290", "ER_OPTION_PREVENTS_STATEMENT", Unavailable, NotSent},
	{"1836", "ER_READ_ONLY_MODE", Unavailable, NotSent},
	{"1792", "ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION", Unavailable, NotSent},
	{"1047", "ER_UNKNOWN_COM_ERROR", Unavailable, NotSent},
	{"1053", "ER_SERVER_SHUTDOWN", Unavailable, Maybe},
	{"1927", "ER_CONNECTION_KILLED", Unavailable, Maybe},
	{"3169", "ER_SESSION_WAS_KILLED", Unavailable, Maybe},
	{"4031", "ER_CLIENT_INTERACTION_TIMEOUT", Unsent, NotSent},
	{"2002", "CR_CONNECTION_ERROR", Unsent, NotSent},
	{"2003", "CR_CONN_HOST_ERROR", Unsent, NotSent},
	{"2005", "CR_UNKNOWN_HOST", Unsent, NotSent},
	{"2006", "CR_SERVER_GONE_ERROR", Unsent, NotSent},
	{"2013", "CR_SERVER_LOST", Network, Maybe},
	{"2055", "CR_SERVER_LOST_EXTENDED", Network, Maybe},
	{"1158", "ER_NET_READ_ERROR", Network, Maybe},
	{"1159", "ER_NET_READ_INTERRUPTED", Network, Maybe},
	{"1160", "ER_NET_ERROR_ON_WRITE", Network, Maybe},
	{"1161", "ER_NET_WRITE_INTERRUPTED", Network, Maybe},
	{"3024", "ER_QUERY_TIMEOUT", Timeout, Done},
	{"1969", "ER_STATEMENT_TIMEOUT", Timeout, Done},
	{"1317", "ER_QUERY_INTERRUPTED", Timeout, Done},
	{"1021", "ER_DISK_FULL", Local, Maybe},
	{"1114", "ER_RECORD_FILE_FULL", Local, Maybe},
	{"1037", "ER_OUTOFMEMORY", Unavailable, Maybe},
	{"1041", "ER_OUT_OF_RESOURCES", Unavailable, Maybe},
	{"1206", "ER_LOCK_TABLE_FULL", Unavailable, Done},
	{"1044", "ER_DBACCESS_DENIED_ERROR", Permanent, NotSent},
	{"1045", "ER_ACCESS_DENIED_ERROR", Permanent, NotSent},
	{"1049", "ER_BAD_DB_ERROR", Permanent, NotSent},
	{"1130", "ER_HOST_NOT_PRIVILEGED", Permanent, NotSent},
	{"1048", "ER_BAD_NULL_ERROR", Permanent, Done},
	{"1054", "ER_BAD_FIELD_ERROR", Permanent, Done},
	{"1062", "ER_DUP_ENTRY", Permanent, Done},
	{"1064", "ER_PARSE_ERROR", Permanent, Done},
	{"1142", "ER_TABLEACCESS_DENIED_ERROR", Permanent, Done},
	{"1146", "ER_NO_SUCH_TABLE", Permanent, Done},
	{"1264", "ER_WARN_DATA_OUT_OF_RANGE", Permanent, Done},
	{"1364", "ER_NO_DEFAULT_FOR_FIELD", Permanent, Done},
	{"1366", "ER_TRUNCATED_WRONG_VALUE_FOR_FIELD", Permanent, Done},
	{"1406", "ER_DATA_TOO_LONG", Permanent, Done},
	{"1451", "ER_ROW_IS_REFERENCED_2", Permanent, Done},
	{"1452", "ER_NO_REFERENCED_ROW_2", Permanent, Done},
	{"3819", "ER_CHECK_CONSTRAINT_VIOLATED", Permanent, Done},
	{"4025", "ER_CONSTRAINT_FAILED", Permanent, Done},
}

// mysqlRows is mysqlErrors by number.
var mysqlRows = func() map[uint16]*mysqlEntry {
	rows := make(map[uint16]*mysqlEntry, len(mysqlErrors))
	for i := range mysqlErrors {
		number, err := strconv.ParseUint(mysqlErrors[i].code, 10, 16)
		if err != nil {
			panic(err)
		}
		rows[uint16(number)] = &mysqlErrors[i]
	}
	return rows
}()

// byMySQLError classifies a struct MySQLError with the field Number, as that of
// github.com/go-sql-driver/mysql. That driver's mysql.ErrInvalidConn, which means
// that a connection broke after something had been written, has no type and is
// recognized by its text; when nothing had been written it is driver.ErrBadConn.
func byMySQLError(err error, t *errorType) (Verdict, bool) {
	fields := reflect.Indirect(reflect.ValueOf(err))
	number := asCode(fields.FieldByIndex(t.number))
	if row := mysqlRows[number]; row != nil {
		return Verdict{Category: row.category, Effect: row.effect, Code: row.code}, true
	}
	if t.state == nil {
		return Verdict{}, false
	}
	state := fields.FieldByIndex(t.state).Interface().([5]byte)
	v, ok := bySQLState(string(state[:]))
	v.Code = strconv.Itoa(int(number))
	return v, ok
}
