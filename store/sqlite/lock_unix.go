//go:build unix && !solaris && !illumos && !aix

package sqlite

import (
	"errors"
	"os"
	"syscall"
)

const locksWork = true

// tryLock takes the exclusive lock of an open file without waiting. The
// lock belongs to the open file: the same process, opening it again, finds
// it taken, and the system frees it when the process ends.
func tryLock(file *os.File) (bool, error) {
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		case !errors.Is(err, syscall.EINTR):
			return false, err
		}
	}
}
