package classify

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
)

// sentinels are well-known error values. A plain context.DeadlineExceeded is the
// attempt's: the deadline of the whole operation has a cause that says so. Those of
// database/sql, which the package does not import, are known by what they say, and give
// their name as the type.
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
	{"net.ErrClosed", closed{}, Network, Maybe},
	{"io.ErrClosedPipe", io.ErrClosedPipe, Network, Maybe},
	{"driver.ErrBadConn", said("driver: bad connection"), Unsent, NotSent},
	{"sql.ErrConnDone", said("sql: connection is already closed"), Permanent, NotSent},
	{TxDone, said("sql: transaction has already been committed or rolled back"), Permanent, NotSent},
	{"sql.ErrNoRows", said("sql: no rows in result set"), Permanent, Done},
	{"fs.ErrNotExist", fs.ErrNotExist, Permanent, NotSent},
	{"fs.ErrPermission", fs.ErrPermission, Permanent, NotSent},
	{"fs.ErrExist", fs.ErrExist, Permanent, NotSent},
	{"fs.ErrInvalid", fs.ErrInvalid, Permanent, NotSent},
}

// closed stands for net.ErrClosed, which is known by its type: who calls nothing on the
// network links none of it.
type closed struct{}

func (closed) Error() string { return "net.ErrClosed" }

// netClosed is net.ErrClosed itself, nil where nobody has given it.
var netClosed error

// LinkNetwork gives net.ErrClosed, for errors that are it by a method Is, such as those
// of QUIC. It is called while the program is initialized, by adapters that link the
// network.
func LinkNetwork(errClosed error) { netClosed = errClosed }

// TxDone is the type of sql.ErrTxDone.
const TxDone = "sql.ErrTxDone"

// said stands for a value of errors.New in a package that is not imported.
type said string

func (s said) Error() string { return string(s) }

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
	check    func(error, *errorType) bool // nil: always
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
func isURLMistake(err error, t *errorType) bool {
	return t.form == addressForm && t.part(err).String() == "parse"
}

// isFileMistake reports file errors that stay as they are. Among errno values
// alone, ENOENT is that of a Unix socket whose server is not up yet.
func isFileMistake(err error, _ *errorType) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) ||
		errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrInvalid)
}

func isRefusedStream(err error, _ *errorType) bool {
	return strings.Contains(err.Error(), "REFUSED_STREAM")
}
