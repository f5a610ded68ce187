package server_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/server"
	"github.com/outlast-dev/outlast/store/memory"
)

// The console and the documentation are there for everybody, also by a link from elsewhere; the API beside
// them is not.
func TestPagesAreOpen(t *testing.T) {
	client, err := outlast.Open(t.Context(), memory.New())
	must(t, err)
	page := http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) { _, _ = w.Write([]byte("page " + req.URL.Path)) })
	api, err := server.New(server.Config{Client: client, Console: page, Docs: page, Exposed: true})
	must(t, err)
	ask := func(method, at string, header map[string]string) *httptest.ResponseRecorder {
		request := httptest.NewRequest(method, at, nil)
		for name, value := range header {
			request.Header.Set(name, value)
		}
		answer := httptest.NewRecorder()
		api.ServeHTTP(answer, request)
		return answer
	}
	link := map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
	for _, at := range []string{"/", "/console/app.js", "/docs", "/docs/", "/docs/reference/api.html"} {
		if answer := ask("GET", at, link); answer.Code != 200 || answer.Body.String() != "page "+at {
			t.Errorf("%s: %d %s", at, answer.Code, answer.Body)
		}
	}
	if answer := ask("GET", "/v1/tasks", link); answer.Code != 403 {
		t.Errorf("the API by a link from elsewhere: %d", answer.Code)
	}
	if answer := ask("GET", "/v1/tasks", nil); answer.Code != 401 {
		t.Errorf("the API without a token: %d", answer.Code)
	}
	if answer := ask("POST", "/", link); answer.Code == 200 {
		t.Errorf("a POST of the page: %d", answer.Code)
	}
}
