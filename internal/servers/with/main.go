//go:build unix

// Command with runs a command beside a PostgreSQL and a MariaDB server of its own, whose
// addresses the command finds in its environment, where package servertest looks for
// them. Both end with the command, or with this program:
//
//	with make tests
//
// A server whose variable is set already is not started.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"github.com/outlast-dev/outlast/internal/servers"
)

// kinds are the servers. Tests of several packages are their clients at once.
var kinds = []struct {
	variable, database string
	start              func(context.Context, ...servers.Option) (*servers.Server, error)
	connections        string
}{
	{"OUTLAST_TEST_POSTGRES", "postgres", servers.Postgres, "max_connections=600"},
	{"OUTLAST_TEST_MARIADB", "", servers.MariaDB, "max-connections=1000"},
}

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "with: name a command to run beside the servers")
		os.Exit(2)
	}
	code, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "with:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// run runs the command and returns how it ended.
func run(command []string) (code int, err error) {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Env = os.Stdin, os.Stdout, os.Stderr, os.Environ()
	for _, kind := range kinds {
		if os.Getenv(kind.variable) != "" {
			continue
		}
		server, err := kind.start(context.Background(), servers.With(kind.connections))
		if err != nil {
			return 1, err
		}
		defer func() { err = errors.Join(err, server.Close()) }()
		cmd.Env = append(cmd.Env, kind.variable+"="+server.DSN(kind.database))
	}
	return await(cmd, signals)
}

// await runs the command in a process group of its own. What this program is told by a
// signal all of the group is told, and when the command has ended after that, whatever
// it left is ended too.
func await(cmd *exec.Cmd, signals <-chan os.Signal) (int, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return 1, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for told := false; ; {
		select {
		case got := <-signals:
			told = true
			if number, is := got.(syscall.Signal); is {
				_ = syscall.Kill(-cmd.Process.Pid, number) // it may have ended
			}
		case err := <-ended:
			if told {
				_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // as a rule nothing is left
			}
			var exit *exec.ExitError
			if errors.As(err, &exit) {
				return max(exit.ExitCode(), 1), nil // -1 after a signal
			}
			return 0, err
		}
	}
}
