package push

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	crand "crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"log"
	"math/big"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	_ "github.com/outlast-dev/outlast/cel"
	"github.com/outlast-dev/outlast/internal/safehttp"
	"github.com/outlast-dev/outlast/task"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	now      = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
)

// newSender makes a sender that may reach this machine.
func newSender(t testing.TB, o safehttp.Options) *Sender {
	t.Helper()
	if o.Allow == nil {
		o.Allow = loopback
	}
	client := safehttp.New(o)
	t.Cleanup(client.CloseIdleConnections)
	return New(client, Options{Version: "1.2.3", Now: func() time.Time { return now }})
}

func newTask(url string, payload string) *task.Task {
	return &task.Task{
		ID: task.NewID(now, rand.New(rand.NewPCG(1, 2))), Type: "http", Attempt: 2, Claim: 7, //nolint:gosec // a test
		Payload: []byte(payload), Spec: task.Spec{HTTP: &task.Request{URL: url}},
	}
}

// patience is the time limit of an attempt that ends by itself, however busy the
// machine is.
const patience = 30 * time.Second

// do makes one attempt with a time limit.
func do(t testing.TB, s *Sender, call Call, limit time.Duration) (json.RawMessage, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	return s.Do(ctx, call)
}

// failure is the error of an attempt that must fail.
func failure(t testing.TB, err error) *Error {
	t.Helper()
	var failed *Error
	if !errors.As(err, &failed) {
		t.Fatalf("got %v, want a *push.Error", err)
	}
	return failed
}

func receiver(t testing.TB, handler http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s.URL
}

// rawReceiver runs a script on every connection after reading the header of its
// first request. A script that wants to hang calls wait, which returns when the
// other side has gone.
func rawReceiver(t testing.TB, script func(conn net.Conn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			running.Go(func() {
				defer conn.Close()
				script(conn)
			})
		}
	})
	t.Cleanup(func() { listener.Close(); running.Wait() })
	return "http://" + listener.Addr().String()
}

// takeRequest reads a request with its body.
func takeRequest(conn net.Conn) {
	req, err := http.ReadRequest(bufio.NewReader(conn))
	if err == nil {
		io.Copy(io.Discard, req.Body) //nolint:errcheck // test
	}
}

// wait returns when the other side has closed the connection.
func wait(conn net.Conn) { io.Copy(io.Discard, conn) } //nolint:errcheck // test

// say writes text to the connection and reports whether it is still open.
func say(conn net.Conn, text string) bool {
	_, err := io.WriteString(conn, text)
	return err == nil
}

// quiet drops what test servers log about clients that hang up.
var quiet = log.New(io.Discard, "", 0)

// expiredCertificate is self-signed, for 127.0.0.1, and over since yesterday.
func expiredCertificate(t testing.TB) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), crand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: time.Now().Add(-24 * time.Hour),
	}
	der, err := x509.CreateCertificate(crand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}
