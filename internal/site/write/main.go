// Command write writes the documentation as web pages into a folder.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/outlast-dev/outlast/docs"
	"github.com/outlast-dev/outlast/internal/site"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: write FOLDER")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "write:", err)
		os.Exit(1)
	}
}

func write(folder string) error {
	files, err := site.Make(docs.Files)
	if err != nil {
		return err
	}
	for name, data := range files {
		file := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil { //nolint:gosec // pages for everybody
			return err
		}
		if err := os.WriteFile(file, data, 0o644); err != nil { //nolint:gosec // pages for everybody
			return err
		}
	}
	fmt.Printf("%d files in %s\n", len(files), folder) //nolint:forbidigo // a program of a developer
	return nil
}
