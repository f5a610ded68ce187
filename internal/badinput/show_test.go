package badinput

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

var page = store.Page{Limit: 10}

func filterByKey(key string) store.Filter { return store.Filter{Key: key} }

func asError(err error, e **task.Error) bool { return errors.As(err, e) }

// hostile is text that commands terminals, forges log lines and turns
// reading order around.
const hostile = "\x1b]0;owned\x07\x1b[2J\x1b]8;;http://evil\x07\u009b31m\u202egpj.exe\u2066\u200b\u2028\r\nlevel=ERROR msg=forged\x7f"

// What tasks and receivers say is shown, and logged, but never obeyed.
func TestTerminalsAndLogs(t *testing.T) {
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(hostile)) // to a test
	}))
	defer receiver.Close()
	payload, err := json.Marshal(hostile)
	must(t, err)
	raw := strings.NewReplacer(`\u007f`, "\x7f", `\u2028`, "\u2028").Replace(string(payload)) // raw where JSON allows it
	receipt, err := shared.node.Enqueue(t.Context(), outlast.Draft{
		Target: &task.Request{URL: receiver.URL}, Payload: []byte(raw), Key: "\u202ekey\u2066\u200b", Metadata: map[string]string{"a": "\u202e"},
	})
	must(t, err)
	view := ended(t, receipt.Task.ID)
	if view.State != task.Dead {
		t.Fatalf("%s %+v", view.State, view.LastError)
	}
	id := receipt.Task.ID.String()
	for _, args := range [][]string{
		{"task", "get", id}, {"task", "list", "--type=http", "--state=dead"}, {"task", "attempts", id},
		{"dead", "get", id}, {"dead", "list"}, {"dead", "groups"}, {"dead", "stats"}, {"dead", "redrive", "--dry-run", "--all"}, {"dead", "purge", "--dry-run", "--all"},
	} {
		p := shared.process(t, "", args...)
		if p.exit != 0 || control(p.stdout) || control(p.messages) {
			t.Errorf("%v: exit %d: %q %q", args, p.exit, p.stdout, p.messages)
		}
	}
	p := shared.process(t, "", "task", "get", id, "--output=json")
	if payloadOf(t, []byte(p.stdout)) != raw {
		t.Errorf("JSON for programs was altered: %q", p.stdout)
	}
	if strings.Count(strings.TrimRight(p.stdout, "\n"), "\n") != 0 {
		t.Errorf("more than one line: %q", p.stdout)
	}
	message := view.LastError.Message
	if strings.ContainsAny(message, "\x1b\x07\x7f\u009b") {
		t.Errorf("a stored error has control characters: %q", message)
	}
}

// Every line of the log begins as the logger begins lines, and none has a
// character that a terminal would obey.
func TestLog(t *testing.T) {
	for _, path := range []string{"/%1b%5b2J%0alevel=ERROR", "/v1/tasks/%0d%0a", "/v1/queues/%e2%80%ae", "/v1/tasks?x=%0a"} {
		shared.call(t, "GET", path, "", "User-Agent", "a\tb \u202e")
	}
	line := regexp.MustCompile(`^time=\S+ level=(DEBUG|INFO|WARN|ERROR) msg=`)
	for text := range strings.SplitSeq(strings.TrimRight(shared.log.String(), "\n"), "\n") {
		if !line.MatchString(text) || strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }) {
			t.Errorf("log line %.300q", text)
		}
		if strings.Contains(text, "panic") {
			t.Errorf("a panic: %.3000s", text)
		}
	}
}

// One count for the table of the project's plan.
func TestSize(t *testing.T) {
	rows := 0
	for _, table := range [][]refusal{formRows, kindRows, nameRows, textRows, timeRows, policyRows, seenRows(), headerRows} {
		rows += len(table)
		seen := map[string]bool{}
		for _, row := range table {
			if seen[row.body] && row.draft == nil {
				t.Errorf("%s repeats another row", row.name)
			}
			seen[row.body] = true
		}
	}
	rows += len(listRows) + len(pathRows) + len(queueRows) + len(targetRows) + len(deadRows) + len(callRows) + len(dialURLs)
	kept := len(keptPayloads) + len(keptFields)
	t.Logf("%d refusals, %d oddities that are kept", rows, kept)
	if rows < 150 || kept < 50 {
		t.Errorf("%d refusals and %d kept oddities; at least 150 and 50 are promised", rows, kept)
	}
}

// fuzzTargets of hostile input that live elsewhere, named in the package
// comment.
var fuzzTargets = map[string][]string{
	"retry":                   {"FuzzParseSpec", "FuzzDuration"},
	"retry/internal/classify": {"FuzzRetryAfter"},
	"internal/safehttp":       {"FuzzCheckURL", "FuzzHeader", "FuzzGuard"},
	"internal/push":           {"FuzzResult", "FuzzClean"},
	"internal/badinput":       {"FuzzID", "FuzzCursor", "FuzzQuery", "FuzzEnqueueBody", "FuzzSameVerdict"},
}

func TestFuzzTargets(t *testing.T) {
	for folder, names := range fuzzTargets {
		files, err := filepath.Glob(filepath.Join("..", "..", folder, "*_test.go"))
		must(t, err)
		var text strings.Builder
		for _, file := range files {
			data, err := os.ReadFile(file)
			must(t, err)
			text.Write(data)
		}
		for _, name := range names {
			if !strings.Contains(text.String(), "func "+name+"(f *testing.F)") {
				t.Errorf("package %s has no %s any more", folder, name)
			}
		}
	}
}
