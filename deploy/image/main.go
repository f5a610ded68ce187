// Command image makes the container image of Outlast out of static binaries, one for each
// platform, without Docker:
//
//	go run ./image -out DIR -name REFERENCE BINARY...
//
// DIR/oci is an OCI layout with one index of all platforms, to be pushed to a registry;
// DIR/docker-ARCH.tar is the image of one platform, for docker load and podman load. The
// image has the binary, the certificates that Mozilla trusts, and a folder for data. The
// binary carries the time zones itself. The same binaries always make the same image.
package main

import (
	"cmp"
	"debug/buildinfo"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

func main() {
	out := flag.String("out", "", "folder for the image")
	reference := flag.String("name", "ghcr.io/outlast-dev/outlast:latest", "name and tag of the image")
	flag.Parse()
	if err := write(*out, *reference, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

// write makes the image of each binary, and writes them as a layout and for Docker.
func write(out, reference string, binaries []string) error {
	if out == "" || len(binaries) == 0 {
		return errors.New("name a folder and at least one binary: image -out DIR BINARY")
	}
	tag, err := name.NewTag(reference)
	if err != nil {
		return err
	}
	if err := errors.Join(os.RemoveAll(filepath.Join(out, "oci")), os.MkdirAll(out, 0o755)); err != nil {
		return err
	}
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	seen := map[string]string{}
	for _, binary := range binaries {
		built, platform, err := inspect(binary)
		if err != nil {
			return err
		}
		if other := seen[platform.Architecture]; other != "" {
			return fmt.Errorf("%s and %s are both for %s", other, binary, platform)
		}
		seen[platform.Architecture] = binary
		image, err := assemble(binary, built, platform)
		if err != nil {
			return fmt.Errorf("%s: %w", binary, err)
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{Platform: platform}})
		if err := tarball.WriteToFile(filepath.Join(out, "docker-"+platform.Architecture+".tar"), tag, image); err != nil {
			return err
		}
	}
	path, err := layout.Write(filepath.Join(out, "oci"), empty.Index)
	if err != nil {
		return err
	}
	return path.AppendIndex(index, layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": tag.TagStr()}))
}

// inspect reads what Go wrote into a binary: what it was built from, and for which
// platform. One that would need a libc is refused, since the image has none.
func inspect(binary string) (built map[string]string, platform *v1.Platform, err error) {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return nil, nil, err
	}
	built = map[string]string{"version": info.Main.Version}
	for _, setting := range info.Settings {
		built[setting.Key] = setting.Value
	}
	platform = &v1.Platform{OS: built["GOOS"], Architecture: built["GOARCH"]}
	if platform.Architecture == "arm64" {
		platform.Variant = "v8"
	}
	if platform.OS != "linux" || built["CGO_ENABLED"] != "0" {
		return nil, nil, fmt.Errorf("%s is no static binary for Linux: build it with CGO_ENABLED=0 GOOS=linux go build -trimpath ./cmd/outlast", binary)
	}
	return built, platform, nil
}

// assemble makes the image of one platform.
func assemble(binary string, built map[string]string, platform *v1.Platform) (v1.Image, error) {
	base, err := baseLayer()
	if err != nil {
		return nil, err
	}
	program, err := programLayer(binary)
	if err != nil {
		return nil, err
	}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	created, err := time.Parse(time.RFC3339, cmp.Or(built["vcs.time"], time.Unix(0, 0).UTC().Format(time.RFC3339)))
	if err != nil {
		return nil, err
	}
	config := v1.ConfigFile{
		OS: platform.OS, Architecture: platform.Architecture, Variant: platform.Variant,
		Created: v1.Time{Time: created}, RootFS: v1.RootFS{Type: "layers"}, Config: settings(built, created),
	}
	if image, err = mutate.ConfigFile(image, &config); err != nil {
		return nil, err
	}
	history := func(layer v1.Layer, what string) mutate.Addendum {
		return mutate.Addendum{Layer: layer, History: v1.History{Created: v1.Time{Time: created}, CreatedBy: what}}
	}
	return mutate.Append(image, history(base, "certificates and /data"), history(program, "/outlast"))
}

// user is nobody in particular. It owns /data alone.
const user = 65532

// settings are how the image runs.
func settings(built map[string]string, created time.Time) v1.Config {
	labels := map[string]string{
		"org.opencontainers.image.title":       "Outlast",
		"org.opencontainers.image.description": "Durable retry engine",
		"org.opencontainers.image.source":      "https://github.com/outlast-dev/outlast",
		"org.opencontainers.image.licenses":    "Apache-2.0",
		"org.opencontainers.image.version":     built["version"],
		"org.opencontainers.image.revision":    built["vcs.revision"],
		"org.opencontainers.image.created":     created.Format(time.RFC3339),
	}
	maps.DeleteFunc(labels, func(_, value string) bool { return value == "" })
	return v1.Config{
		Entrypoint: []string{"/outlast"}, Cmd: []string{"serve"},
		User: fmt.Sprintf("%d:%[1]d", user), WorkingDir: "/data", Volumes: map[string]struct{}{"/data": {}},
		Env:          []string{"OUTLAST_LISTEN=0.0.0.0:7070", "OUTLAST_STORE=sqlite:/data/outlast.db", "OUTLAST_LOG_FORMAT=json"},
		ExposedPorts: map[string]struct{}{"7070/tcp": {}}, StopSignal: "SIGTERM",
		Healthcheck: &v1.HealthConfig{
			Test:     []string{"CMD", "/outlast", "doctor", "--ready"},
			Interval: 10 * time.Second, Timeout: 5 * time.Second, StartPeriod: 30 * time.Second, Retries: 3,
		},
		Labels: labels,
	}
}
