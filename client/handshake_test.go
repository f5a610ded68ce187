package client_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/task"
)

// certified is a certificate for a name or address that begins and ends at times, of
// an authority that the pool knows.
func certified(t *testing.T, name string, from, until time.Time) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	form := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: from, NotAfter: until,
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature}
	if address := net.ParseIP(name); address != nil {
		form.IPAddresses = []net.IP{address}
	} else {
		form.DNSNames = []string{name}
	}
	der, err := x509.CreateCertificate(rand.Reader, form, form, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool
}

// secured is a server that shows a certificate, and counts what it is asked.
func secured(t *testing.T, certificate tls.Certificate) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"queues":[]}`)) }))
	server.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

// Who cannot be spoken to is told of in its own sentence with what to do, and not as a
// server that does not run; and is not asked again and again.
func TestMistakesOfTLS(t *testing.T) {
	now := time.Now()
	good, trusted := certified(t, "127.0.0.1", now.Add(-time.Hour), now.Add(time.Hour))
	other, otherPool := certified(t, "jobs.example", now.Add(-time.Hour), now.Add(time.Hour))
	past, pastPool := certified(t, "127.0.0.1", now.Add(-48*time.Hour), now.Add(-24*time.Hour))
	early, earlyPool := certified(t, "127.0.0.1", now.Add(24*time.Hour), now.Add(48*time.Hour))
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	of := func(certificate tls.Certificate) string { return secured(t, certificate).URL }
	for name, c := range map[string]struct {
		url  string
		pool *x509.CertPool
		code task.Code
		says []string
	}{
		"http to https":     {strings.Replace(of(good), "https", "http", 1), nil, task.CodeInvalid, []string{"speaks https", "write it as https://127.0.0.1:"}},
		"https to http":     {strings.Replace(plain.URL, "http", "https", 1), nil, task.CodeInvalid, []string{"speaks http,", "write it as http://127.0.0.1:"}},
		"unknown authority": {of(good), nil, task.CodeUnavailable, []string{"an authority that is not known here", "--ca-file"}},
		"another name":      {of(other), otherPool, task.CodeUnavailable, []string{`is for other names: "jobs.example"`, "call the server by one of them"}},
		"expired":           {of(past), pastPool, task.CodeUnavailable, []string{"expired at " + now.Add(-24*time.Hour).UTC().Format(time.RFC3339), "renew it"}},
		"not begun":         {of(early), earlyPool, task.CodeUnavailable, []string{"is not valid before " + now.Add(24*time.Hour).UTC().Format(time.RFC3339), "compare the clocks"}},
		"an alert":          {alerting(t), nil, task.CodeUnavailable, []string{"refuses TLS with this client", "TLS 1.2"}},
		"an alert, plainly": {strings.Replace(alerting(t), "https", "http", 1), nil, task.CodeInvalid, []string{"speaks https"}},
	} {
		t.Run(name, func(t *testing.T) {
			opts := []client.Option{client.WithTries(3)}
			if c.pool != nil {
				opts = append(opts, client.WithRootCAs(c.pool))
			}
			api, err := client.New(c.url, opts...)
			if err != nil {
				t.Fatal(err)
			}
			defer api.Close()
			_, err = api.Queues(t.Context())
			var known *task.Error
			if !errors.As(err, &known) || known.Code != c.code || known.Hint == "" {
				t.Fatalf("error %#v", err)
			}
			for _, says := range c.says {
				if !strings.Contains(err.Error(), says) {
					t.Errorf("%q is not in: %v", says, err)
				}
			}
			if strings.Contains(err.Error(), "is it running") {
				t.Errorf("error %v", err)
			}
		})
	}
	api, err := client.New(of(good), client.WithRootCAs(trusted))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := api.Certificate(t.Context()); err != nil || got == nil || !got.NotAfter.Equal(now.Add(time.Hour).UTC().Truncate(time.Second)) {
		t.Errorf("certificate %v, %v", got, err)
	}
}

// alerting is a server that ends every handshake, and everything else, by an alert.
func alerting(t *testing.T) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 4096))
			_, _ = conn.Write([]byte{0x15, 3, 3, 0, 2, 2, 40}) // fatal, handshake failure (RFC 8446, 6)
			_ = conn.Close()
		}
	}()
	return "https://" + listener.Addr().String()
}
