//go:build unix

package prove

import (
	"os"
	"syscall"
)

// signals are the faults that need signals of their own.
const signals = true

// apart is a group of its own: what a terminal sends is for this process, which ends its
// nodes itself. When this process is gone, the system wakes and ends what stands still in
// a group that nobody is left to wait for.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func ask(p *os.Process) error    { return p.Signal(syscall.SIGTERM) }
func halt(p *os.Process) error   { return p.Signal(syscall.SIGSTOP) }
func resume(p *os.Process) error { return p.Signal(syscall.SIGCONT) }
