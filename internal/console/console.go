// Package console is the web console: a few files that run in a browser and talk to
// nothing but the HTTP API. They are served as they are written; there is no build.
package console

import (
	"embed"
	"io/fs"
	"net/http"
	"strings"
	"sync"

	"github.com/outlast-dev/outlast/internal/assets"
)

//go:embed web
var web embed.FS

// files are read and compressed once, when the first is asked for.
var files = sync.OnceValue(func() map[string]*assets.File {
	all := map[string]*assets.File{}
	_ = fs.WalkDir(web, "web", func(name string, entry fs.DirEntry, err error) error { // embedded: cannot fail
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := web.ReadFile(name)
		if f := assets.New(name, data); f != nil {
			all[strings.TrimPrefix(name, "web/")] = f
		}
		return err
	})
	return all
})

// Handler serves the page at / and its files below /console/. All links in them are
// relative, so that it works below any path, behind [http.StripPrefix] or a proxy. It
// needs no token: there is nothing secret in it, and the API asks for one.
func Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		name, found := strings.CutPrefix(req.URL.Path, "/console/")
		switch {
		case req.URL.Path == "/":
			name = "index.html"
		case !found || name == "index.html":
			name = ""
		}
		f := files()[name]
		if f == nil {
			http.NotFound(w, req)
			return
		}
		f.ServeHTTP(w, req)
	})
}
