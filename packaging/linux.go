package main

import (
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb" // registers the format
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm" // registers the format
)

// installed is where packages put the files of the archive, by their name there; man pages
// go where installedManual says.
var installed = map[string]string{
	"outlast":                 "/usr/bin/outlast",
	"LICENSE":                 "/usr/share/doc/outlast/copyright",
	"THIRD-PARTY-NOTICES.txt": "/usr/share/doc/outlast/THIRD-PARTY-NOTICES.txt",
	"README.md":               "/usr/share/doc/outlast/README.md",
	"completion/outlast.bash": "/usr/share/bash-completion/completions/outlast",
	"completion/_outlast":     "/usr/share/zsh/site-functions/_outlast",
	"completion/outlast.fish": "/usr/share/fish/vendor_completions.d/outlast.fish",
	"systemd/outlast.service": "/usr/lib/systemd/system/outlast.service",
	"systemd/outlast.yaml":    "/etc/outlast/outlast.yaml",
}

// packages makes the packages of a platform, .deb and .rpm.
func (r *release) packages(p platform, all []file) error {
	stage, err := os.MkdirTemp("", "outlast-man-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(stage)
	contents, err := r.contents(all, stage)
	if err != nil {
		return err
	}
	for _, format := range []string{"deb", "rpm"} {
		if err := r.packageOf(format, p, contents); err != nil {
			return err
		}
	}
	return nil
}

// contents are the files of a package. Man pages are compressed in stage, as both
// Debian's and Fedora's rules want it.
func (r *release) contents(all []file, stage string) (contents files.Contents, err error) {
	for _, f := range all {
		to, source, kind := installed[f.name], f.source, files.TypeFile
		if page, found := strings.CutPrefix(f.name, "man/man1/"); found {
			source = filepath.Join(stage, page+".gz")
			if err := compress(f.source, source); err != nil {
				return nil, err
			}
			to = "/usr/share/man/man1/" + page + ".gz"
		}
		if to == "" {
			continue // the completion of PowerShell
		}
		if strings.HasPrefix(to, "/etc/") {
			kind = files.TypeConfigNoReplace
		}
		contents = append(contents, &files.Content{
			Source: source, Destination: to, Type: kind,
			FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: f.mode, MTime: r.time},
		})
	}
	return contents, nil
}

func compress(from, to string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	zipped := gzip.NewWriter(out)
	_, err = zipped.Write(content)
	return errors.Join(err, zipped.Close(), out.Close())
}

// packageOf makes one package.
func (r *release) packageOf(format string, p platform, contents files.Contents) (err error) {
	info := &nfpm.Info{
		Name: "outlast", Arch: p.arch, Platform: p.os, Version: strings.TrimPrefix(r.name(), "v"),
		Section: "net", Priority: "optional",
		Maintainer:  "The Outlast maintainers <outlast-dev@users.noreply.github.com>",
		Vendor:      "Outlast",
		Homepage:    "https://github.com/outlast-dev/outlast",
		License:     "Apache-2.0",
		Description: "durable retry engine\nA task that Outlast accepts is on disk and is tried until it succeeds, or is kept\nwith its history. It is one server with an embedded database, for one or several\nmachines also on PostgreSQL, MySQL or MariaDB.",
		MTime:       r.time, DisableGlobbing: true,
		Overridables: nfpm.Overridables{
			Recommends: []string{"ca-certificates"},
			Contents:   contents,
			Scripts: nfpm.Scripts{
				PostInstall: "scripts/postinstall", PreRemove: "scripts/preremove", PostRemove: "scripts/postremove",
			},
		},
	}
	// useradd
	info.Depends = map[string][]string{"deb": {"passwd"}, "rpm": {"shadow-utils"}}[format]
	info.RPM.Summary = "Durable retry engine"
	info = nfpm.WithDefaults(info)
	if err := nfpm.PrepareForPackager(info, format); err != nil {
		return err
	}
	packager, err := nfpm.Get(format)
	if err != nil {
		return err
	}
	out, err := os.Create(filepath.Join(r.out, artifact(p, "."+format)))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	return packager.Package(info, out)
}
