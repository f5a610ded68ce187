package retry

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"net/url"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// selfDescribed, safeError, lateError and twin are errors with the methods that
// Classify looks for.
type selfDescribed struct{ v Verdict }

func (e selfDescribed) Error() string         { return "connection timeout" }
func (e selfDescribed) RetryVerdict() Verdict { return e.v }

type safeError struct{ error }

func (safeError) SafeToRetry() bool { return true }
func (e safeError) Unwrap() error   { return e.error }

type unsafeError struct{ error }

func (unsafeError) SafeToRetry() bool { return false }
func (e unsafeError) Unwrap() error   { return e.error }

type retryable struct {
	again bool
	cause error
}

func (retryable) Error() string          { return "connection timeout" }
func (e retryable) RetryableError() bool { return e.again }
func (e retryable) Unwrap() error        { return e.cause }

type hinting struct {
	after time.Duration
	cause error
}

func (hinting) Error() string               { return "later" }
func (e hinting) RetryAfter() time.Duration { return e.after }
func (e hinting) Unwrap() error             { return e.cause }

type lateError struct{ cause error }

func (lateError) Error() string   { return "late" }
func (lateError) Timeout() bool   { return true }
func (e lateError) Unwrap() error { return e.cause }

type twin struct{ of error }

func (e twin) Error() string             { return "twin" }
func (e twin) Is(target error) bool      { return target == e.of }
func dial(cause error) error             { return &net.OpError{Op: "dial", Net: "tcp", Err: cause} }
func during(op string, e error) error    { return &net.OpError{Op: op, Net: "tcp", Err: e} }
func get(cause error) error              { return &url.Error{Op: "Get", URL: "http://x", Err: cause} }
func call(no syscall.Errno) error        { return os.NewSyscallError("connect", no) }
func path(no syscall.Errno) error        { return &fs.PathError{Op: "open", Path: "/x", Err: no} }
func jsonError(into any, s string) error { return json.Unmarshal([]byte(s), into) }

