package classify

import "strings"

// mostCauses bounds how many errors of a tree are looked at.
const mostCauses = 100

// place is where a phrase has to stand in a message. It always begins and ends
// with whole words.
type place uint8

const (
	anywhere place = iota
	atEnd          // before the end of the message, or a point, comma, colon, bracket or line end
	alone          // it is all of the message of the error, or of one of its causes
)

// textRow is a last resort: phrases, in lower case, of which one stands in an
// error's text. A message says what happened to some step of the operation, not
// what became of the whole, so that a row has no effect.
type textRow struct {
	key      string // is in each of the phrases, to look for first
	place    place
	category Category
	phrases  []string
}

// texts are tried in this order.
var texts = []textRow{
	{"deadlock", alone, Conflict, []string{"deadlock"}},
	{"timeout", alone, Timeout, []string{"timeout"}},
	{"connection", alone, Network, []string{"connection"}},
	{"eof", alone, Network, []string{"eof", "unexpected eof"}},
	{"unavailable", alone, Unavailable, []string{"unavailable"}},

	{"unsupported protocol scheme", anywhere, Permanent, []string{"unsupported protocol scheme"}},
	{"stopped after 10 redirects", anywhere, Permanent, []string{"stopped after 10 redirects"}},
	{"invalid header field", anywhere, Permanent, []string{"invalid header field"}},
	{"no host in request url", anywhere, Permanent, []string{"no host in request url"}},
	{"http response to https client", anywhere, Permanent, []string{"server gave http response to https client"}},
	{"certificate is not trusted", anywhere, Permanent, []string{"certificate is not trusted"}},
	{"packet for query is too large", anywhere, Permanent, []string{"packet for query is too large"}},
	{"proto:", anywhere, Permanent, []string{"proto:"}},

	{"refused_stream", anywhere, Unsent, []string{"refused_stream"}},
	{"goaway", anywhere, Unsent, []string{"shutdown goaway", "received goaway from server"}},
	{"goaway", anywhere, Network, []string{"goaway"}},
	{"client conn ", anywhere, Unsent, []string{"client conn not usable", "client conn could not be established"}},
	{"no cached connection", anywhere, Unsent, []string{"no cached connection was available"}},
	{"connection refused", anywhere, Unsent, []string{"connection refused"}},
	{"no route to host", anywhere, Unsent, []string{"no route to host"}},
	{"network is unreachable", anywhere, Unsent, []string{"network is unreachable"}},

	{"connection pool timeout", anywhere, Local, []string{"connection pool timeout"}},
	{"too many ", anywhere, Throttled, []string{"too many connections", "too many requests"}},
	{"max number of clients", anywhere, Throttled, []string{"max number of clients reached"}},
	{"rate limit exceeded", anywhere, Throttled, []string{"rate limit exceeded"}},

	{"deadlock", anywhere, Conflict, []string{"deadlock found", "deadlock detected", "deadlock victim", "deadlock occurred", "deadlocked on"}},
	{"deadlock", atEnd, Conflict, []string{
		"a deadlock", "by deadlock", "database deadlock", "due to deadlock", "hit deadlock", "transaction deadlock",
	}},
	{"lock", anywhere, Conflict, []string{"lock wait timeout", "database is locked", "database table is locked"}},

	{"unavailable", atEnd, Unavailable, []string{"service unavailable", "temporarily unavailable"}},
	{"gateway", atEnd, Unavailable, []string{"bad gateway", "gateway timeout"}},
	{"internal server error", atEnd, Unavailable, []string{"internal server error"}},

	{"timed out", anywhere, Timeout, []string{"timed out"}},
	{"timeout", anywhere, Timeout, []string{
		"timeout after", "timeout awaiting", "timeout during", "timeout exceeded", "timeout expired", "timeout occurred",
		"timeout reached", "timeout waiting", "timeout was reached", "timeout when", "timeout while",
	}},
	{"timeout", atEnd, Timeout, []string{
		"acquire timeout", "api timeout", "call timeout", "client timeout", "command timeout", "connect timeout",
		"connection timeout", "database timeout", "dial timeout", "execution timeout", "handshake timeout", "http timeout",
		"i/o timeout", "io timeout", "lock timeout", "lookup timeout", "network timeout", "operation timeout", "query timeout",
		"read timeout", "receive timeout", "request timeout", "response timeout", "rpc timeout", "send timeout", "server timeout",
		"service timeout", "socket timeout", "statement timeout", "transaction timeout", "upstream timeout", "wait timeout",
		"write timeout",
	}},

	{"connection", anywhere, Network, []string{
		"closed connection", "closed idle connection", "closed network connection", "closed the connection", "connection abort",
		"connection aborted", "connection already closed", "connection broken", "connection closed", "connection dropped",
		"connection failed", "connection failure", "connection has been closed", "connection interrupted", "connection is closed",
		"connection is lost", "connection lost", "connection prematurely closed", "connection reset", "connection terminated",
		"connection unexpectedly closed", "connection was aborted", "connection was closed", "connection was forcibly closed",
		"connection was lost", "connection was refused", "connection was reset", "connection was terminated",
		"existing connection was forcibly closed", "lost connection", "lost the connection", "terminating connection",
	}},
	{"connection", atEnd, Network, []string{
		"bad connection", "broken connection", "connection error", "connection issue", "connection problem", "invalid connection",
		"no connection", "stale connection",
	}},
	{"broken pipe", anywhere, Network, []string{"broken pipe"}},
	{"socket hang up", anywhere, Network, []string{"socket hang up"}},
	{"communications link failure", anywhere, Network, []string{"communications link failure"}},
}

