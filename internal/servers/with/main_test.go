//go:build unix

package main

import (
	"bufio"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain lets the test's program be the command itself.
func TestMain(m *testing.M) {
	if os.Getenv("OUTLAST_WITH_TEST") != "" {
		main()
	}
	os.Exit(m.Run())
}

// with is the program, with a shell as its command, which says where the servers are.
func with(t *testing.T, then string, env ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], "sh", "-c", `echo "$OUTLAST_TEST_POSTGRES $OUTLAST_TEST_MARIADB"; `+then)
	cmd.Env = append(os.Environ(), "OUTLAST_WITH_TEST=1")
	cmd.Env = append(cmd.Env, env...)
	cmd.Stderr = os.Stderr
	return cmd
}

func serves(address string) bool {
	conn, err := net.Dial("tcp", address)
	if err == nil {
		conn.Close()
	}
	return err == nil
}

// gone waits until none of the servers is there.
func gone(t *testing.T, all ...string) {
	t.Helper()
	for until := time.Now().Add(time.Minute); slices.ContainsFunc(all, serves); {
		if time.Now().After(until) {
			t.Fatalf("after a minute there is still a server at one of %v", all)
		}
		time.Sleep(20 * time.Millisecond) // sleep: what is waited for happens in other processes
	}
}

// begin starts the program and reads the first line of its command.
func begin(t *testing.T, cmd *exec.Cmd) (said string, in io.Closer, rest io.Reader) {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	said, err = lines.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return said, in, lines
}

func TestServersLiveAsLongAsTheCommand(t *testing.T) {
	t.Parallel()
	cmd := with(t, "exec cat", "OUTLAST_TEST_POSTGRES=", "OUTLAST_TEST_MARIADB=")
	said, in, _ := begin(t, cmd)
	postgres, mariadb, _ := strings.Cut(strings.TrimSpace(said), " ")
	found := regexp.MustCompile(`tcp\((.*)\)`).FindStringSubmatch(mariadb)
	if found == nil {
		t.Fatalf("the command finds %q", said)
	}
	all := []string{host(t, postgres), found[1]}
	for _, address := range all {
		if !serves(address) {
			t.Errorf("nothing serves at %s beside the command", address)
		}
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	gone(t, all...)
}

func host(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		t.Fatalf("the command finds %q", address)
	}
	return u.Host
}

// However it is told to end, the server ends; where it can still do something, all that
// the command started ends as well.
func TestEndedBefore(t *testing.T) {
	t.Parallel()
	for _, how := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		t.Run(how.String(), func(t *testing.T) {
			cmd := with(t, `exec 3<&0; sh -c "trap '' TERM; cat" <&3 & wait`, "OUTLAST_TEST_POSTGRES=", "OUTLAST_TEST_MARIADB=given")
			said, in, rest := begin(t, cmd)
			address, _, _ := strings.Cut(said, " ")
			if err := cmd.Process.Signal(how); err != nil {
				t.Fatal(err)
			}
			if how == syscall.SIGKILL {
				in.Close() // nobody is left to end what ignores signals
			}
			if _, err := io.ReadAll(rest); err != nil { // until the last process is gone that could write
				t.Error(err)
			}
			if err := cmd.Wait(); err == nil {
				t.Error("it ends as if all were well")
			}
			gone(t, host(t, address))
		})
	}
}

func TestResultOfTheCommand(t *testing.T) {
	cmd := with(t, "exit 7", "OUTLAST_TEST_POSTGRES=given", "OUTLAST_TEST_MARIADB=given")
	out, _ := cmd.Output()
	if code := cmd.ProcessState.ExitCode(); code != 7 || string(out) != "given given\n" {
		t.Errorf("the result is %d, and the command finds %q", code, out)
	}
}