// TestClassify is the table of Go errors.
func TestClassify(t *testing.T) {
	_, numberErr := strconv.Atoi("x")
	_, timeErr := time.Parse(time.RFC3339, "x")
	_, urlErr := url.Parse("http://[::1") //nolint:staticcheck // the error is what the test is about
	var n int
	for name, c := range map[string]struct {
		err      error
		category Category
		effect   Effect
		typ      string
		code     string
	}{
		"nil":                    {nil, Unknown, Maybe, "", ""},
		"empty message":          {errors.New(""), Unknown, Maybe, "*errors.errorString", ""},
		"nothing known":          {fmt.Errorf("a: %w", errors.New("b")), Unknown, Maybe, "*errors.errorString", ""},
		"context canceled":       {fmt.Errorf("x: %w", context.Canceled), Canceled, Maybe, "*errors.errorString", ""},
		"context deadline":       {context.DeadlineExceeded, Timeout, Maybe, "context.deadlineExceededError", ""},
		"our attempt timeout":    {fmt.Errorf("x: %w", ErrAttemptTimeout), Timeout, Maybe, "retry.ErrAttemptTimeout", ""},
		"our deadline":           {ErrDeadline, Deadline, Maybe, "retry.ErrDeadline", ""},
		"os deadline":            {os.ErrDeadlineExceeded, Timeout, Maybe, "*poll.DeadlineExceededError", ""},
		"net timeout":            {lateError{}, Timeout, Maybe, "retry.lateError", ""},
		"timeout around a cause": {lateError{syscall.ECONNRESET}, Network, Maybe, "syscall.Errno", "ECONNRESET"},
		"timeout, cause unknown": {lateError{errors.New("x")}, Timeout, Maybe, "retry.lateError", ""},
		"dial, unknown":          {dial(errors.New("x")), Unsent, NotSent, "*net.OpError", ""},
		"dial, nil cause":        {dial(nil), Unsent, NotSent, "*net.OpError", ""},
		"dial refused":           {get(dial(call(syscall.ECONNREFUSED))), Unsent, NotSent, "*net.OpError", "ECONNREFUSED"},
		"dial timeout":           {dial(os.ErrDeadlineExceeded), Unsent, NotSent, "*net.OpError", ""},
		"dial ETIMEDOUT":         {dial(call(syscall.ETIMEDOUT)), Unsent, NotSent, "*net.OpError", "ETIMEDOUT"},
		"dial reset":             {dial(call(syscall.ECONNRESET)), Unsent, NotSent, "*net.OpError", "ECONNRESET"},
		"dial no socket file":    {dial(call(syscall.ENOENT)), Unsent, NotSent, "*net.OpError", "ENOENT"},
		"dial canceled":          {dial(context.Canceled), Canceled, NotSent, "*net.OpError", ""},
		"dial past deadline":     {dial(ErrDeadline), Deadline, NotSent, "*net.OpError", ""},
		"dial no descriptors":    {dial(call(syscall.EMFILE)), Local, NotSent, "*net.OpError", "EMFILE"},
		"dial forbidden":         {dial(call(syscall.EACCES)), Permanent, NotSent, "*net.OpError", "EACCES"},
		"dial bad address":       {dial(&net.AddrError{Err: "x"}), Permanent, NotSent, "*net.OpError", ""},
		"dial DNS not found":     {dial(&net.DNSError{IsNotFound: true}), Permanent, NotSent, "*net.OpError", ""},
		"dial DNS temporary":     {dial(&net.DNSError{IsTemporary: true}), Unsent, NotSent, "*net.OpError", ""},
		"read reset":             {during("read", call(syscall.ECONNRESET)), Network, Maybe, "*net.OpError", "ECONNRESET"},
		"write pipe":             {during("write", call(syscall.EPIPE)), Network, Maybe, "*net.OpError", "EPIPE"},
		"read timeout":           {during("read", os.ErrDeadlineExceeded), Timeout, Maybe, "*net.OpError", ""},
		"read unknown":           {during("read", errors.New("x")), Network, Maybe, "*net.OpError", ""},
		"dial of a proxy":        {during("proxyconnect", errors.New("x")), Unsent, NotSent, "*net.OpError", ""},
		"dial through SOCKS":     {during("socks connect", io.EOF), Unsent, NotSent, "*net.OpError", ""},
		"TLS alert":              {during("remote error", tls.AlertError(40)), Permanent, NotSent, "*net.OpError", ""},
		"DNS not found":          {&net.DNSError{IsNotFound: true}, Permanent, NotSent, "*net.DNSError", ""},
		"DNS temporary":          {&net.DNSError{IsTemporary: true}, Unsent, NotSent, "*net.DNSError", ""},
		"DNS timeout":            {&net.DNSError{IsTimeout: true}, Unsent, NotSent, "*net.DNSError", ""},
		"AddrError":              {&net.AddrError{Err: "x"}, Permanent, NotSent, "*net.AddrError", ""},
		"ParseError":             {&net.ParseError{Type: "x"}, Permanent, NotSent, "*net.ParseError", ""},
		"InvalidAddrError":       {net.InvalidAddrError("x"), Permanent, NotSent, "net.InvalidAddrError", ""},
		"UnknownNetworkError":    {net.UnknownNetworkError("x"), Permanent, NotSent, "net.UnknownNetworkError", ""},
		"net.ErrClosed":          {net.ErrClosed, Network, Maybe, "poll.errNetClosing", ""},
		"closed pipe":            {io.ErrClosedPipe, Network, Maybe, "*errors.errorString", ""},
		"EOF":                    {get(io.EOF), Network, Maybe, "*errors.errorString", ""},
		"unexpected EOF":         {io.ErrUnexpectedEOF, Network, Maybe, "*errors.errorString", ""},
		"idle connection":        {get(errors.New("http: server closed idle connection")), Network, Maybe, "*url.Error", ""},
		"GOAWAY, not received":   {errors.New("http2: Transport received Server's graceful shutdown GOAWAY"), Unsent, Maybe, "*errors.errorString", ""},
		"GOAWAY, first stream":   {errors.New("http2: Transport received GOAWAY from server ErrCode:PROTOCOL_ERROR"), Unsent, Maybe, "*errors.errorString", ""},
		"GOAWAY, received":       {errors.New("http2: server sent GOAWAY and closed the connection; LastStreamID=1"), Network, Maybe, "*errors.errorString", ""},
		"no cached connection":   {errors.New("http2: no cached connection was available"), Unsent, Maybe, "*errors.errorString", ""},
		"connection not made":    {errors.New("http2: client conn could not be established"), Unsent, Maybe, "*errors.errorString", ""},
		"connection lost":        {errors.New("http2: client connection lost"), Network, Maybe, "*errors.errorString", ""},
		"REFUSED_STREAM":         {errors.New("stream error: stream ID 1; REFUSED_STREAM"), Unsent, Maybe, "*errors.errorString", ""},
		"connection unusable":    {errors.New("http2: client conn not usable"), Unsent, Maybe, "*errors.errorString", ""},
		"URL scheme":             {get(errors.New(`unsupported protocol scheme "x"`)), Permanent, Maybe, "*url.Error", ""},
		"URL redirects":          {get(errors.New("stopped after 10 redirects")), Permanent, Maybe, "*url.Error", ""},
		"URL header":             {get(errors.New(`net/http: invalid header field name "x y"`)), Permanent, Maybe, "*url.Error", ""},
		"URL parse":              {urlErr, Permanent, NotSent, "*url.Error", ""},
		"URL, nil cause":         {&url.Error{Op: "Get"}, Unknown, Maybe, "*url.Error", ""},
		"x509 authority":         {get(x509.UnknownAuthorityError{}), Permanent, NotSent, "x509.UnknownAuthorityError", ""},
		"x509 host":              {x509.HostnameError{Certificate: &x509.Certificate{}}, Permanent, NotSent, "x509.HostnameError", ""},
		"TLS verification":       {&tls.CertificateVerificationError{Err: errors.New("x")}, Permanent, NotSent, "*tls.CertificateVerificationError", ""},
		"TLS record":             {tls.RecordHeaderError{}, Permanent, NotSent, "tls.RecordHeaderError", ""},
		"bad connection":         {driver.ErrBadConn, Unsent, NotSent, "driver.ErrBadConn", ""},
		"connection done":        {sql.ErrConnDone, Permanent, NotSent, "sql.ErrConnDone", ""},
		"transaction done":       {sql.ErrTxDone, Permanent, NotSent, "sql.ErrTxDone", ""},
		"no rows":                {sql.ErrNoRows, Permanent, Done, "sql.ErrNoRows", ""},
		"file not found":         {path(syscall.ENOENT), Permanent, NotSent, "*fs.PathError", ""},
		"file forbidden":         {path(syscall.EACCES), Permanent, NotSent, "*fs.PathError", ""},
		"file exists":            {fs.ErrExist, Permanent, NotSent, "*errors.errorString", ""},
		"file, disk full":        {path(syscall.ENOSPC), Local, Maybe, "syscall.Errno", "ENOSPC"},
		"JSON syntax":            {jsonError(&n, "{"), Permanent, Maybe, "*json.SyntaxError", ""},
		"JSON type":              {jsonError(&n, `"x"`), Permanent, Maybe, "*json.UnmarshalTypeError", ""},
		"strconv":                {numberErr, Permanent, Maybe, "*strconv.NumError", ""},
		"time":                   {timeErr, Permanent, Maybe, "*time.ParseError", ""},
		"protobuf":               {errors.New("proto: cannot parse"), Permanent, Maybe, "*errors.errorString", ""},
		"runtime panic":          {runtimePanic(), Bug, Maybe, "runtime.boundsError", ""},
		"describes itself":       {fmt.Errorf("x: %w", selfDescribed{Verdict{Category: Conflict, Code: "40001"}}), Conflict, Maybe, "retry.selfDescribed", "40001"},
		"describes nothing":      {selfDescribed{}, Unknown, Maybe, "retry.selfDescribed", ""},
		"safe to retry":          {safeError{errors.New("x")}, Unsent, NotSent, "retry.safeError", ""},
		"safe around a cause":    {safeError{syscall.ECONNRESET}, Unsent, NotSent, "retry.safeError", "ECONNRESET"},
		"not as safe as it says": {safeError{errors.New("conn closed")}, Network, Maybe, "retry.safeError", ""},
		"safe but canceled":      {safeError{context.Canceled}, Canceled, NotSent, "*errors.errorString", ""},
		"not safe to retry":      {unsafeError{syscall.ECONNRESET}, Network, Maybe, "syscall.Errno", "ECONNRESET"},
		"retryable":              {retryable{true, nil}, Unavailable, Maybe, "retry.retryable", ""},
		"retryable with a cause": {retryable{true, syscall.ECONNRESET}, Network, Maybe, "syscall.Errno", "ECONNRESET"},
		"not retryable":          {retryable{false, syscall.ECONNRESET}, Permanent, Maybe, "retry.retryable", "ECONNRESET"},
		"SMTP 451":               {fmt.Errorf("mail: %w", &textproto.Error{Code: 451, Msg: "greylisted"}), Unavailable, NotSent, "*textproto.Error", "451"},
		"SMTP 550":               {&textproto.Error{Code: 550, Msg: "no such user"}, Permanent, Done, "*textproto.Error", "550"},
		"SMTP 220":               {&textproto.Error{Code: 220, Msg: "timed out"}, Timeout, Maybe, "*textproto.Error", ""},
		"text invalid conn":      {errors.New("invalid connection"), Network, Maybe, "*errors.errorString", ""},
		"text packet too large":  {errors.New("packet for query is too large"), Permanent, Maybe, "*errors.errorString", ""},
		"text locked":            {errors.New("database is locked"), Conflict, Maybe, "*errors.errorString", ""},
		"text lock wait":         {errors.New("Lock wait timeout exceeded; try restarting transaction"), Conflict, Maybe, "*errors.errorString", ""},
		"is by method":           {twin{io.EOF}, Network, Maybe, "retry.twin", ""},
		"joined":                 {errors.Join(errors.New("x"), syscall.ECONNRESET, io.EOF), Network, Maybe, "syscall.Errno", "ECONNRESET"},
		"type before text":       {fmt.Errorf("timeout: %w", syscall.EACCES), Permanent, NotSent, "syscall.Errno", "EACCES"},
		"text timeout":           {errors.New("Lock acquire TimeOut"), Timeout, Maybe, "*errors.errorString", ""},
		"text deadlock":          {errors.New("Deadlock found when trying to get lock"), Conflict, Maybe, "*errors.errorString", ""},
		"text connection":        {errors.New("bad Connection"), Network, Maybe, "*errors.errorString", ""},
		"text refused":           {errors.New("dial tcp: connection refused"), Unsent, Maybe, "*errors.errorString", ""},
		"text too many":          {errors.New("Too many connections"), Throttled, Maybe, "*errors.errorString", ""},
	} {
		t.Run(name, func(t *testing.T) {
			v := Classify(c.err)
			if v.Category != c.category || v.Effect != c.effect || v.Type != c.typ || v.Code != c.code {
				t.Errorf("%T: %+v", c.err, v)
			}
		})
	}
}

