package app_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/app"
	"github.com/outlast-dev/outlast/internal/token"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

func TestAddressesBeyondLoopbackNeedAToken(t *testing.T) {
	for listen, code := range map[string]task.Code{
		"127.0.0.1:0": "", "127.9.9.9:0": "", "localhost:0": "",
		"0.0.0.0:0": task.CodeDenied, ":0": task.CodeDenied, "[::]:0": task.CodeDenied, "127.0.0.1": task.CodeInvalid,
	} {
		err := startAndStop(t, app.Config{Listen: listen, Store: "memory:", Openers: of(memory.New())})
		var known *task.Error
		if errors.As(err, &known); (err == nil) != (code == "") || err != nil && (known == nil || known.Code != code) {
			t.Errorf("%q: %v, want code %q", listen, err, code)
		}
		if code == task.CodeDenied && !strings.Contains(known.Hint, "outlast token create") {
			t.Errorf("%q: the hint %q does not say how to make a token", listen, known.Hint)
		}
	}
	expired := memory.New()
	if _, _, err := token.NewKeeper(expired).Create(t.Context(), inspect.TokenSpec{Name: "n", Role: inspect.Admin, TTL: time.Nanosecond}, store.Audit{}); err != nil {
		t.Fatal(err)
	}
	if err := startAndStop(t, app.Config{Listen: "0.0.0.0:0", Store: "memory:", Openers: of(expired)}); !errors.Is(err, &task.Error{Code: task.CodeDenied}) {
		t.Errorf("with an expired token: %v", err)
	}
	if _, err := app.New(app.Config{DebugListen: "0.0.0.0:0", Store: "memory:", Openers: of(expired)}); !errors.Is(err, &task.Error{Code: task.CodeDenied}) {
		t.Errorf("profiler: %v", err)
	}
}

func of(backend store.Backend) app.Openers {
	return app.Openers{"memory": {Open: func(context.Context, string) (store.Backend, error) { return backend, nil }}}
}

func startAndStop(t *testing.T, config app.Config) error {
	t.Helper()
	a, err := app.New(config)
	if err != nil {
		return err
	}
	if err := a.Start(t.Context()); err != nil {
		return err
	}
	return a.Stop(t.Context())
}

// certify writes a certificate of 127.0.0.1 with a serial number, and returns it.
func certify(t *testing.T, folder string, serial int64) *x509.CertPool {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "test"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	for name, data := range map[string][]byte{"cert.pem": cert, "key.pem": pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: private})} {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(cert)
	return pool
}

func TestTLSAndRenewedCertificates(t *testing.T) {
	folder := t.TempDir()
	pool := certify(t, folder, 1)
	cert, key := filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")
	a, err := app.New(app.Config{Listen: "127.0.0.1:0", Store: "memory:", Openers: of(memory.New()), Certificate: cert, Key: key})
	if err != nil || a.Start(t.Context()) != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := a.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	}()
	if !strings.HasPrefix(a.URL(), "https://") {
		t.Errorf("URL %s", a.URL())
	}
	serial := func(pool *x509.CertPool) string {
		caller := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}}
		resp, err := caller.Get(a.URL() + "/livez")
		if err != nil {
			return err.Error()
		}
		defer resp.Body.Close()
		return fmt.Sprint(resp.StatusCode, " ", resp.TLS.PeerCertificates[0].SerialNumber)
	}
	if got := serial(pool); got != "200 1" {
		t.Fatalf("answer %s", got)
	}
	// A key that does not fit yet changes nothing; the pair takes effect.
	if err := os.WriteFile(key, []byte("half a key"), 0o600); err != nil {
		t.Fatal(err)
	}
	await(t, func() bool { return serial(pool) == "200 1" })
	renewed := certify(t, folder, 2)
	await(t, func() bool { return serial(renewed) == "200 2" })
	plain := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	if resp, err := plain.Get("http://" + a.Addr() + "/livez"); err == nil {
		if _ = resp.Body.Close(); resp.StatusCode != http.StatusBadRequest {
			t.Errorf("plain HTTP: %s", resp.Status)
		}
	}
}

func await(t *testing.T, done func() bool) {
	t.Helper()
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for deadline := time.Now().Add(20 * time.Second); !done(); <-ticker.C {
		if time.Now().After(deadline) {
			t.Fatal("it did not happen within 20 s")
		}
	}
}

func TestBadCertificatesAreRefused(t *testing.T) {
	folder := t.TempDir()
	certify(t, folder, 1)
	cert := filepath.Join(folder, "cert.pem")
	for _, pair := range [][2]string{{cert, ""}, {"", cert}, {cert, cert}, {cert, filepath.Join(folder, "none")}} {
		err := startAndStop(t, app.Config{Listen: "127.0.0.1:0", Store: "memory:", Openers: of(memory.New()), Certificate: pair[0], Key: pair[1]})
		if !errors.Is(err, &task.Error{Code: task.CodeInvalid}) {
			t.Errorf("%q: %v", pair, err)
		}
	}
}
