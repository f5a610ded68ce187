//go:build linux || darwin

package sqlite

import (
	"errors"
	"os"
	"syscall"
)

// lock locks a file until it is closed, unless somebody else has.
func lock(file *os.File) (got bool, err error) {
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}
