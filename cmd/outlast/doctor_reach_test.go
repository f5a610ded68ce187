//go:build unix

package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// certify writes a certificate for 127.0.0.1 that ends at a time, and its key.
func certify(t *testing.T, folder string, until time.Time) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	form := &x509.Certificate{SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotBefore: until.Add(-365 * 24 * time.Hour), NotAfter: until,
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature}
	der, err := x509.CreateCertificate(rand.Reader, form, form, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{"cert.pem": {Type: "CERTIFICATE", Bytes: der}, "key.pem": {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(filepath.Join(folder, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// The doctor tells of the end of a certificate before it has come, and commands tell
// of mistakes about TLS what they are, with the exit codes of usage and of a server
// that cannot be reached.
func TestCertificatesOnTheCommandLine(t *testing.T) {
	for _, one := range []struct {
		left   time.Duration
		status string
	}{{100 * 24 * time.Hour, "ok"}, {3 * 24 * time.Hour, "warn"}} {
		folder := t.TempDir()
		certify(t, folder, time.Now().Add(one.left))
		cert := filepath.Join(folder, "cert.pem")
		server := startServer(t, "--store", "memory:", "--tls-cert", cert, "--tls-key", filepath.Join(folder, "key.pem"))
		c := command{t: t, server: server.url}
		if got := findings(c, 0, "--ca-file", cert)["certificate"]; !strings.HasPrefix(got, one.status+": valid until ") {
			t.Errorf("%s before the end: %s", one.left, got)
		}
		if got := findings(c, 7)["certificate"]; !strings.HasPrefix(got, "fail: the certificate of 127.0.0.1:") {
			t.Errorf("an unknown authority: %s", got)
		}
		c.run("queue", "list").exits(7).silent().says("authority that is not known here").says("--ca-file")
		c.server = strings.Replace(server.url, "https://127.0.0.1", "https://localhost", 1)
		c.run("queue", "list", "--ca-file", cert).exits(7).silent().says(`is for other names: "127.0.0.1"`)
		c.server = strings.Replace(server.url, "https", "http", 1)
		c.run("queue", "list").exits(2).silent().says("speaks https").says("write it as https://127.0.0.1:")
	}
	folder := t.TempDir()
	certify(t, folder, time.Now().Add(-time.Hour))
	server := startServer(t, "--store", "memory:", "--tls-cert", filepath.Join(folder, "cert.pem"), "--tls-key", filepath.Join(folder, "key.pem")).url
	c := command{t: t, server: server}
	c.run("queue", "list", "--ca-file", filepath.Join(folder, "cert.pem")).exits(7).silent().says("expired at ").says("renew it on the server")
	if got := findings(c, 7, "--ca-file", filepath.Join(folder, "cert.pem"))["certificate"]; !strings.Contains(got, "expired at ") {
		t.Errorf("an expired one: %s", got)
	}
	c.server = startServer(t, "--store", "memory:").url
	c.server = strings.Replace(c.server, "http", "https", 1)
	c.run("queue", "list").exits(2).silent().says("speaks http,").says("write it as http://127.0.0.1:")
}

func TestDoctorOfWideRanges(t *testing.T) {
	server := startServer(t, "--store", "memory:", "--allow-target", "::/0,0.0.0.0/0")
	if got := findings(command{t: t, server: server.url}, 0)["allowed targets"]; !strings.HasPrefix(got, "warn: ") || !strings.Contains(got, "::/0") {
		t.Errorf("the doctor says %s", got)
	}
}
