package examples

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/internal/binarytest"
	"github.com/outlast-dev/outlast/task"
)

// secureCast has a node that speaks TLS only and wants tokens. Its workers trust its
// certificate, bear a token for the queue default, and name their release.
func secureCast(t *testing.T, bin string) *cast {
	c := backstage(t, bin)
	cert, key := filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	c.pool = certify(t, cert, key)
	c.server, c.flags = "https://"+c.listen, []string{"--tls-cert", cert, "--tls-key", key}
	c.bearer = c.token("--name", "worker", "--role", "worker", "--queue", task.DefaultQueue)
	c.connect(client.WithRootCAs(c.pool), client.WithToken(c.token("--name", "admin", "--role", "admin")))
	c.startNode()
	c.env = []string{"OUTLAST_TOKEN=" + c.bearer, "OUTLAST_RELEASE=5.1", "SSL_CERT_FILE=" + cert}
	return c
}

// token makes one in the store.
func (c *cast) token(flags ...string) string {
	c.Helper()
	args := append([]string{"token", "create", "--store", "sqlite:" + c.file}, flags...)
	out, err := exec.Command(binarytest.Path(), args...).Output()
	if err != nil {
		c.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// certify writes a certificate of this machine, and its key.
func certify(t *testing.T, cert, key string) *x509.CertPool {
	t.Helper()
	pair, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, pair.Public(), pair)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalECPrivateKey(pair)
	if err != nil {
		t.Fatal(err)
	}
	public := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	for path, data := range map[string][]byte{cert: public, key: pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: private})} {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(public)
	return pool
}

// A worker with a token for one queue works on that, through TLS, and under its
// release; other queues and other calls are closed to it.
func secureWorkers(c *cast, language string) {
	c.startWorker(language, keptLease)
	flaky := c.ends(c.enqueue("flaky", `{}`), task.Succeeded)
	if got := c.history(flaky.ID); !slices.Equal(got, []string{"failed", "failed", "succeeded"}) {
		c.Errorf("history %v", got)
	}
	attempts, err := c.client.Attempts(c.Context(), flaky.ID)
	if err != nil {
		c.Fatal(err)
	}
	for _, a := range attempts.Attempts {
		if a.Release != "5.1" || a.Worker == "" {
			c.Errorf("attempt %d of worker %q, release %q", a.Number, a.Worker, a.Release)
		}
	}
	slow := c.runs(c.enqueue("slow", `{"seconds": 60}`))
	c.until("the lease is extended, which needs the token too", func() bool { return c.get(slow.ID).LeaseUntil.After(slow.LeaseUntil.Time) })
	stranger, err := client.New(c.server, client.WithRootCAs(c.pool), client.WithToken(c.bearer))
	if err != nil {
		c.Fatal(err)
	}
	defer stranger.Close()
	_, polled := stranger.Poll(c.Context(), client.Poll{Worker: "w", Queues: []string{"billing"}})
	_, _, enqueued := stranger.Enqueue(c.Context(), client.Draft{Type: "greet"})
	for what, err := range map[string]error{"polled another queue": polled, "enqueued": enqueued} {
		if !errors.Is(err, &task.Error{Code: task.CodeDenied}) {
			c.Errorf("the worker's token %s: %v", what, err)
		}
	}
}
