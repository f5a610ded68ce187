//go:build unix

package examples

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/internal/binarytest"
	"github.com/outlast-dev/outlast/internal/servers"
	"github.com/outlast-dev/outlast/internal/servertest"
)

func TestMain(m *testing.M) { os.Exit(binarytest.Run(servertest.Wrap(m))) }

var shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")

// unrun are the beginnings of commands that the test below does not run, with the reason.
var unrun = map[string]string{
	"make benchmarks":                 "takes hours",
	"cd bench && go run . run":        "measures",
	"cd bench && go run . list":       "links all peers: the tests of bench run it",
	"cd bench && go test":             "is a test of its own",
	"cd bench && GOBIN=":              "builds another system's server, which takes long",
	"make citus":                      "needs Citus",
	"mariadb":                         "reads its password from a terminal",
	"sqlite3 outlast.db":              "needs a version of sqlite3 that few systems have",
	"outlast migrate citus":           "needs Citus; the tests of store/postgres run it there",
	"outlast sim run all":             "takes minutes: package sim runs it",
	"make build && bin/outlast serve": "is the server below, on the port and file that everybody has",
	"go get ":                         "needs a module of its own, and a release",
	"make build":                      "is what the tests have done",
	"sudo ":                           "changes the machine: the tests of packaging install it on another",
	"docker ":                         "needs Docker: the tests of deploy run the image and the composition",
	"kubectl ":                        "needs a cluster: the tests of deploy read the manifests",
	"make image":                      "is what the tests of deploy make",
	"curl -fsSL":                      "gets a release: the tests of packaging have one",
	"npx openapi-typescript":          "make check-openapi generates with it",
	"go run github.com/oapi-codegen":  "make check-openapi generates with it",
	"tar -xzf outlast_":               "unpacks a release",
	"cd outlast_":                     "is in a release",
	"go install github.com/outlast":   "gets a release from the Go proxy",
	"outlast prove":                   "takes a minute: the tests of cmd/outlast run it on every store",
}

// blockTime is how long the commands of one block may take, blockEnd how long what
// they started may take to end after that.
const (
	blockTime = patience
	blockEnd  = 20 * time.Second
)

// shell is a directory with a server for commands of the documents.
type shell struct {
	*testing.T
	dir, bin, server, robot string
}

// The shell blocks of the documents do what they say, on a server on a file and on
// PostgreSQL and MariaDB. A command that is not run is one of unrun. Other languages of a
// document have the same blocks (TestLanguagesInStep), and TestTutorials runs those of a tutorial.
func TestShellBlocks(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.robot = robot(t)
	s.server = s.serve("--allow-target", "127.0.0.0/8", "--allow-target", "10.0.0.0/8", "--store", "sqlite:"+filepath.Join(s.dir, "outlast.db"))
	s.files()
	told := s.story()
	for _, file := range documents(t) {
		if strings.Contains(file, ".zh-CN") || strings.Contains(file, "/tutorial/") {
			continue
		}
		for i, block := range shellBlock.FindAllStringSubmatch(read(t, file), -1) {
			if slices.Contains(told, block[1]) {
				continue
			}
			s := s
			t.Run(fmt.Sprintf("%s/%d", strings.TrimPrefix(file, "../"), i+1), func(t *testing.T) {
				s.T = t
				s.block(file, block[1])
			})
		}
	}
}

func newShell(t *testing.T) shell {
	s := shell{T: t, dir: t.TempDir(), bin: t.TempDir()}
	if err := os.Symlink(binarytest.Path(), filepath.Join(s.bin, "outlast")); err != nil {
		t.Fatal(err)
	}
	return s
}

