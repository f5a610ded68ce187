// Package plainfmt is as much of package fmt as the messages of package retry need, whose
// users may have no other use for all of fmt.
package plainfmt

import (
	"reflect"
	"strconv"
	"strings"
)

// Sprintf is that of package fmt for %v, %d, %s, %q and %g of texts, numbers and what has a
// method String; %q and %g may have a precision.
func Sprintf(format string, args ...any) string {
	var out []byte
	for {
		before, rest, more := strings.Cut(format, "%")
		out = append(out, before...)
		if !more {
			return string(out)
		}
		precision, verb := -1, strings.IndexAny(rest, "vdsqg")
		if verb > 0 {
			precision, _ = strconv.Atoi(rest[1:verb])
		}
		out = appendValue(out, rest[verb], precision, args[0])
		format, args = rest[verb+1:], args[1:]
	}
}

func appendValue(out []byte, verb byte, precision int, arg any) []byte {
	if named, ok := arg.(interface{ String() string }); ok && verb != 'd' {
		return append(out, named.String()...)
	}
	switch v := reflect.ValueOf(arg); {
	case v.CanInt():
		return strconv.AppendInt(out, v.Int(), 10)
	case v.CanUint():
		return strconv.AppendUint(out, v.Uint(), 10)
	case v.CanFloat():
		return strconv.AppendFloat(out, v.Float(), 'g', precision, 64)
	case verb == 'q':
		return strconv.AppendQuote(out, first(v.String(), precision))
	default:
		return append(out, v.String()...)
	}
}

// first are the first n characters of a text, or all of it if n is negative.
func first(text string, n int) string {
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}
