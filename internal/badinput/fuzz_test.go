package badinput

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Run one with `go test ./internal/badinput -run '^$' -fuzz FuzzEnqueueBody`.

// FuzzID: an id has one spelling, up to the case of its letters.
func FuzzID(f *testing.F) {
	for _, row := range nameRows {
		if row.at == "id" {
			f.Add(strings.TrimSuffix(strings.TrimPrefix(row.body, `{"type":"t","id":"`), `"}`))
		}
	}
	f.Add("019a9f2e-5c00-7abc-8def-0123456789ab")
	f.Add("019A9F2E-5C00-7ABC-8DEF-0123456789AB")
	f.Fuzz(func(t *testing.T, text string) {
		id, err := task.ParseID(text)
		if err != nil {
			if e := (*task.Error)(nil); !asError(err, &e) || e.Code != task.CodeInvalid || e.Hint == "" || control(e.Error()) {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		if id.String() != strings.ToLower(text) || id.IsZero() || id[6]>>4 != 7 || id[8]>>6 != 2 {
			t.Errorf("%q became %s", text, id)
		}
	})
}

// FuzzCursor: a cursor that nobody gave out is refused, never obeyed.
func FuzzCursor(f *testing.F) {
	for _, seed := range []string{"", "abc", "10", strings.Repeat("A", 28), strings.Repeat("A", 27) + "\n", "AQ==", "\x00", strings.Repeat("a", 5000)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, cursor string) {
		_, _, err := shared.node.Inspector().Tasks.Find(t.Context(), store.Filter{Type: "fuzz"}, store.Page{Cursor: cursor, Limit: 1})
		if cursor == "" {
			must(t, err)
			return
		}
		refusedInGo(t, err, task.CodeInvalid, "cursor")
	})
}

// longestQuery is what still fits into a request line.
const longestQuery = 20 << 10

// FuzzQuery: no query of a list is answered by more than a refusal.
func FuzzQuery(f *testing.F) {
	for _, row := range listRows {
		if query, ok := strings.CutPrefix(row.path, "?"); ok && len(query) <= longestQuery {
			f.Add(query)
		}
	}
	f.Add("state=dead&type=t&queue=default&since=2026-01-01T00:00:00Z&limit=1")
	f.Fuzz(func(t *testing.T, query string) {
		target, err := url.Parse(shared.url + "/v1/tasks")
		must(t, err)
		for _, c := range []byte(query) {
			if c <= ' ' || c >= 0x7f || c == '#' {
				query = url.QueryEscape(query)
				break
			}
		}
		target.RawQuery = query
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, target.String(), nil)
		if err != nil || len(query) > longestQuery {
			t.Skip("no URL")
		}
		resp, err := caller.Do(req)
		must(t, err)
		defer resp.Body.Close()
		var body bytes.Buffer
		_, err = body.ReadFrom(resp.Body)
		must(t, err)
		if resp.StatusCode != http.StatusOK {
			answer{resp.StatusCode, resp.Header, body.Bytes()}.problem(t, task.CodeInvalid)
		}
	})
}

// seedBodies are the tables' bodies, those that are not large.
func seedBodies(f *testing.F, fits func([]byte) bool) {
	add := func(body []byte) {
		if fits(body) {
			f.Add(body)
		}
	}
	for _, table := range [][]refusal{formRows, kindRows, nameRows, textRows, timeRows, policyRows, headerRows} {
		for _, row := range table {
			if len(row.body) < 4<<10 {
				add([]byte(row.body))
			}
		}
	}
	for _, payload := range keptPayloads {
		if len(payload) < 4<<10 {
			add([]byte(`{"type":"t","delay":"1h","payload":` + payload + `}`))
		}
	}
}

// FuzzEnqueueBody: whatever is sent, the answer is a task that shows the
// payload as it was sent, or a problem that is the sender's.
func FuzzEnqueueBody(f *testing.F) {
	seedBodies(f, func([]byte) bool { return true })
	f.Fuzz(func(t *testing.T, body []byte) {
		got := shared.post(t, "/v1/tasks", string(body))
		switch got.status {
		case http.StatusOK, http.StatusCreated:
			var sent map[string]json.RawMessage
			if err := json.Unmarshal(body, &sent); err != nil {
				t.Fatalf("accepted, but not JSON: %v: %q", err, body)
			}
			if payload, ok := sent["payload"]; ok && payloadOf(t, got.body) != string(payload) {
				t.Errorf("payload %q became %s", payload, got.body)
			}
		case http.StatusBadRequest:
			got.problem(t, task.CodeInvalid)
		case http.StatusRequestEntityTooLarge:
			got.problem(t, task.CodeTooLarge)
		case http.StatusUnsupportedMediaType:
			got.problem(t, mediaType)
		case http.StatusConflict, http.StatusTooManyRequests:
		default:
			t.Errorf("status %d for %q: %s", got.status, body, got.body)
		}
	})
}

// FuzzSameVerdict: what is a draft in Go gets the same verdict there as over
// HTTP, with complaints about the same fields.
func FuzzSameVerdict(f *testing.F) {
	seedBodies(f, func(body []byte) bool { _, _, ok := sendable(body); return ok })
	f.Fuzz(func(t *testing.T, body []byte) {
		draft, encoded, ok := sendable(body)
		if !ok {
			t.Skip("our clients would not send it") // the fuzzer's inputs only: the seeds are chosen
		}
		got := shared.post(t, "/v1/tasks", string(encoded))
		_, err := shared.node.Enqueue(t.Context(), goDraft(draft))
		if (got.status < 300) != (err == nil) && !formOnly(got.body) {
			t.Fatalf("%q: over HTTP %d %s, in Go %v", encoded, got.status, got.body, err)
		}
		if e := (*task.Error)(nil); err != nil && (!asError(err, &e) || e.Hint == "" || e.Code == task.CodeInternal) {
			t.Errorf("%q: %v", encoded, err)
		}
	})
}

// sendable reads a draft that our clients would send and whose verdict does
// not depend on what was sent before, and writes it in one form, so that only
// the values count.
func sendable(body []byte) (draft *client.Draft, encoded []byte, ok bool) {
	draft = &client.Draft{}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	if decoder.Decode(draft) != nil || !draft.ID.IsZero() || draft.DedupeKey != "" {
		return nil, nil, false
	}
	encoded, err := client.Marshal(draft)
	return draft, encoded, err == nil && !bytes.Contains(encoded, []byte(`\ufffd`))
}

// formOnly reports whether a problem is about the form of JSON alone: raw
// values have it in HTTP, and payloads in Go do not.
func formOnly(body []byte) bool {
	var problem client.Error
	if json.Unmarshal(body, &problem) != nil || len(problem.Errors) == 0 {
		return false
	}
	for _, field := range problem.Errors {
		if field.Path != "body" && !strings.Contains(field.Message, "surrogate") && !strings.Contains(field.Message, "NUL") {
			return false
		}
	}
	return true
}
