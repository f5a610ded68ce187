package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/ncruces/go-sqlite3"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/report"
	"github.com/outlast-dev/outlast/store/sqlite"
)

const (
	// lowDisk is the free space below which a warning is due.
	lowDisk = 1 << 30
	// longLog is a log that copying it into the file does not keep up with: the
	// store gives back what is beyond 64 MiB when it can.
	longLog = 256 << 20
	// slowSync is a flush of the disk that is felt: every commit waits for one.
	slowSync = 20 * time.Millisecond
	// syncRounds and syncTime bound how long flushes are measured.
	syncRounds = 20
	syncTime   = time.Second
	// stuckSync is when a flush is waited for no longer.
	stuckSync = 5 * time.Second
)

// examine looks at the file and the disk that it is on.
func examine(ctx context.Context, r *report.Report, url string) (proceed bool, err error) {
	path, err := pathOf(url)
	if err != nil {
		return false, err
	}
	if _, err := os.Stat(path); err != nil { // opening would make the file
		return false, r.Unreachable(err)
	}
	if known, err := isDatabase(path); err != nil {
		return false, r.Unreachable(err)
	} else if !known {
		r.Add("store", report.Fails, path+" is not a SQLite database", "check the path; if the file is right, it was overwritten: restore a backup")
		return false, nil
	}
	d, before := doctor{r}, doctor{report.New()} // opening corrects some of that
	before.examineModes(path)
	before.examineJournal(path)
	backend, err := sqlite.Open(ctx, path, sqlite.WithoutMigration())
	switch {
	case errors.Is(err, sqlite3.NOTADB), errors.Is(err, sqlite3.CORRUPT):
		r.Add("store", report.Fails, path+" is damaged: "+err.Error(), "stop the servers, keep a copy of the file, and restore a backup")
		return false, nil
	case err != nil:
		return false, r.Unreachable(err)
	}
	r.Add("store", report.Fine, "sqlite, "+path, "")
	for _, f := range before.Findings {
		r.Add(f.Check, f.Status, f.Detail, f.Fix)
	}
	d.examineVersion(ctx)
	d.examineDisk(path)
	d.examineSync(filepath.Dir(path))
	return true, backend.Close()
}

// doctor looks at a file and its disk.
type doctor struct{ *report.Report }

// isDatabase reports whether a file is empty, which is a new database, or
// begins as SQLite's files do (https://sqlite.org/fileformat2.html, 1.3).
func isDatabase(path string) (bool, error) {
	const magic = "SQLite format 3\x00"
	head, err := readHead(path, len(magic))
	return err == nil && (len(head) == 0 || string(head) == magic), err
}

// readHead reads the first n bytes of a file, fewer of a shorter one.
func readHead(path string, n int) ([]byte, error) {
	file, err := os.Open(path) //nolint:gosec // the file that the user names
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // only read
	return io.ReadAll(io.LimitReader(file, int64(n)))
}

func (r doctor) examineVersion(ctx context.Context) {
	db, err := sql.Open("sqlite3", ":memory:")
	if err == nil {
		defer db.Close() //nolint:errcheck // in memory
		var version string
		if err = db.QueryRowContext(ctx, "SELECT sqlite_version()").Scan(&version); err == nil {
			r.Add("sqlite version", report.Fine, version, "")
			return
		}
	}
	r.Add("sqlite version", report.Fails, err.Error(), "")
}

func (r doctor) examineDisk(path string) {
	free, err := freeSpace(filepath.Dir(path))
	switch {
	case err != nil:
		r.Add("disk space", report.Warns, err.Error(), "")
	case free < lowDisk:
		r.Add("disk space", report.Warns, fmt.Sprintf("%d MiB are free", free>>20), "free some space: a full disk stops all enqueues")
	default:
		r.Add("disk space", report.Fine, fmt.Sprintf("%d GiB are free", free>>30), "")
	}
}

