package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/outlast-dev/outlast/client"
)

// What is wrong with the form of a request is refused with a place.
func TestBadBodies(t *testing.T) {
	a := start(t)
	big := `"` + strings.Repeat("x", 1<<20) + `"`
	for _, c := range []struct {
		name, body string
		status     int
		code       string
		paths      []string
	}{
		{"no type", `{}`, 400, "invalid", []string{"type"}},
		{"empty", ``, 415, "unsupported_media_type", nil},
		{"space", ` `, 400, "invalid", []string{"body"}},
		{"list", `[]`, 400, "invalid", []string{"body"}},
		{"null", `null`, 400, "invalid", []string{"type"}},
		{"text", `"a"`, 400, "invalid", []string{"body"}},
		{"no JSON", `{"type":`, 400, "invalid", []string{"body"}},
		{"two values", `{"type":"a"}{}`, 400, "invalid", []string{"body"}},
		{"comment", `{"type":"a"/**/}`, 400, "invalid", []string{"body"}},
		{"NaN", `{"type":"a","payload":NaN}`, 400, "invalid", []string{"body"}},
		{"trailing comma", `{"type":"a",}`, 400, "invalid", []string{"body"}},
		{"leading zero", `{"type":"a","priority":05}`, 400, "invalid", []string{"body"}},
		{"byte order mark", "\ufeff{\"type\":\"a\"}", 400, "invalid", []string{"body"}},
		{"UTF-16", "\xff\xfe{\x00", 400, "invalid", []string{"body"}},
		{"invalid UTF-8", "{\"type\":\"a\xff\"}", 400, "invalid", []string{"body"}},
		{"invalid UTF-8 in the payload", "{\"type\":\"a\",\"payload\":\"\xff\"}", 400, "invalid", []string{"body"}},
		{"deep", `{"type":"a","payload":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`, 400, "invalid", []string{"body"}},
		{"very deep", strings.Repeat("[", 1<<20), 400, "invalid", []string{"body"}},
		{"unknown field", `{"type":"a","foo":1,"state":"dead"}`, 400, "invalid", []string{"foo", "state"}},
		{"no condition", `{"type":"a","target":{"url":"http://a","success":"statsu == 200"}}`, 400, "invalid", []string{"target.success"}},
		{"other case", `{"Type":"a"}`, 400, "invalid", []string{"Type"}},
		{"twice", `{"type":"a","type":"b"}`, 400, "invalid", []string{"type"}},
		{"twice by escape", `{"type":"a","typ\u0065":"b"}`, 400, "invalid", []string{"type"}},
		{"twice in metadata", `{"type":"a","metadata":{"x":"1","x":"2"}}`, 400, "invalid", []string{"metadata.x"}},
		{"twice in retry", `{"type":"a","retry":{"max_attempts":1,"max_attempts":2}}`, 400, "invalid", []string{"retry.max_attempts"}},
		{"NUL", `{"type":"a\u0000b"}`, 400, "invalid", []string{"type"}},
		{"lone surrogate", `{"type":"a","key":"\ud800x"}`, 400, "invalid", []string{"key"}},
		{"number for text", `{"type":12}`, 400, "invalid", []string{"type"}},
		{"text for number", `{"type":"a","priority":"5"}`, 400, "invalid", []string{"priority"}},
		{"fraction", `{"type":"a","priority":5.5}`, 400, "invalid", []string{"priority"}},
		{"exponent", `{"type":"a","priority":1e0}`, 400, "invalid", []string{"priority"}},
		{"huge number", `{"type":"a","priority":99999999999999999999}`, 400, "invalid", []string{"priority"}},
		{"priority", `{"type":"a","priority":10}`, 400, "invalid", []string{"priority"}},
		{"metadata number", `{"type":"a","metadata":{"x":1}}`, 400, "invalid", []string{"metadata.x"}},
		{"metadata null", `{"type":"a","metadata":{"x":null}}`, 400, "invalid", []string{"metadata.x"}},
		{"duration number", `{"type":"a","delay":5}`, 400, "invalid", []string{"delay"}},
		{"duration overflow", `{"type":"a","delay":"9999999999h"}`, 400, "invalid", []string{"delay"}},
		{"duration unit", `{"type":"a","delay":"1d"}`, 400, "invalid", []string{"delay"}},
		{"negative", `{"type":"a","delay":"-1s"}`, 400, "invalid", []string{"delay"}},
		{"time without zone", `{"type":"a","run_at":"2026-01-01T00:00:00"}`, 400, "invalid", []string{"run_at"}},
		{"epoch", `{"type":"a","run_at":1700000000}`, 400, "invalid", []string{"run_at"}},
		{"id", `{"type":"a","id":"../../etc"}`, 400, "invalid", []string{"id"}},
		{"id of version 4", `{"type":"a","id":"9b2e4a4e-1111-4222-8333-444455556666"}`, 400, "invalid", []string{"id"}},
		{"max_attempts", `{"type":"a","max_attempts":0}`, 400, "invalid", []string{"max_attempts"}},
		{"retry field", `{"type":"a","retry":{"backof":{}}}`, 400, "invalid", []string{"retry.backof"}},
		{"retry value", `{"type":"a","retry":{"backoff":{"multiplier":-1}}}`, 400, "invalid", []string{"retry.backoff.multiplier"}},
		{"target scheme", `{"target":{"url":"file:///etc/passwd"}}`, 400, "invalid", []string{"target.url"}},
		{"payload too large", `{"type":"a","payload":` + big + `}`, 413, "too_large", []string{"payload"}},
		{"body too large", `{"type":"a","payload":` + big + `,"key":` + big + `}`, 413, "too_large", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := a.call("POST", "/v1/tasks", c.body)
			got.t = t
			got.problem(c.status, c.code, c.paths...)
		})
	}
	if left := a.tasks(""); len(left) != 0 {
		t.Errorf("refused requests left %d tasks behind", len(left))
	}
}

