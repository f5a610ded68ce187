//go:build unix

package examples

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/internal/servertest"
)

func TestMain(m *testing.M) { servertest.Main(m) }

var shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")

// unrun are the beginnings of commands that the test below does not run, with the reason.
var unrun = map[string]string{
	"make benchmarks":                  "takes hours",
	"cd bench && go run . run":         "measures",
	"cd bench && go test":              "is a test of its own",
	"sqlite3 outlast.db":               "needs a version of sqlite3 that few systems have",
	"outlast migrate citus":            "needs Citus; the tests of store/postgres run it there",
	"outlast sim run all":              "takes minutes: package sim runs it",
	"make build && bin/outlast serve":  "is the server below, on the port and file that everybody has",
	"make run ARGS=\"--allow-target 1": "is the server below",
}

// shell is a directory with a server for commands of the documents.
type shell struct {
	*testing.T
	dir, bin, server string
}

// The shell blocks of the documents do what they say, on a server on a file and on
// PostgreSQL and MariaDB. A command that is not run is one of unrun.
func TestShellBlocks(t *testing.T) {
	s := shell{T: t, dir: t.TempDir(), bin: t.TempDir()}
	if out, err := exec.Command("go", "build", "-o", s.bin, "../cmd/outlast").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	s.server = s.serve("--allow-target", "127.0.0.0/8", "--store", "sqlite:"+filepath.Join(s.dir, "outlast.db"))
	for _, name := range []string{"mine.json", "policy.json"} {
		if err := os.WriteFile(filepath.Join(s.dir, name), []byte(`{"max_attempts": 5}`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s.story()
	for _, file := range documents(t) {
		text := read(t, file)
		if strings.HasPrefix(filepath.Base(file), "README") {
			_, text, _ = strings.Cut(text, "`make demo`") // after the story
		}
		for _, block := range shellBlock.FindAllStringSubmatch(text, -1) {
			for line := range strings.Lines(block[1]) {
				s.command(filepath.Base(file), strings.TrimSpace(line))
			}
		}
	}
}

// serve starts a server until the end of the test, and returns its URL.
func (s shell) serve(args ...string) string {
	s.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	var log bytes.Buffer
	server := exec.Command(filepath.Join(s.bin, "outlast"), append([]string{"serve", "--listen", address}, args...)...)
	server.Stdout, server.Stderr = &log, &log
	if err := server.Start(); err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() {
		_ = server.Process.Signal(syscall.SIGTERM)
		if err := server.Wait(); err != nil {
			s.Errorf("outlast serve: %v\n%s", err, log.String())
		}
	})
	return "http://" + address
}

// run runs a script of sh, which may end with one of the codes, as the user of the
// documents does, who has made a build.
func (s shell) run(script string, codes ...int) {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, "sh", "-e", "-c", script)
	command.Dir, command.Env = s.dir, append(os.Environ(), "PATH="+s.bin+":"+os.Getenv("PATH"), "OUTLAST_SERVER="+s.server)
	out, err := command.CombinedOutput()
	for _, code := range codes {
		if command.ProcessState.ExitCode() == code {
			return
		}
	}
	if err != nil {
		s.Errorf("%v: %s\n%s", err, script, out)
	}
}

// story runs what "Start in a minute" of the README has after the server.
func (s shell) story() {
	text, _, _ := strings.Cut(read(s.T, "../README.md"), "`make demo`")
	blocks := shellBlock.FindAllStringSubmatch(text, -1)
	if len(blocks) != 3 {
		s.Fatalf("the story has %d blocks", len(blocks))
	}
	receiver, err := net.Listen("tcp", "127.0.0.1:0") // is not there yet
	if err != nil {
		s.Fatal(err)
	}
	address := receiver.Addr().String()
	receiver.Close()
	adapt := strings.NewReplacer("http://127.0.0.1:7070", s.server, "127.0.0.1:8099", address,
		`make build && export PATH="$PWD/bin:$PATH"`, "", "python3 -m http.server 8099 --bind 127.0.0.1 >/dev/null 2>&1 &", "")
	s.run(adapt.Replace(blocks[1][1]) + "\nuntil outlast dead list --output jsonl | grep -q '\"id\"'; do sleep 0.2; done")
	up, err := net.Listen("tcp", address)
	if err != nil {
		s.Fatal(err)
	}
	answering := &http.Server{Handler: http.FileServer(http.Dir(s.dir)), ReadHeaderTimeout: time.Second}
	go func() { _ = answering.Serve(up) }()
	s.Cleanup(func() { answering.Close() })
	s.run(adapt.Replace(blocks[2][1]) + "\nuntil outlast task get \"$ID\" | grep -q succeeded; do sleep 0.1; done")
}

var storeURL = regexp.MustCompile(`'(postgres|mysql)://[^']*'`)

// command runs a line of a document.
func (s shell) command(file, line string) {
	for start := range unrun {
		if strings.HasPrefix(line, start) {
			return
		}
	}
	if strings.Contains(file, "simulator") && strings.HasPrefix(line, "outlast sim compare --history") {
		s.run("outlast task export --since 24h > history.ndjson")
	}
	line = strings.ReplaceAll(line, "http://127.0.0.1:7070", s.server)
	scheme := storeURL.FindStringSubmatch(line)
	line = storeURL.ReplaceAllStringFunc(line, func(string) string { return "'" + s.database(scheme[1]) + "'" })
	switch {
	case strings.HasPrefix(line, "outlast serve --store "):
		store, _, _ := strings.Cut(strings.TrimPrefix(line, "outlast serve --store "), " ")
		server := s.serve("--store", strings.Trim(store, "'"))
		s.run(fmt.Sprintf("until outlast node list --server %s; do sleep 0.1; done", server))
	case strings.HasPrefix(line, "cd bench && go run . list"):
		s.run(fmt.Sprintf("cd %q && go run . list", absolute(s.T, "../bench")))
	case strings.Contains(line, "--policy"):
		s.run(line, 1) // a policy that misses a bound
	case strings.HasPrefix(line, "outlast "):
		s.run(line)
	default:
		s.Errorf("%s: nobody runs %q", file, line)
	}
}

// database is the URL of a database of the test's own.
func (s shell) database(scheme string) string {
	if scheme == "postgres" {
		return servertest.Postgres(s.T)
	}
	user, rest, _ := strings.Cut(servertest.MariaDB(s.T), "@tcp(")
	address, name, _ := strings.Cut(rest, ")/")
	return "mysql://" + user + "@" + address + "/" + name
}

func absolute(t *testing.T, path string) string {
	full, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return full
}