// examineModes looks at who may read and write the files: they hold payloads.
func (r doctor) examineModes(path string) {
	if runtime.GOOS == "windows" {
		return // modes say nothing there
	}
	var open []string
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		if info, err := os.Stat(name); err == nil && info.Mode().Perm()&0o007 != 0 {
			open = append(open, fmt.Sprintf("%s (%04o)", name, info.Mode().Perm()))
		}
	}
	folder, err := os.Stat(filepath.Dir(path))
	switch {
	case len(open) > 0:
		r.Add("file permissions", report.Warns, "every user of this machine can open "+strings.Join(open, ", "), "chmod o= "+path+"*: they hold payloads")
	case err == nil && folder.Mode().Perm()&0o002 != 0 && folder.Mode()&os.ModeSticky == 0:
		r.Add("file permissions", report.Warns, fmt.Sprintf("every user of this machine can replace the file: %s has mode %04o", filepath.Dir(path), folder.Mode().Perm()), "chmod o-w "+filepath.Dir(path))
	default:
		r.Add("file permissions", report.Fine, "other users cannot open the files", "")
	}
}

// examineJournal tells how commits are written, from the head of the file as it was
// before this program opens it (https://sqlite.org/fileformat2.html, 1.3.3), and how
// much waits beside the file.
func (r doctor) examineJournal(path string) {
	head, err := readHead(path, 20)
	switch {
	case err != nil:
		r.Add("journal", report.Fails, err.Error(), "")
	case len(head) < 20:
		r.Add("journal", report.Fine, "the file is empty; it will use WAL", "")
	case head[18] == 2 && head[19] == 2:
		r.Add("journal", report.Fine, "WAL; every commit is flushed to the disk (synchronous FULL)", "")
	default:
		r.Add("journal", report.Warns, "the file was not in WAL mode: another program changed that; it is in WAL mode again", "let no other program write to the file")
	}
	var waiting int64
	if info, err := os.Stat(path + "-wal"); err == nil {
		waiting = info.Size()
	}
	if waiting > longLog {
		r.Add("wal", report.Warns, "the log beside the file has "+report.Size(waiting)+": something prevents its transfer into the file, and reads become slow",
			"look for a program that keeps reading the file, such as a backup, and end it")
		return
	}
	r.Add("wal", report.Fine, "the log beside the file has "+report.Size(waiting), "")
}

// examineSync measures flushes in the folder of the file: every commit waits for one.
func (r doctor) examineSync(folder string) {
	type measured struct {
		times []time.Duration
		err   error
	}
	done := make(chan measured, 1)
	go func() {
		times, err := syncTimes(folder)
		done <- measured{times, err}
	}()
	timer := time.NewTimer(stuckSync)
	defer timer.Stop()
	select {
	case m := <-done:
		r.judgeSync(m.times, m.err)
	case <-timer.C:
		r.Add("disk flush", report.Fails, "a flush to disk did not finish within "+stuckSync.String(), "check the disk: dmesg, iostat")
	}
}

func (r doctor) judgeSync(times []time.Duration, err error) {
	if err != nil || len(times) == 0 {
		r.Add("disk flush", report.Warns, fmt.Sprintf("cannot be measured: %v", err), "let this user create files next to the database, as servers must")
		return
	}
	slices.Sort(times)
	middle, worst := times[len(times)/2], times[len(times)-1]
	detail := fmt.Sprintf("takes %s, the slowest of %[3]d %[2]s", middle.Round(10*time.Microsecond), worst.Round(10*time.Microsecond), len(times))
	if middle > slowSync {
		r.Add("disk flush", report.Warns, detail+"; every commit waits for one", "put the file on a faster local disk, or enqueue in batches")
		return
	}
	r.Add("disk flush", report.Fine, detail, "")
}

// syncTimes writes a page and flushes it, again and again, in a file of its own.
func syncTimes(folder string) (times []time.Duration, err error) {
	file, err := os.CreateTemp(folder, ".outlast-doctor-*")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close(), os.Remove(file.Name())) }()
	page := make([]byte, 4096)
	for began := time.Now(); len(times) < syncRounds && time.Since(began) < syncTime; {
		if _, err := file.Write(page); err != nil {
			return nil, err
		}
		start := time.Now()
		if err := file.Sync(); err != nil {
			return nil, err
		}
		times = append(times, time.Since(start))
	}
	return times, nil
}
