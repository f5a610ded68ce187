package retry

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"strings"
)

// sentinels are well-known error values. A plain context.DeadlineExceeded is the
// attempt's: the deadline of the whole operation has [ErrDeadline] as its cause.
var sentinels = []struct {
	name     string
	err      error
	category Category
	effect   Effect
}{
	{"context.Canceled", context.Canceled, Canceled, Maybe},
	{"context.DeadlineExceeded", context.DeadlineExceeded, Timeout, Maybe},
	{"os.ErrDeadlineExceeded", os.ErrDeadlineExceeded, Timeout, Maybe},
	{"io.EOF", io.EOF, Network, Maybe},
	{"io.ErrUnexpectedEOF", io.ErrUnexpectedEOF, Network, Maybe},
	{"net.ErrClosed", net.ErrClosed, Network, Maybe},
	{"io.ErrClosedPipe", io.ErrClosedPipe, Network, Maybe},
	{"driver.ErrBadConn", driver.ErrBadConn, Unsent, NotSent},
	{"sql.ErrConnDone", sql.ErrConnDone, Permanent, NotSent},
	{"sql.ErrTxDone", sql.ErrTxDone, Permanent, NotSent},
	{"sql.ErrNoRows", sql.ErrNoRows, Permanent, Done},
	{"fs.ErrNotExist", fs.ErrNotExist, Permanent, NotSent},
	{"fs.ErrPermission", fs.ErrPermission, Permanent, NotSent},
	{"fs.ErrExist", fs.ErrExist, Permanent, NotSent},
	{"fs.ErrInvalid", fs.ErrInvalid, Permanent, NotSent},
}

// permanentPackages are packages whose own error types all mean that the data,
// or the peer's certificate, is wrong.
var permanentPackages = map[string]Effect{
	"crypto/x509":     NotSent,
	"encoding/base64": Maybe,
	"encoding/hex":    Maybe,
	"encoding/json":   Maybe,
	"encoding/xml":    Maybe,
	"strconv":         Maybe,
	"google.golang.org/protobuf/internal/errors": Maybe,
}

// typeRow is a row for one type. Rows of the same name are tried in order.
type typeRow struct {
	name     string
	check    func(error) bool // nil: always
	category Category
	effect   Effect
}

// typeNames are single types: those that are not exported or would need an
// import. The names beginning with http.http2 are those of the copy of
// golang.org/x/net/http2 in net/http. A GOAWAY surfaces as GoAwayError only for
// requests that the server had received before it closed the connection; the
// others fail with another error, that of the row with the same words in texts.
var typeNames = []typeRow{
	{"*net.AddrError", nil, Permanent, NotSent},
	{"*net.ParseError", nil, Permanent, NotSent},
	{"net.InvalidAddrError", nil, Permanent, NotSent},
	{"net.UnknownNetworkError", nil, Permanent, NotSent},
	{"*url.Error", isURLMistake, Permanent, NotSent},
	{"url.EscapeError", nil, Permanent, NotSent},
	{"url.InvalidHostError", nil, Permanent, NotSent},
	{"*tls.CertificateVerificationError", nil, Permanent, NotSent},
	{"tls.RecordHeaderError", nil, Permanent, NotSent},
	{"tls.AlertError", nil, Permanent, NotSent},
	{"tls.alert", nil, Permanent, NotSent},
	{"*tls.ECHRejectionError", nil, Permanent, NotSent},
	{"*fs.PathError", isFileMistake, Permanent, NotSent},
	{"*os.LinkError", isFileMistake, Permanent, NotSent},
	{"*time.ParseError", nil, Permanent, Maybe},
	{"http.http2GoAwayError", nil, Network, Maybe},
	{"http2.GoAwayError", nil, Network, Maybe},
	{"http.http2noCachedConnError", nil, Unsent, NotSent},
	{"http2.noCachedConnError", nil, Unsent, NotSent},
	{"http.http2StreamError", isRefusedStream, Unsent, NotSent},
	{"http2.StreamError", isRefusedStream, Unsent, NotSent},
	{"http.http2StreamError", nil, Network, Maybe},
	{"http2.StreamError", nil, Network, Maybe},
	{"http.nothingWrittenError", nil, Unsent, NotSent},
	{"http.tlsHandshakeTimeoutError", nil, Unsent, NotSent},
}

// isURLMistake reports an address that cannot be parsed.
func isURLMistake(err error) bool {
	e, ok := err.(*url.Error) //nolint:errorlint // search.tree walks the causes
	return ok && e.Op == "parse"
}

// isFileMistake reports file errors that stay as they are. Among errno values
// alone, ENOENT is that of a Unix socket whose server is not up yet.
func isFileMistake(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) ||
		errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrInvalid)
}

func isRefusedStream(err error) bool { return strings.Contains(err.Error(), "REFUSED_STREAM") }

// textRow is a last resort: a part of an error's text in lower case.
type textRow struct {
	part     string
	category Category
	effect   Effect
}

// texts are tried in this order. "server closed idle connection" is not known to
// be unsent: net/http tells apart whether it had begun to write, but drops what it
// knows before it returns the error (Transport.roundTrip).
var texts = []textRow{
	{"unsupported protocol scheme", Permanent, NotSent},
	{"stopped after 10 redirects", Permanent, NotSent},
	{"invalid header field", Permanent, NotSent},
	{"no host in request url", Permanent, NotSent},
	{"server gave http response to https client", Permanent, NotSent},
	{"certificate is not trusted", Permanent, NotSent},
	{"proto: ", Permanent, Maybe},
	{"refused_stream", Unsent, NotSent},
	{"shutdown goaway", Unsent, NotSent},
	{"received goaway from server", Unsent, NotSent},
	{"goaway", Network, Maybe},
	{"client conn not usable", Unsent, NotSent},
	{"client conn could not be established", Unsent, NotSent},
	{"no cached connection was available", Unsent, NotSent},
	{"server closed idle connection", Network, Maybe},
	{"connection refused", Unsent, NotSent},
	{"connection pool timeout", Local, NotSent},
	{"packet for query is too large", Permanent, NotSent},
	{"too many connections", Throttled, NotSent},
	{"too many requests", Throttled, NotSent},
	{"max number of clients reached", Throttled, NotSent},
	{"deadlock", Conflict, Done},
	{"lock wait timeout", Conflict, Done},
	{"database is locked", Conflict, NotSent},
	{"timeout", Timeout, Maybe},
	{"timed out", Timeout, Maybe},
	{"connection", Network, Maybe},
	{"broken pipe", Network, Maybe},
}

// byText classifies by the text, whatever its case.
func byText(text string) (textRow, bool) {
	lower := strings.ToLower(text)
	for _, row := range texts {
		if strings.Contains(lower, row.part) {
			return row, true
		}
	}
	return textRow{}, false
}
