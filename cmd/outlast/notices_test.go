package main

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

//go:generate go test -count=1 -run "^(TestNotices|TestCLIPage)$" . -args -update

var update = flag.Bool("update", false, "rewrite notices.txt and the page of the command line")

// The notices are those of all modules whose code is in the binary, on whatever
// system it runs.
func TestNotices(t *testing.T) {
	texts := map[string]map[string]bool{} // text → who has it
	note := func(who string, text []byte) {
		key := strings.TrimSpace(strings.ReplaceAll(string(text), "\r", "")) + "\n"
		if texts[key] == nil {
			texts[key] = map[string]bool{}
		}
		texts[key][who] = true
	}
	goes, err := os.ReadFile(filepath.Join(strings.TrimSpace(goCommand(t, "", "env", "GOROOT")), "LICENSE"))
	if err != nil {
		t.Fatal(err)
	}
	note("Go standard library", goes)
	for _, system := range []string{"linux", "darwin", "windows"} {
		listed := goCommand(t, system, "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}\t{{$.Dir}}{{end}}{{end}}", ".")
		for line := range strings.Lines(listed) {
			part := strings.Split(strings.TrimSpace(line), "\t")
			if len(part) < 3 {
				continue
			}
			found := notices(t, part[1], part[2])
			if len(found) == 0 {
				t.Errorf("%s has no licence", part[0])
			}
			for _, text := range found {
				note(part[0], text)
			}
		}
	}
	var out strings.Builder
	out.WriteString("Outlast is licensed under the Apache License 2.0. Its binary contains the following\nsoftware of others.\n")
	for _, text := range slices.SortedFunc(maps.Keys(texts), func(a, b string) int {
		return strings.Compare(names(texts[a])+a, names(texts[b])+b)
	}) {
		fmt.Fprintf(&out, "\n%s\n%s\n\n%s", strings.Repeat("=", 80), names(texts[text]), text)
	}
	if *update {
		if err := os.WriteFile("notices.txt", []byte(out.String()), 0o644); err != nil { //nolint:gosec // documentation
			t.Fatal(err)
		}
		return
	}
	if out.String() != thirdParties {
		t.Error("notices.txt is stale: run go generate ./cmd/outlast")
	}
}

func names(who map[string]bool) string {
	return strings.Join(slices.Sorted(maps.Keys(who)), "\n")
}

var isNotice = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice)([.-].*)?$`)

// notices are the files that say under which terms a package may be passed on: its
// own, and those of the folders above it up to the module's.
func notices(t *testing.T, module, dir string) (found [][]byte) {
	for ; strings.HasPrefix(dir, module); dir = filepath.Dir(dir) {
		files, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if file.IsDir() || !isNotice.MatchString(file.Name()) || strings.HasSuffix(file.Name(), ".go") {
				continue
			}
			text, err := os.ReadFile(filepath.Join(dir, file.Name()))
			if err != nil {
				t.Fatal(err)
			}
			found = append(found, text)
		}
	}
	return found
}

func goCommand(t *testing.T, system string, args ...string) string {
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOARCH=amd64")
	if system != "" {
		cmd.Env = append(cmd.Env, "GOOS="+system)
	}
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err, said.String())
	}
	return string(out)
}
