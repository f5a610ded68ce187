package badinput

import (
	"context"
	"encoding/json"
	"math"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// request is a row of everything beside enqueues: one bad request, and the
// same on the command line and in Go where they can say it.
type request struct {
	name         string
	method, path string // a path that begins with ? is a query of /v1/tasks
	body         string
	at           string
	code         task.Code // invalid when ""
	cli          []string
	inGo         func(ctx context.Context, i *inspect.Inspector) error
}

// find is a list in Go.
func find(filter store.Filter, page store.Page) func(context.Context, *inspect.Inspector) error {
	return func(ctx context.Context, i *inspect.Inspector) error {
		_, _, err := i.Tasks.Find(ctx, filter, page)
		return err
	}
}

func put(queue store.Queue) func(context.Context, *inspect.Inspector) error {
	return func(ctx context.Context, i *inspect.Inspector) error {
		_, err := i.Queues.Put(ctx, queue)
		return err
	}
}

func redrive(request inspect.RedriveRequest) func(context.Context, *inspect.Inspector) error {
	return func(ctx context.Context, i *inspect.Inspector) error {
		_, err := i.Letters.Redrive(ctx, request)
		return err
	}
}

func items(page store.Page) func(context.Context, *inspect.Inspector) error {
	return func(ctx context.Context, i *inspect.Inspector) error {
		_, _, err := i.Operations.RedriveItems(ctx, "019a9f2e-5c00-7abc-8def-0123456789ab", page)
		return err
	}
}

var listRows = []request{
	{name: "limit of 0", path: "?limit=0", at: "limit", cli: []string{"task", "list", "--limit=0"}},
	{name: "limit of -1", path: "?limit=-1", at: "limit", cli: []string{"task", "list", "--limit=-1"}, inGo: find(store.Filter{}, store.Page{Limit: -1})},
	{name: "limit of 501", path: "?limit=501", at: "limit", inGo: find(store.Filter{}, store.Page{Limit: 501})},
	{name: "limit of 10^9", path: "?limit=1000000000", at: "limit", inGo: find(store.Filter{}, store.Page{Limit: 1e9})},
	{name: "limit of 2^64", path: "?limit=18446744073709551616", at: "limit", cli: []string{"task", "list", "--limit=18446744073709551616"}},
	{name: "limit of NaN", path: "?limit=NaN", at: "limit", cli: []string{"task", "list", "--limit=NaN"}},
	{name: "limit of 1.5", path: "?limit=1.5", at: "limit", cli: []string{"task", "list", "--limit=1.5"}},
	{name: "limit of 1e2", path: "?limit=1e2", at: "limit", cli: []string{"task", "list", "--limit=1e2"}},
	{name: "limit of null", path: "?limit=null", at: "limit", cli: []string{"task", "list", "--limit=null"}},
	{name: "limit of a list", path: "?limit=[1]", at: "limit"},
	{name: "limit with a tail", path: "?limit=1;drop", at: "query"},
	{name: "limit with a blank", path: "?limit=1%20x", at: "limit"},
	{name: "limit twice", path: "?limit=1&limit=2", at: "limit"},
	{name: "unknown parameter", path: "?offset=10", at: "offset"},
	{name: "sort", path: "?sort=id;drop", at: "query"},
	{name: "order by", path: "?order_by=(select%201)", at: "order_by"},
	{name: "parameter in another case", path: "?Limit=1", at: "Limit"},
	{name: "parameter of control characters", path: "?%1b%5b2J=1", at: `\x1b[2J`},
	{name: "bad escape", path: "?type=%zz", at: "query"},
	{name: "unknown state", path: "?state=done", at: "state", cli: []string{"task", "list", "--state=done"}, inGo: find(store.Filter{State: "done"}, store.Page{})},
	{name: "state in capitals", path: "?state=DEAD", at: "state", cli: []string{"task", "list", "--state=DEAD"}, inGo: find(store.Filter{State: "DEAD"}, store.Page{})},
	{name: "state with SQL", path: "?state=dead'%20OR%201=1--", at: "state", cli: []string{"task", "list", "--state=dead' OR 1=1--"}},
	{name: "state with an escape sequence", path: "?state=%1b%5b2J", at: "state", cli: []string{"task", "list", "--state=\x1b[2J"}, inGo: find(store.Filter{State: "\x1b[2J"}, store.Page{})},
	{name: "type with NUL", path: "?type=a%00b", at: "type"},
	{name: "key that is not UTF-8", path: "?key=%ff", at: "key", cli: []string{"task", "list", "--key=\xff"}},
	{name: "since without a zone", path: "?since=2026-11-20T10:00:00", at: "since", cli: []string{"task", "list", "--since=2026-11-20T10:00:00"}},
	{name: "since of Go's zero time", path: "?since=0001-01-01T00:00:00Z", at: "since", cli: []string{"task", "list", "--since=0001-01-01T00:00:00Z"}},
	{name: "since beyond year 9999 in UTC", path: "?since=9999-12-31T23:59:59-14:00", at: "since", cli: []string{"task", "list", "--since=9999-12-31T23:59:59-14:00"},
		inGo: find(store.Filter{Since: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}, store.Page{})},
	{name: "until before year 0 in UTC", path: "?until=0000-01-01T00:00:00%2B14:00", at: "until"},
	{name: "since in seconds", path: "?since=1790000000", at: "since", cli: []string{"task", "list", "--since=1790000000"}},
	{name: "until before since", path: "?since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z", at: "until",
		cli:  []string{"task", "list", "--since=2026-01-02T00:00:00Z", "--until=2026-01-01T00:00:00Z"},
		inGo: find(store.Filter{Since: time.Unix(2, 0), Until: time.Unix(1, 0)}, store.Page{})},
	{name: "cursor of letters", path: "?cursor=abc", at: "cursor", cli: []string{"task", "list", "--cursor=abc"}, inGo: find(store.Filter{}, store.Page{Cursor: "abc"})},
	{name: "cursor of a number", path: "?cursor=10", at: "cursor", cli: []string{"task", "list", "--cursor=10"}, inGo: find(store.Filter{}, store.Page{Cursor: "10"})},
	{name: "cursor with SQL", path: "?cursor=%27%3b--", at: "cursor", cli: []string{"task", "list", "--cursor=';--"}, inGo: find(store.Filter{}, store.Page{Cursor: "';--"})},
	{name: "cursor of 20 KiB", path: "?cursor=" + strings.Repeat("A", 20<<10), at: "cursor", inGo: find(store.Filter{}, store.Page{Cursor: strings.Repeat("A", 20<<10)})},
	{name: "cursor of NUL", path: "?cursor=%00", at: "cursor"},
	{name: "wait that is negative", method: "POST", path: "/v1/tasks?wait=-1s", body: `{"type":"t"}`, at: "wait"},
	{name: "wait of an hour", method: "POST", path: "/v1/tasks?wait=1h", body: `{"type":"t"}`, at: "wait"},
	{name: "wait without a unit", method: "POST", path: "/v1/tasks?wait=10", body: `{"type":"t"}`, at: "wait"},
	{name: "reason of a dead letter", method: "GET", path: "/v1/dead?reason=bored", at: "reason", cli: []string{"dead", "list", "--reason=bored"}, inGo: func(ctx context.Context, i *inspect.Inspector) error {
		_, _, err := i.Letters.Find(ctx, store.Filter{Reason: "bored"}, store.Page{})
		return err
	}},
	{name: "groups over 500", method: "GET", path: "/v1/dead/groups?limit=501", at: "limit"},
	{name: "operations over 500", method: "GET", path: "/v1/operations?limit=501", at: "limit", inGo: func(ctx context.Context, i *inspect.Inspector) error {
		_, err := i.Operations.List(ctx, 501)
		return err
	}},
	{name: "export by an unknown reason", method: "GET", path: "/v1/dead/export?reason=bored", at: "reason", cli: []string{"dead", "export", "--reason=bored"}},
}

var pathRows = []request{
	{name: "id of a word", method: "GET", path: "/v1/tasks/x", at: "id", cli: []string{"task", "get", "x"}},
	{name: "id of version 4", method: "GET", path: "/v1/tasks/3f2504e0-4f89-41d3-9a0c-0305e82c3301", at: "id", cli: []string{"task", "get", "3f2504e0-4f89-41d3-9a0c-0305e82c3301"}},
	{name: "id of zeros", method: "POST", path: "/v1/tasks/00000000-0000-0000-0000-000000000000/cancel", at: "id", cli: []string{"task", "cancel", "00000000-0000-0000-0000-000000000000"}},
	{name: "id of 37 characters", method: "GET", path: "/v1/tasks/019a9f2e-5c00-7abc-8def-0123456789abc/attempts", at: "id", cli: []string{"task", "attempts", "019a9f2e-5c00-7abc-8def-0123456789abc"}},
	{name: "id with NUL", method: "GET", path: "/v1/tasks/%00", at: "id"},
	{name: "id that is not UTF-8", method: "GET", path: "/v1/tasks/%ff", at: "id", cli: []string{"task", "get", "\xff"}},
	{name: "id with a slash, escaped", method: "GET", path: "/v1/tasks/a%2fb", at: "id", cli: []string{"task", "get", "a/b"}},
	{name: "id of dots, escaped twice", method: "GET", path: "/v1/tasks/%252e%252e%252fqueues", at: "id", cli: []string{"task", "retry", "%2e%2e%2fqueues"}},
	{name: "id with a backslash", method: "GET", path: "/v1/tasks/..%5cqueues", at: "id", cli: []string{"task", "get", `..\queues`}},
	{name: "id that is a flag", method: "GET", path: "/v1/tasks/--help", at: "id", cli: []string{"task", "get", "--", "--help"}},
	{name: "id with an escape sequence", method: "GET", path: "/v1/tasks/%1b%5d0;x%07", at: "id", cli: []string{"task", "get", "\x1b]0;x\x07"}},
	{name: "id with a bidi override", method: "GET", path: "/v1/dead/%e2%80%ae", at: "id", cli: []string{"dead", "get", "\u202e"}},
	{name: "dots", method: "GET", path: "/v1/tasks/%2e%2e/queues", code: task.CodeNotFound},
	{name: "dots and slash, escaped", method: "GET", path: "/v1/tasks/..%2fqueues", code: task.CodeNotFound},
	{name: "two slashes", method: "GET", path: "/v1//tasks", code: task.CodeNotFound},
	{name: "slash at the end", method: "GET", path: "/v1/queues/", code: task.CodeNotFound},
	{name: "unknown route", method: "GET", path: "/v2/tasks", code: task.CodeNotFound},
	{name: "route in another case", method: "GET", path: "/V1/tasks", code: task.CodeNotFound},
	{name: "route with a parameter", method: "GET", path: "/v1/tasks;x=1", code: task.CodeNotFound},
	{name: "admin", method: "GET", path: "/debug/pprof/", code: task.CodeNotFound},
	{name: "task that is not there", method: "GET", path: "/v1/tasks/019a9f2e-5c00-7abc-8def-0123456789ab", code: task.CodeNotFound},
	{name: "cancel of a task that is not there", method: "POST", path: "/v1/tasks/019a9f2e-5c00-7abc-8def-0123456789ab/cancel", code: task.CodeNotFound},
	{name: "operation that is not there", method: "GET", path: "/v1/operations/..%5c..", code: task.CodeNotFound},
	{name: "operation with NUL", method: "POST", path: "/v1/operations/%00/cancel", at: "id"},
	{name: "queue that is not there", method: "POST", path: "/v1/queues/nowhere/pause", code: task.CodeNotFound},
	{name: "change by GET", method: "GET", path: "/v1/tasks/019a9f2e-5c00-7abc-8def-0123456789ab/cancel", code: "method_not_allowed"},
	{name: "DELETE of a task", method: "DELETE", path: "/v1/tasks/019a9f2e-5c00-7abc-8def-0123456789ab", code: "method_not_allowed"},
	{name: "PATCH", method: "PATCH", path: "/v1/tasks", code: "method_not_allowed"},
	{name: "OPTIONS", method: "OPTIONS", path: "/v1/tasks", code: "method_not_allowed"},
	{name: "TRACE", method: "TRACE", path: "/v1/tasks", code: "method_not_allowed"},
	{name: "method of one's own", method: "QUERY", path: "/v1/tasks", code: "method_not_allowed"},
	{name: "method in lower case", method: "get", path: "/v1/tasks", code: "method_not_allowed"},
}

var queueRows = []request{
	{name: "name with a slash", method: "PUT", path: "/v1/queues/a%2fb", body: `{}`, at: "name", cli: []string{"queue", "create", "a/b"}, inGo: put(store.Queue{Name: "a/b"})},
	{name: "name of dots and a slash", method: "PUT", path: "/v1/queues/..%5cx", body: `{}`, at: "name", cli: []string{"queue", "create", `..\x`}, inGo: put(store.Queue{Name: `..\x`})},
	{name: "name that is not UTF-8", method: "PUT", path: "/v1/queues/%ff", body: `{}`, at: "name", cli: []string{"queue", "create", "\xff"}, inGo: put(store.Queue{Name: "\xff"})},
	{name: "name with NUL", method: "PUT", path: "/v1/queues/a%00", body: `{}`, at: "name", inGo: put(store.Queue{Name: "a\x00"})},
	{name: "name with a bidi override", method: "PUT", path: "/v1/queues/%e2%80%aex", body: `{}`, at: "name", cli: []string{"queue", "create", "\u202ex"}, inGo: put(store.Queue{Name: "\u202ex"})},
	{name: "name of 129 characters", method: "PUT", path: "/v1/queues/" + strings.Repeat("q", 129), body: `{}`, at: "name", cli: []string{"queue", "create", strings.Repeat("q", 129)}, inGo: put(store.Queue{Name: strings.Repeat("q", 129)})},
	{name: "0 lanes", method: "PUT", path: "/v1/queues/q", body: `{"lanes":0}`, at: "lanes", cli: []string{"queue", "create", "q", "--lanes=0"}},
	{name: "-1 lanes", method: "PUT", path: "/v1/queues/q", body: `{"lanes":-1}`, at: "lanes", cli: []string{"queue", "create", "q", "--lanes=-1"}, inGo: put(store.Queue{Name: "q", Lanes: -1})},
	{name: "257 lanes", method: "PUT", path: "/v1/queues/q", body: `{"lanes":257}`, at: "lanes", cli: []string{"queue", "create", "q", "--lanes=257"}, inGo: put(store.Queue{Name: "q", Lanes: 257})},
	{name: "lanes as a text", method: "PUT", path: "/v1/queues/q", body: `{"lanes":"8"}`, at: "lanes"},
	{name: "2^40 lanes", method: "PUT", path: "/v1/queues/q", body: `{"lanes":1099511627776}`, at: "lanes", cli: []string{"queue", "create", "q", "--lanes=1099511627776"}, inGo: put(store.Queue{Name: "q", Lanes: 1 << 40})},
	{name: "negative concurrency", method: "PUT", path: "/v1/queues/q", body: `{"concurrency":-1}`, at: "concurrency", cli: []string{"queue", "create", "q", "--concurrency=-1"}, inGo: put(store.Queue{Name: "q", Concurrency: -1})},
	{name: "negative max_pending", method: "PUT", path: "/v1/queues/q", body: `{"max_pending":-1}`, at: "max_pending", cli: []string{"queue", "create", "q", "--max-pending=-1"}, inGo: put(store.Queue{Name: "q", MaxPending: -1})},
	{name: "weight of 1001", method: "PUT", path: "/v1/queues/q", body: `{"weight":1001}`, at: "weight", cli: []string{"queue", "create", "q", "--weight=1001"}, inGo: put(store.Queue{Name: "q", Weight: 1001})},
	{name: "unknown policy", method: "PUT", path: "/v1/queues/q", body: `{"policy":"x"}`, at: "policy", cli: []string{"queue", "create", "q", "--policy=x"}, inGo: put(store.Queue{Name: "q", Policy: "x"})},
	{name: "unknown unknown_type", method: "PUT", path: "/v1/queues/q", body: `{"unknown_type":"drop"}`, at: "unknown_type", cli: []string{"queue", "create", "q", "--unknown-type=drop"}, inGo: put(store.Queue{Name: "q", UnknownType: "drop"})},
	{name: "paused in a change", method: "PUT", path: "/v1/queues/q", body: `{"paused":true}`, at: "paused"},
	{name: "counts in a change", method: "PUT", path: "/v1/queues/q", body: `{"counts":{}}`, at: "counts"},
	{name: "body of a pause", method: "POST", path: "/v1/queues/default/pause", body: `{"for":"1h"}`, at: "for"},
}

var targetRows = []request{
	{name: "name that is not UTF-8", method: "POST", path: "/v1/targets/%ff/open", at: "name", cli: []string{"target", "open", "\xff"}, inGo: order("\xff", store.TargetOpen)},
	{name: "name with NUL", method: "POST", path: "/v1/targets/a%00/open", at: "name", inGo: order("a\x00", store.TargetOpen)},
	{name: "name with a line feed", method: "POST", path: "/v1/targets/a%0ab/open", at: "name", cli: []string{"target", "open", "a\nb"}, inGo: order("a\nb", store.TargetOpen)},
	{name: "name of 513 characters", method: "POST", path: "/v1/targets/" + strings.Repeat("t", 513) + "/open", at: "name", cli: []string{"target", "open", strings.Repeat("t", 513)}, inGo: order(strings.Repeat("t", 513), store.TargetOpen)},
	{name: "no name", method: "POST", path: "/v1/targets//open", code: task.CodeNotFound},
	{name: "unknown action", method: "POST", path: "/v1/targets/t/shut", code: task.CodeNotFound},
	{name: "body of an order", method: "POST", path: "/v1/targets/t/open", body: `{"for":"1h"}`, at: "for"},
	{name: "target that is not there", method: "POST", path: "/v1/targets/nowhere.example/close", code: task.CodeNotFound},
	{name: "501 targets", method: "GET", path: "/v1/targets?limit=501", at: "limit", cli: []string{"target", "list", "--limit=501"}},
	{name: "a state of targets", method: "GET", path: "/v1/targets?state=open", at: "state"},
	{name: "501 nodes", method: "GET", path: "/v1/nodes?limit=501", at: "limit", cli: []string{"node", "list", "--limit=501"}},
	{name: "a state of nodes", method: "GET", path: "/v1/nodes?state=dead", at: "state"},
	{name: "501 lanes", method: "GET", path: "/v1/lanes?limit=501", at: "limit", cli: []string{"node", "lanes", "--limit=501"}, inGo: lanes(inspect.LaneFilter{}, 501)},
	{name: "-1 lanes of a page", method: "GET", path: "/v1/lanes?limit=-1", at: "limit", cli: []string{"node", "lanes", "--limit=-1"}, inGo: lanes(inspect.LaneFilter{}, -1)},
	{name: "cursor of lanes with SQL", method: "GET", path: "/v1/lanes?cursor=%27%3b--", at: "cursor", cli: []string{"node", "lanes", "--cursor=';--"}},
	{name: "cursor of lane 65536", method: "GET", path: "/v1/lanes?cursor=65536", at: "cursor", cli: []string{"node", "lanes", "--cursor=65536"}},
	{name: "cursor of lane 01", method: "GET", path: "/v1/lanes?cursor=01", at: "cursor", cli: []string{"node", "lanes", "--cursor=01"}},
	{name: "lanes of a queue that is not there", method: "GET", path: "/v1/lanes?queue=nowhere", code: task.CodeNotFound, inGo: lanes(inspect.LaneFilter{Queue: "nowhere"}, 0)},
	{name: "lanes of a node that is not there", method: "GET", path: "/v1/lanes?node=nobody", code: task.CodeNotFound, inGo: lanes(inspect.LaneFilter{Node: "nobody"}, 0)},
	{name: "wake-up without a key", method: "POST", path: "/v1/nodes/wake", body: `{"lanes":[1]}`, code: task.CodeDenied},
	{name: "wake-up of lane 65536", method: "POST", path: "/v1/nodes/wake", body: `{"lanes":[65536]}`, at: "lanes[0]"},
	{name: "wake-up of lane -1", method: "POST", path: "/v1/nodes/wake", body: `{"lanes":[0,-1]}`, at: "lanes[1]"},
	{name: "wake-up of a text", method: "POST", path: "/v1/nodes/wake", body: `{"lanes":["1"]}`, at: "lanes[0]"},
	{name: "wake-up of 4097 lanes", method: "POST", path: "/v1/nodes/wake", body: `{"lanes":[` + strings.Repeat("1,", 4096) + `1]}`, at: "lanes"},
	{name: "wake-up of 64 KiB", method: "POST", path: "/v1/nodes/wake", body: `{"lanes":[` + strings.Repeat("10000,", 11_000) + `1]}`, at: "body", code: task.CodeTooLarge},
	{name: "wake-up by GET", method: "GET", path: "/v1/nodes/wake", code: "method_not_allowed"},
	{name: "order by GET", method: "GET", path: "/v1/targets/t/open", code: "method_not_allowed"},
}

func lanes(filter inspect.LaneFilter, limit int) func(context.Context, *inspect.Inspector) error {
	return func(ctx context.Context, i *inspect.Inspector) error {
		_, _, err := i.Nodes.Lanes(ctx, filter, -1, limit)
		return err
	}
}

func order(name string, action store.TargetAction) func(context.Context, *inspect.Inspector) error {
	return func(ctx context.Context, i *inspect.Inspector) error {
		_, err := i.Targets.Order(ctx, name, action)
		return err
	}
}

var nan = zero / zero

var zero float64

var deadRows = []request{
	{name: "redrive of nothing", method: "POST", path: "/v1/dead/redrive", body: `{}`, at: "filter", cli: []string{"dead", "redrive"}},
	{name: "redrive of no ids", method: "POST", path: "/v1/dead/redrive", body: `{"ids":[]}`, at: "ids"},
	{name: "redrive of ids and a filter", method: "POST", path: "/v1/dead/redrive", body: `{"ids":["019a9f2e-5c00-7abc-8def-0123456789ab"],"filter":{}}`, at: "filter",
		cli:  []string{"dead", "redrive", "019a9f2e-5c00-7abc-8def-0123456789ab", "--type=t"},
		inGo: redrive(inspect.RedriveRequest{IDs: []outlast.ID{{1}}, Filter: &store.Filter{}})},
	{name: "redrive of a bad id", method: "POST", path: "/v1/dead/redrive", body: `{"ids":["019a9f2e-5c00-7abc-8def-0123456789ab","x"]}`, at: "ids[1]", cli: []string{"dead", "redrive", "019a9f2e-5c00-7abc-8def-0123456789ab", "x"}},
	{name: "redrive of 10 001 ids", method: "POST", path: "/v1/dead/redrive", body: `{"ids":[` + strings.Repeat(`"019a9f2e-5c00-7abc-8def-0123456789ab",`, 10_000) + `"019a9f2e-5c00-7abc-8def-0123456789ab"]}`, at: "ids",
		inGo: redrive(inspect.RedriveRequest{IDs: make([]outlast.ID, 10_001)})},
	{name: "redrive at a negative rate", method: "POST", path: "/v1/dead/redrive", body: `{"filter":{},"rate":-1}`, at: "rate", cli: []string{"dead", "redrive", "--all", "--rate=-1"}, inGo: redrive(inspect.RedriveRequest{Filter: &store.Filter{}, Rate: -1})},
	{name: "redrive at a rate of 1e-300", method: "POST", path: "/v1/dead/redrive", body: `{"filter":{},"rate":1e-300}`, at: "rate", cli: []string{"dead", "redrive", "--all", "--rate=1e-300"}, inGo: redrive(inspect.RedriveRequest{Filter: &store.Filter{}, Rate: 1e-300})},
	{name: "redrive with a canary of -1", method: "POST", path: "/v1/dead/redrive", body: `{"filter":{},"canary":-1}`, at: "canary", cli: []string{"dead", "redrive", "--all", "--canary=-1"}, inGo: redrive(inspect.RedriveRequest{Filter: &store.Filter{}, Canary: -1})},
	{name: "redrive with a canary of 1001", method: "POST", path: "/v1/dead/redrive", body: `{"filter":{},"canary":1001}`, at: "canary", cli: []string{"dead", "redrive", "--all", "--canary=1001"}, inGo: redrive(inspect.RedriveRequest{Filter: &store.Filter{}, Canary: 1001})},
	{name: "redrive with half a canary", method: "POST", path: "/v1/dead/redrive", body: `{"filter":{},"canary":0.5}`, at: "canary", cli: []string{"dead", "redrive", "--all", "--canary=0.5"}},
	{name: "redrive that stops below 0", method: "POST", path: "/v1/dead/redrive", body: `{"filter":{},"stop_if_failing":-0.1}`, at: "stop_if_failing", cli: []string{"dead", "redrive", "--all", "--stop-if-failing=-0.1"}, inGo: redrive(inspect.RedriveRequest{Filter: &store.Filter{}, StopIfFailing: -0.1})},
	{name: "redrive that stops above 1", method: "POST", path: "/v1/dead/redrive", body: `{"filter":{},"stop_if_failing":20}`, at: "stop_if_failing", cli: []string{"dead", "redrive", "--all", "--stop-if-failing=20"}, inGo: redrive(inspect.RedriveRequest{Filter: &store.Filter{}, StopIfFailing: 20})},
	{name: "redrive that stops at no number", method: "POST", path: "/v1/dead/redrive", body: `{"filter":{},"stop_if_failing":"NaN"}`, at: "stop_if_failing", cli: []string{"dead", "redrive", "--all", "--stop-if-failing=NaN"}, inGo: redrive(inspect.RedriveRequest{Filter: &store.Filter{}, StopIfFailing: math.NaN()})},
	{name: "report with a limit of 501", path: "/v1/operations/019a9f2e-5c00-7abc-8def-0123456789ab/items?limit=501", at: "limit", inGo: items(store.Page{Limit: 501})},
	{name: "report with a bad cursor", path: "/v1/operations/019a9f2e-5c00-7abc-8def-0123456789ab/items?cursor=x", at: "cursor", cli: []string{"operation", "items", "019a9f2e-5c00-7abc-8def-0123456789ab", "--cursor=x"}, inGo: items(store.Page{Cursor: "x"})},
	{name: "redrive at a rate of 1e300", method: "POST", path: "/v1/dead/redrive", body: `{"filter":{},"rate":1e300}`, at: "rate", cli: []string{"dead", "redrive", "--all", "--rate=1e300"}, inGo: redrive(inspect.RedriveRequest{Filter: &store.Filter{}, Rate: 1e300})},
	{name: "redrive at a rate of 1e400", method: "POST", path: "/v1/dead/redrive", body: `{"filter":{},"rate":1e400}`, at: "rate", cli: []string{"dead", "redrive", "--all", "--rate=1e400"}},
	{name: "redrive at a rate of NaN", method: "POST", path: "/v1/dead/redrive", body: `{"filter":{},"rate":NaN}`, at: "body", cli: []string{"dead", "redrive", "--all", "--rate=NaN"}, inGo: redrive(inspect.RedriveRequest{Filter: &store.Filter{}, Rate: nan})},
	{name: "redrive with a misspelt filter", method: "POST", path: "/v1/dead/redrive", body: `{"filter":{"typ":"t"}}`, at: "filter.typ"},
	{name: "redrive with an empty list for a filter", method: "POST", path: "/v1/dead/redrive", body: `{"filter":[]}`, at: "filter"},
	{name: "redrive by an unknown reason", method: "POST", path: "/v1/dead/redrive", body: `{"filter":{"reason":"bored"}}`, at: "filter.reason", cli: []string{"dead", "redrive", "--reason=bored"}, inGo: redrive(inspect.RedriveRequest{Filter: &store.Filter{Reason: "bored"}})},
	{name: "redrive with a payload over 1 MiB", method: "POST", path: "/v1/dead/redrive", body: `{"filter":{},"payload":"` + strings.Repeat("p", 1<<20) + `"}`, at: "payload", inGo: redrive(inspect.RedriveRequest{Filter: &store.Filter{}, Payload: make([]byte, 1<<20+1)})},
	{name: "purge of nothing", method: "POST", path: "/v1/dead/purge", body: `{}`, at: "filter", cli: []string{"dead", "purge", "--yes"}},
	{name: "purge of null", method: "POST", path: "/v1/dead/purge", body: `null`, at: "filter"},
	{name: "purge of a null filter", method: "POST", path: "/v1/dead/purge", body: `{"filter":null}`, at: "filter"},
	{name: "purge with a misspelt filter", method: "POST", path: "/v1/dead/purge", body: `{"filter":{"Type":"t"}}`, at: "filter.Type"},
	{name: "purge with dry_run as a text", method: "POST", path: "/v1/dead/purge", body: `{"filter":{},"dry_run":"true"}`, at: "dry_run"},
	{name: "reschedule to both", method: "POST", path: "/v1/tasks/019a9f2e-5c00-7abc-8def-0123456789ab/reschedule", body: `{"delay":"1s","run_at":"2030-01-01T00:00:00Z"}`, at: "delay"},
	{name: "reschedule to the past", method: "POST", path: "/v1/tasks/019a9f2e-5c00-7abc-8def-0123456789ab/reschedule", body: `{"run_at":"1999-01-01T00:00:00Z"}`, at: "run_at", inGo: func(ctx context.Context, i *inspect.Inspector) error {
		_, err := i.Tasks.Reschedule(ctx, outlast.NewID(), time.Unix(1, 0))
		return err
	}},
	{name: "reschedule by -1s", method: "POST", path: "/v1/tasks/019a9f2e-5c00-7abc-8def-0123456789ab/reschedule", body: `{"delay":"-1s"}`, at: "delay"},
	{name: "reschedule by 11 years", method: "POST", path: "/v1/tasks/019a9f2e-5c00-7abc-8def-0123456789ab/reschedule", body: `{"delay":"96360h"}`, at: "run_at"},
}

// ask drives rows through all doors.
func ask(t *testing.T, rows []request) {
	t.Helper()
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			before := shared.count(t)
			method, path, code := row.method, row.path, row.code
			if strings.HasPrefix(path, "?") {
				method, path = "GET", "/v1/tasks"+path
			}
			if code == "" {
				code = task.CodeInvalid
			}
			answer := shared.call(t, method, path, row.body)
			if row.at == "" {
				answer.problem(t, code)
			} else {
				answer.problem(t, code, row.at)
			}
			if row.cli != nil {
				last := row.at[strings.LastIndexByte(row.at, '.')+1:]
				shared.cli(t, "", row.cli...).refuses(t, row.at+":", "--"+strings.ReplaceAll(last, "_", "-"), "task id", "--rate", "dead letters: ids", "ids, filters")
			}
			if row.inGo != nil {
				at := strings.TrimPrefix(row.at, "filter.")
				if at == "body" { // where JSON has no such number
					at = "rate"
				}
				refusedInGo(t, row.inGo(t.Context(), shared.node.Inspector()), code, at)
			}
			shared.unchanged(t, before)
		})
	}
}

