package server

import (
	"net/http"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/console"
	"github.com/outlast-dev/outlast/server/internal/route"
)

// Console is the web console, for [Config]: its files, which talk to nothing but the API.
func Console() http.Handler { return console.Handler() }

// addConsole serves the files of the console to everybody: what they show, they
// ask the API for.
func (s *Server) addConsole(page http.Handler) {
	if page == nil {
		return
	}
	open := s.Guard(inspect.PermissionOpen, route.Bounded(page))
	s.mux.Handle("GET /{$}", open)
	s.mux.Handle("GET "+consolePath, open)
}
