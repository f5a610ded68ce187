//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
	says("file permissions", "warn: every user of this machine can open "+path+" (0644)")
	mode(path, 0o600)
	mode(folder, 0o777)
	says("file permissions", "warn: every user of this machine can replace the file: "+folder+" has mode 0777")
	mode(folder, 0o700)

	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteAt([]byte{1, 1}, 18); err != nil { // as PRAGMA journal_mode = DELETE leaves it
		t.Fatal(err)
	}
	says("journal", "warn: the file was not in WAL mode")
	says("journal", "ok: WAL")
}
