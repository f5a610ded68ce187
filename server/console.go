package server

import (
	"net/http"
	"strings"

	"github.com/outlast-dev/outlast/token"
)

const consolePath = "/console/"

// addConsole serves the files of the console to everybody: what they show, they
// ask the API for.
func (s *Server) addConsole(console http.Handler) {
	if console == nil {
		return
	}
	open := s.Guard(token.Open, bounded(console))
	s.mux.Handle("GET /{$}", open)
	s.mux.Handle("GET "+consolePath, open)
}

// ofConsole says whether a request is for a file of the console.
func ofConsole(req *http.Request) bool {
	reads := req.Method == http.MethodGet || req.Method == http.MethodHead
	return reads && (req.URL.Path == "/" || strings.HasPrefix(req.URL.Path, consolePath))
}
