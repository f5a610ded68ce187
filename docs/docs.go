// Package docs has the documentation as it is written, for who shows it: [README.md] is its index.
//
// Stability: the names of the files change with the pages.
//
// [README.md]: https://github.com/outlast-dev/outlast/blob/main/docs/README.md
package docs

import "embed"

// Files are the pages, in Markdown, and their pictures.
//
//go:embed *.md */*.md pictures/*.svg pictures/console-*.png
var Files embed.FS
