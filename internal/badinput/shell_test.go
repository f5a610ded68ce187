package badinput

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// program is a finished run of the command line.
type program struct {
	exit             int
	stdout, messages string
}

// manyRuns is a file beside those of the program, and inMain what its main begins with: a
// process does one run after the other, since two thousand starts would be most of what
// this package costs. What a run does is the program's own code.
const (
	inMain   = "func main() { manyRuns(); "
	manyRuns = `package main

import (
	"bytes"
	"encoding/json"
	"os"
)

func manyRuns() {
	if os.Getenv("OUTLAST_MANY_RUNS") == "" {
		return
	}
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var asked struct {
			Args [][]byte
			In   []byte
		}
		if in.Decode(&asked) != nil {
			os.Exit(0)
		}
		var args []string
		for _, arg := range asked.Args {
			args = append(args, string(arg))
		}
		var text, messages bytes.Buffer
		code := run(args, bytes.NewReader(asked.In), &text, &messages)
		if out.Encode(map[string]any{"Code": code, "Out": text.Bytes(), "Messages": messages.Bytes()}) != nil {
			os.Exit(1)
		}
	}
}
`
)

func buildProgram(folder, binary string) error {
	source, err := filepath.Abs("../../cmd/outlast")
	if err != nil {
		return err
	}
	main := filepath.Join(source, "main.go")
	text, err := os.ReadFile(main)
	if err != nil {
		return err
	}
	const begins = "func main() { "
	if strings.Count(string(text), begins) != 1 {
		return fmt.Errorf("%s does not have %q once", main, begins)
	}
	planted := map[string]string{main: strings.Replace(string(text), begins, inMain, 1), filepath.Join(source, "many_runs.go"): manyRuns}
	replace := map[string]string{}
	for path, text := range planted {
		replace[path] = filepath.Join(folder, filepath.Base(path))
		if err := os.WriteFile(replace[path], []byte(text), 0o600); err != nil {
			return err
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}
	list := filepath.Join(folder, "overlay.json")
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		return err
	}
	out, err := exec.Command("go", "build", "-overlay", list, "-ldflags=-s -w", "-o", binary, "github.com/outlast-dev/outlast/cmd/outlast").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// shell is a process of the program that does many runs.
type shell struct {
	mu       sync.Mutex
	cmd      *exec.Cmd
	in       io.WriteCloser
	asks     *json.Encoder
	answers  *json.Decoder
	messages *bytes.Buffer
	runs     int
}

// mostRuns is after how many a new process begins: each run leaves a connection.
const mostRuns = 200

func (s *shell) start(w *world) error {
	s.close()
	s.cmd, s.messages, s.runs = exec.Command(w.binary), &bytes.Buffer{}, 0
	s.cmd.Env = []string{"OUTLAST_SERVER=" + w.url, "HOME=" + filepath.Dir(w.binary), "OUTLAST_MANY_RUNS=1"}
	s.cmd.Stderr = s.messages
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return err
	}
	s.asks, s.answers = json.NewEncoder(s.in), json.NewDecoder(out)
	return s.cmd.Start()
}

func (s *shell) close() {
	if s.cmd != nil {
		_ = s.in.Close()
		_ = s.cmd.Wait() // what it did is known
		s.cmd = nil
	}
}

// cli runs the command line against the server.
func (w *world) cli(t testing.TB, stdin string, args ...string) program {
	t.Helper()
	must(t, w.build())
	w.shell.mu.Lock()
	defer w.shell.mu.Unlock()
	if w.shell.cmd == nil || w.shell.runs == mostRuns {
		must(t, w.shell.start(w))
	}
	w.shell.runs++
	asked := struct {
		Args [][]byte
		In   []byte
	}{In: []byte(stdin)}
	for _, arg := range args {
		asked.Args = append(asked.Args, []byte(arg))
	}
	must(t, w.shell.asks.Encode(asked))
	var did struct {
		Code          int
		Out, Messages []byte
	}
	if err := w.shell.answers.Decode(&did); err != nil {
		w.shell.close()
		t.Fatalf("%.200q: %v\n%s", args, err, w.shell.messages)
	}
	return program{did.Code, string(did.Out), string(did.Messages)}
}

// process is cli in a process of its own.
func (w *world) process(t testing.TB, stdin string, args ...string) program {
	t.Helper()
	must(t, w.build())
	var out, messages bytes.Buffer
	cmd := exec.CommandContext(t.Context(), w.binary, args...)
	cmd.Env = []string{"OUTLAST_SERVER=" + w.url, "HOME=" + t.TempDir()}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &messages
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatalf("%.200q: %v", args, err)
	}
	return program{cmd.ProcessState.ExitCode(), out.String(), messages.String()}
}
