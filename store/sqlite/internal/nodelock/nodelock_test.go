//go:build unix && !solaris && !illumos && !aix

package nodelock

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// holderDir tells a copy of the test's program to hold the lock of a node there.
const holderDir = "OUTLAST_NODELOCK_HOLDER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(holderDir); dir != "" {
		os.Exit(hold(dir))
	}
	os.Exit(m.Run())
}

// hold takes the lock, says so, and keeps it until the process is killed or its input ends.
func hold(dir string) int {
	if err := In(dir).Take(context.Background(), "n"); err != nil {
		_, _ = fmt.Fprintln(os.Stdout, err)
		return 1
	}
	_, _ = fmt.Fprintln(os.Stdout, "taken")
	_, _ = io.Copy(io.Discard, os.Stdin)
	return 0
}

func take(t *testing.T, l *Locks, node string) {
	t.Helper()
	if err := l.Take(t.Context(), node); err != nil {
		t.Fatal(err)
	}
}

func TestOneHolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "nodes")
	first, second := In(dir), In(dir)
	take(t, first, "n")
	take(t, first, "n") // again
	if !first.Mine("n") || first.Gone("n") || second.Mine("n") || second.Gone("n") {
		t.Fatal("the first holds it, and both see that")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := second.Take(ended, "n"); !errors.Is(err, context.Canceled) || second.Mine("n") {
		t.Fatalf("a second holder: %v", err)
	}
	second.Remove("n") // not while somebody has it
	if second.Gone("n") {
		t.Fatal("the file of a node that lives was removed")
	}
	if err := first.Free("n"); err != nil {
		t.Fatal(err)
	}
	if first.Mine("n") || !first.Gone("n") || !second.Gone("n") {
		t.Fatal("what was freed is held")
	}
	take(t, second, "n")
	if err := second.Close(); err != nil || !first.Gone("n") {
		t.Fatalf("held after Close (%v)", err)
	}
}

// A process that is killed leaves its file, whose lock is free.
func TestFileOfAKilledProcess(t *testing.T) {
	dir, l := t.TempDir(), (*Locks)(nil)
	holder := exec.Command(os.Args[0])
	holder.Env = append(os.Environ(), holderDir+"="+dir)
	input, err := holder.StdinPipe() // which ends with this process
	if err != nil {
		t.Fatal(err)
	}
	defer input.Close()
	output, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	if said, err := bufio.NewReader(output).ReadString('\n'); said != "taken\n" {
		t.Fatalf("the holder said %q (%v)", said, err)
	}
	if l = In(dir); l.Gone("n") {
		t.Error("the node is gone while its process lives")
	}
	if err := holder.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = holder.Wait() // it was killed
	if _, err := os.Stat(l.file("n")); err != nil || !l.Gone("n") {
		t.Fatalf("gone: %v, its file: %v", l.Gone("n"), err)
	}
	take(t, l, "n") // a stale file is in nobody's way
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if l.Remove("n"); !errors.Is(stat(l.file("n")), os.ErrNotExist) {
		t.Error("the file of a node that is gone stays")
	}
}

func stat(path string) error {
	_, err := os.Stat(path)
	return err
}

// Whatever a node is called, its file is in the folder and its own.
func TestFilesOfNames(t *testing.T) {
	l, seen := In(t.TempDir()), map[string]bool{}
	for _, node := range []string{"n", "N", "../n", "a/b", "a%2Fb", "", ".", strings.Repeat("long", 100), strings.Repeat("long", 101)} {
		take(t, l, node)
		name := l.file(node)
		if filepath.Dir(name) != l.dir || seen[name] {
			t.Errorf("the file of %q is %s", node, name)
		}
		seen[name] = true
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}