func TestBadRequests(t *testing.T) {
	a := start(t)
	id := client.NewID().String()
	for _, c := range []struct {
		method, path, body string
		status             int
		code               string
		headers            []string
	}{
		{"GET", "/", "", 404, "not_found", nil},
		{"GET", "/v1", "", 404, "not_found", nil},
		{"GET", "/v1/tasks/", "", 404, "not_found", nil},
		{"GET", "/v1//tasks", "", 404, "not_found", nil},
		{"GET", "/v1/tasks/../queues", "", 404, "not_found", nil},
		{"GET", "/v1/worker", "", 404, "not_found", nil},
		{"GET", "/v1/tasks/x", "", 400, "invalid", nil},
		{"GET", "/v1/tasks/%00", "", 400, "invalid", nil},
		{"GET", "/v1/tasks/" + id, "", 404, "not_found", nil},
		{"GET", "/v1/tasks/" + id + "/attempts", "", 404, "not_found", nil},
		{"GET", "/v1/dead/" + id, "", 404, "not_found", nil},
		{"DELETE", "/v1/tasks/" + id, "", 405, "method_not_allowed", nil},
		{"GET", "/v1/tasks/" + id + "/cancel", "", 405, "method_not_allowed", nil},
		{"PATCH", "/v1/tasks", "", 405, "method_not_allowed", nil},
		{"OPTIONS", "/v1/tasks", "", 405, "method_not_allowed", nil},
		{"GET", "/v1/tasks?limit=0", "", 400, "invalid", nil},
		{"GET", "/v1/tasks?limit=501", "", 400, "invalid", nil},
		{"GET", "/v1/tasks?limit=-1", "", 400, "invalid", nil},
		{"GET", "/v1/tasks?limit=1e2", "", 400, "invalid", nil},
		{"GET", "/v1/tasks?limit=1&limit=2", "", 400, "invalid", nil},
		{"GET", "/v1/tasks?limit=1%20", "", 400, "invalid", nil},
		{"GET", "/v1/tasks?cursor=nonsense", "", 400, "invalid", nil},
		{"GET", "/v1/tasks?state=gone", "", 400, "invalid", nil},
		{"GET", "/v1/tasks?since=yesterday", "", 400, "invalid", nil},
		{"GET", "/v1/tasks?sort=id;drop", "", 400, "invalid", nil},
		{"GET", "/v1/tasks?%zz", "", 400, "invalid", nil},
		{"POST", "/v1/tasks/" + id + "/cancel", "{}", 404, "not_found", nil},
		{"POST", "/v1/tasks/" + id + "/cancel", `{"force":true}`, 400, "invalid", nil},
		{"POST", "/v1/tasks/" + id + "/cancel", "a=b", 415, "unsupported_media_type", []string{"Content-Type", "application/x-www-form-urlencoded"}},
		{"POST", "/v1/tasks", `{"type":"a"}`, 415, "unsupported_media_type", []string{"Content-Type", "text/plain"}},
		{"POST", "/v1/tasks", `{"type":"a"}`, 415, "unsupported_media_type", []string{"Content-Type", "application/json; charset=utf-16"}},
		{"POST", "/v1/tasks", `{"type":"a"}`, 415, "unsupported_media_type", []string{"Content-Encoding", "gzip"}},
		{"POST", "/v1/tasks", `{"type":"a"}`, 201, "", []string{"Content-Type", "Application/JSON; charset=UTF-8"}},
		{"GET", "/livez", "", 403, "denied", []string{"Host", "evil.example"}},
		{"GET", "/livez", "", 403, "denied", []string{"Host", "127.0.0.1.evil.example:80"}},
		{"GET", "/livez", "", 200, "", []string{"Host", "localhost:7070"}},
		{"GET", "/livez", "", 200, "", []string{"Host", "[::1]:7070"}},
		{"GET", "/v1/tasks", "", 403, "denied", []string{"Origin", "http://evil.example"}},
		{"GET", "/v1/tasks", "", 403, "denied", []string{"Origin", "null"}},
		{"GET", "/v1/tasks", "", 403, "denied", []string{"Sec-Fetch-Site", "cross-site"}},
		{"GET", "/v1/tasks", "", 200, "", []string{"Origin", a.url}},
		{"GET", "/readyz?verbose=perhaps", "", 400, "invalid", nil},
	} {
		t.Run(c.method+c.path+strings.Join(c.headers, ":"), func(t *testing.T) {
			got := a.call(c.method, c.path, c.body, c.headers...)
			if got.t = t; c.code == "" {
				got.is(c.status)
			} else {
				got.problem(c.status, c.code)
			}
			if c.status == 405 && got.header.Get("Allow") == "" {
				t.Error("no Allow")
			}
		})
	}
}

