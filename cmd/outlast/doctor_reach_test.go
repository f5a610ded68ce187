//go:build unix

package main

import (
	"context"
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

	"github.com/outlast-dev/outlast/client"
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
		server := serve(t, "--store", "memory:", "--tls-cert", cert, "--tls-key", filepath.Join(folder, "key.pem"))
		c := command{t: t, server: server.url}
		if got := findings(c, 0, "--ca-file", cert)["certificate"]; !strings.HasPrefix(got, one.status+": good until ") {
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
	server := serve(t, "--store", "memory:", "--tls-cert", filepath.Join(folder, "cert.pem"), "--tls-key", filepath.Join(folder, "key.pem")).url
	c := command{t: t, server: server}
	c.run("queue", "list", "--ca-file", filepath.Join(folder, "cert.pem")).exits(7).silent().says("expired at ").says("renew it on the server")
	if got := findings(c, 7, "--ca-file", filepath.Join(folder, "cert.pem"))["certificate"]; !strings.Contains(got, "expired at ") {
		t.Errorf("an expired one: %s", got)
	}
	c.server = serve(t, "--store", "memory:").url
	c.server = strings.Replace(c.server, "http", "https", 1)
	c.run("queue", "list").exits(2).silent().says("speaks http,").says("write it as http://127.0.0.1:")
}

func TestWideRanges(t *testing.T) {
	for text, want := range map[string]bool{
		"0.0.0.0/0": true, "::/0": true, "128.0.0.0/1": true, "169.254.0.0/16": true, "169.254.169.254/32": true, "fc00::/6": true,
		"10.0.0.0/8": false, "192.168.0.0/16": false, "fc00::/7": false, "127.0.0.0/8": false, "": false,
	} {
		if got := wide(text); got != want {
			t.Errorf("%s is wide: %t", text, got)
		}
	}
}

func TestDoctorOfWideRanges(t *testing.T) {
	server := serve(t, "--store", "memory:", "--allow-target", "::/0,0.0.0.0/0")
	if got := findings(command{t: t, server: server.url}, 0)["allowed targets"]; !strings.HasPrefix(got, "warn: ") || !strings.Contains(got, "::/0") {
		t.Errorf("the doctor says %s", got)
	}
}

func TestDoctorOfAttemptsAndClocks(t *testing.T) {
	ago := func(d time.Duration) client.Time { return client.Time{Time: time.Now().Add(-d)} }
	for name, c := range map[string]struct {
		tasks  []client.Task
		status string
		says   string
	}{
		"none":              {nil, fine, "none runs"},
		"short":             {[]client.Task{{Type: "a", StartedAt: ago(time.Second)}, {Type: "b", StartedAt: ago(time.Minute)}}, fine, "of type b runs for 1m"},
		"long":              {[]client.Task{{Type: "a", StartedAt: ago(25 * time.Hour)}}, warns, "no timeout of its own"},
		"beyond its time":   {[]client.Task{{Type: "a", StartedAt: ago(5 * time.Minute), Timeout: client.Duration(time.Minute)}}, warns, "its timeout is 1m"},
		"begins next":       {[]client.Task{{Type: "a"}}, fine, "none runs"},
		"within its time":   {[]client.Task{{Type: "a", StartedAt: ago(25 * time.Hour), Timeout: client.Duration(48 * time.Hour)}}, fine, "runs for 1 day 1h"},
		"started in future": {[]client.Task{{Type: "a", StartedAt: ago(-time.Hour)}}, fine, "runs for 0s"},
	} {
		r := &report{Status: fine}
		r.examineRunning(t.Context(), patient{running: func(context.Context) ([]client.Task, error) { return c.tasks, nil }})
		if status, detail := r.verdict("oldest attempt"); status != c.status || !strings.Contains(detail, c.says) {
			t.Errorf("%s: %s: %s", name, status, detail)
		}
	}
	for apart, want := range map[time.Duration]string{0: fine, 4 * time.Second: fine, time.Minute: warns, -time.Minute: warns} {
		r := &report{Status: fine}
		r.examineServerClock(&client.Nodes{AsOf: ago(apart)})
		if status, detail := r.verdict("server clock"); status != want {
			t.Errorf("%s apart: %s: %s", apart, status, detail)
		}
	}
}