func TestLists(t *testing.T)   { ask(t, listRows) }
func TestPaths(t *testing.T)   { ask(t, pathRows) }
func TestQueues(t *testing.T)  { ask(t, queueRows) }
func TestTargets(t *testing.T) { ask(t, targetRows) }
func TestDead(t *testing.T)    { ask(t, deadRows) }

// A cursor belongs to its list, and to nobody's imagination.
func TestCursors(t *testing.T) {
	for range 3 {
		shared.post(t, "/v1/tasks", `{"type":"cursor","delay":"1h"}`)
	}
	var page client.Tasks
	must(t, json.Unmarshal(shared.call(t, "GET", "/v1/tasks?type=cursor&limit=1", "").body, &page))
	good := page.NextCursor
	if good == "" {
		t.Fatal("no cursor")
	}
	flipped := []byte(good)
	if flipped[len(flipped)/2]++; flipped[len(flipped)/2] > 'z' {
		flipped[len(flipped)/2] = 'a'
	}
	for _, row := range []struct{ name, path, cursor string }{
		{"of another list", "/v1/dead?limit=1", good},
		{"of another filter", "/v1/tasks?type=other&limit=1", good},
		{"of no filter", "/v1/tasks?limit=1", good},
		{"cut", "/v1/tasks?type=cursor", good[:len(good)-1]},
		{"cut before", "/v1/tasks?type=cursor", good[1:]},
		{"with a tail", "/v1/tasks?type=cursor", good + "A"},
		{"with padding", "/v1/tasks?type=cursor", good + "=="},
		{"flipped", "/v1/tasks?type=cursor", string(flipped)},
		{"in capitals", "/v1/tasks?type=cursor", strings.ToUpper(good)},
		{"twice", "/v1/tasks?type=cursor", good + good},
		{"with a line end", "/v1/tasks?type=cursor", good + "\n"},
	} {
		t.Run(row.name, func(t *testing.T) {
			separator := "&"
			if !strings.Contains(row.path, "?") {
				separator = "?"
			}
			shared.call(t, "GET", row.path+separator+"cursor="+url.QueryEscape(row.cursor), "").problem(t, task.CodeInvalid, "cursor")
			if strings.HasPrefix(row.path, "/v1/tasks?type=cursor") {
				shared.cli(t, "", "task", "list", "--type=cursor", "--cursor="+row.cursor).refuses(t, "cursor:")
				err := find(store.Filter{Type: "cursor"}, store.Page{Cursor: row.cursor})(t.Context(), shared.node.Inspector())
				refusedInGo(t, err, task.CodeInvalid, "cursor")
			}
		})
	}
}
