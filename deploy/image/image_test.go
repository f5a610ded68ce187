//go:build linux

package main

import (
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// The layout has one index with an image for each platform, every digest is right, and
// the same binaries make the same index. What is for Docker is the same image.
func TestLayout(t *testing.T) {
	t.Parallel()
	binaries := []string{build(t, "amd64", "./testdata/nothing"), build(t, "arm64", "./testdata/nothing")}
	out, again := t.TempDir(), t.TempDir()
	for _, folder := range []string{out, again} {
		if err := write(folder, "example.com/outlast:v1", binaries); err != nil {
			t.Fatal(err)
		}
	}
	index := readIndex(t, out)
	if err := validate.Index(index); err != nil {
		t.Error(err)
	}
	if one, other := digest(t, index), digest(t, readIndex(t, again)); one != other {
		t.Errorf("the same binaries made %s and %s", one, other)
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	var platforms []string
	for _, one := range manifest.Manifests {
		platforms = append(platforms, one.Platform.String())
		image, err := index.Image(one.Digest)
		if err != nil {
			t.Fatal(err)
		}
		docker, err := tarball.ImageFromPath(filepath.Join(out, "docker-"+one.Platform.Architecture+".tar"), nil)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := configOf(t, image), configOf(t, docker); a.Architecture != one.Platform.Architecture || a.Created != b.Created || a.RootFS.DiffIDs[1] != b.RootFS.DiffIDs[1] {
			t.Errorf("%s: %+v and %+v", one.Platform, a, b)
		}
	}
	if got := strings.Join(platforms, " "); got != "linux/amd64 linux/arm64/v8" {
		t.Errorf("platforms: %s", got)
	}
}

// What would not run in the image, or would replace another binary, is refused.
func TestRefused(t *testing.T) {
	t.Parallel()
	static := build(t, "amd64", "./testdata/nothing")
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("no binary"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, binaries := range map[string][]string{
		"no binary": {text}, "none": nil, "two of a platform": {static, static}, "not static": {build(t, "amd64", "./testdata/nothing", "CGO_ENABLED=1")},
	} {
		if err := write(t.TempDir(), "outlast:v1", binaries); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := write(t.TempDir(), "Out last", []string{static}); err == nil {
		t.Error("a bad name: no error")
	}
}

// The image of the server is made once.
func TestImage(t *testing.T) {
	t.Parallel()
	archive := pack(t, build(t, runtime.GOARCH, "../../cmd/outlast"))
	t.Run("alone", func(t *testing.T) { alone(t, archive) })
	t.Run("composed", func(t *testing.T) { composed(t, archive) })
}

// The image runs as it says: as its user, with its environment, and with no file but its
// own. It lets nobody in without a token, is healthy, retries a task, calls whom its
// certificates trust and nobody else, and knows time zones.
func alone(t *testing.T, archive string) {
	t.Parallel()
	c := unpack(t, archive)
	c.readOnly("tmp")
	const everywhere = "OUTLAST_LISTEN=0.0.0.0:0"
	if out, err := c.command([]string{everywhere}, c.config.Cmd...).CombinedOutput(); err == nil || !strings.Contains(string(out), "outlast token create") {
		t.Fatalf("without a token: %v\n%s", err, out)
	}
	token := strings.TrimSpace(c.run(nil, "token", "create", "--name", "ops", "--role", "admin", "--store", c.env("OUTLAST_STORE")))

	var calls atomic.Int32
	shaky := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if calls.Add(1) == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer shaky.Close()
	secure := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer secure.Close()

	url := c.serve(everywhere, "OUTLAST_ALLOW_TARGET=127.0.0.1/32")
	reach := []string{"OUTLAST_SERVER=" + url, "OUTLAST_TOKEN=" + token}
	if out, err := c.command(reach[:1], c.config.Healthcheck.Test[1:]...).CombinedOutput(); err != nil {
		t.Errorf("the health check, which has no token: %v\n%s", err, out)
	}
	if task := c.task(reach, shaky.URL); task.State != "succeeded" || task.Attempt != 2 {
		t.Errorf("a task that fails once: %+v", task)
	}
	if task := c.task(reach, secure.URL, "--max-attempts", "1"); task.State != "dead" || !strings.Contains(task.LastError.Message, "certificate signed by unknown authority") {
		t.Errorf("a target with a certificate of nobody: %+v", task)
	}
	var made struct{ Next time.Time }
	schedule := c.run(reach, "schedule", "apply", "nightly", "--cron", "0 3 * * *", "--zone", "Asia/Shanghai", "--type", "x", "--output", "json")
	if err := json.Unmarshal([]byte(schedule), &made); err != nil || made.Next.UTC().Hour() != 19 {
		t.Errorf("three o'clock in Shanghai: %v\n%s", err, schedule)
	}
	c.stop()

	c.trust(secure.Certificate())
	reach[0] = "OUTLAST_SERVER=" + c.serve(everywhere, "OUTLAST_ALLOW_TARGET=127.0.0.1/32")
	if task := c.task(reach, secure.URL, "--max-attempts", "1"); task.State != "succeeded" {
		t.Errorf("a target whose certificate is in the image's file: %+v", task)
	}
}

// The image has the usual certificates, a folder that its user may write in, and nothing
// else to write or to start.
func TestFiles(t *testing.T) {
	t.Parallel()
	c := unpack(t, pack(t, build(t, runtime.GOARCH, "./testdata/nothing")))
	var paths []string
	err := filepath.WalkDir(c.root, func(path string, _ os.DirEntry, err error) error {
		paths = append(paths, strings.TrimPrefix(path, c.root))
		return err
	})
	if got := strings.Join(paths, " "); err != nil || got != " /data /etc /etc/ssl /etc/ssl/certs /etc/ssl/certs/ca-certificates.crt /outlast /tmp" {
		t.Errorf("the image holds %s, %v", got, err)
	}
	content, err := os.ReadFile(filepath.Join(c.root, certificates))
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for block, rest := pem.Decode(content); block != nil; block, rest = pem.Decode(rest) {
		root, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		known[root.Subject.CommonName] = true
	}
	for _, name := range []string{"ISRG Root X1", "DigiCert Global Root G2", "GTS Root R1", "Amazon Root CA 1"} {
		if !known[name] {
			t.Errorf("%s is not among the %d certificates", name, len(known))
		}
	}
}

func readIndex(t *testing.T, out string) v1.ImageIndex {
	path, err := layout.ImageIndexFromPath(filepath.Join(out, "oci"))
	if err != nil {
		t.Fatal(err)
	}
	top, err := path.IndexManifest()
	if err != nil || len(top.Manifests) != 1 {
		t.Fatalf("index.json: %+v, %v", top, err)
	}
	index, err := path.ImageIndex(top.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	return index
}

func digest(t *testing.T, index v1.ImageIndex) string {
	made, err := index.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return made.String()
}

func configOf(t *testing.T, image v1.Image) *v1.ConfigFile {
	config, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	return config
}
