package retry

import (
	"net"
	"reflect"
	"runtime"
	"syscall"
)

// mostCauses bounds how many errors of a tree [Classify] looks at.
const mostCauses = 100

// Classify says what kind of failure err is. It looks at err and its causes,
// outermost first, and at each one for: a description by the error itself
// ([Verdictor]), its type, its errno or SQLSTATE, a well-known value such as
// [io.EOF], and the methods SafeToRetry and Timeout. Only when nothing matches it reads the text.
// A nil error, and one that nothing matches, is [Unknown] with [Maybe].
//
// The tables follow the documented errors of the Go standard library and the
// errno manual page. A panic of an error's methods is caught.
func Classify(err error) (v Verdict) {
	v = Verdict{Category: Unknown, Effect: Maybe, Type: typeName(err)}
	if err == nil {
		return v
	}
	// Errors that hold a nil cause, such as &url.Error{}, panic in Error, and nil
	// pointers in Unwrap.
	defer func() { _ = recover() }()
	budget := mostCauses
	if found, ok := classifyTree(err, &budget); ok {
		return found
	}
	v.Type = typeName(telling(err))
	if row, ok := byText(err.Error()); ok {
		v.Category, v.Effect = row.category, row.effect
	}
	return v
}

// telling is the outermost error that is more than a wrapper made by fmt.Errorf
// or errors.Join.
func telling(err error) error {
	for range mostCauses {
		causes := causesOf(err)
		if len(causes) == 0 || !isWrapper(err) {
			return err
		}
		err = causes[0]
	}
	return err
}

func isWrapper(err error) bool {
	switch typeName(err) {
	case "*fmt.wrapError", "*fmt.wrapErrors", "*errors.joinError":
		return true
	}
	return false
}

// typeName is the type in the form "*net.OpError", empty for nil.
func typeName(err error) string {
	if err == nil {
		return ""
	}
	return reflect.TypeOf(err).String()
}

// causesOf returns the errors that err wraps, without nil ones.
func causesOf(err error) []error {
	switch e := err.(type) { //nolint:errorlint // this is what unwraps
	case interface{ Unwrap() error }:
		if cause := e.Unwrap(); cause != nil {
			return []error{cause}
		}
	case interface{ Unwrap() []error }:
		var causes []error
		for _, cause := range e.Unwrap() {
			if cause != nil {
				causes = append(causes, cause)
			}
		}
		return causes
	}
	return nil
}

// classifyTree classifies err or the first of its causes that anything matches.
func classifyTree(err error, budget *int) (Verdict, bool) {
	if *budget--; *budget < 0 {
		return Verdict{}, false
	}
	if v, ok := classifyOne(err, budget); ok {
		return completed(v, err), true
	}
	for _, cause := range causesOf(err) {
		if v, ok := classifyTree(cause, budget); ok {
			return v, true
		}
	}
	// Causes say more than a timeout around them, so it comes last.
	if late, ok := err.(interface{ Timeout() bool }); ok && late.Timeout() {
		return completed(Verdict{Category: Timeout}, err), true
	}
	return Verdict{}, false
}

// completed fills what a verdict leaves open.
func completed(v Verdict, err error) Verdict {
	if v.Category == "" {
		v.Category = Unknown
	}
	if v.Effect == "" {
		v.Effect = Maybe
	}
	if v.Type == "" {
		v.Type = typeName(err)
	}
	return v
}

// classifyOne looks at one error without its causes, except where a type needs
// them: network operations.
func classifyOne(err error, budget *int) (Verdict, bool) {
	if self, ok := err.(Verdictor); ok {
		return self.RetryVerdict(), true
	}
	if v, ok := byType(err, budget); ok {
		return v, true
	}
	if errno, ok := err.(syscall.Errno); ok { //nolint:errorlint // classifyTree walks the causes
		if row, ok := errnoRow(errno); ok {
			return row.verdict(), true
		}
	}
	if v, ok := bySQLState(err); ok {
		return v, true
	}
	for _, row := range sentinels {
		if matches(err, row.err) {
			return Verdict{Category: row.category, Effect: row.effect}, true
		}
	}
	if safe, ok := err.(interface{ SafeToRetry() bool }); ok && safe.SafeToRetry() {
		return Verdict{Category: Unsent, Effect: NotSent}, true
	}
	return Verdict{}, false
}

// matches is errors.Is for one error without its causes.
func matches(err, target error) bool {
	if err == target { //nolint:errorlint // classifyTree walks the causes
		return true
	}
	is, ok := err.(interface{ Is(error) bool })
	return ok && is.Is(target)
}

// byType classifies by the Go type.
func byType(err error, budget *int) (Verdict, bool) {
	switch e := err.(type) { //nolint:errorlint // classifyTree walks the causes
	case *net.OpError:
		return classifyOperation(e, budget), true
	case *net.DNSError:
		if e.IsNotFound {
			return Verdict{Category: Permanent, Effect: NotSent}, true
		}
		return Verdict{Category: Unsent, Effect: NotSent}, true
	case runtime.Error:
		return Verdict{Category: Bug, Effect: Maybe}, true
	}
	if v, ok := byTypeName(err); ok {
		return v, true
	}
	return byPackage(err)
}

// classifyOperation classifies a network operation. A failed dial sent nothing;
// whether it makes sense to dial again depends on the cause.
func classifyOperation(e *net.OpError, budget *int) Verdict {
	if e.Op == "remote error" || e.Op == "local error" { // TLS alerts
		return Verdict{Category: Permanent, Effect: NotSent}
	}
	cause, known := Verdict{}, false
	if e.Err != nil {
		cause, known = classifyTree(e.Err, budget)
	}
	v := Verdict{Category: cause.Category, Effect: cause.Effect, Code: cause.Code, Hint: cause.Hint}
	switch {
	case e.Op == "dial":
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

// againstDialing reports whether the cause of a failed dial says more than that
// nothing was sent.
func againstDialing(c Category) bool {
	return c == Permanent || c == Canceled || c == Deadline || c == Local
}

// byPackage classifies errors of packages all of whose errors are permanent.
func byPackage(err error) (Verdict, bool) {
	t := reflect.TypeOf(err)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if effect, ok := permanentPackages[t.PkgPath()]; ok {
		return Verdict{Category: Permanent, Effect: effect}, true
	}
	return Verdict{}, false
}

// byTypeName classifies by the printed type: for types that are not exported or
// would need an import, and for those of several packages.
func byTypeName(err error) (Verdict, bool) {
	name := typeName(err)
	for _, row := range typeNames {
		if row.name == name && (row.check == nil || row.check(err)) {
			return Verdict{Category: row.category, Effect: row.effect}, true
		}
	}
	return Verdict{}, false
}
