//go:build unix

package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The doctor looks at the file as it was before it opens it.
func TestDoctorOfSQLiteFiles(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "o.db")
	c, store := command{t: t, server: "http://127.0.0.1:1"}, "sqlite:"+path
	c.run("migrate", "up", "--store", store).exits(0)
	says := func(check, want string) {
		t.Helper()
		if got := findings(c, 0, "--store", store)[check]; !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, want %s", check, got, want)
		}
	}
	says("file permissions", "ok: ")
	says("journal", "ok: WAL; every commit is flushed")
	says("wal", "ok: the log beside the file has ")
	if got := findings(c, 0, "--store", store)["disk flush"]; !strings.HasPrefix(got, "ok: takes ") && !strings.HasPrefix(got, "warn: takes ") {
		t.Errorf("disk flush: %s; a busy disk is slow, but it was measured", got)
	}
	if left, err := filepath.Glob(filepath.Join(folder, ".outlast-doctor*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	mode := func(name string, mode os.FileMode) {
		t.Helper()
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
	}
	mode(path, 0o660) // for a group that was made for it
	says("file permissions", "ok: ")
	mode(path, 0o644)
	says("file permissions", "warn: every user of this machine may open "+path+" (0644)")
	mode(path, 0o600)
	mode(folder, 0o777)
	says("file permissions", "warn: every user of this machine may replace the file: "+folder+" has mode 0777")
	mode(folder, 0o700)

	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteAt([]byte{1, 1}, 18); err != nil { // as PRAGMA journal_mode = DELETE leaves it
		t.Fatal(err)
	}
	says("journal", "warn: it was not in WAL mode")
	says("journal", "ok: WAL")
}

func TestDoctorOfALongLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "o.db")
	for _, name := range []string{path, path + "-wal"} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Truncate(path+"-wal", longLog+1); err != nil {
		t.Fatal(err)
	}
	r := &report{Status: fine}
	r.examineJournal(path)
	if status, detail := r.verdict("wal"); status != warns || !strings.Contains(detail, "256 MiB") {
		t.Errorf("%s: %s", status, detail)
	}
}

func TestDoctorOfSlowDisks(t *testing.T) {
	for name, c := range map[string]struct {
		times  []time.Duration
		err    error
		status string
	}{
		"fast, once slow": {[]time.Duration{time.Millisecond, time.Second, time.Millisecond}, nil, fine},
		"slow":            {[]time.Duration{25 * time.Millisecond, 30 * time.Millisecond, time.Millisecond}, nil, warns},
		"no right":        {nil, errors.New("permission denied"), warns},
	} {
		r := &report{Status: fine}
		r.judgeSync(c.times, c.err)
		if status, detail := r.verdict("disk flush"); status != c.status || r.Findings[0].Fix == "" && status != fine {
			t.Errorf("%s: %s: %s", name, status, detail)
		}
	}
	r := &report{Status: fine}
	if r.examineSync(filepath.Join(t.TempDir(), "none")); r.Status != warns {
		t.Errorf("%+v", r.Findings)
	}
}
