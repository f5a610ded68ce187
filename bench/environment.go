package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// environment says once where the figures come from.
func environment(c config, to io.Writer) {
	fmt.Fprintf(to, "environment: %d cores (GOMAXPROCS %d), %s, %s %s/%s, kernel %s, load %s\n", runtime.NumCPU(), runtime.GOMAXPROCS(0), cpuModel(),
		runtime.Version(), runtime.GOOS, runtime.GOARCH, cmp.Or(firstLine("/proc/sys/kernel/osrelease"), "unknown"),
		cmp.Or(firstLine("/proc/loadavg"), "unknown"))
	fmt.Fprintf(to, "environment: %s on %s, one write and sync takes %s\n", c.dir, fileSystem(c.dir), syncTime(c.dir))
}

// machineName is what figures keep of it.
func machineName() string {
	return fmt.Sprintf("%d cores (%s), %s", runtime.NumCPU(), cpuModel(), runtime.Version())
}

func firstLine(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return line
}

func cpuModel() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err == nil {
		for line := range strings.Lines(string(text)) {
			if name, value, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == "model name" {
				return strings.TrimSpace(value)
			}
		}
	}
	return "unknown processor"
}

// fileSystem is the type of the mount that a directory is on.
func fileSystem(dir string) string {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "unknown file system"
	}
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		return "unknown file system"
	}
	longest, kind := 0, "unknown file system"
	for line := range strings.Lines(string(mounts)) {
		fields := strings.Fields(line)
		if len(fields) < 3 {
			continue
		}
		mount := fields[1]
		inside := mount == "/" || dir == mount || strings.HasPrefix(dir, mount+"/")
		if inside && len(mount) >= longest {
			longest, kind = len(mount), fields[2]
		}
	}
	return kind
}

// syncTime is how long a small write with fsync takes, which bounds what a
// lone durable call can reach.
func syncTime(dir string) string {
	file, err := os.CreateTemp(dir, "outlast-bench-sync-")
	if err != nil {
		return "unknown: " + err.Error()
	}
	defer func() { _ = os.Remove(file.Name()) }()
	defer func() { _ = file.Close() }()
	var times samples
	for range 30 {
		began := time.Now()
		if _, err := file.Write(make([]byte, 4096)); err != nil {
			return "unknown: " + err.Error()
		}
		if err := file.Sync(); err != nil {
			return "unknown: " + err.Error()
		}
		times.add(time.Since(began))
	}
	return fmt.Sprintf("%.2f ms (median; p90 %.2f ms)", times.quantile(0.5), times.quantile(0.9))
}
