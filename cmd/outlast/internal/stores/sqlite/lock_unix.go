//go:build linux || darwin

package sqlite

import (
	"os"
	"syscall"
)

// lock locks a file until it is closed. Whoever only looks lets go of it at once.
func lock(file *os.File) error { return syscall.Flock(int(file.Fd()), syscall.LOCK_EX) }

// unlocked reports whether nobody has locked a file.
func unlocked(file *os.File) bool {
	return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
