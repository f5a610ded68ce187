// Command packaging makes what a release publishes: for each platform the binary, an
// archive, a bill of materials (CycloneDX), for Linux a .deb and a .rpm, and the checksums
// of all. It runs in this folder; docs/how-to/deploy.md says what is in them.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
)

func main() { os.Exit(run(os.Args[1:], os.Stderr)) }

func run(args []string, messages io.Writer) int {
	flags := flag.NewFlagSet("packaging", flag.ContinueOnError)
	flags.SetOutput(messages)
	out := flags.String("out", "../dist", "`folder` of the artifacts; what a release left there before is replaced")
	all := flags.Bool("all", false, "make all platforms, not only this one")
	tag := flags.String("tag", "", "publish: refuse all but the tag of this version on a clean tree")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	wanted := []platform{{runtime.GOOS, runtime.GOARCH}}
	if *all {
		wanted = platforms
	}
	r, err := newRelease("..", *out, *tag)
	if err == nil {
		err = r.make(wanted)
	}
	if err != nil {
		fmt.Fprintln(messages, "packaging:", err)
		return 1
	}
	return 0
}
