//go:build unix

package sqlite_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/outlast-dev/outlast/store/sqlite"
)

// private demands that nobody but the owner can read any file of the store.
func private(t *testing.T, when, path string) {
	t.Helper()
	files, err := filepath.Glob(path + "*")
	if err != nil {
		t.Fatal(err)
	}
	locks, err := filepath.Glob(path + "-nodes/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, locks...) {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		want := os.FileMode(0o600)
		if info.IsDir() {
			want = 0o700
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s: %s has mode %o, want %o", when, filepath.Base(file), got, want)
		}
	}
	for _, suffix := range [...]string{"", "-wal", "-shm", "-nodes"} {
		if _, err := os.Stat(path + suffix); err != nil && when != "closed" {
			t.Errorf("%s: %v", when, err)
		}
	}
}

// TestFilesArePrivate follows the files through the lives of two stores,
// under the umask that most systems have.
func TestFilesArePrivate(t *testing.T) {
	old := syscall.Umask(0o022)
	defer syscall.Umask(old)
	f := newFixture(t, 1)
	private(t, "open", f.path)
	f.succeed(f.claim(f.fill(benchBatch)...)...)
	private(t, "written", f.path)
	other, err := sqlite.Open(t.Context(), f.path)
	f.ok(err)
	f.fill(20 * benchBatch) // beyond the automatic checkpoint
	private(t, "two stores, after a checkpoint", f.path)
	f.ok(other.Close())
	private(t, "the second closed", f.path)
	f.ok(f.Close())
	private(t, "closed", f.path)

	// What an earlier program or a crash left open to all is closed.
	for _, suffix := range [...]string{"-wal", "-shm"} {
		f.ok(os.WriteFile(f.path+suffix, nil, 0o644))
	}
	again := open(t, f.path)
	private(t, "reopened", f.path)
	for range 3 { // and made anew
		f.ok(again.Close())
		again = open(t, f.path)
		_, err := again.Queues(t.Context())
		f.ok(err)
		private(t, "made anew", f.path)
	}
}

// TestFilesBesideHaveTheModeOfTheFile leaves a file to a group that was made
// for one.
func TestFilesBesideHaveTheModeOfTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "outlast.db")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o660); err != nil {
		t.Fatal(err)
	}
	open(t, path)
	for _, suffix := range [...]string{"", "-wal", "-shm"} {
		info, err := os.Stat(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != 0o660 {
			t.Errorf("%q has mode %o", suffix, got)
		}
	}
}
