package main

import (
	"archive/tar"
	"bytes"
	"encoding/pem"
	"io"
	"os"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// certificates is where Go looks for them, too.
const certificates = "etc/ssl/certs/ca-certificates.crt"

// baseLayer is what all platforms have: the certificates, a folder for data, and one for
// what the database sorts.
func baseLayer() (v1.Layer, error) {
	var roots bytes.Buffer
	for root := range bundle.Roots() {
		if err := pem.Encode(&roots, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}); err != nil {
			return nil, err
		}
	}
	return layer([]entry{
		{Header: tar.Header{Name: "data/", Mode: 0o750, Uid: user, Gid: user}},
		{Header: tar.Header{Name: "etc/", Mode: 0o755}},
		{Header: tar.Header{Name: "etc/ssl/", Mode: 0o755}},
		{Header: tar.Header{Name: "etc/ssl/certs/", Mode: 0o755}},
		{Header: tar.Header{Name: certificates, Mode: 0o644}, content: roots.Bytes()},
		{Header: tar.Header{Name: "tmp/", Mode: 0o1777}},
	})
}

func programLayer(binary string) (v1.Layer, error) {
	content, err := os.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	return layer([]entry{{Header: tar.Header{Name: "outlast", Mode: 0o755}, content: content}})
}

// entry is a file, or a folder where its name ends with a slash.
type entry struct {
	tar.Header
	content []byte
}

// layer holds files without times, so that the same files make the same layer.
func layer(entries []entry) (v1.Layer, error) {
	var packed bytes.Buffer
	archive := tar.NewWriter(&packed)
	for _, one := range entries {
		one.Size, one.Format = int64(len(one.content)), tar.FormatUSTAR
		if err := archive.WriteHeader(&one.Header); err != nil {
			return nil, err
		}
		if _, err := archive.Write(one.content); err != nil {
			return nil, err
		}
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(packed.Bytes())), nil }
	return tarball.LayerFromOpener(open, tarball.WithMediaType(types.OCILayer), tarball.WithCompressedCaching)
}
