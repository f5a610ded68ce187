//go:build unix && !solaris && !illumos && !aix

package nodelock

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/outlast-dev/outlast/task"
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

// checkLocks proves that a lock in the directory keeps a second one out.
func checkLocks(dir string) error {
	first, err := os.CreateTemp(dir, ".outlast-lock-*")
	if err != nil {
		return fmt.Errorf("sqlite: the folder of the database must be writable: %w", err)
	}
	defer func() { _ = errors.Join(first.Close(), os.Remove(first.Name())) }()
	second, err := os.OpenFile(first.Name(), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer func() { _ = second.Close() }()
	mine, err := tryLock(first)
	if err != nil {
		return fmt.Errorf("sqlite: the file system has no locks: %w", err)
	}
	theirs, err := tryLock(second)
	if err != nil {
		return err
	}
	if !mine || theirs {
		return &task.Error{Code: task.CodeUnavailable, Message: "the file system of the database does not keep locks",
			Hint: "put the file on a local disk, or use PostgreSQL"}
	}
	return nil
}
