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
	err      error
	category Category
	effect   Effect
}{
	{context.Canceled, Canceled, Maybe},
	{context.DeadlineExceeded, Timeout, Maybe},
	{os.ErrDeadlineExceeded, Timeout, Maybe},
	{io.EOF, Network, Maybe},
	{io.ErrUnexpectedEOF, Network, Maybe},
	{net.ErrClosed, Network, Maybe},
	{io.ErrClosedPipe, Network, Maybe},
	{driver.ErrBadConn, Unsent, NotSent},
	{sql.ErrConnDone, Permanent, NotSent},
	{sql.ErrTxDone, Permanent, NotSent},
	{sql.ErrNoRows, Permanent, Done},
	{fs.ErrNotExist, Permanent, NotSent},
	{fs.ErrPermission, Permanent, NotSent},
	{fs.ErrExist, Permanent, NotSent},
	{fs.ErrInvalid, Permanent, NotSent},
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

// typeNames are single types. The names beginning with http.http2 are those of
// the copy of golang.org/x/net/http2 in net/http.
var typeNames = []struct {
	name     string
	check    func(error) bool // nil: always
	category Category
	effect   Effect
}{
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
	{"http.http2GoAwayError", nil, Unsent, NotSent},
	{"http2.GoAwayError", nil, Unsent, NotSent},
	{"http.http2StreamError", isRefusedStream, Unsent, NotSent},
	{"http2.StreamError", isRefusedStream, Unsent, NotSent},
	{"http.http2StreamError", nil, Network, Maybe},
	{"http2.StreamError", nil, Network, Maybe},
	{"http.nothingWrittenError", nil, Unsent, NotSent},
}

// isURLMistake reports errors of the address itself, not of the connection.
func isURLMistake(err error) bool {
	e, ok := err.(*url.Error) //nolint:errorlint // classifyTree walks the causes
	if !ok || e.Err == nil {
		return false
	}
	if e.Op == "parse" {
		return true
	}
	text := e.Err.Error()
	return strings.Contains(text, "unsupported protocol scheme") ||
		strings.HasPrefix(text, "stopped after ") && strings.HasSuffix(text, " redirects") ||
		strings.Contains(text, "invalid header field") ||
		strings.Contains(text, "no Host in request URL") ||
		strings.Contains(text, "server gave HTTP response to HTTPS client")
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

// texts are tried in this order.
var texts = []textRow{
	{"unsupported protocol scheme", Permanent, NotSent},
	{"certificate is not trusted", Permanent, NotSent},
	{"proto: ", Permanent, Maybe},
	{"server closed idle connection", Unsent, NotSent},
	{"refused_stream", Unsent, NotSent},
	{"goaway", Unsent, NotSent},
	{"client conn not usable", Unsent, NotSent},
	{"connection refused", Unsent, NotSent},
	{"too many connections", Throttled, NotSent},
	{"too many requests", Throttled, NotSent},
	{"deadlock", Conflict, Done},
	{"lock wait timeout", Conflict, Done},
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
