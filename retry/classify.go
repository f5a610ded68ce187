package retry

import (
	"net"
	"net/textproto"
	"runtime"
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
// reads the text. A nil error, and one that nothing matches, is [Unknown] with
// [Maybe].
//
// Errors of drivers are recognized without importing the drivers: by a method
// (SQLState, GRPCStatus, RedisError) or by the name and shape of the type. A type
// is looked at once; after that a decision costs no reflection, except for gRPC
// statuses and SQLite errors.
//
// The tables are printed in docs/classification.md, with their sources. A panic of
// an error's methods is caught.
func Classify(err error) (v Verdict) {
	v = Verdict{Category: Unknown, Effect: Maybe}
	if err == nil {
		return v
	}
	v.Type = errorTypeOf(err).name
	// Errors that hold a nil cause, such as &url.Error{}, panic in Error, and nil
	// pointers in Unwrap.
	defer func() { _ = recover() }()
	left := mostCauses
	if found, ok := classifyTree(err, &left); ok {
		return found
	}
	v.Type = errorTypeOf(telling(err)).name
	if row, ok := byText(err.Error()); ok {
		v.Category, v.Effect = row.category, row.effect
	}
	return v
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

// classifyTree classifies err or the first of its causes that anything matches.
// Left counts down the errors that may still be looked at.
func classifyTree(err error, left *int) (Verdict, bool) {
	if *left--; *left < 0 {
		return Verdict{}, false
	}
	t := errorTypeOf(err)
	v, ok := Verdict{}, false
	if t.has(ownMeaning) {
		if v, ok = classifyOne(err, t, left); ok {
			v = completed(v, t)
		}
	}
	if !ok {
		v, ok = classifyCauses(err, t, left)
	}
	if t.has(aroundCauses) {
		return classifyAround(err, t, v, ok)
	}
	return v, ok
}

// classifyCauses classifies the first cause of err that anything matches.
func classifyCauses(err error, t *errorType, left *int) (Verdict, bool) {
	switch {
	case t.has(hasCause):
		if cause := err.(interface{ Unwrap() error }).Unwrap(); cause != nil {
			return classifyTree(cause, left)
		}
	case t.has(hasCauses):
		for _, cause := range err.(interface{ Unwrap() []error }).Unwrap() {
			if cause == nil {
				continue
			}
			if v, ok := classifyTree(cause, left); ok {
				return v, true
			}
		}
	}
	return Verdict{}, false
}

// classifyAround applies what an error says about itself in general terms.
// Specific codes and causes, if known is true, say more than a timeout or "do
// retry" around them, and less than "do not" and "nothing was sent".
func classifyAround(err error, t *errorType, v Verdict, known bool) (Verdict, bool) {
	if t.has(hasSafeToRetry) && err.(interface{ SafeToRetry() bool }).SafeToRetry() {
		if !known || !againstDialing(v.Category) {
			v = completed(Verdict{Category: Unsent, Code: v.Code}, t)
		}
		v.Effect, known = NotSent, true
	}
	if t.has(hasRetryable) && !t.has(describesItself) {
		if again := err.(interface{ RetryableError() bool }).RetryableError(); !again {
			v, known = completed(Verdict{Category: Permanent, Effect: v.Effect, Code: v.Code}, t), true
		} else if !known {
			v, known = completed(Verdict{Category: Unavailable}, t), true
		}
	}
	if !known && t.has(hasTimeout) && err.(interface{ Timeout() bool }).Timeout() {
		v, known = completed(Verdict{Category: Timeout}, t), true
	}
	if t.has(hasRetryAfter) && v.Hint == (Hint{}) {
		if after := err.(interface{ RetryAfter() time.Duration }).RetryAfter(); after > 0 {
			if !known {
				v, known = completed(Verdict{Category: Throttled}, t), true
			}
			v.Hint.After = after
		}
	}
	return v, known
}

// completed fills what a verdict leaves open.
func completed(v Verdict, t *errorType) Verdict {
	if v.Category == "" {
		v.Category = Unknown
	}
	if v.Effect == "" {
		v.Effect = Maybe
	}
	if v.Type == "" {
		v.Type = t.name
	}
	return v
}

// classifyOne looks at one error without its causes, except where a type needs
// them: network operations.
func classifyOne(err error, t *errorType, left *int) (Verdict, bool) {
	if t.has(describesItself) {
		return err.(Verdictor).RetryVerdict(), true
	}
	if t.has(goType) {
		if v, ok := byGoType(err, left); ok {
			return v, true
		}
	}
	for i := range t.rows {
		if row := &t.rows[i]; row.check == nil || row.check(err) {
			return Verdict{Category: row.category, Effect: row.effect}, true
		}
	}
	if t.has(carriesCode) {
		if v, ok := byCode(err, t); ok {
			return v, true
		}
	}
	if t.has(sentinelType | hasIs) {
		for i := range sentinels {
			if row := &sentinels[i]; matches(err, row.err, t) {
				return Verdict{Category: row.category, Effect: row.effect}, true
			}
		}
	}
	return Verdict{}, false
}

// byCode classifies by a code that the error carries.
func byCode(err error, t *errorType) (Verdict, bool) {
	switch {
	case t.has(hasGRPCStatus):
		return byGRPCStatus(err)
	case t.has(hasRedisError):
		return byRedisError(err)
	case t.has(isMySQL):
		return byMySQLError(err, t)
	case t.has(isSQLite):
		return bySQLiteError(err, t)
	default:
		return bySQLState(err.(sqlState).SQLState())
	}
}

// matches is errors.Is for one error without its causes.
func matches(err, target error, t *errorType) bool {
	if err == target { //nolint:errorlint // classifyTree walks the causes
		return true
	}
	return t.has(hasIs) && err.(interface{ Is(error) bool }).Is(target)
}

// byGoType classifies by types of the standard library that need more than a row.
func byGoType(err error, left *int) (Verdict, bool) {
	switch e := err.(type) { //nolint:errorlint // classifyTree walks the causes
	case syscall.Errno:
		return byErrno(e)
	case *net.OpError:
		return classifyOperation(e, left), true
	case *net.DNSError:
		if e.IsNotFound {
			return Verdict{Category: Permanent, Effect: NotSent}, true
		}
		return Verdict{Category: Unsent, Effect: NotSent}, true
	case *textproto.Error:
		return byReply(e.Code)
	case runtime.Error:
		return Verdict{Category: Bug, Effect: Maybe}, true
	}
	return Verdict{}, false
}

// byReply classifies the replies of SMTP, FTP and NNTP servers: 4xx asks to come
// back, 5xx not to (RFC 5321 §4.2.1, RFC 959 §4.2).
func byReply(code int) (Verdict, bool) {
	switch code / 100 {
	case 4:
		return Verdict{Category: Unavailable, Effect: NotSent, Code: strconv.Itoa(code)}, true
	case 5:
		return Verdict{Category: Permanent, Effect: Done, Code: strconv.Itoa(code)}, true
	}
	return Verdict{}, false
}

// classifyOperation classifies a network operation. A failed dial sent nothing,
// neither to the receiver nor, through a proxy, beyond it; whether it makes sense
// to dial again depends on the cause.
func classifyOperation(e *net.OpError, left *int) Verdict {
	if e.Op == "remote error" || e.Op == "local error" { // TLS alerts
		return Verdict{Category: Permanent, Effect: NotSent}
	}
	cause, known := Verdict{}, false
	if e.Err != nil {
		cause, known = classifyTree(e.Err, left)
	}
	v := Verdict{Category: cause.Category, Effect: cause.Effect, Code: cause.Code, Hint: cause.Hint}
	switch {
	case isDial(e.Op):
		v.Effect = NotSent
		if !known || !againstDialing(cause.Category) {
			v.Category = Unsent
		}
	case !known && e.Err != nil && e.Timeout():
		v.Category, v.Effect = Timeout, Maybe
	case !known:
		v.Category, v.Effect = Network, Maybe
	}
	return v
}

// isDial names the operations that come before the first byte of a request; the
// last two are those of net/http and golang.org/x/net for proxies.
func isDial(op string) bool { return op == "dial" || op == "proxyconnect" || op == "socks connect" }

// againstDialing reports whether the cause of a failed dial says more than that
// nothing was sent.
func againstDialing(c Category) bool {
	return c == Permanent || c == Canceled || c == Deadline || c == Local
}
