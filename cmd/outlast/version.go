package main

import (
	"context"
	_ "embed"
	"io"
	"regexp"
	"runtime"
	"runtime/debug"
	"time"

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
	Date     string `json:"date,omitempty"` // of the commit
	Modified bool   `json:"modified,omitempty"`
}

// pseudo is the end of a version that Go has made for a commit without a tag.
var pseudo = regexp.MustCompile(`[-.](\d{14})-([0-9a-f]{12})(\+\w+)?$`)

// describe tells what a binary was built from. A checkout knows its commit. What go
// install has fetched knows it too, unless it was asked for by a tag, which is a name as good.
func describe(info *debug.BuildInfo) build {
	b := build{Version: version(), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if found := pseudo.FindStringSubmatch(info.Main.Version); found != nil {
		if at, err := time.Parse("20060102150405", found[1]); err == nil {
			b.Commit, b.Date = found[2], at.Format(time.RFC3339)
		}
	}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			b.Commit = setting.Value
		case "vcs.time":
			b.Date = setting.Value
		case "vcs.modified":
			b.Modified = setting.Value == "true"
		}
	}
	return b
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
			info, _ := debug.ReadBuildInfo()
			if info == nil {
				info = &debug.BuildInfo{}
			}
			b := describe(info)
			return c.Show(b, func(w io.Writer) {
				commit := b.Commit
				if b.Modified {
					commit += "+changes"
				}
				cli.Row(w, "outlast", b.Version, b.Go, b.Platform, commit, b.Date)
			})
		}),
	}
	cmd.Flags().BoolVar(&notices, "notices", false, "print the licences of third-party software in the binary")
	return cmd
}
