package safehttp

import (
	"maps"
	"net/textproto"
	"slices"
	"strconv"
	"strings"

	"github.com/outlast-dev/outlast/task"
)

// Limits of the headers that a caller may add to a request.
const (
	MaxHeaders      = 64      // headers
	MaxHeaderName   = 128     // bytes of one name
	MaxHeaderValue  = 8 << 10 // bytes of one value
	MaxHeadersBytes = 16 << 10
)

// reservedHeaders are set by us or by the HTTP connection, with the reason that
// people read. Prefixes end with a hyphen.
var reservedHeaders = map[string]string{
	"Host":              "it comes from the URL",
	"Content-Length":    "it comes from the payload",
	"Transfer-Encoding": "it belongs to the connection",
	"Connection":        "it belongs to the connection",
	"Keep-Alive":        "it belongs to the connection",
	"Te":                "it belongs to the connection",
	"Trailer":           "it belongs to the connection",
	"Upgrade":           "it belongs to the connection",
	"Expect":            "it belongs to the connection",
	"Http2-Settings":    "it belongs to the connection",
	"Accept-Encoding":   "answers are not decompressed",
	"Idempotency-Key":   "it is the task's id",
	"Traceparent":       "it comes from trace_parent",
}

var reservedPrefixes = []struct{ prefix, why string }{
	{"Outlast-", "it describes the task"},
	{"Webhook-", "it signs the request"},
	{"Proxy-", "it belongs to the connection"},
}

// CheckHeaders checks all headers that a caller adds to a request: each one by
// [CheckHeader], names that differ in case only, number and size. The error is
// an [*InvalidError] about the first bad name in alphabetical order.
func CheckHeaders(headers map[string]string) error {
	if len(headers) > MaxHeaders {
		return invalid(strconv.Itoa(len(headers))+" headers are too many", "at most "+strconv.Itoa(MaxHeaders)+" are possible")
	}
	size := 0
	seen := make(map[string]bool, len(headers))
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		if err := CheckHeader(name, headers[name]); err != nil {
			return err
		}
		canonical := textproto.CanonicalMIMEHeaderKey(name)
		if seen[canonical] {
			return invalid("the header "+canonical+" is given twice", "names that differ in case only are the same")
		}
		seen[canonical] = true
		size += len(name) + len(headers[name])
	}
	if size > MaxHeadersBytes {
		return invalid("the headers have "+strconv.Itoa(size)+" bytes together", "at most "+strconv.Itoa(MaxHeadersBytes)+" are possible")
	}
	return nil
}

// CheckHeader checks one header that a caller adds to a request. The name is a
// token (RFC 9110 §5.6.2) and none that the request gets from us or from the
// connection; the value holds no control characters except tabs. The error is an
// [*InvalidError]; it never contains the value, which may be a secret.
func CheckHeader(name, value string) error {
	if name == "" || len(name) > MaxHeaderName {
		return invalid("a header name has 1 to "+strconv.Itoa(MaxHeaderName)+" characters", "such as X-Request-Source")
	}
	for i := 0; i < len(name); i++ {
		if !isToken(name[i]) {
			return invalid("the header name "+task.Quote(name)+" contains a character that is not possible",
				"names consist of letters, digits and hyphens")
		}
	}
	if why := reservedHeader(name); why != "" {
		return invalid("the header "+name+" cannot be set: "+why, "remove it")
	}
	if value == task.Hidden {
		return invalid("the header "+name+" says "+task.Hidden+", which stands where a value was not shown", "give the value")
	}
	if len(value) > MaxHeaderValue {
		return invalid("the value of the header "+name+" has "+strconv.Itoa(len(value))+" bytes",
			"at most "+strconv.Itoa(MaxHeaderValue)+" are possible")
	}
	for i := 0; i < len(value); i++ {
		if c := value[i]; c < ' ' && c != '\t' || c == 0x7f {
			return invalid("the value of the header "+name+" contains a control character", "remove line breaks and other control characters")
		}
	}
	return nil
}

// reservedHeader says why the header cannot be set, "" if it can. Underscores
// count as hyphens, since receivers behind CGI-like interfaces see no difference.
func reservedHeader(name string) string {
	canonical := textproto.CanonicalMIMEHeaderKey(strings.ReplaceAll(name, "_", "-"))
	if why, ok := reservedHeaders[canonical]; ok {
		return why
	}
	for _, row := range reservedPrefixes {
		if strings.HasPrefix(canonical, row.prefix) {
			return row.why
		}
	}
	return ""
}

func isToken(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0
}

// CheckMethod accepts the methods that a request may have: GET, HEAD, POST, PUT,
// PATCH, DELETE and OPTIONS, in upper case. The error is an [*InvalidError].
func CheckMethod(method string) error {
	switch method {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS":
		return nil
	}
	return invalid("the method "+task.Quote(method)+" is not supported", "use POST, PUT, PATCH, DELETE, GET, HEAD or OPTIONS")
}
