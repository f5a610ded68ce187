package server

import (
	"net/http"
	"strconv"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/server/internal/route"
	"github.com/outlast-dev/outlast/server/internal/scope"
)

// addDocuments serves the document of a table, which is complete when it is called, and the
// view of it for older programs.
func addDocuments(to *route.Table) error {
	var text, older []byte
	add := func(r route.Route, text *[]byte) {
		r.Method, r.Needs, r.Scope, r.Media = "GET", inspect.PermissionKnown, scope.Shared, "application/openapi+json"
		to.Plain(r, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = []string{r.Media}
			w.Header().Set("Content-Length", strconv.Itoa(len(*text)))
			route.Deadline(w, route.AnswerTimeout)
			_, _ = w.Write(*text) // the caller is gone; there is no one to tell
		}))
	}
	add(route.Route{Path: "/openapi.json", ID: "get-openapi", Summary: "This document", About: "In OpenAPI 3.1."}, &text)
	add(route.Route{Path: "/openapi-3.0.json", ID: "get-openapi-3", Summary: "This document for older programs", About: "In OpenAPI 3.0, for generators that do not read 3.1."}, &older)
	var err error
	if text, err = to.Document(); err != nil {
		return err
	}
	older, err = to.OlderDocument()
	return err
}
