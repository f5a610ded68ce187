package classify

import (
	"reflect"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// Classifier says what kind of failure an error is. It is safe for concurrent use.
type Classifier struct {
	own   Own
	types sync.Map // errorType by reflect.Type: at most one entry for each error type of the program
}

// Own reads errors that describe themselves.
type Own struct {
	// Type is the interface that they implement, nil for none.
	Type reflect.Type
	// Read is what such an error says. Inner tells that it is the end of an operation
	// inside the one that is judged: what was not sent there says nothing about what
	// was done before it.
	Read func(err error) (v Verdict, inner bool)
}

// New makes a classifier that believes what errors say of themselves.
func New(own Own) *Classifier { return &Classifier{own: own} }

// Of says what kind of failure err is; an error that nothing matches, and nil, is
// [Unknown] with [Maybe]. Told is whether the effect is what an error says about the
// whole operation, rather than what its type or its code says about an exchange.
func (c *Classifier) Of(err error) (v Verdict, told bool) {
	v = Verdict{Category: Unknown, Effect: Maybe}
	if err == nil {
		return v, false
	}
	// Errors that hold a nil cause, such as &url.Error{}, panic in Error, and nil
	// pointers in Unwrap.
	defer func() {
		if recover() != nil && v.Type == "" {
			v.Type = c.typeOf(err).name
		}
	}()
	search := search{by: c, left: mostCauses}
	if search.tree(err) {
		return search.found, search.told
	}
	v.Type = c.typeOf(c.telling(err)).name
	if category, ok := byText(err); ok {
		v.Category = category
	}
	return v, false
}

// TypeName is the name of the type of an error that is not nil, such as "*net.OpError".
func (c *Classifier) TypeName(err error) string { return c.typeOf(err).name }

// telling is the outermost error that is more than a wrapper made by fmt.Errorf
// or errors.Join.
func (c *Classifier) telling(err error) error {
	for range mostCauses {
		var cause error
		switch e := err.(type) { //nolint:errorlint // this is what unwraps
		case interface{ Unwrap() error }:
			cause = e.Unwrap()
		case interface{ Unwrap() []error }:
			cause = firstOf(e.Unwrap())
		}
		if cause == nil || !c.isWrapper(err) {
			return err
		}
		err = cause
	}
	return err
}

func (c *Classifier) isWrapper(err error) bool {
	switch c.typeOf(err).name {
	case "*fmt.wrapError", "*fmt.wrapErrors", "*errors.joinError":
		return true
	}
	return false
}

// search is a walk through a tree of errors.
type search struct {
	by    *Classifier
	left  int     // how many errors may still be looked at
	found Verdict // valid when a method has returned true
	told  bool    // an error gave found's effect for the whole operation
}

// tree classifies err or the first of its causes that anything matches.
func (s *search) tree(err error) bool {
	if s.left--; s.left < 0 {
		return false
	}
	t := s.by.typeOf(err)
	known := t.has(ownMeaning) && s.one(err, t)
	if known {
		s.found.complete(t.name)
	} else {
		known = s.causes(err, t)
	}
	if t.has(aroundCauses) {
		known = s.around(err, t, known)
	}
	return known
}

// causes classifies the first cause of err that anything matches.
func (s *search) causes(err error, t *errorType) bool {
	switch {
	case t.has(hasCause):
		if cause := err.(interface{ Unwrap() error }).Unwrap(); cause != nil {
			return s.tree(cause)
		}
	case t.has(hasCauses):
		for _, cause := range err.(interface{ Unwrap() []error }).Unwrap() {
			if cause != nil && s.tree(cause) {
				return true
			}
		}
	}
	return false
}

// around applies what an error says about itself in general terms. Specific codes
// and causes, if known is true, say more than a timeout or "do retry" around them,
// and less than "do not" and "nothing was sent". It returns whether the verdict is
// known now.
func (s *search) around(err error, t *errorType, known bool) bool {
	if !known {
		s.found = Verdict{}
	}
	v := &s.found
	switch safe := t.has(hasSafeToRetry) && err.(interface{ SafeToRetry() bool }).SafeToRetry(); {
	case safe && err.Error() == connClosed:
		*v, known = Verdict{Category: Network, Effect: Maybe}, true
	case safe:
		if !known || !againstDialing(v.Category) {
			*v = Verdict{Category: Unsent, Code: v.Code}
		}
		v.Effect, known, s.told = NotSent, true, false
	}
	if t.has(hasRetryable) && !t.has(describesItself) {
		if again := err.(interface{ RetryableError() bool }).RetryableError(); !again {
			*v, known = Verdict{Category: Permanent, Effect: v.Effect, Code: v.Code}, true
		} else if !known {
			v.Category, known = Unavailable, true
		}
	}
	if !known && t.has(hasTimeout) && err.(interface{ Timeout() bool }).Timeout() {
		v.Category, known = Timeout, true
	}
	if t.has(hasRetryAfter) && v.Hint == (Hint{}) {
		if after := err.(interface{ RetryAfter() time.Duration }).RetryAfter(); after > 0 {
			if v.Hint.After = after; !known {
				v.Category, known = Throttled, true
			}
		}
	}
	if known {
		s.found.complete(t.name)
	}
	return known
}

// connClosed is what pgx says of a connection that had been closed, where nothing was
// sent, and just so of one that broke while it waited for the answer to what it had
// sent. It calls both safe to retry; a COMMIT may be among the latter.
const connClosed = "conn closed"

// is sets the verdict.
func (s *search) is(c Category, e Effect, code string) bool {
	s.found, s.told = Verdict{Category: c, Effect: e, Code: code}, false
	return true
}

// one looks at one error without its causes, except where a type needs them:
// network operations.
func (s *search) one(err error, t *errorType) bool {
	if t.has(describesItself) {
		v, inner := s.by.own.Read(err)
		s.found, s.told = v, !inner
		return true
	}
	if t.has(goType) && s.goType(err, t) {
		return true
	}
	for i := range t.rows {
		if row := &t.rows[i]; row.check == nil || row.check(err, t) {
			return s.is(row.category, row.effect, "")
		}
	}
	if t.has(carriesCode) && s.code(err, t) {
		return true
	}
	if t.has(sentinelType | hasIs) {
		for i := range sentinels {
			if row := &sentinels[i]; matches(err, row.err, t) {
				s.is(row.category, row.effect, "")
				if _, ok := row.err.(said); ok { //nolint:errorlint // a row of the table
					s.found.Type = row.name
				}
				return true
			}
		}
	}
	return false
}

// code classifies by a code that the error carries.
func (s *search) code(err error, t *errorType) (ok bool) {
	s.told = false
	switch {
	case t.has(hasGRPCStatus):
		s.found, ok = byGRPCStatus(err)
	case t.has(hasRedisError):
		s.found, ok = byRedisError(err)
	case t.has(isMySQL):
		s.found, ok = byMySQLError(err, t)
	case t.has(isSQLite):
		s.found, ok = bySQLiteError(err, t)
	default:
		s.found, ok = bySQLState(err.(sqlState).SQLState())
	}
	return ok
}

// matches is errors.Is for one error without its causes, or whether err is a value of
// errors.New that says the same.
func matches(err, target error, t *errorType) bool {
	switch stands := target.(type) { //nolint:errorlint // a row of the table
	case said:
		return t.name == plainError && err.Error() == string(stands)
	case closed:
		if t.form == closedForm {
			return true
		}
		if netClosed == nil {
			return false
		}
		target = netClosed
	}
	if err == target { //nolint:errorlint // search.tree walks the causes
		return true
	}
	return t.has(hasIs) && err.(interface{ Is(error) bool }).Is(target)
}

// plainError is the type of what errors.New returns.
const plainError = "*errors.errorString"

// goType classifies by types of the standard library that need more than a row.
func (s *search) goType(err error, t *errorType) bool {
	switch t.form {
	case errnoForm:
		if row := errnoRow(err.(syscall.Errno)); row != nil { //nolint:errorlint // search.tree walks the causes
			return s.is(row.category, row.effect, row.name)
		}
		return false
	case operationForm:
		return s.operation(err, t.part(err).String())
	case lookupForm:
		if notFound := t.part(err).Bool(); notFound {
			return s.is(Permanent, NotSent, "")
		}
		return s.is(Unsent, NotSent, "")
	case replyForm:
		return s.reply(int(t.part(err).Int()))
	}
	return s.is(Bug, Maybe, "") // runtime.Error
}

// reply classifies the replies of SMTP, FTP and NNTP servers: 4xx asks to come
// back, 5xx not to (RFC 5321 §4.2.1, RFC 959 §4.2).
func (s *search) reply(code int) bool {
	switch code / 100 {
	case 4:
		return s.is(Unavailable, NotSent, strconv.Itoa(code))
	case 5:
		return s.is(Permanent, Done, strconv.Itoa(code))
	}
	return false
}

// operation classifies a network operation. A failed dial sent nothing, neither to
// the receiver nor, through a proxy, beyond it; whether it makes sense to dial
// again depends on the cause.
func (s *search) operation(err error, op string) bool {
	if op == "remote error" || op == "local error" { // TLS alerts
		return s.is(Permanent, NotSent, "")
	}
	cause := err.(interface{ Unwrap() error }).Unwrap()
	known := cause != nil && s.tree(cause)
	s.found.Type, s.told = "", false
	switch {
	case isDial(op) && known:
		s.found.Effect = NotSent
		if !againstDialing(s.found.Category) {
			s.found.Category = Unsent
		}
	case isDial(op):
		s.is(Unsent, NotSent, "")
	case !known && cause != nil && err.(interface{ Timeout() bool }).Timeout():
		s.is(Timeout, Maybe, "")
	case !known:
		s.is(Network, Maybe, "")
	}
	return true
}

// isDial names the operations that come before the first byte of a request; the
// last two are those of net/http and golang.org/x/net for proxies.
func isDial(op string) bool { return op == "dial" || op == "proxyconnect" || op == "socks connect" }

// againstDialing reports whether the cause of a failed dial says more than that
// nothing was sent.
func againstDialing(c Category) bool {
	return c == Permanent || c == Canceled || c == Deadline || c == Local
}
