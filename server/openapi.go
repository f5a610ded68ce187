package server

import (
	"net/http"
	"strconv"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/server/internal/route"
	"github.com/outlast-dev/outlast/server/internal/scope"
)

// addDocument serves the document of a table, which is complete when it is called.
func addDocument(to *route.Table) error {
	var text []byte
	to.Plain(route.Route{
		Method: "GET", Path: "/openapi.json", ID: "get-openapi", Needs: inspect.PermissionKnown, Scope: scope.Shared, Summary: "This document",
	}, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = []string{"application/openapi+json"}
		w.Header().Set("Content-Length", strconv.Itoa(len(text)))
		route.Deadline(w, route.AnswerTimeout)
		_, _ = w.Write(text) // the caller is gone; there is no one to tell
	}))
	var err error
	text, err = to.Document()
	return err
}