// byText classifies by the messages of an error and its causes, whatever their case.
func byText(err error) (Category, bool) {
	text := strings.ToLower(err.Error())
	for i := range texts {
		row := &texts[i]
		if !strings.Contains(text, row.key) {
			continue
		}
		for _, phrase := range row.phrases {
			if row.place == alone && isAlone(err, phrase, mostCauses) || row.place != alone && stands(text, phrase, row.place) {
				return row.category, true
			}
		}
	}
	return "", false
}

// stands reports whether a phrase stands in a text in its place.
func stands(text, phrase string, place place) bool {
	for from := 0; ; {
		at := strings.Index(text[from:], phrase)
		if at < 0 {
			return false
		}
		begin, end := from+at, from+at+len(phrase)
		if !inWord(text, begin) && !inWord(text, end) && (place == anywhere || endsClause(text[end:])) {
			return true
		}
		from = begin + 1
	}
}

// inWord reports whether the position lies between two characters of one word.
func inWord(text string, at int) bool {
	return at > 0 && at < len(text) && isWordly(text[at-1]) && isWordly(text[at])
}

func isWordly(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 0x80
}

// endsClause reports whether a clause has ended before the rest of a text.
func endsClause(rest string) bool {
	next := strings.TrimLeft(rest, " ")
	return next == "" || strings.IndexByte(".,;:!()[]\r\n", next[0]) >= 0 || strings.HasPrefix(rest, " - ")
}

// isAlone reports whether the phrase is all that the error, or one of its first
// causes, says.
func isAlone(err error, phrase string, most int) bool {
	for ; err != nil && most > 0; most-- {
		if strings.EqualFold(strings.Trim(err.Error(), " .!\r\n"), phrase) {
			return true
		}
		switch e := err.(type) { //nolint:errorlint // this is what unwraps
		case interface{ Unwrap() error }:
			err = e.Unwrap()
		case interface{ Unwrap() []error }:
			err = firstOf(e.Unwrap())
		default:
			return false
		}
	}
	return false
}

func firstOf(causes []error) error {
	for _, cause := range causes {
		if cause != nil {
			return cause
		}
	}
	return nil
}
