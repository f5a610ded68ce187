package compare

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/labstack/echo/v4"

	"github.com/outlast-dev/outlast"
	_ "github.com/outlast-dev/outlast/cel"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/retry/retryhttp"
	"github.com/outlast-dev/outlast/server"
	"github.com/outlast-dev/outlast/store/memory"
)

// framework makes the handler of a program with a route of its own, GET /own, which answers
// what attempt it is, behind the middleware, and with our API at all other paths.
type framework func(protect func(http.Handler) http.Handler, api http.Handler) http.Handler

var frameworks = map[string]framework{
	"gin": func(protect func(http.Handler) http.Handler, api http.Handler) http.Handler {
		gin.SetMode(gin.ReleaseMode)
		router := gin.New()
		router.GET("/own", func(c *gin.Context) { c.String(http.StatusOK, attemptOf(c.Request)) })
		router.NoRoute(gin.WrapH(api))
		return protect(router)
	},
	"echo": func(protect func(http.Handler) http.Handler, api http.Handler) http.Handler {
		e := echo.New()
		e.Use(echo.WrapMiddleware(protect))
		e.GET("/own", func(c echo.Context) error { return c.String(http.StatusOK, attemptOf(c.Request())) })
		e.Any("/*", echo.WrapHandler(api))
		return e
	},
}

func attemptOf(r *http.Request) string {
	if outer, ok := retry.Outer(r.Context()); ok && outer.Attempt > 1 {
		return "repeat"
	}
	return "first"
}

// TestFrameworks: handlers of ours need no adapter in gin and echo. The API takes a task and
// shows it, and retryhttp.Handler knows the repeats of a route of the framework.
func TestFrameworks(t *testing.T) {
	for name, framework := range frameworks {
		t.Run(name, func(t *testing.T) {
			client, err := outlast.Open(t.Context(), memory.New())
			if err != nil {
				t.Fatal(err)
			}
			if err := client.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = client.Stop(t.Context()) })
			api, err := server.New(server.Config{Client: client, Store: "memory"})
			if err != nil {
				t.Fatal(err)
			}
			handler := framework(func(next http.Handler) http.Handler { return retryhttp.Handler(next) }, api)
			ask := func(method, path, body, attempt string) *httptest.ResponseRecorder {
				r := httptest.NewRequestWithContext(t.Context(), method, "http://localhost"+path, strings.NewReader(body))
				r.RemoteAddr = "127.0.0.1:4000"
				r.Header.Set("Content-Type", "application/json")
				if attempt != "" {
					r.Header.Set("Outlast-Attempt", attempt)
				}
				w := httptest.NewRecorder()
				handler.ServeHTTP(w, r)
				return w
			}
			if w := ask(http.MethodPost, "/v1/tasks", `{"type": "mail.send", "payload": "ada"}`, ""); w.Code != http.StatusCreated {
				t.Errorf("an enqueue is answered %d: %s", w.Code, w.Body)
			}
			if w := ask(http.MethodGet, "/v1/tasks", "", ""); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "mail.send") {
				t.Errorf("the list is answered %d: %s", w.Code, w.Body)
			}
			if w := ask(http.MethodGet, "/own", "", ""); w.Body.String() != "first" {
				t.Errorf("the own route answers %q", w.Body)
			}
			if w := ask(http.MethodGet, "/own", "", "3"); w.Body.String() != "repeat" {
				t.Errorf("the own route answers %q to a repeat", w.Body)
			}
		})
	}
}
