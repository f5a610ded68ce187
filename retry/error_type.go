package retry

import (
	"net"
	"net/textproto"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// traits are what [Classify] needs to know of a Go type.
type traits uint32

const (
	describesItself traits = 1 << iota // Verdictor
	goType                             // a type of the standard library; see search.goType
	namedRow                           // rows of typeNames or permanentPackages
	sentinelType                       // the type of a well-known value
	hasIs
	hasGRPCStatus
	hasRedisError
	isMySQL
	isSQLite
	hasSQLState
	hasCause
	hasCauses
	hasSafeToRetry
	hasRetryable
	hasTimeout
	hasRetryAfter

	carriesCode  = hasGRPCStatus | hasRedisError | isMySQL | isSQLite | hasSQLState
	ownMeaning   = describesItself | goType | namedRow | sentinelType | hasIs | carriesCode
	aroundCauses = hasSafeToRetry | hasRetryable | hasTimeout | hasRetryAfter
)

// errorType is a Go type of errors. It is made once for each type and read-only.
type errorType struct {
	traits traits
	name   string // in the form "*net.OpError"
	rows   []typeRow
	number []int // index of the field that holds the number of a MySQL or SQLite error
	state  []int // index of the field that holds the SQLSTATE of a MySQL error
}

func (t *errorType) has(any traits) bool { return t.traits&any != 0 }

// errorTypes caches errorType by reflect.Type. It has at most one entry for each
// error type of the program.
var errorTypes sync.Map

// errorTypeOf wants an error that is not nil.
func errorTypeOf(err error) *errorType {
	key := reflect.TypeOf(err)
	if known, ok := errorTypes.Load(key); ok {
		return known.(*errorType)
	}
	made, _ := errorTypes.LoadOrStore(key, newErrorType(key))
	return made.(*errorType)
}

// methods are the interfaces that [Classify] looks for. That of gRPC statuses is
// not among them because it cannot be written without importing gRPC.
var methods = []struct {
	of    reflect.Type
	trait traits
}{
	{reflect.TypeFor[Verdictor](), describesItself},
	{reflect.TypeFor[runtime.Error](), goType},
	{reflect.TypeFor[interface{ Is(error) bool }](), hasIs},
	{reflect.TypeFor[interface{ RedisError() }](), hasRedisError},
	{reflect.TypeFor[sqlState](), hasSQLState},
	{reflect.TypeFor[interface{ Unwrap() error }](), hasCause},
	{reflect.TypeFor[interface{ Unwrap() []error }](), hasCauses},
	{reflect.TypeFor[interface{ SafeToRetry() bool }](), hasSafeToRetry},
	{reflect.TypeFor[interface{ RetryableError() bool }](), hasRetryable},
	{reflect.TypeFor[interface{ Timeout() bool }](), hasTimeout},
	{reflect.TypeFor[interface{ RetryAfter() time.Duration }](), hasRetryAfter},
}

// goTypes are the types of [search.goType] besides the interface runtime.Error.
var goTypes = map[reflect.Type]bool{
	reflect.TypeFor[syscall.Errno]():    true,
	reflect.TypeFor[*net.OpError]():     true,
	reflect.TypeFor[*net.DNSError]():    true,
	reflect.TypeFor[*textproto.Error](): true,
}

func newErrorType(of reflect.Type) *errorType {
	t := &errorType{name: of.String()}
	for _, method := range methods {
		if of.Implements(method.of) {
			t.traits |= method.trait
		}
	}
	if goTypes[of] {
		t.traits |= goType
	}
	for i := range sentinels {
		if reflect.TypeOf(sentinels[i].err) == of {
			t.traits |= sentinelType
		}
	}
	// The name must be a constant, or programs would keep all their methods.
	if status, ok := of.MethodByName("GRPCStatus"); ok && status.Type.NumIn() == 1 && status.Type.NumOut() == 1 {
		t.traits |= hasGRPCStatus
	}
	t.findRows(of)
	t.findNumber(of)
	return t
}

// findRows finds the rows for the type's name, else for its package.
func (t *errorType) findRows(of reflect.Type) {
	for _, row := range typeNames {
		if row.name == t.name {
			t.rows = append(t.rows, row)
		}
	}
	if effect, ok := permanentPackages[pointee(of).PkgPath()]; ok && t.rows == nil {
		t.rows = []typeRow{{category: Permanent, effect: effect}}
	}
	if t.rows != nil {
		t.traits |= namedRow
	}
}

// findNumber recognizes the errors of database drivers that have neither an
// interface of their own nor an SQLSTATE method.
func (t *errorType) findNumber(of reflect.Type) {
	of = pointee(of)
	name := strings.TrimPrefix(t.name, "*")
	switch {
	case of.Kind() == reflect.Struct && of.Name() == "MySQLError":
		number, ok := of.FieldByName("Number")
		if !ok || !isInteger(number.Type) {
			return
		}
		t.traits, t.number = t.traits|isMySQL, number.Index
		if state, ok := of.FieldByName("SQLState"); ok && state.Type == reflect.TypeFor[[5]byte]() {
			t.state = state.Index
		}
	case strings.HasPrefix(name, "sqlite3.") || strings.HasPrefix(name, "sqlite."):
		t.findSQLite(of)
	}
}

func pointee(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}
