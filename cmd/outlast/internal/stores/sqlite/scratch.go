package sqlite

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/stores/kind"
	"github.com/outlast-dev/outlast/task"
)

// lockFile says in a scratch folder that somebody holds it: it is locked.
const lockFile = "held"

// folders are scratch places beside a file, on the same disk.
type folders struct {
	beside string
	held   *os.File
}

func scratch(_ context.Context, url string) (kind.Scratch, error) {
	path, err := pathOf(url)
	if err != nil {
		return nil, err
	}
	beside, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(beside); err != nil {
		return nil, task.NotFound("folder", beside)
	}
	return &folders{beside: beside}, nil
}

func (f *folders) What(name string) string {
	return "folder " + cli.Clean(filepath.Join(f.beside, name))
}

func (f *folders) Server() (network, address string) { return "", "" }

func (f *folders) Make(_ context.Context, name string) (string, error) {
	folder := filepath.Join(f.beside, name)
	if err := os.Mkdir(folder, 0o700); errors.Is(err, os.ErrPermission) {
		return "", kind.NoScratch("a folder", "give it the right to write to "+f.beside, err)
	} else if err != nil {
		return "", err
	}
	var err error
	if f.held, err = os.OpenFile(filepath.Join(folder, lockFile), os.O_CREATE|os.O_RDWR, 0o600); err == nil { //nolint:gosec // a folder that was made just now
		err = lock(f.held)
	}
	return "sqlite:" + filepath.Join(folder, "prove.db"), err
}

func (f *folders) Left(context.Context) (names []string, err error) {
	entries, err := os.ReadDir(f.beside)
	for _, entry := range entries {
		if entry.IsDir() && kind.IsScratch(entry.Name()) && f.free(entry.Name()) {
			names = append(names, entry.Name())
		}
	}
	return names, err
}

// free reports whether Make made a place, and nobody holds it.
func (f *folders) free(name string) bool {
	file, err := os.Open(filepath.Join(f.beside, name, lockFile))
	if err != nil {
		return false
	}
	defer file.Close() //nolint:errcheck // only looked at
	return unlocked(file)
}

func (f *folders) Drop(_ context.Context, name string) error {
	if f.held != nil { // a system may refuse to delete what is open
		_ = f.held.Close()
	}
	return os.RemoveAll(filepath.Join(f.beside, name))
}

func (f *folders) Close() {
	if f.held != nil {
		_ = f.held.Close() // only held; Drop may have closed it
	}
}
