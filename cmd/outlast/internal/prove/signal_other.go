//go:build !unix

package prove

import (
	"os"
	"syscall"
)

// signals is false where a process can be killed, and neither asked to stop nor halted.
const signals = false

func apart() *syscall.SysProcAttr { return nil }

func ask(p *os.Process) error  { return p.Kill() }
func halt(*os.Process) error   { return nil }
func resume(*os.Process) error { return nil }
