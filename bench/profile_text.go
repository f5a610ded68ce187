package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// shownFunctions is how many functions the texts of profiles have.
const shownFunctions = 25

// writeTop writes the functions of a profile of this process that took the most time.
func writeTop(profile, path string) error {
	out, err := exec.Command("go", "tool", "pprof", "-top", fmt.Sprintf("-nodecount=%d", shownFunctions), profile).Output()
	if err != nil {
		return fmt.Errorf("go tool pprof: %w", err)
	}
	var text strings.Builder
	for line := range strings.Lines(string(out)) {
		if name, _, _ := strings.Cut(line, ":"); name != "File" && name != "Build ID" {
			text.WriteString(line)
		}
	}
	return os.WriteFile(path, []byte(text.String()), 0o644)
}

// sampleServer has perf look 499 times a second at what the machine does, until stop,
// which writes the functions of processes named postgres, with their shares of what
// those did. Without perf, or a server on this host, it does nothing.
func (v *servers) sampleServer(base string) (stop func() error, err error) {
	nothing := func() error { return nil }
	perf, err := exec.LookPath("perf")
	if err != nil || v.postgres == nil || v.postgres.root == 0 {
		return nothing, nil //nolint:nilerr // it is not needed
	}
	data := base + ".perf"
	sampling := exec.Command(perf, "record", "-q", "-a", "-e", "cpu-clock", "-F", "499", "-o", data)
	var said bytes.Buffer
	sampling.Stderr = &said
	if err := sampling.Start(); err != nil {
		return nothing, err
	}
	return func() error {
		defer func() { _ = os.Remove(data) }()
		err := sampling.Process.Signal(os.Interrupt)
		_ = sampling.Wait() // it ends by that signal
		out, failed := exec.Command(perf, "report", "-q", "-i", data, "--stdio", "--sort", "symbol", "--comm", "postgres", "--percentage", "relative").Output()
		if failed != nil {
			return errors.Join(err, fmt.Errorf("perf: %w\n%s", failed, said.String()))
		}
		return errors.Join(err, os.WriteFile(base+".server.txt", []byte(functionsOf(string(out))), 0o644))
	}, nil
}

// functionsOf are the first lines of a report of perf, without the columns that are
// empty and the comments.
func functionsOf(report string) string {
	var text strings.Builder
	count := 0
	for line := range strings.Lines(report) {
		fields := strings.Fields(line)
		if len(fields) < 3 || strings.HasPrefix(fields[0], "#") || count == shownFunctions {
			continue
		}
		count++
		where := map[string]string{"[k]": "kernel", "[.]": "server"}[fields[1]]
		fmt.Fprintf(&text, "%7s  %-6s  %s\n", fields[0], where, fields[2])
	}
	return text.String()
}
