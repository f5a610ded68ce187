package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// version is the release that is being made. The install lines of the documents name it.
const version = "0.1.0"

type platform struct{ os, arch string }

// platforms are those of a release.
var platforms = []platform{
	{"linux", "amd64"}, {"linux", "arm64"},
	{"darwin", "amd64"}, {"darwin", "arm64"},
	{"windows", "amd64"}, {"windows", "arm64"},
}

// artifact is the name of a file of a release, the same everywhere.
func artifact(p platform, suffix string) string {
	return fmt.Sprintf("outlast_%s_%s_%s%s", version, p.os, p.arch, suffix)
}

func (p platform) archive() string {
	if p.os == "windows" {
		return artifact(p, ".zip")
	}
	return artifact(p, ".tar.gz")
}

// artifacts are the files of a platform in a release.
func (p platform) artifacts() []string {
	names := []string{p.archive(), artifact(p, ".cdx.json")}
	if p.os == "linux" {
		names = append(names, artifact(p, ".deb"), artifact(p, ".rpm"))
	}
	return names
}

const checksums = "outlast_" + version + "_checksums.txt"

// release is one run. Everything in it has the time of the commit, so that two runs make
// the same bytes.
type release struct {
	root, out string
	commit    string // "" where there is no git
	snapshot  bool   // of no tag
	time      time.Time
}

// newRelease looks at the tree in root. A tag, if one is given, must be that of the
// version, on this very commit, with nothing changed.
func newRelease(root, out, tag string) (*release, error) {
	r := &release{root: root, snapshot: true, time: time.Now()}
	var err error
	if r.out, err = filepath.Abs(out); err != nil {
		return nil, err
	}
	if commit, err := r.git("rev-parse", "HEAD"); err == nil {
		seconds, err := r.git("log", "-1", "--format=%ct")
		if err != nil {
			return nil, err
		}
		unix, err := strconv.ParseInt(seconds, 10, 64)
		if err != nil {
			return nil, err
		}
		r.commit, r.time = commit, time.Unix(unix, 0).UTC()
		changed, err := r.git("status", "--porcelain")
		if err != nil {
			return nil, err
		}
		tags, err := r.git("tag", "--points-at", "HEAD")
		if err != nil {
			return nil, err
		}
		r.snapshot = changed != "" || !strings.Contains("\n"+tags+"\n", "\nv"+version+"\n")
	}
	if tag != "" && (r.snapshot || tag != "v"+version) {
		return nil, fmt.Errorf("this tree is not the release %q: the version is %s (packaging/release.go), the commit needs the tag v%s, and nothing may be changed", tag, version, version)
	}
	return r, nil
}

// name is what the binary calls itself.
func (r *release) name() string {
	if r.snapshot {
		return "v" + version + "-snapshot"
	}
	return "v" + version
}

func (r *release) git(args ...string) (string, error) {
	command := exec.Command("git", args...)
	command.Dir = r.root
	out, err := command.Output()
	return strings.TrimSpace(string(out)), err
}

// binary is where a platform's program is built.
func (r *release) binary(p platform) string {
	name := "outlast"
	if p.os == "windows" {
		name += ".exe"
	}
	return filepath.Join(r.out, "outlast_"+p.os+"_"+p.arch, name)
}

// make makes the artifacts of some platforms.
func (r *release) make(wanted []platform) error {
	if err := r.clear(); err != nil {
		return err
	}
	here := platform{runtime.GOOS, runtime.GOARCH}
	if err := r.build(here); err != nil {
		return err
	}
	stage, err := os.MkdirTemp("", "outlast-packaging-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(stage)
	common, err := r.documents(here, stage)
	if err != nil {
		return err
	}
	for _, p := range wanted {
		if p != here {
			if err := r.build(p); err != nil {
				return err
			}
		}
		if err := r.pack(p, common); err != nil {
			return fmt.Errorf("%s/%s: %w", p.os, p.arch, err)
		}
	}
	return r.sums(wanted)
}

// clear removes what an earlier run has left.
func (r *release) clear() error {
	old, err := filepath.Glob(filepath.Join(r.out, "outlast_*"))
	if err != nil {
		return err
	}
	for _, path := range old {
		if err := os.RemoveAll(path); err != nil {
			return err
		}
	}
	return os.MkdirAll(r.out, 0o755)
}

// build builds a binary. Git's commit, its time and whether files were changed are put
// into it by Go.
func (r *release) build(p platform) error {
	command := exec.Command("go", "build", "-buildvcs="+strconv.FormatBool(r.commit != ""), "-trimpath",
		"-ldflags=-s -w -X main.release="+r.name(), "-o", r.binary(p), "./cmd/outlast")
	command.Dir = r.root
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.os, "GOARCH="+p.arch)
	return output(command)
}

// pack makes the artifacts of a platform from its binary.
func (r *release) pack(p platform, common []file) error {
	all := append([]file{{name: filepath.Base(r.binary(p)), source: r.binary(p), mode: 0o755}}, common...)
	if p.os == "linux" {
		all = append(all, r.systemd()...)
		if err := r.packages(p, all); err != nil {
			return err
		}
	}
	return errors.Join(r.archive(p, all), r.materials(p))
}

// sums writes the checksums, in the form that sha256sum -c reads.
func (r *release) sums(made []platform) error {
	var text strings.Builder
	for _, p := range made {
		for _, name := range p.artifacts() {
			content, err := os.ReadFile(filepath.Join(r.out, name))
			if err != nil {
				return err
			}
			fmt.Fprintf(&text, "%x  %s\n", sha256.Sum256(content), name)
		}
	}
	return os.WriteFile(filepath.Join(r.out, checksums), []byte(text.String()), 0o644)
}

// output runs a command, and tells what it said if it fails.
func output(command *exec.Cmd) error {
	said, err := command.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", command, err, said)
	}
	return nil
}
