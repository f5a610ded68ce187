package app

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

// Letters are written whole, one line each, in files that others cannot read, also
// behind a line that a crash has cut off.
func TestArchiveKeepsLetters(t *testing.T) {
	directory := filepath.Join(t.TempDir(), "a", "letters")
	kept, err := openArchive(directory)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(directory, "dead-*.ndjson"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if err := os.WriteFile(files[0], []byte(`{"id": "cut o`), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := outlast.Open(t.Context(), memory.New())
	if err != nil {
		t.Fatal(err)
	}
	outlast.Handle(c, "mail", func(context.Context, json.RawMessage) error { return outlast.GiveUp(errors.New("no such person")) })
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := c.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	receipt, err := c.Enqueue(t.Context(), outlast.Draft{Type: "mail", Payload: []byte("{\n\"to\": 12345678901234567890}")})
	if err != nil {
		t.Fatal(err)
	}
	if ended, err := c.Wait(t.Context(), receipt.Task.ID); err != nil || ended.State != task.Dead {
		t.Fatal(ended, err)
	}
	var letters []inspect.Letter
	err = c.Inspector().Letters.Export(t.Context(), store.Filter{}, func(letter inspect.Letter) error {
		letters = append(letters, letter)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := kept.keep(t.Context(), c.Inspector(), letters); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.Open(files[0])
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	lines := bufio.NewScanner(file)
	for number := 0; lines.Scan(); number++ {
		var letter client.Letter
		err := json.Unmarshal(lines.Bytes(), &letter)
		switch {
		case number == 0 && err == nil:
			t.Error("the line that was cut off is whole")
		case number > 0 && (err != nil || letter.Task.ID != receipt.Task.ID || len(letter.Attempts) != 1 || string(letter.Task.Payload) != `{ "to": 12345678901234567890}`):
			t.Errorf("line %d: %s, %v", number, lines.Bytes(), err)
		case number == 3:
			t.Error("a line too many")
		}
	}
}

func TestArchiveThatCannotBeWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := openArchive(file); err == nil {
		t.Error("a file is no directory")
	}
}

// The name of a file is as much on disk as its lines when letters are said to be
// kept: what does not get there keeps them from being deleted.
func TestArchivePutsNamesOnDisk(t *testing.T) {
	directory := filepath.Join(t.TempDir(), "a", "letters")
	var settled []string
	a := &archive{directory, func(of string) error {
		settled = append(settled, of)
		return syncDirectory(of)
	}}
	if err := a.make(); err != nil {
		t.Fatal(err)
	}
	if err := a.keep(t.Context(), nil, nil); err != nil {
		t.Fatal(err)
	}
	above := filepath.Dir(directory)
	if want := []string{above, filepath.Dir(above), directory}; !slices.Equal(settled, want) {
		t.Errorf("the names of %v were put on disk, not of %v", settled, want)
	}
	lost := errors.New("no space")
	a.settle = func(string) error { return lost }
	if err := a.keep(t.Context(), nil, nil); !errors.Is(err, lost) {
		t.Errorf("%v", err)
	}
}

// Who can write into the directory leads letters nowhere else, and stops no cleanup.
func TestArchiveFollowsNoLink(t *testing.T) {
	directory, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "stolen")
	kept, err := openArchive(directory)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	for what, plant := range map[string]func(path string) error{
		"a link": func(path string) error { return os.Symlink(elsewhere, path) },
		"a link to a file": func(path string) error {
			return errors.Join(os.WriteFile(elsewhere, nil, 0o600), os.Symlink(elsewhere, path))
		},
		"a folder":            func(path string) error { return os.Mkdir(path, 0o700) },
		"a file of everybody": func(path string) error { return errors.Join(os.WriteFile(path, nil, 0o600), os.Chmod(path, 0o666)) }, //nolint:gosec // that is the case
	} {
		now = now.AddDate(0, 0, 1)
		if err := plant(filepath.Join(directory, archiveName(now))); err != nil {
			t.Fatal(what, err)
		}
		if err := kept.append(now, []byte("{}\n")); err == nil {
			t.Errorf("%s is taken for the file of the day", what)
		}
	}
	if text, _ := os.ReadFile(elsewhere); len(text) > 0 {
		t.Errorf("elsewhere stands %q", text)
	}
}