// Every route that is promised is in the document, and the document promises
// no more; GET changes nothing, so it takes no body.
func TestDocumentListsTheRoutes(t *testing.T) {
	a := start(t)
	var document struct {
		OpenAPI string `json:"openapi"`
		Paths   map[string]map[string]struct {
			OperationID string                     `json:"operationId"`
			Summary     string                     `json:"summary"`
			RequestBody json.RawMessage            `json:"requestBody"`
			Responses   map[string]json.RawMessage `json:"responses"`
		} `json:"paths"`
	}
	a.call("GET", "/openapi.json", "").is(200).into(&document)
	if !strings.HasPrefix(document.OpenAPI, "3.1") {
		t.Errorf("version %q", document.OpenAPI)
	}
	var got []string
	for path, methods := range document.Paths {
		for method, operation := range methods {
			got = append(got, strings.ToUpper(method)+" "+path)
			if operation.OperationID == "" || operation.Summary == "" || len(operation.Responses) == 0 {
				t.Errorf("%s %s is not described: %+v", method, path, operation)
			}
			if method == "get" && operation.RequestBody != nil {
				t.Errorf("GET %s takes a body", path)
			}
			probe := strings.NewReplacer("{id}", client.NewID().String(), "{name}", "default").Replace(path)
			if path == "/v1/events" {
				probe += "?for=1s" // else it has no end
			}
			if answer := a.call(strings.ToUpper(method), probe, map[bool]string{true: "{}"}[operation.RequestBody != nil]); answer.status == http.StatusMethodNotAllowed ||
				answer.status == http.StatusNotFound && strings.Contains(string(answer.body), "no route") {
				t.Errorf("%s %s is described and not served: %s", method, path, answer.body)
			}
		}
	}
	want := strings.Fields(strings.ReplaceAll(`
		POST_/v1/tasks POST_/v1/tasks/batch GET_/v1/tasks GET_/v1/tasks/upcoming GET_/v1/tasks/{id} GET_/v1/tasks/{id}/attempts
		POST_/v1/tasks/{id}/cancel POST_/v1/tasks/{id}/retry POST_/v1/tasks/{id}/reschedule POST_/v1/tasks/{id}/signals/{name} POST_/v1/tasks/bulk POST_/v1/tasks/run_due
		GET_/v1/dead GET_/v1/dead/{id} GET_/v1/dead/stats GET_/v1/dead/groups GET_/v1/dead/groups/{fingerprint} POST_/v1/dead/redrive POST_/v1/dead/purge GET_/v1/dead/export
		GET_/v1/operations GET_/v1/operations/{id} GET_/v1/operations/{id}/items POST_/v1/operations/{id}/pause POST_/v1/operations/{id}/resume POST_/v1/operations/{id}/cancel
		GET_/v1/queues GET_/v1/queues/{name} GET_/v1/queues/{name}/shares PUT_/v1/queues/{name} POST_/v1/queues/{name}/pause POST_/v1/queues/{name}/resume POST_/v1/queues/{name}/release-key GET_/v1/keys
		POST_/v1/policies/plan DELETE_/v1/alerts/silences/{id} GET_/v1/alerts/silences POST_/v1/alerts/silences POST_/v1/alerts/silences/preview GET_/v1/events GET_/v1/self POST_/v1/schedules/next POST_/v1/sim/compare POST_/v1/sim/whatif GET_/v1/policies GET_/v1/policies/{name} PUT_/v1/policies/{name} DELETE_/v1/policies/{name} GET_/v1/policies/{name}/versions
		POST_/v1/policies/{name}/promote POST_/v1/policies/{name}/abort
		GET_/v1/schedules GET_/v1/schedules/{name} PUT_/v1/schedules/{name} DELETE_/v1/schedules/{name} GET_/v1/schedules/{name}/next
		POST_/v1/schedules/{name}/trigger POST_/v1/schedules/{name}/pause POST_/v1/schedules/{name}/resume
		POST_/v1/task-groups GET_/v1/task-groups GET_/v1/task-groups/{id} POST_/v1/task-groups/{id}/close
		GET_/v1/stats GET_/v1/stats/compare GET_/v1/stats/series GET_/v1/sim/scenarios POST_/v1/sim/run GET_/v1/nodes GET_/v1/lanes POST_/v1/nodes/wake GET_/v1/targets GET_/v1/targets/{name} GET_/v1/targets/{name}/history POST_/v1/targets/{name}/open POST_/v1/targets/{name}/close POST_/v1/targets/{name}/reset
		POST_/v1/workers/poll POST_/v1/workers/extend POST_/v1/workers/steps POST_/v1/workers/settle GET_/v1/workers GET_/v1/groups PUT_/v1/groups/{group}/workers/{id} DELETE_/v1/groups/{group}/workers/{id}
		GET_/v1/alerts/rules GET_/v1/alerts/rules/{name} PUT_/v1/alerts/rules/{name} DELETE_/v1/alerts/rules/{name}
		GET_/v1/alerts/channels GET_/v1/alerts/channels/{name} PUT_/v1/alerts/channels/{name} DELETE_/v1/alerts/channels/{name}
		POST_/v1/alerts/channels/{name}/test GET_/v1/alerts/events POST_/v1/alerts/events/{id}/ack
		POST_/v1/tokens GET_/v1/tokens DELETE_/v1/tokens/{id} GET_/v1/audit
		GET_/livez GET_/readyz GET_/metrics GET_/openapi.json GET_/openapi-3.0.json`, "_/", " /"))
	routes := make([]string, 0, len(want)/2)
	for i := 0; i+1 < len(want); i += 2 {
		routes = append(routes, want[i]+" "+want[i+1])
	}
	slices.Sort(got)
	slices.Sort(routes)
	if fmt.Sprint(got) != fmt.Sprint(routes) {
		t.Errorf("the document lists\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(routes, "\n"))
	}
}
