package main

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// proving is a run of outlast prove until it makes its first fault.
type proving struct {
	*testing.T
	cmd   *exec.Cmd
	lines *bufio.Scanner
	mark  string
}

func startProving(t *testing.T, store string) *proving {
	t.Helper()
	p := &proving{T: t, cmd: exec.Command(binary, "prove", "--store", store, "--rate", "20"), mark: "OUTLAST_PROVE_MARK=" + t.Name()}
	p.cmd.Env = append(os.Environ(), p.mark)
	stderr, err := p.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.cmd.Process.Kill() }) // it has ended as a rule
	p.lines = bufio.NewScanner(stderr)
	p.until("node 1: ")
	return p
}

// until reads what it says up to a word.
func (p *proving) until(word string) {
	p.Helper()
	for p.lines.Scan() {
		if strings.Contains(p.lines.Text(), word) {
			return
		}
	}
	p.Fatalf("it never says %q", word)
}

// end ends it by a signal, and waits until it is gone.
func (p *proving) end(signal syscall.Signal) (said string, code int) {
	p.Helper()
	if err := p.cmd.Process.Signal(signal); err != nil {
		p.Fatal(err)
	}
	for p.lines.Scan() {
		said += p.lines.Text() + "\n"
	}
	_ = p.cmd.Wait() // the code says more
	return said, p.cmd.ProcessState.ExitCode()
}

// alone reports whether no node of the run lives any more.
func (p *proving) alone() bool {
	all, _ := filepath.Glob("/proc/[0-9]*/environ") // none on other systems
	return !slices.ContainsFunc(all, func(name string) bool {
		text, err := os.ReadFile(name)
		return err == nil && bytes.Contains(text, []byte(p.mark+"\x00"))
	})
}

// startProven starts outlast prove, which makes each kind of fault once. What it returns
// waits for the end, and checks what was said.
func startProven(t *testing.T, store string, kinds ...string) (finish func()) {
	t.Helper()
	page := filepath.Join(t.TempDir(), "report.html")
	cmd := exec.CommandContext(t.Context(), binary, "prove", "--store", store, "--for", "1s", "--rate", "25", "--html", page, "--output", "json")
	var out, messages bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &messages
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		_ = cmd.Wait() // the code says more
		report := (&result{t, cmd.Args[1:], cmd.ProcessState.ExitCode(), out.String(), messages.String()}).exits(0).json()
		accepted, _ := report["accepted"].(float64)
		if report["verdict"] != "kept" || accepted < 1000 || accepted != report["succeeded"].(float64)+report["dead_as_planned"].(float64) {
			t.Errorf("got %s", out.String())
		}
		var made []string
		for _, one := range report["faults"].([]any) {
			made = append(made, one.(map[string]any)["kind"].(string))
		}
		if slices.Sort(made); !slices.Equal(made, kinds) {
			t.Errorf("faults %v", made)
		}
		text, err := os.ReadFile(page)
		if err != nil || !bytes.Contains(text, []byte("Kept under")) {
			t.Errorf("the page: %v %s", err, text)
		}
	}
}

// startProvenSQLite proves it beside a file of the user, and checks that the folder is
// as it was.
func startProvenSQLite(t *testing.T) (finish func()) {
	t.Helper()
	mine := filepath.Join(t.TempDir(), "mine.db")
	if err := os.WriteFile(mine, []byte("not yours"), 0o600); err != nil {
		t.Fatal(err)
	}
	ended := startProven(t, "sqlite:"+mine, "kill", "pause", "stop")
	return func() {
		t.Helper()
		ended()
		files, err := filepath.Glob(filepath.Join(filepath.Dir(mine), "*"))
		if err != nil || !slices.Equal(files, []string{mine}) {
			t.Errorf("the folder has %v, %v", files, err)
		}
		if text, err := os.ReadFile(mine); string(text) != "not yours" {
			t.Errorf("the file of the user has %q, %v", text, err)
		}
	}
}

// A run that is interrupted cleans up; one that is killed takes its nodes with it, and
// what it leaves behind is named by the next one and dropped by --clean, while that of
// a living one is neither.
func TestProveCleansUp(t *testing.T) {
	t.Parallel()
	folder, c := t.TempDir(), command{t: t}
	store := "sqlite:" + filepath.Join(folder, "mine.db")
	places := func(n int) {
		t.Helper()
		if found, err := os.ReadDir(folder); err != nil || len(found) != n {
			t.Errorf("the folder has %v, %v", found, err)
		}
	}
	killed := startProving(t, store)
	killed.end(syscall.SIGKILL)
	await(t, "the end of its node", killed.alone)
	places(1)
	living := startProving(t, store)
	c.run("prove", "--store", store, "--clean").exits(2).says("this drops folder " + folder).says("--yes")
	places(2)
	c.run("prove", "--store", store, "--clean", "--yes").exits(0)
	places(1)
	c.run("prove", "--store", store, "--clean").exits(0).says("nothing is left behind")
	if said, code := living.end(syscall.SIGINT); code != 3 || !strings.Contains(said, "interrupted") {
		t.Errorf("exit code %d: %s", code, said)
	}
	places(0)
	if !living.alone() {
		t.Error("its nodes live on")
	}
}

func TestProveRefuses(t *testing.T) {
	t.Parallel()
	c := command{t: t}
	c.run("prove", "--rate", "0").exits(2).says("--rate must be 1 to 1000")
	c.run("prove", "--nodes", "1").exits(2).says("--nodes must be 2 to 9")
	c.run("prove", "--for", "-1s").exits(2).says("--for must be more than 0")
	c.run("prove", "--store", "memory:").exits(2).says("must begin with one of")
	c.run("prove", "--html", filepath.Join(t.TempDir(), "none", "r.html")).exits(2).says("--html")
	c.run("prove", "--store", "sqlite:"+filepath.Join(t.TempDir(), "none", "o.db")).exits(4).says("folder")
	c.run("prove", "--store", "postgres://nobody@127.0.0.1:1/none").exits(7).says("127.0.0.1:1")
	c.run("prove", "node").exits(2).says("starts this by itself")
}
