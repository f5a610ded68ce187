// Package assets serves files of web pages that are in the binary: compressed once, for
// everybody, and under a policy that lets a page load nothing from elsewhere.
package assets

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"path"
	"strconv"
	"strings"
)

// policy lets the page load what this server serves, call its API, and nothing else: no
// inline code, no other origin, no frame around it.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// types are those that are served.
var types = map[string]string{
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".svg":  "image/svg+xml",
	".txt":  "text/plain; charset=utf-8",
	".json": "application/json",
	".png":  "image/png",
	".gif":  "image/gif",
}

// File is one file with its forms on the wire. It is an [http.Handler].
type File struct {
	kind, tag    string
	plain, small []byte
}

// New makes a file of its content, and nil of one whose kind no page has.
func New(name string, data []byte) *File {
	kind := types[path.Ext(name)]
	if kind == "" {
		return nil
	}
	sum := sha256.Sum256(data)
	return &File{kind: kind, tag: `"` + hex.EncodeToString(sum[:12]) + `"`, plain: data, small: compress(data)}
}

// compress returns nil for what does not get smaller, such as pictures.
func compress(data []byte) []byte {
	var out bytes.Buffer
	writer, _ := gzip.NewWriterLevel(&out, gzip.BestCompression) // the level is good
	_, _ = writer.Write(data)                                    // a buffer takes everything
	_ = writer.Close()
	if out.Len() >= len(data)*9/10 {
		return nil
	}
	return out.Bytes()
}

// ServeHTTP answers GET and HEAD.
func (f *File) ServeHTTP(w http.ResponseWriter, req *http.Request) {
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
	if f.small != nil && accepts(req, "gzip") {
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
