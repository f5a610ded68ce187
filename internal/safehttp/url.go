package safehttp

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/outlast-dev/outlast/task"
)

// MaxURL is the longest URL, in bytes.
const MaxURL = 2048

// InvalidError says what is wrong with a URL, header, method or range, and what
// to write instead.
type InvalidError struct {
	Message string
	Hint    string
}

// Error implements error: the message and, in parentheses, the hint.
func (e *InvalidError) Error() string {
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + " (" + e.Hint + ")"
}

func invalid(message, hint string) *InvalidError { return &InvalidError{message, hint} }

// CheckURL reads a URL that requests may be sent to: http or https, a host, at
// most [MaxURL] bytes of printable ASCII, no user information, no fragment and
// a valid port, if any. The host is a name or an IP address in its standard
// notation; decimal, octal, hexadecimal and shortened
// IPv4, IPv4-mapped IPv6, zones, percent-encoding, final dots and letters
// outside ASCII are refused, because programs differ in how they read them. Case
// and spelling of the host are normalised, so that equal hosts compare equal.
//
// Whether the address may be reached is not looked at; see [Client]. The error
// is an [*InvalidError].
func CheckURL(raw string) (*url.URL, error) {
	if err := checkURLText(raw); err != nil {
		return nil, err
	}
	u, err := url.Parse(raw)
	if err != nil {
		return nil, invalid("the URL is malformed: "+parseReason(err), "write it like https://example.com/path")
	}
	switch {
	case u.Scheme == "":
		return nil, invalid("the URL has no scheme", "start it with https:// or http://")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, invalid("the scheme "+task.Quote(u.Scheme)+" is not supported", "use https or http")
	case u.Opaque != "" || u.Host == "":
		return nil, invalid("the URL has no host", "write it like https://example.com/path")
	case u.User != nil:
		return nil, invalid("the URL contains user information", "move credentials to an Authorization header")
	}
	host, err := checkHost(u.Hostname(), strings.HasPrefix(u.Host, "["))
	if err != nil {
		return nil, err
	}
	if u.Host, err = joinPort(host, u.Host, u.Port()); err != nil {
		return nil, err
	}
	return u, nil
}

// checkURLText looks at what parsers disagree about before any of them runs.
func checkURLText(raw string) error {
	switch {
	case raw == "":
		return invalid("the URL is empty", "write it like https://example.com/path")
	case len(raw) > MaxURL:
		return invalid("the URL has "+strconv.Itoa(len(raw))+" bytes", "at most "+strconv.Itoa(MaxURL)+" are possible; put data into the payload")
	}
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == ' ' || c < ' ' || c == 0x7f:
			return invalid("the URL contains a space or control character at byte "+strconv.Itoa(i+1), "percent-encode it, as in %20")
		case c > 0x7f:
			return invalid("the URL contains a character outside ASCII at byte "+strconv.Itoa(i+1),
				"write host names in their xn-- form and percent-encode the rest")
		case c == '\\':
			return invalid("the URL contains a backslash", "write / or %5C")
		case c == '#':
			return invalid("the URL contains a fragment, which is never sent", "remove the # and what follows, or write %23")
		}
	}
	return nil
}

// parseReason is the error of [url.Parse] without the URL, which may hold a
// secret.
func parseReason(err error) string {
	if e, ok := err.(*url.Error); ok { //nolint:errorlint // url.Parse documents nothing else
		return e.Err.Error()
	}
	return err.Error()
}

// joinPort appends the port that was given to the normalised host.
func joinPort(host, authority, port string) (string, error) {
	if port == "" {
		if strings.HasSuffix(authority, ":") {
			return "", invalid("the URL has a colon without a port", "remove the colon or add the port")
		}
		return host, nil
	}
	number, err := strconv.ParseUint(port, 10, 16)
	switch {
	case err != nil || number == 0:
		return "", invalid("the port "+task.Quote(port)+" is not a number from 1 to 65535", "leave it out for the scheme's own")
	case strconv.FormatUint(number, 10) != port:
		return "", invalid("the port "+task.Quote(port)+" has leading zeros", "write "+strconv.FormatUint(number, 10))
	}
	return host + ":" + port, nil
}