// TestClassifyHint: the method RetryAfter is the hint, whatever the cause.
func TestClassifyHint(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want Verdict
	}{
		"alone":        {hinting{time.Second, nil}, Verdict{Category: Throttled, Effect: Maybe, Hint: Hint{After: time.Second}, Type: "retry.hinting", Code: ""}},
		"around":       {hinting{time.Second, syscall.ECONNRESET}, Verdict{Category: Network, Effect: Maybe, Hint: Hint{After: time.Second}, Type: "syscall.Errno", Code: "ECONNRESET"}},
		"nothing":      {hinting{0, nil}, Verdict{Category: Unknown, Effect: Maybe, Hint: Hint{}, Type: "retry.hinting", Code: ""}},
		"hint in hint": {hinting{time.Second, hinting{time.Minute, nil}}, Verdict{Category: Throttled, Effect: Maybe, Hint: Hint{After: time.Minute}, Type: "retry.hinting", Code: ""}},
	} {
		t.Run(name, func(t *testing.T) {
			if v := Classify(fmt.Errorf("x: %w", c.err)); v != c.want {
				t.Errorf("%+v", v)
			}
		})
	}
}

// TestClassifyRealErrors takes errors from the network itself.
func TestClassifyRealErrors(t *testing.T) {
	const closed = "http://127.0.0.1:9" // a port that was free a moment ago may be somebody's by now
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer slow.Close()
	hangUp := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	defer hangUp.Close()
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	for name, c := range map[string]struct {
		url  string
		want Category
	}{
		"refused":      {closed, Unsent},
		"no answer":    {slow.URL, Timeout},
		"hang-up":      {hangUp.URL, Network},
		"certificate":  {secure.URL, Permanent},
		"plain on TLS": {"https" + strings.TrimPrefix(slow.URL, "http"), Permanent},
		"scheme":       {"gopher://x", Permanent},
	} {
		client := http.Client{Transport: &http.Transport{ResponseHeaderTimeout: 10 * time.Second}}
		if name == "no answer" {
			client.Transport.(*http.Transport).ResponseHeaderTimeout = 20 * ms
		}
		response, err := client.Get(c.url)
		if err == nil {
			response.Body.Close()
		}
		if v := Classify(err); v.Category != c.want {
			t.Errorf("%s: %+v for %v", name, v, err)
		}
		client.CloseIdleConnections()
	}
}

