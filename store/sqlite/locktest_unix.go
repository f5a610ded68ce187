//go:build unix && !solaris && !illumos && !aix

package sqlite

import (
	"errors"
	"fmt"
	"os"

	"github.com/outlast-dev/outlast/task"
)

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
	defer second.Close()
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