// All blocks of a tutorial do what they say as one script, on a server and a receiver of its own.
func TestTutorials(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../docs/tutorial/*[^N].md")
	if err != nil || len(files) == 0 {
		t.Fatal("no tutorials", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			server, receiver := free(t), free(t)
			_, port, _ := net.SplitHostPort(receiver)
			script := "export OUTLAST_LISTEN=" + server + " OUTLAST_SERVER=http://" + server + "\n"
			for _, block := range shellBlock.FindAllStringSubmatch(read(t, file), -1) {
				script += block[1]
			}
			// The program is that of examples: a module of the reader's needs a published one of ours.
			newShell(t).run(strings.NewReplacer(" &\n", " &\nstarted=\"$started $!\"\n", "127.0.0.1:7070", server, "8099", port,
				"go run .", filepath.Join(programs(t), "sender"), "kill %1 %2\n", "").Replace(script))
		})
	}
}

// files puts the files that commands name where they run.
func (s shell) files() {
	for name, text := range map[string]string{
		"mine.json":      `{"max_attempts": 5}`,
		"policy.json":    `{"max_attempts": 5}`,
		"policies.yaml":  "policies:\n  nightly: {preset: rocketmq-16, max_attempts: 6}\n",
		"outlast.yaml":   read(s.T, "../deploy/outlast.yaml"),
		"migration.yaml": yamlBlock.FindStringSubmatch(read(s.T, "../docs/how-to/migration.md"))[1],
	} {
		if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600); err != nil {
			s.Fatal(err)
		}
	}
	for _, name := range []string{"examples", "deploy", "docs", "clients"} {
		if err := os.Symlink(absolute(s.T, "../"+name), filepath.Join(s.dir, name)); err != nil {
			s.Fatal(err)
		}
	}
}

// robot is a receiver of alerts in the place of DingTalk's.
func robot(t *testing.T) string {
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"errcode":0,"errmsg":"ok"}`))
	}))
	t.Cleanup(receiver.Close)
	return receiver.URL
}

// serve starts a server until the end of the test, and returns its URL.
func (s shell) serve(args ...string) string {
	s.Helper()
	address := free(s.T)
	var log bytes.Buffer
	server := exec.Command(binarytest.Path(), append([]string{"serve", "--listen", address}, args...)...)
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
	for deadline := time.After(patience); ; {
		if conn, err := net.Dial("tcp", address); err == nil {
			conn.Close()
			return "http://" + address
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-deadline:
			s.Fatal("the server does not listen")
		}
	}
}

// free is an address that nobody listens on, which is kept for the test until its end: a
// server may start there late, and again.
func free(t *testing.T) string {
	t.Helper()
	port, hold, err := servers.HoldPort()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = hold.Close() })
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
}

// prelude makes the script end what it started, and curl fail where the server refuses.
const prelude = `started=""
umask 077
trap 'for one in $started; do kill "$one" || true; done; wait' EXIT
curl() { command curl -sS --fail-with-body "$@"; }
`

// run runs a script of sh as the user of the documents does, who has made a build. What
// it leaves in the background is ended with it.
func (s shell) run(script string) {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), blockTime)
	defer cancel()
	command := exec.CommandContext(ctx, "sh", "-e", "-x", "-c", prelude+script)
	command.Dir, command.Env = s.dir, append(os.Environ(), "PATH="+s.bin+":"+os.Getenv("PATH"), "OUTLAST_SERVER="+s.server)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGTERM) }
	command.WaitDelay = blockEnd
	out, err := command.CombinedOutput()
	_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL) // what did not end by itself
	if err != nil {
		s.Errorf("%v: %s\n%s", errors.Join(err, ctx.Err()), script, out)
	}
}

// story runs what "Five lines of curl" of the README has after the server, and returns its
// blocks.
func (s shell) story() (told []string) {
	_, text, _ := strings.Cut(read(s.T, "../README.md"), "\n## Five lines of curl\n")
	text, _, _ = strings.Cut(text, "\n## ")
	for _, block := range shellBlock.FindAllStringSubmatch(text, -1) {
		told = append(told, block[1])
	}
	if len(told) != 3 {
		s.Fatalf("the story has %d blocks", len(told))
	}
	address := free(s.T) // the receiver is not there yet
	adapt := strings.NewReplacer("http://127.0.0.1:7070", s.server, "127.0.0.1:8099", address,
		"python3 -m http.server 8099 --bind 127.0.0.1 >/dev/null 2>&1 &", "")
	s.run(adapt.Replace(told[1]) + "\nuntil outlast dead list --output jsonl | grep -q '\"id\"'; do sleep 0.2; done")
	up, err := net.Listen("tcp", address)
	if err != nil {
		s.Fatal(err)
	}
	answering := &http.Server{Handler: http.FileServer(http.Dir(s.dir)), ReadHeaderTimeout: time.Second}
	go func() { _ = answering.Serve(up) }()
	s.Cleanup(func() { answering.Close() })
	s.run(adapt.Replace(told[2]) + "\nuntil outlast task get \"$ID\" | grep -q succeeded; do sleep 0.1; done")
	return told
}

var (
	storeURL  = regexp.MustCompile(`'(postgres|mysql)://[^']*'`)
	continued = regexp.MustCompile(`\\\n\s*`)
	comment   = regexp.MustCompile(`\s+# .*$`)
)

// statements are the commands of a block: lines, but that quotes and here-documents go on to
// their end.
func statements(text string) (all []string) {
	for line := range strings.Lines(continued.ReplaceAllString(text, "")) {
		last := len(all) - 1
		if last >= 0 && !whole(all[last]) {
			all[last] += line
			continue
		}
		all = append(all, line)
	}
	return all
}

func whole(statement string) bool {
	return strings.Count(statement, "'")%2 == 0 && (!strings.Contains(statement, "<<'EOF'") || strings.HasSuffix(statement, "\nEOF\n"))
}

// block runs the commands of a block of a document, one script with one server.
func (s shell) block(file, text string) {
	databases := map[string]string{}
	text = storeURL.ReplaceAllStringFunc(text, func(url string) string {
		if databases[url] == "" {
			databases[url] = "'" + s.database(storeURL.FindStringSubmatch(url)[1]) + "'"
		}
		return databases[url]
	})
	var script []string
	for _, line := range statements(text) {
		line = comment.ReplaceAllString(strings.TrimSpace(line), "")
		line = strings.Replace(line, " --wait 10s", " --wait 1m", 1) // a busy machine is no failure
		if command := s.command(line); command != "" {
			script = append(script, command)
		} else if !excused(line) {
			s.Errorf("%s: nobody runs %q", file, line)
		}
	}
	if strings.Contains(file, "simulator") && strings.Contains(text, "--history") && !strings.Contains(text, "> history.ndjson") {
		script = append([]string{"outlast task export --since 24h > history.ndjson"}, script...)
	}
	if len(script) > 0 {
		s.run(strings.Join(script, "\n"))
	}
}

func excused(line string) bool {
	for start := range unrun {
		if strings.HasPrefix(line, start) {
			return true
		}
	}
	return line == ""
}

// command is what is run for a line of a document, "" for nothing.
func (s shell) command(line string) string {
	if excused(line) {
		return ""
	}
	line = strings.NewReplacer("sqlite:backup.db", "sqlite:outlast.db", // the backup is made by sqlite3, which is one of unrun
		"https://oapi.dingtalk.com", s.robot, "oapi.dingtalk.com", strings.TrimPrefix(s.robot, "http://"), "…", "example", "/etc/outlast/", s.dir+"/").Replace(line)
	if after, found := strings.CutPrefix(line, "outlast serve"); found {
		return s.ownServer(strings.TrimSuffix(after, " &"))
	}
	line = strings.ReplaceAll(line, "http://127.0.0.1:7070", "$OUTLAST_SERVER")
	switch {
	case strings.HasSuffix(line, " &"):
		return line + "\nstarted=\"$started $!\""
	case strings.HasPrefix(line, "cd bench && go run . list"):
		return fmt.Sprintf("(cd %q && go run . list)", absolute(s.T, "../bench"))
	case strings.HasPrefix(line, "outlast doctor"):
		return line + " || test $? -eq 1" // databases of tests do not survive a loss of power, and other blocks leave troubles
	case strings.HasPrefix(line, "outlast sim") && strings.Contains(line, "--policy"):
		return line + " || test $? -eq 1" // a policy that misses a bound
	case runnable.MatchString(line):
		return line
	}
	return ""
}

var runnable = regexp.MustCompile(`^([A-Za-z]+=\S*|\(umask|export|outlast|curl|python3|until|for|sleep|cat|echo|openssl|pg_dump|pg_restore) ?`)

var yamlBlock = regexp.MustCompile("(?s)```yaml\n(.*?)```")

// ownServer is the script of a server on a free port, and without a store of the document
// in a new file, for the commands that follow.
func (s shell) ownServer(args string) string {
	if !strings.Contains(args, "--store") {
		args += fmt.Sprintf(" --store sqlite:%q", filepath.Join(s.TempDir(), "outlast.db"))
	}
	address := free(s.T)
	return fmt.Sprintf(`outlast serve --listen %s --allow-target 127.0.0.0/8 --allow-target 10.0.0.0/8 %s &
started="$started $!"
export OUTLAST_SERVER=http://%s
until outlast node list >/dev/null 2>&1; do kill -0 $!; sleep 0.1; done`, address, args, address)
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
