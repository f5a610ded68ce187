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

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/wire"
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
func (a *archive) keep(ctx context.Context, inspector *inspect.Inspector, letters []inspect.Letter) error {
	var lines []byte
	for _, letter := range letters {
		views, err := inspector.Tasks.View(ctx, letter.Task)
		if err != nil {
			return err
		}
		views[0].Steps = letter.Steps
		if lines, err = wire.AppendLetter(lines, views[0], letter.Attempts); err != nil {
			return err
		}
	}
	return a.append(time.Now(), lines)
}

// archiveName is the file of a day.
func archiveName(day time.Time) string { return "dead-" + day.UTC().Format(time.DateOnly) + ".ndjson" }

func (a *archive) append(now time.Time, lines []byte) error {
	root, err := os.OpenRoot(a.directory)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // it was only read
	file, err := openOwn(root, archiveName(now))
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

// openOwn opens a file to append to it. Its name can be foreseen: whoever can write into the
// directory may have put a link, a pipe, or a file that everybody reads in its place.
func openOwn(root *os.Root, name string) (*os.File, error) {
	file, err := root.OpenFile(name, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
	if !errors.Is(err, fs.ErrExist) {
		return file, err
	}
	info, err := root.Lstat(name)
	switch path := filepath.Join(root.Name(), name); {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no regular file: move it away", path)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o006 != 0:
		return nil, fmt.Errorf("%s can be read or written by every user: chmod 600 it, or 640", path)
	}
	if file, err = root.OpenFile(name, os.O_RDWR|os.O_APPEND, 0); err != nil {
		return nil, err
	}
	if opened, err := file.Stat(); err != nil || !os.SameFile(info, opened) {
		return nil, errors.Join(fmt.Errorf("%s was replaced while it was opened", name), err, file.Close())
	}
	return file, nil
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