// TestClassifyIdleConnection: a kept connection that the server closes over a
// request may have carried the request, though the error speaks of an idle one.
func TestClassifyIdleConnection(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	received := make(chan string, 2)
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		reader := bufio.NewReader(conn)
		for range 2 {
			req, err := http.ReadRequest(reader)
			if err != nil {
				return
			}
			body, _ := io.ReadAll(req.Body)
			if received <- string(body); len(received) == 1 {
				_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
			}
		}
	}()
	client := http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	for i, body := range []string{"first", "second"} {
		response, err := client.Post("http://"+listener.Addr().String(), "text/plain", strings.NewReader(body))
		if err == nil {
			response.Body.Close()
		}
		if i == 0 && err != nil {
			t.Fatal(err)
		}
		if v := Classify(err); i == 1 && (v.Category != Network || v.Effect != Maybe) {
			t.Errorf("%+v for %v", v, err)
		}
	}
	if len(received) != 2 {
		t.Errorf("%d requests arrived", len(received))
	}
}

// TestClassifyIn tells the contexts apart by their causes.
func TestClassifyIn(t *testing.T) {
	ended := func(cause error) context.Context {
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(cause)
		return ctx
	}
	for name, c := range map[string]struct {
		ctx  context.Context
		err  error
		want Category
	}{
		"still running":      {context.Background(), context.Canceled, Canceled},
		"attempt timeout":    {ended(ErrAttemptTimeout), context.Canceled, Timeout},
		"deadline":           {ended(ErrDeadline), dial(context.DeadlineExceeded), Deadline},
		"caller":             {ended(nil), context.DeadlineExceeded, Canceled},
		"error of its own":   {ended(ErrDeadline), syscall.ECONNRESET, Network},
		"parent's deadline":  {ended(context.DeadlineExceeded), context.DeadlineExceeded, Timeout},
		"cause without type": {ended(errors.New("shutdown")), context.Canceled, Unknown},
		"timeout in a dial":  {ended(ErrAttemptTimeout), dial(context.DeadlineExceeded), Unsent},
		"gRPC, server":       {context.Background(), grpcError{code: 1}, Unavailable},
		"gRPC, caller":       {ended(nil), grpcError{code: 1}, Canceled},
		"gRPC, deadline":     {ended(ErrDeadline), grpcError{code: 4}, Deadline},
		"SQL, caller":        {ended(nil), databaseError("57014"), Canceled},
		"transaction":        {context.Background(), sql.ErrTxDone, Permanent},
		"transaction, ended": {ended(ErrAttemptTimeout), fmt.Errorf("commit: %w", sql.ErrTxDone), Timeout},
		"MySQL, attempt":     {ended(ErrAttemptTimeout), &MySQLError{Number: 1317}, Timeout},
		"nil":                {ended(nil), nil, Unknown},
	} {
		if v := ClassifyIn(c.ctx, c.err); v.Category != c.want {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// TestClassifyInEffect: what certainly was not sent stays so.
func TestClassifyInEffect(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if v := ClassifyIn(ctx, dial(context.Canceled)); v.Category != Canceled || v.Effect != NotSent {
		t.Errorf("%+v", v)
	}
}

// TestClassifyEndless: an error that wraps itself does not hang.
func TestClassifyEndless(t *testing.T) {
	loop := &lateError{}
	loop.cause = errors.Join(loop, loop)
	Classify(loop)
	var absent *fs.PathError
	Classify(absent)
}

func TestCategoryAdvice(t *testing.T) {
	for c, want := range map[Category]Advice{
		Permanent: {}, Canceled: {}, Deadline: {},
		Unsent:      {true, true, 1},
		Conflict:    {true, false, 0.1},
		Network:     {true, true, 1},
		Timeout:     {true, true, 1},
		Throttled:   {true, false, 0.4},
		Unavailable: {true, true, 1},
		Local:       {true, false, 1},
		Bug:         {true, true, 1},
		Unknown:     {true, true, 1},
		"":          {true, true, 1},
	} {
		if got := c.Advice(); got != want {
			t.Errorf("%s: %+v", c, got)
		}
		if c.Valid() != (c != "") {
			t.Errorf("%q: valid %v", c, c.Valid())
		}
	}
	if len(Categories()) != 12 {
		t.Errorf("%v", Categories())
	}
}

// runtimePanic returns what an index out of range panics with.
func runtimePanic() (err error) {
	defer func() { err = recover().(error) }()
	var none []int
	i := 3
	_ = none[i]
	return nil
}
