package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/dead"
	"github.com/outlast-dev/outlast/server"
)

// archive is a directory of dead letters: a file of lines of JSON for each day on
// which letters were deleted, in the form of the export.
type archive struct{ directory string }

// openArchive makes the directory, readable for its owner alone, and tries to write.
func openArchive(directory string) (*archive, error) {
	a := &archive{directory}
	err := os.MkdirAll(directory, 0o700)
	if err == nil {
		err = a.append(time.Now(), nil)
	}
	if err != nil {
		return nil, fmt.Errorf("dead.archive: %w", err)
	}
	return a, nil
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
	return errors.Join(err, file.Sync(), file.Close())
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
