package sqlite

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/outlast-dev/outlast/store/internal/ahead"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/store/sqlite/internal/nodelock"
	"github.com/outlast-dev/outlast/task"
)

// Open opens or creates the database file and brings its schema up to date.
// The caller closes the store.
func Open(ctx context.Context, path string, opts ...Option) (*Store, error) {
	chosen := options{clock: time.Now}
	for _, opt := range opts {
		opt(&chosen)
	}
	path, err := resolve(path)
	if err != nil {
		return nil, err
	}
	s := &Store{
		path: path, clock: chosen.clock, hook: chosen.hook,
		closed:  make(chan struct{}),
		claimed: places{}, ahead: ahead.New(),
		readers: make(chan *conn, readers),
		locks:   nodelock.In(path + "-nodes"),
	}
	s.shared, s.members, s.taskGroups = sqlstore.New(database{s}, &own), sqlstore.NewMembers(database{s}, freeLane), sqlstore.NewTaskGroups(database{s})
	if err := s.open(ctx, !chosen.noMigrate); err != nil {
		return nil, errors.Join(err, s.release())
	}
	return s, nil
}

func (s *Store) open(ctx context.Context, migrate bool) (err error) {
	if s.db, err = openDB(s.path); err != nil {
		return err
	}
	life := context.WithoutCancel(ctx)
	connection, err := connect(ctx, s.db, writerPragmas)
	if err != nil {
		return err
	}
	s.writer = &writer{store: s, conn: connection, signal: make(chan struct{}, 1), ended: make(chan struct{})}
	if err := checkVersion(ctx, connection); err != nil {
		return err
	}
	if migrate {
		if err := migrateUp(ctx, connection, s.at); err != nil {
			return err
		}
	}
	// Another process may have removed what openDB made, just before we were
	// connected. From here on the connection holds the files.
	if err := sameMode(s.path); err != nil {
		return err
	}
	for range readers {
		s.readers <- nil // opened when it is wanted
	}
	go s.writer.loop(life)
	s.writer.running = true
	s.checkpoints = &checkpointer{store: s, ended: make(chan struct{})}
	go s.checkpoints.loop(life)
	return nil
}

// resolve makes the path absolute and follows links, so that every process
// finds the same locks beside the file.
func resolve(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real, nil
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if errors.Is(err, os.ErrNotExist) {
		return "", &task.Error{Code: task.CodeNotFound, Message: "there is no folder " + task.Quote(filepath.Dir(path)) + " for the database", Hint: "make it, or name another path", Err: err}
	}
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, filepath.Base(path)), nil
}

// Close waits for writes in flight, frees the locks of nodes that have not
// left, and closes the file. Idempotent.
func (s *Store) Close() error {
	s.closing.Do(func() {
		close(s.closed)
		s.closeErr = s.release()
	})
	return s.closeErr
}

func (s *Store) release() error {
	var errs []error
	if s.writer != nil {
		if s.writer.running {
			s.writer.stop()
			errs = append(errs, s.checkpoints.close())
			for range readers {
				if reader := <-s.readers; reader != nil {
					errs = append(errs, reader.close())
				}
			}
		}
		errs = append(errs, s.writer.conn.close())
	}
	if s.db != nil {
		errs = append(errs, s.db.Close())
	}
	errs = append(errs, s.locks.Close())
	return errors.Join(errs...)
}
