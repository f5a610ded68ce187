package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

// file is one file of an archive, and where it comes from.
type file struct {
	name, source string
	mode         os.FileMode
}

// completions are the files with the completion of each shell, by its name.
var completions = map[string]string{
	"bash": "completion/outlast.bash", "zsh": "completion/_outlast", "fish": "completion/outlast.fish", "powershell": "completion/outlast.ps1",
}

// documents are the files of every archive but the binary. Man pages and completion are
// made in stage, by the binary of this platform and a test of it.
func (r *release) documents(here platform, stage string) ([]file, error) {
	files := []file{
		{"LICENSE", filepath.Join(r.root, "LICENSE"), 0o644},
		{"THIRD-PARTY-NOTICES.txt", filepath.Join(r.root, "cmd/outlast/notices.txt"), 0o644},
		{"README.md", filepath.Join(r.root, "README.md"), 0o644},
	}
	for shell, name := range completions {
		script, err := exec.Command(r.binary(here), "completion", shell).Output()
		if err != nil {
			return nil, err
		}
		path := filepath.Join(stage, filepath.Base(name))
		if err := os.WriteFile(path, script, 0o644); err != nil {
			return nil, err
		}
		files = append(files, file{name, path, 0o644})
	}
	man := filepath.Join(stage, "man1")
	command := exec.Command("go", "test", "-count=1", "-vet=off", "-run=^TestManual$", "./cmd/outlast", "-args", "-manual="+man)
	command.Dir = r.root
	command.Env = append(os.Environ(), "OUTLAST_TEST_BINARY="+r.binary(here), "SOURCE_DATE_EPOCH="+strconv.FormatInt(r.time.Unix(), 10))
	if err := output(command); err != nil {
		return nil, err
	}
	pages, err := os.ReadDir(man)
	for _, page := range pages {
		files = append(files, file{"man/man1/" + page.Name(), filepath.Join(man, page.Name()), 0o644})
	}
	return files, err
}

// systemd are the files for Linux alone.
func (r *release) systemd() []file {
	return []file{
		{"systemd/outlast.service", filepath.Join(r.root, "deploy/systemd/outlast.service"), 0o644},
		{"systemd/outlast.yaml", filepath.Join(r.root, "deploy/systemd/outlast.yaml"), 0o644},
	}
}
