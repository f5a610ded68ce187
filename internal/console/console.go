// Package console is the web console: a few files that run in a browser and talk to
// nothing but the HTTP API. They are served as they are written; there is no build.
package console

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
)

//go:embed web
var web embed.FS

// policy lets the page load what this server serves, call its API, and nothing else: no
// inline code, no other origin, no frame around it.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

var types = map[string]string{
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".svg":  "image/svg+xml",
	".txt":  "text/plain; charset=utf-8",
}

// file is one file with its forms on the wire.
type file struct {
	kind, tag    string
	plain, small []byte
}

// files are read and compressed once, when the first is asked for.
var files = sync.OnceValue(func() map[string]*file {
	all := map[string]*file{}
	_ = fs.WalkDir(web, "web", func(name string, entry fs.DirEntry, err error) error { // embedded: cannot fail
		kind := types[path.Ext(name)]
		if err != nil || entry.IsDir() || kind == "" {
			return err
		}
		data, err := web.ReadFile(name)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(data)
		all[strings.TrimPrefix(name, "web/")] = &file{kind: kind, tag: `"` + hex.EncodeToString(sum[:12]) + `"`, plain: data, small: compress(data)}
		return nil
	})
	return all
})

func compress(data []byte) []byte {
	var out bytes.Buffer
	writer, _ := gzip.NewWriterLevel(&out, gzip.BestCompression) // the level is good
	_, _ = writer.Write(data)                                    // a buffer takes everything
	_ = writer.Close()
	return out.Bytes()
}

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
		f.serve(w, req)
	})
}

func (f *file) serve(w http.ResponseWriter, req *http.Request) {
	header := w.Header()
	header.Set("Content-Type", f.kind)
	header.Set("Content-Security-Policy", policy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("X-Frame-Options", "DENY")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
	header.Set("Cache-Control", "no-cache") // asked for each time, and answered by 304
	header.Set("Etag", f.tag)
	header.Set("Vary", "Accept-Encoding")
	if strings.Contains(req.Header.Get("If-None-Match"), f.tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body := f.plain
	if accepts(req, "gzip") {
		header.Set("Content-Encoding", "gzip")
		body = f.small
	}
	header.Set("Content-Length", strconv.Itoa(len(body)))
	if req.Method != http.MethodHead {
		_, _ = w.Write(body) // the reader is gone; there is no one to tell
	}
}

// accepts says whether the client takes a coding; one with a weight of zero it does not.
func accepts(req *http.Request, coding string) bool {
	for part := range strings.SplitSeq(req.Header.Get("Accept-Encoding"), ",") {
		name, weight, _ := strings.Cut(strings.TrimSpace(part), ";")
		if strings.EqualFold(strings.TrimSpace(name), coding) {
			weight = strings.TrimPrefix(strings.ReplaceAll(weight, " ", ""), "q=")
			return strings.Trim(weight, "0.") != "" || weight == ""
		}
	}
	return false
}
