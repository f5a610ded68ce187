package classify

import "reflect"

// sqliteEntry is a row of the SQLite table.
type sqliteEntry struct {
	number   uint16
	code     string
	category Category
	effect   Effect
}

// sqliteErrors is the table of SQLite's result codes. After SQLITE_BUSY_SNAPSHOT
// the whole transaction is to be repeated, after the other conflicts the statement
// would do.
//
// Source: https://sqlite.org/rescode.html.
var sqliteErrors = []sqliteEntry{
	{517, "SQLITE_BUSY_SNAPSHOT", Conflict, Done},
	{5, "SQLITE_BUSY", Conflict, NotSent},
	{6, "SQLITE_LOCKED", Conflict, NotSent},
	{15, "SQLITE_PROTOCOL", Conflict, NotSent},
	{17, "SQLITE_SCHEMA", Conflict, NotSent},
	{4, "SQLITE_ABORT", Conflict, Done},
	{9, "SQLITE_INTERRUPT", Timeout, Done},
	{7, "SQLITE_NOMEM", Local, Maybe},
	{13, "SQLITE_FULL", Local, Maybe},
	{10, "SQLITE_IOERR", Permanent, Maybe},
	{11, "SQLITE_CORRUPT", Permanent, Maybe},
	{26, "SQLITE_NOTADB", Permanent, NotSent},
	{14, "SQLITE_CANTOPEN", Permanent, NotSent},
	{1, "SQLITE_ERROR", Permanent, Done},
	{2, "SQLITE_INTERNAL", Bug, Maybe},
	{21, "SQLITE_MISUSE", Bug, NotSent},
	{3, "SQLITE_PERM", Permanent, NotSent},
	{8, "SQLITE_READONLY", Permanent, NotSent},
	{18, "SQLITE_TOOBIG", Permanent, Done},
	{19, "SQLITE_CONSTRAINT", Permanent, Done},
	{20, "SQLITE_MISMATCH", Permanent, Done},
	{23, "SQLITE_AUTH", Permanent, NotSent},
	{25, "SQLITE_RANGE", Permanent, NotSent},
}

// sqliteRows is sqliteErrors by number.
var sqliteRows = func() map[uint16]*sqliteEntry {
	rows := make(map[uint16]*sqliteEntry, len(sqliteErrors))
	for i := range sqliteErrors {
		rows[sqliteErrors[i].number] = &sqliteErrors[i]
	}
	return rows
}()

// findSQLite recognizes the errors of the drivers for Go: a struct Error whose
// result code is in the field ExtendedCode or Code (github.com/mattn/go-sqlite3)
// or comes from the methods of these names (github.com/ncruces/go-sqlite3,
// modernc.org/sqlite), and result codes that are errors themselves.
func (t *errorType) findSQLite(of reflect.Type) {
	if of.Name() == "ErrorCode" || of.Name() == "ExtendedErrorCode" || of.Name() == "ResultCode" {
		t.traits |= isSQLite
		return
	}
	if of.Kind() != reflect.Struct || of.Name() != "Error" {
		return
	}
	t.traits |= isSQLite
	for _, name := range []string{"ExtendedCode", "Code"} {
		if field, ok := of.FieldByName(name); ok && isInteger(field.Type) {
			t.number = field.Index
			return
		}
	}
}

// bySQLiteError classifies by the extended result code, else by the primary one.
func bySQLiteError(err error, t *errorType) (Verdict, bool) {
	number, ok := sqliteCode(reflect.ValueOf(err), t)
	if !ok {
		return Verdict{}, false
	}
	row := sqliteRows[number]
	if row == nil {
		row = sqliteRows[number&0xff]
	}
	if row == nil {
		return Verdict{}, false
	}
	return Verdict{Category: row.category, Effect: row.effect, Code: row.code}, true
}

func sqliteCode(e reflect.Value, t *errorType) (uint16, bool) {
	if isInteger(e.Type()) {
		return asCode(e), true
	}
	if t.number != nil {
		return asCode(reflect.Indirect(e).FieldByIndex(t.number)), true
	}
	method := e.MethodByName("ExtendedCode")
	if !method.IsValid() {
		method = e.MethodByName("Code")
	}
	if !method.IsValid() || method.Type().NumIn() != 0 || method.Type().NumOut() != 1 || !isInteger(method.Type().Out(0)) {
		return 0, false
	}
	return asCode(method.Call(nil)[0]), true
}

func isInteger(t reflect.Type) bool {
	return t.Kind() >= reflect.Int && t.Kind() <= reflect.Uintptr
}

// asCode wants an integer.
func asCode(v reflect.Value) uint16 {
	if v.CanUint() {
		return uint16(v.Uint())
	}
	return uint16(v.Int())
}
