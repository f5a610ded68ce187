package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"
)

var download = regexp.MustCompile(`https://github\.com/outlast-dev/outlast/releases/download/[^\s"')]+`)

// The documents name files that a release has, and only these.
func TestDocumentsNameArtifacts(t *testing.T) {
	names := []string{checksums}
	for _, p := range platforms {
		names = append(names, p.artifacts()...)
	}
	files := []string{"../README.md", "../README.zh-CN.md"}
	if err := filepath.WalkDir("../docs", func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".md") {
			files = append(files, path)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	links := 0
	for _, file := range files {
		for _, url := range download.FindAllString(string(read(t, file)), -1) {
			links++
			name, found := strings.CutPrefix(url, "https://github.com/outlast-dev/outlast/releases/download/v"+version+"/")
			if !found || !slices.Contains(names, name) {
				t.Errorf("%s names %s, which no release has", file, url)
			}
		}
	}
	if links < 2 {
		t.Errorf("the documents name %d files of a release", links)
	}
}

// go install refuses a module with replacements.
func TestGoInstall(t *testing.T) {
	if _, err := os.Stat("../cmd/outlast/main.go"); err != nil || !strings.Contains(document(t, "deploy.md"), "go install github.com/outlast-dev/outlast/cmd/outlast@latest") {
		t.Errorf("docs/how-to/deploy.md has no go install: %v", err)
	}
	if regexp.MustCompile(`(?m)^replace\b`).Match(read(t, "../go.mod")) {
		t.Error("go.mod replaces a module")
	}
}

// Nobody has run the workflow here: it is one that GitHub takes, and it runs targets that
// the Makefile has.
func TestWorkflow(t *testing.T) {
	linter, err := actionlint.NewLinter(os.Stderr, &actionlint.LinterOptions{Shellcheck: "", Pyflakes: ""})
	if err != nil {
		t.Fatal(err)
	}
	text := read(t, "../.github/workflows/release.yml")
	found, err := linter.Lint("release.yml", text, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range found {
		t.Error(one)
	}
	makefile := string(read(t, "../Makefile"))
	targets := regexp.MustCompile(`\bmake ([a-z-]+)`).FindAllStringSubmatch(string(text), -1)
	for _, target := range targets {
		if !strings.Contains(makefile, "\n"+target[1]+":") {
			t.Errorf("the Makefile has no target %s", target[1])
		}
	}
	if len(targets) == 0 {
		t.Error("the workflow makes nothing")
	}
}
