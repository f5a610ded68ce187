package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// archive packs the files of a platform below one folder with the archive's name.
func (r *release) archive(p platform, files []file) (err error) {
	out, err := os.Create(filepath.Join(r.out, p.archive()))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	files = slices.SortedFunc(slices.Values(files), func(a, b file) int { return strings.Compare(a.name, b.name) })
	folder := artifact(p, "") + "/"
	if p.os == "windows" {
		return r.zip(out, folder, files)
	}
	return r.tar(out, folder, files)
}

func (r *release) tar(out io.Writer, folder string, files []file) error {
	zipped := gzip.NewWriter(out)
	packed := tar.NewWriter(zipped)
	for _, f := range files {
		content, err := os.ReadFile(f.source)
		if err != nil {
			return err
		}
		if err := packed.WriteHeader(&tar.Header{Name: folder + f.name, Mode: int64(f.mode), Size: int64(len(content)), ModTime: r.time}); err != nil {
			return err
		}
		if _, err := packed.Write(content); err != nil {
			return err
		}
	}
	return errors.Join(packed.Close(), zipped.Close())
}

func (r *release) zip(out io.Writer, folder string, files []file) error {
	packed := zip.NewWriter(out)
	for _, f := range files {
		content, err := os.ReadFile(f.source)
		if err != nil {
			return err
		}
		header := &zip.FileHeader{Name: folder + f.name, Method: zip.Deflate, Modified: r.time}
		header.SetMode(f.mode)
		one, err := packed.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := one.Write(content); err != nil {
			return err
		}
	}
	return packed.Close()
}
