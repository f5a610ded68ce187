package site

import (
	"net/http"
	"strings"
	"sync"

	"github.com/outlast-dev/outlast/docs"
	"github.com/outlast-dev/outlast/internal/assets"
)

// Handler serves the site below /docs/. It is made when the first page is asked for. It needs no
// token: there is nothing in it that is not public.
func Handler() http.Handler {
	files := sync.OnceValue(func() map[string]*assets.File {
		made, _ := Make(docs.Files) // that nothing is wrong with it is for the tests of this package
		files := map[string]*assets.File{}
		for name, data := range made {
			files[name] = assets.New(name, data)
		}
		return files
	})
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		name, _ := strings.CutPrefix(req.URL.Path, "/docs/")
		switch name {
		case "/docs":
			w.Header().Set("Vary", "Accept-Language")
			redirect(w, "docs/"+firstPage(req))
			return
		case "api":
			redirect(w, "reference/api.html")
			return
		case "":
			name = "index.html"
		}
		if f := files()[name]; f != nil {
			f.ServeHTTP(w, req)
			return
		}
		http.NotFound(w, req)
	})
}

// firstPage is the index in the language that the browser asks for first, of those that there are.
func firstPage(req *http.Request) string {
	for tag := range strings.SplitSeq(req.Header.Get("Accept-Language"), ",") {
		switch tag = strings.ToLower(strings.TrimSpace(tag)); {
		case strings.HasPrefix(tag, "zh"):
			return "index.zh-CN.html"
		case strings.HasPrefix(tag, "en"):
			return "index.html"
		}
	}
	return "index.html"
}

// redirect leads to a relative place, which holds below any path.
func redirect(w http.ResponseWriter, to string) {
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusFound)
}
