// Package nodelock shows by locked files, beside the database, which processes live.
package nodelock

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Locks holds one locked file per node that joined through a store, by which other
// processes see that the process lives.
type Locks struct {
	dir  string
	mu   sync.Mutex
	held map[string]*os.File
}

// In makes locks whose files are in a folder, which is made when it is wanted.
func In(dir string) *Locks { return &Locks{dir: dir, held: map[string]*os.File{}} }

func (l *Locks) file(node string) string {
	name := url.PathEscape(node)
	if len(name) > 200 {
		sum := sha256.Sum256([]byte(node))
		name = hex.EncodeToString(sum[:])
	}
	return filepath.Join(l.dir, name+".lock")
}

// Take locks the node's file. Someone who looks may hold it for an instant.
func (l *Locks) Take(ctx context.Context, node string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held[node] != nil {
		return nil
	}
	if err := os.MkdirAll(l.dir, 0o700); err != nil {
		return err
	}
	for {
		file, err := os.OpenFile(l.file(node), os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return err
		}
		locked, err := tryLock(file)
		if err != nil {
			return errors.Join(err, file.Close())
		}
		if locked || !locksWork {
			l.held[node] = file
			return nil
		}
		_ = file.Close()
		select {
		case <-time.After(time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Free removes the file and lets go of the lock.
func (l *Locks) Free(node string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	file := l.held[node]
	if file == nil {
		return nil
	}
	delete(l.held, node)
	return errors.Join(os.Remove(file.Name()), file.Close())
}

// Close lets go of all locks.
func (l *Locks) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var errs []error
	for node, file := range l.held {
		errs = append(errs, file.Close())
		delete(l.held, node)
	}
	return errors.Join(errs...)
}

// Mine reports whether the node joined through this store.
func (l *Locks) Mine(node string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held[node] != nil
}

// Gone reports whether nobody holds the node's lock: its process has ended.
func (l *Locks) Gone(node string) bool {
	if !locksWork || l.Mine(node) {
		return false
	}
	file, err := os.OpenFile(l.file(node), os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		return true // Join makes the file before the row
	}
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }()
	locked, err := tryLock(file)
	return err == nil && locked
}

// Remove deletes the file of a node that is gone.
func (l *Locks) Remove(node string) {
	if l.Gone(node) {
		_ = os.Remove(l.file(node))
	}
}
