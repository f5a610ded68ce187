package binarytest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// path is the program, once it is built.
var path string

// built is the variable with the program of a whole test run, which builds it once.
const built = "OUTLAST_TEST_BINARY"

// Run builds the program, unless the test run has, runs the tests of a package, and
// returns what the process is to exit with.
func Run(m interface{ Run() int }) int {
	if path = os.Getenv(built); path != "" {
		return m.Run()
	}
	folder, err := os.MkdirTemp("", "outlast-binary-")
	if err != nil {
		fmt.Fprintln(os.Stderr, "binarytest:", err)
		return 1
	}
	defer os.RemoveAll(folder) // a folder of the system's own
	path = filepath.Join(folder, "outlast")
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", path, "github.com/outlast-dev/outlast/cmd/outlast")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "binarytest: %s%v\n", out, err)
		return 1
	}
	return m.Run()
}

// Path is the program. It is there while the tests run.
func Path() string { return path }
