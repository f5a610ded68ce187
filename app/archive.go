package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/dead"
	"github.com/outlast-dev/outlast/server"
)

// archive is a directory of dead letters: a file of lines of JSON for each day on
// which letters were deleted, in the form of the export.
type archive struct {
	directory string
	settle    func(directory string) error // puts the names in a directory on disk
}

// openArchive makes the directory, readable for its owner alone, and tries to write.
func openArchive(directory string) (*archive, error) {
	a := &archive{filepath.Clean(directory), syncDirectory}
	err := a.make()
	if err == nil {
		err = a.append(time.Now(), nil)
	}
	if err != nil {
		return nil, fmt.Errorf("dead.archive: %w", err)
	}
	return a, nil
}

// make makes the directory with those above it that are missing, on disk.
func (a *archive) make() error {
	var above []string
	for at := a.directory; ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		above = append(above, filepath.Dir(at))
	}
	err := os.MkdirAll(a.directory, 0o700)
	for _, directory := range above {
		if err == nil {
			err = a.settle(directory)
		}
	}
	return err
}

// keep writes letters; they are on disk when it returns.
func (a *archive) keep(ctx context.Context, inspect *outlast.Inspector, letters []dead.Letter) error {
	var lines []byte
	for _, letter := range letters {
		views, err := inspect.View(ctx, letter.Task)
		if err != nil {
			return err
		}
		if lines, err = server.AppendLetter(lines, views[0], letter.Attempts); err != nil {
			return err
		}
	}
	return a.append(time.Now(), lines)
}

func (a *archive) append(now time.Time, lines []byte) error {
	path := filepath.Join(a.directory, "dead-"+now.UTC().Format(time.DateOnly)+".ndjson")
	file, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600) //nolint:gosec // the operator names the directory
	if err != nil {
		return err
	}
	if brokenOff(file) {
		lines = append([]byte{'\n'}, lines...)
	}
	_, err = file.Write(lines)
	// A file that is on disk is lost with its name, which may be new; without a new
	// one the second costs next to nothing.
	return errors.Join(err, file.Sync(), file.Close(), a.settle(a.directory))
}

// syncDirectory puts the names in a directory on disk, where the system can: Windows
// does so by itself, and some network file systems refuse.
func syncDirectory(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	directory, err := os.Open(path) //nolint:gosec // the operator names the directory
	if err != nil {
		return err
	}
	err = directory.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		err = nil
	}
	return errors.Join(err, directory.Close())
}

// brokenOff reports whether the last line has no end: the process died writing it,
// and its letters were not deleted.
func brokenOff(file *os.File) bool {
	end, err := file.Seek(0, io.SeekEnd)
	if err != nil || end == 0 {
		return false
	}
	last := []byte{0}
	_, err = file.ReadAt(last, end-1)
	return err == nil && last[0] != '\n'
}
