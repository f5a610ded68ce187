package badinput

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/task"
)

// refusal is a row: a draft of a task that must be refused through every
// door that can express it.
type refusal struct {
	name string
	body string    // of POST /v1/tasks and of --file; flags and the Go draft are derived from it
	at   string    // the path that one of the complaints is about
	code task.Code // invalid when ""
	form bool      // it is about the form of JSON, which Go drafts do not have
	// draft changes a good draft in Go, where the body cannot say it.
	draft func(d *outlast.Draft)
}

func (r *refusal) verdict() task.Code {
	if r.code == "" {
		return task.CodeInvalid
	}
	return r.code
}

var statusOf = map[task.Code]int{
	task.CodeInvalid: 400, task.CodeTooLarge: 413, task.CodeNotFound: 404, task.CodeDenied: 403, task.CodeConflict: 409,
	"method_not_allowed": 405, "unsupported_media_type": 415,
}

// refuse drives rows through all doors.
func refuse(t *testing.T, rows []refusal) {
	t.Helper()
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			before := shared.count(t)
			shared.post(t, "/v1/tasks", row.body).problem(t, row.verdict(), row.at)
			shared.cli(t, row.body, "task", "enqueue", "--file", "-").refuses(t, row.at+":", "not JSON")
			if args, flag, ok := flagsOf(row.body, row.at); ok && !row.form {
				shared.cli(t, "", append([]string{"task", "enqueue"}, args...)...).refuses(t, row.at+":", "--"+flag)
			}
			row.inGo(t)
			if json.Valid([]byte(row.body)) && len(row.body) < 2<<20 {
				shared.post(t, "/v1/tasks/batch", `{"atomic":true,"tasks":[{"type":"t"},`+row.body+`]}`).
					problem(t, row.verdict(), inBatch(row.at)...)
			}
			shared.unchanged(t, before)
		})
	}
}

// inBatch is the path of a complaint about the second task of a batch. One
// about a body that is JSON is about the whole batch, or about the task.
func inBatch(at string) []string {
	if at == "body" {
		return []string{"body", "tasks[1]"}
	}
	return []string{"tasks[1]." + at}
}

func (r *refusal) inGo(t *testing.T) {
	t.Helper()
	draft, ok := draftOf(r.body)
	if r.draft != nil {
		draft, ok = outlast.Draft{Type: "t"}, true
		r.draft(&draft)
	}
	if r.form || !ok {
		return
	}
	_, err := shared.node.Enqueue(t.Context(), draft)
	refusedInGo(t, err, r.verdict(), r.at)
	receipts, err := shared.node.EnqueueMany(t.Context(), []outlast.Draft{{Type: "t"}, draft}, true)
	if receipts != nil {
		t.Errorf("go: a batch with a bad draft was accepted")
	}
	refusedInGo(t, err, r.verdict(), "tasks[1]."+r.at)
}

func refusedInGo(t testing.TB, err error, code task.Code, at string) {
	t.Helper()
	var e *task.Error
	if !errors.As(err, &e) || e.Code != code || e.Hint == "" || e.Message == "" {
		t.Fatalf("go: %.500v, want code %s with a hint", err, code)
	}
	if at != "" && !complains(e.Fields, at) {
		t.Errorf("go: complaints about %.500v, want %s", e.Fields, at)
	}
	if text := e.Error(); control(text) || len(text) > 20<<10 {
		t.Errorf("go: %d bytes, or control characters, in %.500q", len(text), text)
	}
}

func complains(fields []task.Field, at string) bool {
	for _, field := range fields {
		if field.Path == at && field.Message != "" {
			return true
		}
	}
	return false
}

// control reports whether a text would do something to a terminal or a log,
// line ends aside.
func control(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) || r == 0x2028 || r == 0x2029
	})
}

// answer is what came back over HTTP.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func (w *world) post(t testing.TB, path, body string) answer {
	t.Helper()
	return w.call(t, http.MethodPost, path, body)
}

var caller = &http.Client{
	Transport:     &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 4},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// call sends a request. A body goes as JSON unless the headers, pairs of
// name and value, say otherwise.
func (w *world) call(t testing.TB, method, path, body string, headers ...string) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, w.url+path, strings.NewReader(body))
	must(t, err)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		if req.Header.Set(headers[i], headers[i+1]); headers[i] == "Host" {
			req.Host = headers[i+1]
		}
	}
	resp, err := caller.Do(req)
	must(t, err)
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	must(t, err)
	return answer{resp.StatusCode, resp.Header, data}
}

