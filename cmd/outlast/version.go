package main

import (
	"context"
	_ "embed"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
)

// release is set by the linker: -X main.release=v1.2.3.
var release = ""

func version() string {
	if release != "" {
		return release
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}

type build struct {
	Version  string `json:"version"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Commit   string `json:"commit,omitempty"`
}

// thirdParties are the notices of the software that the binary contains.
//
//go:embed notices.txt
var thirdParties string

func newVersion(c *cli.Env) *cobra.Command {
	notices := false
	cmd := &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		RunE: c.Act(func(context.Context, []string) error {
			if notices {
				_, err := io.WriteString(c.Out, thirdParties)
				return err
			}
			b := build{Version: version(), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
			if info, ok := debug.ReadBuildInfo(); ok {
				for _, setting := range info.Settings {
					if setting.Key == "vcs.revision" {
						b.Commit = setting.Value
					}
				}
			}
			return c.Show(b, func(w io.Writer) {
				cli.Row(w, "outlast", b.Version, b.Go, b.Platform, b.Commit)
			})
		}),
	}
	cmd.Flags().BoolVar(&notices, "notices", false, "print the licences of the software of others in the binary")
	return cmd
}
