package server

import (
	"net/http"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/console"
	"github.com/outlast-dev/outlast/server/internal/route"
)

// Console is the web console, for [Config]: its files, which talk to nothing but the API.
func Console() http.Handler { return console.Handler() }

// addPages serves the files of web pages to everybody: what those of the console show, they
// ask the API for.
func (s *Server) addPages(pages http.Handler, paths ...string) {
	if pages == nil {
		return
	}
	open := s.Guard(inspect.PermissionOpen, route.Bounded(pages))
	for _, path := range paths {
		s.mux.Handle("GET "+path, open)
	}
}