// problem checks that an answer is a problem document: code, status below
// 500, title, detail, hint, and a complaint at the path unless that is "".
func (a answer) problem(t testing.TB, code task.Code, paths ...string) {
	t.Helper()
	var p client.Error
	if kind := a.header.Get("Content-Type"); kind != "application/problem+json" {
		t.Fatalf("http: status %d with content type %q: %.300q", a.status, kind, a.body)
	}
	must(t, json.Unmarshal(a.body, &p))
	if a.status != statusOf[code] || p.Status != a.status || p.Code != code || a.status >= 500 {
		t.Fatalf("http: %d %.500s, want %d %s", a.status, a.body, statusOf[code], code)
	}
	if p.Title == "" || p.Detail == "" || p.Hint == "" {
		t.Errorf("http: no title, detail or hint in %.500s", a.body)
	}
	if len(paths) > 0 && !slices.ContainsFunc(paths, func(at string) bool { return complains(p.Errors, at) }) {
		t.Errorf("http: no complaint at %s in %.500s", paths, a.body)
	}
	if len(a.body) > 16<<10 || control(p.Detail) || control(p.Hint) {
		t.Errorf("http: %d bytes, or control characters, in %.500s", len(a.body), a.body)
	}
	for _, field := range p.Errors {
		if control(field.Path) || control(field.Message) {
			t.Errorf("http: control characters in %.500q", field)
		}
	}
	if bytes.Contains(a.body, []byte(".go:")) || bytes.Contains(a.body, []byte("goroutine ")) {
		t.Errorf("http: the inside shows in %.500s", a.body)
	}
}

// flags pairs the fields of a draft with the flags of `task enqueue`.
var flags = map[string]string{
	"id": "id", "type": "type", "queue": "queue", "payload": "payload", "delay": "delay", "run_at": "run-at", "priority": "priority",
	"key": "key", "dedupe_key": "dedupe-key", "dedupe_window": "dedupe-window", "policy": "policy", "retry": "retry",
	"max_attempts": "max-attempts", "timeout": "timeout", "deadline": "deadline", "ttl": "ttl", "trace_parent": "trace-parent",
	"url": "url", "method": "method",
}

// flagsOf turns a body into flags; false where flags cannot say it. Flag is
// the one that the path is about.
func flagsOf(body, at string) (args []string, flag string, ok bool) {
	var fields map[string]json.RawMessage
	if json.Unmarshal([]byte(body), &fields) != nil || len(body) > 32<<10 {
		return nil, "", false
	}
	ok = true
	text := func(name string, raw json.RawMessage) {
		value := string(raw)
		if raw[0] == '"' {
			ok = ok && json.Unmarshal(raw, &value) == nil && value != "" && !strings.Contains(value, "\x00")
		}
		args = append(args, "--"+name+"="+value)
	}
	var target map[string]json.RawMessage
	for name, raw := range fields {
		integer := name == "priority" || name == "max_attempts"
		switch {
		case name == "payload" || name == "retry":
			args = append(args, "--"+name+"="+string(raw))
			ok = ok && !strings.HasPrefix(string(raw), "@")
		case name == "target":
			ok = ok && json.Unmarshal(raw, &target) == nil
		case flags[name] == "", integer == (raw[0] == '"'), raw[0] == '{', raw[0] == '[', raw[0] == 't', raw[0] == 'n', raw[0] == 'f':
			return nil, "", false
		case !integer && raw[0] != '"':
			return nil, "", false
		default:
			text(flags[name], raw)
		}
	}
	for name, raw := range target {
		if name != "url" && name != "method" || raw[0] != '"' {
			return nil, "", false
		}
		text(name, raw)
	}
	last := at[strings.LastIndexByte(at, '.')+1:]
	return args, flags[last], ok
}

// draftOf turns a body into a Go draft; false where Go's types exclude it.
func draftOf(body string) (outlast.Draft, bool) {
	var d client.Draft
	decoder := json.NewDecoder(strings.NewReader(body))
	decoder.DisallowUnknownFields()
	if decoder.Decode(&d) != nil {
		return outlast.Draft{}, false
	}
	return goDraft(&d), true
}
