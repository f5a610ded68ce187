//go:build linux

package main

import (
	"archive/tar"
	"bufio"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// build builds a static binary for Linux.
func build(t *testing.T, arch, program string, env ...string) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "outlast")
	command := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", binary, ".")
	command.Dir = program
	command.Env = append(append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+arch), env...)
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return binary
}

// container is an image that was unpacked into a folder, and runs there: chroot, its
// user, its environment. Only the network and the processes of the machine are its own, too.
type container struct {
	*testing.T
	root   string
	config v1.Config
	server *exec.Cmd
}

// pack makes the image of a binary, for Docker, and returns the tarball.
func pack(t *testing.T, binary string) string {
	t.Helper()
	out := t.TempDir()
	if err := write(out, "outlast:test", []string{binary}); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(out, "docker-"+runtime.GOARCH+".tar")
}

// unpack unpacks an image for Docker.
func unpack(t *testing.T, archive string) *container {
	t.Helper()
	if os.Getuid() != 0 {
		if os.Getenv("CI") != "" {
			t.Fatal("only root can run what is in the image as another user: run the tests as root")
		}
		t.Skip("only root can run what is in the image as another user")
	}
	image, err := tarball.ImageFromPath(archive, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &container{T: t, root: t.TempDir(), config: configOf(t, image).Config}
	content := mutate.Extract(image)
	defer content.Close()
	for files := tar.NewReader(content); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return c
		}
		if err == nil {
			err = c.add(header, files)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// add writes a file or folder as its owner has it, whatever umask says.
func (c *container) add(header *tar.Header, content io.Reader) error {
	path := filepath.Join(c.root, header.Name)
	if header.FileInfo().IsDir() {
		if err := os.Mkdir(path, 0o700); err != nil {
			return err
		}
	} else {
		file, err := os.Create(path)
		if err != nil {
			return err
		}
		if _, err := io.Copy(file, content); err != nil {
			return err
		}
		if err := file.Close(); err != nil {
			return err
		}
	}
	return errors.Join(os.Chown(path, header.Uid, header.Gid), os.Chmod(path, header.FileInfo().Mode()))
}

// env is a variable of the image.
func (c *container) env(name string) string {
	for _, variable := range c.config.Env {
		if value, found := strings.CutPrefix(variable, name+"="); found {
			return value
		}
	}
	c.Fatalf("the image sets no %s", name)
	return ""
}

// command is what `docker run -e ENV… IMAGE ARGS…` would start, or exec with the program
// named.
func (c *container) command(env []string, args ...string) *exec.Cmd {
	if args[0] == c.config.Entrypoint[0] {
		args = args[1:]
	}
	if c.config.User != "65532:65532" {
		c.Fatalf("the user is %q", c.config.User)
	}
	command := exec.Command(c.config.Entrypoint[0], args...)
	command.Dir, command.Env = c.config.WorkingDir, append(append([]string{}, c.config.Env...), env...)
	command.SysProcAttr = &syscall.SysProcAttr{Chroot: c.root, Credential: &syscall.Credential{Uid: user, Gid: user}}
	return command
}

// run returns what a command prints.
func (c *container) run(env []string, args ...string) string {
	c.Helper()
	command := c.command(env, args...)
	var messages strings.Builder
	command.Stderr = &messages
	out, err := command.Output()
	if err != nil {
		c.Fatalf("%s: %v\n%s%s", args, err, out, messages.String())
	}
	return string(out)
}

// serve starts the server, as the image does by itself, and returns where it listens.
func (c *container) serve(env ...string) string {
	c.Helper()
	c.server = c.command(env, c.config.Cmd...)
	messages, err := c.server.StderrPipe()
	if err != nil {
		c.Fatal(err)
	}
	if err := c.server.Start(); err != nil {
		c.Fatal(err)
	}
	c.Cleanup(c.stop)
	for lines := bufio.NewScanner(messages); lines.Scan(); {
		var said struct{ Msg, URL string }
		if err := json.Unmarshal(lines.Bytes(), &said); err != nil {
			c.Errorf("a line of the log is no JSON: %v\n%s", err, lines.Text())
		}
		if said.Msg == "server.listens" {
			go func() { _, _ = io.Copy(io.Discard, messages) }()
			return strings.Replace(said.URL, "[::]", "127.0.0.1", 1)
		}
	}
	c.Fatalf("the server does not say where it listens: %v", c.server.Wait())
	return ""
}

// stop stops the server as the image says, unless that was done.
func (c *container) stop() {
	if c.server.ProcessState != nil {
		return
	}
	if c.config.StopSignal != "SIGTERM" {
		c.Errorf("the signal to stop is %q", c.config.StopSignal)
	}
	_ = c.server.Process.Signal(syscall.SIGTERM)
	if err := c.server.Wait(); err != nil {
		c.Errorf("the server stopped with %v", err)
	}
}

// readOnly takes from the container folders that it may write in.
func (c *container) readOnly(folders ...string) {
	for _, folder := range folders {
		if err := os.Chmod(filepath.Join(c.root, folder), 0o555); err != nil {
			c.Fatal(err)
		}
	}
}

// trust adds a certificate to those of the image.
func (c *container) trust(certificate *x509.Certificate) {
	file, err := os.OpenFile(filepath.Join(c.root, certificates), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		c.Fatal(err)
	}
	if err := errors.Join(pem.Encode(file, &pem.Block{Type: "CERTIFICATE", Bytes: certificate.Raw}), file.Close()); err != nil {
		c.Fatal(err)
	}
}

// ended is how a task ended.
type ended struct {
	State     string
	Attempt   int
	LastError struct{ Message string } `json:"last_error"`
}

// task enqueues a call of a URL and waits until it has ended.
func (c *container) task(reach []string, url string, args ...string) (task ended) {
	c.Helper()
	command := c.command(reach, append([]string{"task", "enqueue", "--url", url, "--wait", "5m", "--output", "json"}, args...)...)
	out, err := command.Output() // the exit code says how it ended
	if failure := json.Unmarshal(out, &task); failure != nil {
		c.Fatalf("%v, %v\n%s", err, failure, out)
	}
	return task
}
