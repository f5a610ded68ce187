package retry

import (
	"net"
	"net/textproto"
	"strconv"
	"syscall"
	"time"
)

// mostCauses bounds how many errors of a tree [Classify] looks at.
const mostCauses = 100

// Classify says what kind of failure err is. It looks at err and its causes,
// outermost first, and at each one for: a description by the error itself
// ([Verdictor]), its type, the code that it carries (errno, gRPC status, SQLSTATE,
// the numbers of MySQL and SQLite, the first word of a Redis error), a well-known
// value such as [io.EOF], and the methods SafeToRetry, RetryableError and Timeout.
// A method RetryAfter() time.Duration gives the hint. Only when nothing matches it
// reads the text, which gives a category and never more than [Maybe]. A nil error,
// and one that nothing matches, is [Unknown] with [Maybe].
//
// The effect is that of the exchange that the error is about. An operation may have
// done more before it: see [Policy.Classify].
//
// Errors of drivers are recognized without importing the drivers: by a method
// (SQLState, GRPCStatus, RedisError) or by the name and shape of the type. A type
// is looked at once; after that a decision costs no reflection, except for gRPC
// statuses and SQLite errors.
//
// The tables are printed in docs/classification.md, with their sources. A panic of
// an error's methods is caught.
func Classify(err error) Verdict {
	v, _ := classify(err)
	return v
}

// classify is Classify. Told is whether the effect is what an error says about the
// whole operation, rather than what its type or its code says about an exchange.
func classify(err error) (v Verdict, told bool) {
	v = Verdict{Category: Unknown, Effect: Maybe}
	if err == nil {
		return v, false
	}
	// Errors that hold a nil cause, such as &url.Error{}, panic in Error, and nil
	// pointers in Unwrap.
	defer func() {
		if recover() != nil && v.Type == "" {
			v.Type = errorTypeOf(err).name
		}
	}()
	search := search{left: mostCauses}
	if search.tree(err) {
		return search.found, search.told
	}
	v.Type = errorTypeOf(telling(err)).name
	if c, ok := byText(err); ok {
		v.Category = c
	}
	return v, false
}

// telling is the outermost error that is more than a wrapper made by fmt.Errorf
// or errors.Join.
func telling(err error) error {
	for range mostCauses {
		var cause error
		switch e := err.(type) { //nolint:errorlint // this is what unwraps
		case interface{ Unwrap() error }:
			cause = e.Unwrap()
		case interface{ Unwrap() []error }:
			cause = firstOf(e.Unwrap())
		}
		if cause == nil || !isWrapper(err) {
			return err
		}
		err = cause
	}
	return err
}

func firstOf(causes []error) error {
	for _, cause := range causes {
		if cause != nil {
			return cause
		}
	}
	return nil
}

func isWrapper(err error) bool {
	switch errorTypeOf(err).name {
	case "*fmt.wrapError", "*fmt.wrapErrors", "*errors.joinError":
		return true
	}
	return false
}

// search is a walk through a tree of errors.
type search struct {
	left  int     // how many errors may still be looked at
	found Verdict // valid when a method has returned true
	told  bool    // an error gave found's effect for the whole operation
}

// tree classifies err or the first of its causes that anything matches.
func (s *search) tree(err error) bool {
	if s.left--; s.left < 0 {
		return false
	}
	t := errorTypeOf(err)
	known := t.has(ownMeaning) && s.one(err, t)
	if known {
		s.found.complete(t)
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
		s.found.complete(t)
	}
	return known
}

// connClosed is what pgx says of a connection that had been closed, where nothing was
// sent, and just so of one that broke while it waited for the answer to what it had
// sent. It calls both safe to retry; a COMMIT may be among the latter.
const connClosed = "conn closed"

// complete fills what a verdict leaves open.
func (v *Verdict) complete(t *errorType) {
	if v.Category == "" {
		v.Category = Unknown
	}
	if v.Effect == "" {
		v.Effect = Maybe
	}
	if v.Type == "" {
		v.Type = t.name
	}
}

// completed is v with what it leaves open.
func completed(v Verdict, t *errorType) Verdict {
	v.complete(t)
	return v
}

// is sets the verdict.
func (s *search) is(c Category, e Effect, code string) bool {
	s.found, s.told = Verdict{Category: c, Effect: e, Code: code}, false
	return true
}

// one looks at one error without its causes, except where a type needs them:
// network operations.
func (s *search) one(err error, t *errorType) bool {
	if t.has(describesItself) {
		s.found, s.told = err.(Verdictor).RetryVerdict(), !isInner(err)
		return true
	}
	if t.has(goType) && s.goType(err) {
		return true
	}
	for i := range t.rows {
		if row := &t.rows[i]; row.check == nil || row.check(err) {
			return s.is(row.category, row.effect, "")
		}
	}
	if t.has(carriesCode) && s.code(err, t) {
		return true
	}
	if t.has(sentinelType | hasIs) {
		for i := range sentinels {
			if row := &sentinels[i]; matches(err, row.err, t) {
				return s.is(row.category, row.effect, "")
			}
		}
	}
	return false
}

// isInner reports whether an error that describes itself is the end of an operation
// inside the one that is judged: what was not sent there says nothing about what
// was done before it.
func isInner(err error) bool {
	switch e := err.(type) { //nolint:errorlint // search.tree walks the causes
	case *Error, *refusal:
		return true
	case interface{ Unwrap() error }:
		_, inner := e.Unwrap().(*Error) //nolint:errorlint // an adapter's own form of it
		return inner
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
	if text, ok := target.(said); ok { //nolint:errorlint // a row of the table
		return t.name == plainError && err.Error() == string(text)
	}
	if err == target { //nolint:errorlint // search.tree walks the causes
		return true
	}
	return t.has(hasIs) && err.(interface{ Is(error) bool }).Is(target)
}

// plainError is the type of what errors.New returns.
const plainError = "*errors.errorString"

// goType classifies by types of the standard library that need more than a row.
func (s *search) goType(err error) bool {
	switch e := err.(type) { //nolint:errorlint // search.tree walks the causes
	case syscall.Errno:
		if row := errnoRow(e); row != nil {
			return s.is(row.category, row.effect, row.name)
		}
		return false
	case *net.OpError:
		return s.operation(e)
	case *net.DNSError:
		if e.IsNotFound {
			return s.is(Permanent, NotSent, "")
		}
		return s.is(Unsent, NotSent, "")
	case *textproto.Error:
		return s.reply(e.Code)
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
func (s *search) operation(e *net.OpError) bool {
	if e.Op == "remote error" || e.Op == "local error" { // TLS alerts
		return s.is(Permanent, NotSent, "")
	}
	known := e.Err != nil && s.tree(e.Err)
	s.found.Type, s.told = "", false
	switch {
	case isDial(e.Op) && known:
		s.found.Effect = NotSent
		if !againstDialing(s.found.Category) {
			s.found.Category = Unsent
		}
	case isDial(e.Op):
		s.is(Unsent, NotSent, "")
	case !known && e.Err != nil && e.Timeout():
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
