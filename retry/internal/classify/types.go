package classify

import (
	"reflect"
	"runtime"
	"strings"
	"time"
)

// traits are what a [Classifier] needs to know of a Go type.
type traits uint32

const (
	describesItself traits = 1 << iota // by the interface of [Own]
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
	form   form
	number []int // index of the field that holds what decides: see forms; or the number of a MySQL or SQLite error
	state  []int // index of the field that holds the SQLSTATE of a MySQL error
}

func (t *errorType) has(any traits) bool { return t.traits&any != 0 }

// part is the field of an error that decides. The error must have one.
func (t *errorType) part(err error) reflect.Value {
	return reflect.ValueOf(err).Elem().FieldByIndex(t.number)
}

// typeOf wants an error that is not nil.
func (c *Classifier) typeOf(err error) *errorType {
	key := reflect.TypeOf(err)
	if known, ok := c.types.Load(key); ok {
		return known.(*errorType)
	}
	made, _ := c.types.LoadOrStore(key, c.newErrorType(key))
	return made.(*errorType)
}

// methods are the interfaces that a [Classifier] looks for. That of gRPC statuses is
// not among them because it cannot be written without importing gRPC.
var methods = []struct {
	of    reflect.Type
	trait traits
}{
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

// form is a type of the standard library of which a field decides. Those of the network
// are known by their names, so that who calls nothing links none of it.
type form uint8

const (
	noForm form = iota
	errnoForm
	operationForm
	lookupForm
	replyForm
	addressForm
	closedForm
)

// forms are those types by package and name, with the field that decides.
var forms = []struct {
	pkg, name, field string
	form             form
	trait            traits
}{
	{"syscall", "syscall.Errno", "", errnoForm, goType},
	{"net", "*net.OpError", "Op", operationForm, goType},
	{"net", "*net.DNSError", "IsNotFound", lookupForm, goType},
	{"net/textproto", "*textproto.Error", "Code", replyForm, goType},
	{"net/url", "*url.Error", "Op", addressForm, 0},
	{"internal/poll", "poll.errNetClosing", "", closedForm, sentinelType},
}

func (c *Classifier) newErrorType(of reflect.Type) *errorType {
	t := &errorType{name: of.String()}
	for _, method := range methods {
		if of.Implements(method.of) {
			t.traits |= method.trait
		}
	}
	if own := c.own.Type; own != nil && of.Implements(own) {
		t.traits |= describesItself
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
	t.findForm(of)
	t.findRows(of)
	t.findNumber(of)
	return t
}

// findForm recognizes types of the standard library.
func (t *errorType) findForm(of reflect.Type) {
	for _, known := range forms {
		if known.name != t.name || known.pkg != pointee(of).PkgPath() {
			continue
		}
		t.form, t.traits = known.form, t.traits|known.trait
		if known.field != "" {
			field, _ := pointee(of).FieldByName(known.field)
			t.number = field.Index
		}
	}
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
