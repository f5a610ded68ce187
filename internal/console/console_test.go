package console_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/outlast-dev/outlast/internal/console"
)

func get(t *testing.T, at string, header map[string]string) *httptest.ResponseRecorder {
	t.Helper()
	request := httptest.NewRequest(http.MethodGet, at, nil)
	for name, value := range header {
		request.Header.Set(name, value)
	}
	answer := httptest.NewRecorder()
	console.Handler().ServeHTTP(answer, request)
	return answer
}

// Every answer forbids inline code, frames and other origins.
func TestHeaders(t *testing.T) {
	for _, at := range []string{"/", "/console/app.js", "/console/style/base.css"} {
		answer := get(t, at, nil)
		policy := answer.Header().Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'none'", "script-src 'self';", "frame-ancestors 'none'", "trusted-types 'none'"} {
			if !strings.Contains(policy, want) {
				t.Errorf("%s: the policy %q is without %s", at, policy, want)
			}
		}
		if answer.Code != http.StatusOK || strings.Contains(policy, "unsafe") || answer.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d, %v", at, answer.Code, answer.Header())
		}
	}
}

// A browser that has a file is told so, and one that takes gzip gets that.
func TestForms(t *testing.T) {
	plain := get(t, "/console/app.js", nil)
	whole := plain.Body.String()
	small := get(t, "/console/app.js", map[string]string{"Accept-Encoding": "br, gzip;q=0.8"})
	if small.Header().Get("Content-Encoding") != "gzip" {
		t.Fatalf("%v", small.Header())
	}
	reader, err := gzip.NewReader(small.Body)
	if err != nil {
		t.Fatal(err)
	}
	if data, err := io.ReadAll(reader); err != nil || string(data) != whole {
		t.Errorf("%v, %d bytes of %d", err, len(data), len(whole))
	}
	if refused := get(t, "/console/app.js", map[string]string{"Accept-Encoding": "gzip;q=0"}); refused.Header().Get("Content-Encoding") != "" {
		t.Errorf("%v", refused.Header())
	}
	tag := plain.Header().Get("Etag")
	if known := get(t, "/console/app.js", map[string]string{"If-None-Match": tag}); known.Code != http.StatusNotModified || known.Body.String() != "" {
		t.Errorf("%d for the tag %s", known.Code, tag)
	}
}

func TestUnknownFiles(t *testing.T) {
	for _, at := range []string{"/console/", "/console/nothing.js", "/console/index.html", "/console/../console.go", "/console/vendor/preact.d.ts", "/app.js"} {
		if answer := get(t, at, nil); answer.Code != http.StatusNotFound {
			t.Errorf("%s: %d", at, answer.Code)
		}
	}
}

var (
	comments = regexp.MustCompile(`(?s)/\*.*?\*/`)
	linked   = regexp.MustCompile(`(?:href|src)="(console/[^"]+)"`)
	imported = regexp.MustCompile(`(?:from|import)\s*\(?\s*["'](\.[^"']+)["']`)
)

// Every file that the page and its modules name is there, and all names are relative, so
// that the console works below any path.
func TestWhatIsNamedIsThere(t *testing.T) {
	page := get(t, "/", nil).Body.String()
	if strings.Contains(page, `="/`) || strings.Contains(page, "://") {
		t.Errorf("the page has an absolute address:\n%s", page)
	}
	seen := map[string]bool{}
	var follow func(at string)
	follow = func(at string) {
		if seen[at] {
			return
		}
		seen[at] = true
		answer := get(t, at, nil)
		if answer.Code != http.StatusOK {
			t.Errorf("%s: %d", at, answer.Code)
			return
		}
		if !strings.HasSuffix(at, ".js") {
			return
		}
		code := comments.ReplaceAllString(answer.Body.String(), "") // types are named in them
		for _, match := range imported.FindAllStringSubmatch(code, -1) {
			follow(path.Join(path.Dir(at), match[1]))
		}
	}
	for _, match := range linked.FindAllStringSubmatch(page, -1) {
		follow("/" + match[1])
	}
	if len(seen) < 40 {
		t.Errorf("only %d files were found", len(seen))
	}
}
