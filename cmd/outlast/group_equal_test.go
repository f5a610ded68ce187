package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/outlast-dev/outlast/client"
)

// A configuration with worker groups changes nothing of tasks that find a member at
// once, whether they are for a group or not: answers and records are equal but for times
// and names of processes.
func TestGroupsSectionChangesNoRecord(t *testing.T) {
	config := filepath.Join(t.TempDir(), "outlast.yaml")
	text := "groups:\n  crew: {dispatch: {steps: [2s]}, busy: {steps: [1s]}, member_ttl: 30s}\n  other: {}\n"
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	member := endpoint(t, func(w http.ResponseWriter, r *http.Request) {
		switch attempt := r.Header.Get("Outlast-Attempt"); {
		case r.URL.Path == "/gone":
			w.WriteHeader(http.StatusGone)
		case r.URL.Path == "/second" && attempt == "1":
			http.Error(w, "not yet", http.StatusInternalServerError)
		default:
			fmt.Fprintf(w, `{"path": %q, "attempt": %s}`, r.URL.Path, attempt)
		}
	})
	with, without := startServer(t, "--store", "memory:", "--config", config), startServer(t, "--store", "memory:")
	const retry = `"retry": {"max_attempts": 3, "backoff": {"kind": "fixed", "initial": "50ms", "jitter": "none"}}`
	drafts := []string{
		`{"type": "greet", "delay": "1h", "metadata": {"a": "b"}}`,
		`{"type": "greet", "delay": "1h", "priority": 9, "key": "k", "dedupe_key": "d"}`,
		`{"target": {"group": "nobody"}, "delay": "1h"}`,
	}
	for _, path := range []string{"/fine", "/second", "/gone"} {
		drafts = append(drafts,
			`{"target": {"url": "`+member+path+`"}, "key": "`+path+`", `+retry+`}`,
			`{"target": {"group": "crew", "path": "`+path+`"}, "payload": {"n": 1}, `+retry+`}`)
	}
	for _, server := range []*process{with, without} {
		join(t, server.url, "crew", member)
	}
	for _, draft := range drafts {
		id := client.NewID().String()
		draft = `{"id": "` + id + `", ` + draft[1:]
		var records [2][]any
		for i, server := range []*process{with, without} {
			wait := "?wait=30s"
			if strings.Contains(draft, "delay") {
				wait = ""
			}
			for _, call := range [][2]string{{"POST", "/v1/tasks" + wait}, {"GET", "/v1/tasks/" + id}, {"GET", "/v1/tasks/" + id + "/attempts"}, {"GET", "/v1/dead/" + id}, {"POST", "/v1/tasks/" + id + "/cancel"}} {
				records[i] = append(records[i], answerOf(t, call[0], server.url+call[1], draft))
			}
		}
		if !reflect.DeepEqual(records[0], records[1]) {
			t.Errorf("%s\nwith groups:    %v\nwithout groups: %v", draft, records[0], records[1])
		}
	}
}

// answerOf is the status of an answer, and its body without what differs from run to run.
func answerOf(t *testing.T, method, url, body string) (answer [2]any) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		t.Fatalf("%s %s: %v in %s", method, url, err, data)
	}
	return [2]any{resp.StatusCode, timeless(value)}
}

// timeless blanks times and names of processes; that they are there is kept.
func timeless(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for name := range value {
			switch {
			case strings.HasSuffix(name, "_at"), name == "at", name == "claim", name == "node", name == "request_id", name == "instance", name == "next_check":
				value[name] = "…"
			default:
				value[name] = timeless(value[name])
			}
		}
	case []any:
		for i := range value {
			value[i] = timeless(value[i])
		}
	}
	return value
}
