package main

import (
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
)

// materials writes the bill of materials of a platform: the modules that Go says are in
// its binary, with their checksums, and Go's own library.
func (r *release) materials(p platform) (err error) {
	info, err := buildinfo.ReadFile(r.binary(p))
	if err != nil {
		return err
	}
	bill := cyclonedx.NewBOM()
	main := component(cyclonedx.ComponentTypeApplication, info.Main.Path, r.name(), "")
	bill.Metadata = &cyclonedx.Metadata{Timestamp: r.time.Format(time.RFC3339), Component: &main}
	parts := []cyclonedx.Component{component(cyclonedx.ComponentTypeLibrary, "std", strings.TrimPrefix(info.GoVersion, "go"), "")}
	for _, module := range info.Deps {
		if module.Replace != nil {
			module = module.Replace
		}
		parts = append(parts, component(cyclonedx.ComponentTypeLibrary, module.Path, module.Version, module.Sum))
	}
	bill.Components = &parts
	out, err := os.Create(filepath.Join(r.out, artifact(p, ".cdx.json")))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	return cyclonedx.NewBOMEncoder(out, cyclonedx.BOMFileFormatJSON).SetPretty(true).Encode(bill)
}

// component is a module, with Go's checksum of its files if there is one.
func component(kind cyclonedx.ComponentType, path, version, sum string) cyclonedx.Component {
	url := "pkg:golang/" + path + "@" + version
	one := cyclonedx.Component{BOMRef: url, Type: kind, Name: path, Version: version, PackageURL: url}
	if raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(sum, "h1:")); err == nil && sum != "" {
		one.Hashes = &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: hex.EncodeToString(raw)}}
	}
	return one
}
