package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/CycloneDX/cyclonedx-go"
	"github.com/cavaliergopher/rpm"
)

// made are the artifacts under test: what make release-check has made of all platforms, or
// those of this platform, made once.
var (
	made   *release
	wanted = platforms
	here   = platform{runtime.GOOS, runtime.GOARCH}
)

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int {
	folder := os.Getenv("OUTLAST_DIST")
	fresh := folder == ""
	if fresh {
		var err error
		if folder, err = os.MkdirTemp("", "outlast-dist-"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(folder)
	}
	var err error
	if made, err = newRelease("..", folder, ""); err == nil && fresh {
		wanted = []platform{here}
		err = made.make(wanted)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// packed are the files of a platform's archive by their name there.
func packed(t *testing.T, p platform) map[string][]byte {
	found := map[string][]byte{}
	content := read(t, filepath.Join(made.out, p.archive()))
	if p.os == "windows" {
		archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.File {
			one, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			found[f.Name] = all(t, one)
			one.Close()
		}
		return found
	}
	zipped, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	for archive := tar.NewReader(zipped); ; {
		header, err := archive.Next()
		if err == io.EOF {
			return found
		}
		if err != nil {
			t.Fatal(err)
		}
		found[header.Name] = all(t, archive)
	}
}

func all(t *testing.T, from io.Reader) []byte {
	content, err := io.ReadAll(from)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func read(t *testing.T, path string) []byte {
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// Each archive has the program of its platform, what must be passed on with it, and how
// to use it.
func TestArchives(t *testing.T) {
	for _, p := range wanted {
		found := packed(t, p)
		names := []string{"LICENSE", "THIRD-PARTY-NOTICES.txt", "README.md", "man/man1/outlast.1", "man/man1/outlast-task-enqueue.1"}
		for _, name := range completions {
			names = append(names, name)
		}
		if p.os == "linux" {
			names = append(names, "systemd/outlast.service", "systemd/outlast.yaml")
		}
		for _, name := range names {
			if len(found[artifact(p, "")+"/"+name]) == 0 {
				t.Errorf("%s lacks %s", p.archive(), name)
			}
		}
		program := found[artifact(p, "")+"/"+filepath.Base(made.binary(p))]
		if !bytes.Equal(program, read(t, made.binary(p))) {
			t.Errorf("%s has another program than %s", p.archive(), made.binary(p))
		}
		info, err := buildinfo.Read(bytes.NewReader(program))
		if err != nil {
			t.Errorf("%s: %v", p.archive(), err)
			continue
		}
		settings := map[string]string{}
		for _, setting := range info.Settings {
			settings[setting.Key] = setting.Value
		}
		if settings["GOOS"] != p.os || settings["GOARCH"] != p.arch || settings["vcs.revision"] != made.commit || settings["CGO_ENABLED"] != "0" {
			t.Errorf("%s has a program of %v", p.archive(), settings)
		}
	}
}

// The program says which release it is.
func TestVersion(t *testing.T) {
	said, err := exec.Command(made.binary(here), "version").Output()
	if err != nil {
		t.Fatal(err)
	}
	if fields := strings.Fields(string(said)); len(fields) < 4 || fields[1] != made.name() || made.commit != "" && !strings.Contains(string(said), made.commit) {
		t.Errorf("outlast version: %s", said)
	}
}

// The checksums are those of all artifacts and of nothing else.
func TestChecksums(t *testing.T) {
	var names []string
	for line := range strings.Lines(string(read(t, filepath.Join(made.out, checksums)))) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		if got := fmt.Sprintf("%x", sha256.Sum256(read(t, filepath.Join(made.out, name)))); got != sum {
			t.Errorf("%s has the checksum %s, not %s", name, got, sum)
		}
		names = append(names, name)
	}
	for _, p := range wanted {
		for _, name := range p.artifacts() {
			if !slices.Contains(names, name) {
				t.Errorf("there is no checksum of %s", name)
			}
		}
	}
}

// Whatever is in a program has its licence in the notices, and a checksum.
func TestMaterials(t *testing.T) {
	notices := string(read(t, "../cmd/outlast/notices.txt"))
	for _, p := range wanted {
		var bill cyclonedx.BOM
		if err := cyclonedx.NewBOMDecoder(bytes.NewReader(read(t, filepath.Join(made.out, artifact(p, ".cdx.json")))), cyclonedx.BOMFileFormatJSON).Decode(&bill); err != nil {
			t.Fatal(err)
		}
		if len(*bill.Components) < 20 || bill.Metadata.Component.Version != made.name() {
			t.Errorf("%s has %d components of %s", artifact(p, ".cdx.json"), len(*bill.Components), bill.Metadata.Component.Version)
		}
		for _, one := range *bill.Components {
			if one.Name != "std" && (!strings.Contains(notices, "\n"+one.Name+" "+one.Version+"\n") || one.Hashes == nil) {
				t.Errorf("%s: %s %s has no notice or no checksum", artifact(p, ".cdx.json"), one.Name, one.Version)
			}
		}
	}
}

// The .rpm has what the .deb has, which TestInstall installs.
func TestRPM(t *testing.T) {
	for _, p := range wanted {
		if p.os != "linux" {
			continue
		}
		parsed, err := rpm.Read(bytes.NewReader(read(t, filepath.Join(made.out, artifact(p, ".rpm")))))
		if err != nil {
			t.Fatal(err)
		}
		if arch := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[p.arch]; parsed.Name() != "outlast" || parsed.Architecture() != arch {
			t.Errorf("the package is %s of %s", parsed, parsed.Architecture())
		}
		var names []string
		for _, f := range parsed.Files() {
			names = append(names, f.Name())
			if f.Name() == "/etc/outlast/outlast.yaml" && f.Flags()&rpm.FileFlagConfig == 0 {
				t.Error("the configuration is replaced by an upgrade")
			}
		}
		for _, path := range installed {
			if !slices.Contains(names, path) {
				t.Errorf("%s lacks %s", parsed, path)
			}
		}
		if !slices.Contains(names, "/usr/share/man/man1/outlast.1.gz") {
			t.Errorf("%s has no man pages: %q", parsed, names)
		}
	}
}

// Two runs pack the same bytes.
func TestReproducible(t *testing.T) {
	again, stage := *made, t.TempDir()
	again.out = t.TempDir()
	if err := os.Symlink(filepath.Dir(made.binary(here)), filepath.Dir(again.binary(here))); err != nil {
		t.Fatal(err)
	}
	common, err := again.documents(here, stage)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.pack(here, common); err != nil {
		t.Fatal(err)
	}
	for _, name := range here.artifacts() {
		if !bytes.Equal(read(t, filepath.Join(again.out, name)), read(t, filepath.Join(made.out, name))) {
			t.Errorf("%s is another one each time", name)
		}
	}
}

// What publishes must be what is tagged.
func TestTagOfAnotherTree(t *testing.T) {
	if _, err := newRelease("..", t.TempDir(), "v9.9.9"); err == nil || !strings.Contains(err.Error(), "v9.9.9") {
		t.Errorf("a tag of another version: %v", err)
	}
}
