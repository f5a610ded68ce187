package server_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/token"
	"github.com/outlast-dev/outlast/server"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// guarded is a server with two queues, in each of which there is everything
// that a route could show or change.
type guarded struct {
	*api
	admin string
}

func startGuarded(t *testing.T) *guarded {
	a := start(t, func(node *outlast.Client) {
		outlast.Handle(node, "dies", func(context.Context, string) error { return outlast.GiveUp(errors.New("no way")) })
	})
	g := &guarded{api: a}
	for _, queue := range []string{"red", "blue"} {
		a.call("PUT", "/v1/queues/"+queue, `{"lanes":2}`).is(201)
	}
	g.admin = g.token(inspect.Admin)
	for _, queue := range []string{"red", "blue"} {
		g.pending(queue)
		g.letter(queue)
	}
	g.as(g.admin, "PUT", "/v1/schedules/nightly", `{"cron":"0 3 * * *","task":{"type":"dies"}}`).is(201)
	return g
}

// token makes a token and returns its header.
func (g *guarded) token(role inspect.Role, queues ...string) string {
	g.t.Helper()
	_, secret, err := g.node.Inspector().Tokens.Create(context.Background(), inspect.TokenSpec{Name: "test", Role: role, Queues: queues})
	must(g.t, err)
	return "Bearer " + secret.Reveal()
}

func (g *guarded) as(bearer, method, path, body string) *answer {
	g.t.Helper()
	return g.call(method, path, body, "Authorization", bearer)
}

// taskGroup is the id of a new group of tasks with a callback in a queue.
func (g *guarded) taskGroup(queue string) string {
	g.t.Helper()
	group, err := g.node.Inspector().TaskGroups.Create(context.Background(), task.Group{Callback: task.Follow{Type: "dies", Queue: queue}})
	must(g.t, err)
	return group.ID.String()
}

// pending is the id of a new task that waits in a queue.
func (g *guarded) pending(queue string) string {
	g.t.Helper()
	return g.enqueue(outlast.Draft{Type: "waits", Queue: queue, Delay: time.Hour})
}

func (g *guarded) enqueue(d outlast.Draft) string {
	g.t.Helper()
	receipt, err := g.node.Enqueue(context.Background(), d)
	must(g.t, err)
	return receipt.Task.ID.String()
}

// letter is the id of a new dead letter of a queue.
func (g *guarded) letter(queue string) string {
	g.t.Helper()
	ended, err := g.node.Run(context.Background(), outlast.Draft{Type: "dies", Queue: queue, Payload: []byte(`""`)})
	var dead *outlast.DeadError
	if !errors.As(err, &dead) {
		g.t.Fatalf("the task did not die: %v", err)
	}
	return ended.ID.String()
}

// group is the path of the group of a letter of a queue.
func (g *guarded) group(queue string) string {
	g.t.Helper()
	id, err := task.ParseID(g.letter(queue))
	must(g.t, err)
	view, err := g.node.Inspector().Tasks.Get(context.Background(), id)
	must(g.t, err)
	return "/v1/dead/groups/" + view.LastError.Fingerprint + "?queue=" + queue
}

// operation is the id of a redrive of letters of a queue.
func (g *guarded) operation(queue string) string {
	g.t.Helper()
	result, err := g.node.Inspector().Letters.Redrive(context.Background(), inspect.RedriveRequest{Filter: &store.Filter{Queue: queue, Type: "none"}})
	must(g.t, err)
	return result.Operation
}

// samples are a call of every route: what concerns a queue is about the one that
// is given, and new.
var samples = map[string]func(g *guarded, queue string) (path, body string){
	"enqueue-task": func(_ *guarded, q string) (string, string) {
		return "/v1/tasks", `{"type":"waits","delay":"1h","queue":"` + q + `"}`
	},
	"enqueue-batch": func(_ *guarded, q string) (string, string) {
		return "/v1/tasks/batch", `{"atomic":true,"tasks":[{"type":"waits","delay":"1h","queue":"` + q + `"}]}`
	},
	"list-tasks":    fixed("/v1/tasks", ""),
	"list-upcoming": fixed("/v1/tasks/upcoming", ""),
	"get-task":      onTask(""),
	"list-attempts": onTask("/attempts"),
	"cancel-task":   onTask("/cancel"),
	"retry-task":    onTask("/retry"),
	"signal-task":   onTask("/signals/approval"),
	"reschedule-task": func(g *guarded, q string) (string, string) {
		return "/v1/tasks/" + g.pending(q) + "/reschedule", `{"delay":"2h"}`
	},
	"bulk-tasks": func(g *guarded, q string) (string, string) {
		return "/v1/tasks/bulk", `{"action":"retry","ids":["` + g.pending(q) + `"]}`
	},
	"run-due-tasks":        func(_ *guarded, q string) (string, string) { return "/v1/tasks/run_due", `{"queues":["` + q + `"]}` },
	"list-dead":            fixed("/v1/dead", ""),
	"get-dead":             func(g *guarded, q string) (string, string) { return "/v1/dead/" + g.letter(q), "" },
	"count-dead":           fixed("/v1/dead/stats", ""),
	"group-dead":           func(_ *guarded, q string) (string, string) { return "/v1/dead/groups?queue=" + q, "" },
	"get-dead-group":       func(g *guarded, q string) (string, string) { return g.group(q), "" },
	"redrive-dead":         onLetters("/v1/dead/redrive"),
	"purge-dead":           onLetters("/v1/dead/purge"),
	"export-dead":          fixed("/v1/dead/export", ""),
	"list-task-groups":     func(g *guarded, q string) (string, string) { g.taskGroup(q); return "/v1/task-groups", "" },
	"list-operations":      func(g *guarded, q string) (string, string) { g.operation(q); return "/v1/operations", "" },
	"list-operation-items": onOperation("/items"),
	"get-operation":        onOperation(""),
	"pause-operation":      onOperation("/pause"),
	"resume-operation":     onOperation("/resume"),
	"cancel-operation":     onOperation("/cancel"),
	"list-queues":          fixed("/v1/queues", ""),
	"get-queue":            func(_ *guarded, q string) (string, string) { return "/v1/queues/" + q, "" },
	"list-queue-shares":    func(_ *guarded, q string) (string, string) { return "/v1/queues/" + q + "/shares", "" },
	"put-queue":            func(_ *guarded, q string) (string, string) { return "/v1/queues/" + q, `{"weight":2}` },
	"pause-queue":          func(_ *guarded, q string) (string, string) { return "/v1/queues/" + q + "/pause", "" },
	"resume-queue":         func(_ *guarded, q string) (string, string) { return "/v1/queues/" + q + "/resume", "" },
	"list-keys":            func(_ *guarded, q string) (string, string) { return "/v1/keys?queue=" + q, "" },
	"release-key":          func(_ *guarded, q string) (string, string) { return "/v1/queues/" + q + "/release-key", `{"key":"k"}` },
	"plan-policy":          fixed("/v1/policies/plan", ""),
	"list-policies":        fixed("/v1/policies", ""),
	"get-policy":           fixed("/v1/policies/payment", ""),
	"list-policy-versions": fixed("/v1/policies/payment/versions", ""),
	"put-policy":           fixed("/v1/policies/p", `{"max_attempts":3}`),
	"promote-policy":       fixed("/v1/policies/p/promote", ""),
	"abort-policy":         fixed("/v1/policies/p/abort", ""),
	"delete-policy":        fixed("/v1/policies/p", ""),
	"list-schedules":       fixed("/v1/schedules", ""),
	"get-schedule":         fixed("/v1/schedules/nightly", ""),
	"put-schedule":         fixed("/v1/schedules/other", `{"every":"1h","task":{"type":"waits"}}`),
	"delete-schedule":      fixed("/v1/schedules/other", ""),
	"next-ticks":           fixed("/v1/schedules/nightly/next", ""),
	"plan-ticks":           fixed("/v1/schedules/next", `{"every":"1h","task":{"type":"waits"}}`),
	"trigger-schedule":     fixed("/v1/schedules/nightly/trigger", ""),
	"pause-schedule":       fixed("/v1/schedules/nightly/pause", ""),
	"resume-schedule":      fixed("/v1/schedules/nightly/resume", ""),
	"list-targets":         fixed("/v1/targets", ""),
	"get-stats":            fixed("/v1/stats", ""),
	"compare-stats":        fixed("/v1/stats/compare", ""),
	"list-scenarios":       fixed("/v1/sim/scenarios", ""),
	"run-scenario":         fixed("/v1/sim/run", `{"scenario":"none"}`),
	"compare-policies":     fixed("/v1/sim/compare", `{"scenario":"S12"}`),
	"replay-history":       fixed("/v1/sim/whatif", `{"tasks":5}`),
	"get-series":           func(_ *guarded, q string) (string, string) { return "/v1/stats/series?queue=" + q, "" },
	"get-target":           fixed("/v1/targets/dies", ""),
	"get-target-history":   fixed("/v1/targets/dies/history", ""),
	"open-target":          fixed("/v1/targets/elsewhere/open", ""),
	"close-target":         fixed("/v1/targets/elsewhere/close", ""),
	"reset-target":         fixed("/v1/targets/elsewhere/reset", ""),
	"list-alert-rules":     fixed("/v1/alerts/rules", ""),
	"get-alert-rule":       fixed("/v1/alerts/rules/exhausted", ""),
	"put-alert-rule":       fixed("/v1/alerts/rules/r", `{"on":"dead"}`),
	"delete-alert-rule":    fixed("/v1/alerts/rules/r", ""),
	"list-alert-channels":  fixed("/v1/alerts/channels", ""),
	"get-alert-channel":    fixed("/v1/alerts/channels/c", ""),
	"put-alert-channel":    fixed("/v1/alerts/channels/c", `{"kind":"log"}`),
	"delete-alert-channel": fixed("/v1/alerts/channels/c", ""),
	"test-alert-channel":   fixed("/v1/alerts/channels/c/test", ""),
	"list-alert-events":    fixed("/v1/alerts/events", ""),
	"list-alert-silences":  fixed("/v1/alerts/silences", ""),
	"add-alert-silence":    fixed("/v1/alerts/silences", `{"queue":"none","for":"1h","reason":"test"}`),
	"end-alert-silence": func(g *guarded, _ string) (string, string) {
		made, err := g.node.Inspector().Alerts.Silences.Add(context.Background(), alert.Silence{Queue: "none", Reason: "test", Until: time.Now().Add(time.Hour)})
		must(g.t, err)
		return "/v1/alerts/silences/" + made.ID, ""
	},
	"preview-alert-silence": func(*guarded, string) (string, string) {
		return "/v1/alerts/silences/preview", `{"queue":"none"}`
	},
	"ack-alert":    fixed("/v1/alerts/events/01890000-0000-7000-8000-000000000001/ack", ""),
	"list-nodes":   fixed("/v1/nodes", ""),
	"list-workers": fixed("/v1/workers", ""),
	"list-lanes":   fixed("/v1/lanes", ""),
	"wake-node":    fixed("/v1/nodes/wake", `{}`),
	"poll-tasks": func(_ *guarded, q string) (string, string) {
		return "/v1/workers/poll", `{"worker":"w","queues":["` + q + `"],"types":["never"],"wait":"0s"}`
	},
	"create-task-group": func(_ *guarded, q string) (string, string) {
		return "/v1/task-groups", `{"callback":{"type":"dies","queue":"` + q + `"}}`
	},
	"get-task-group":   func(g *guarded, q string) (string, string) { return "/v1/task-groups/" + g.taskGroup(q), "" },
	"close-task-group": func(g *guarded, q string) (string, string) { return "/v1/task-groups/" + g.taskGroup(q) + "/close", "" },
	"extend-tasks": func(g *guarded, q string) (string, string) {
		return "/v1/workers/extend", `{"items":[{"id":"` + g.pending(q) + `","claim":1}]}`
	},
	"add-steps": func(g *guarded, q string) (string, string) {
		return "/v1/workers/steps", `{"items":[{"id":"` + g.pending(q) + `","claim":1,"name":"charge"}]}`
	},
	"settle-tasks": func(g *guarded, q string) (string, string) {
		return "/v1/workers/settle", `{"results":[{"id":"` + g.pending(q) + `","claim":1,"outcome":"succeeded"}]}`
	},
	"put-member":    fixed("/v1/groups/g/workers/m", `{"url":"http://127.0.0.1:1/","capacity":1,"ttl":"15s"}`),
	"remove-member": fixed("/v1/groups/g/workers/m", ""),
	"list-groups":   fixed("/v1/groups", ""),
	"create-token":  fixed("/v1/tokens", `{"name":"made","role":"viewer"}`),
	"list-tokens":   fixed("/v1/tokens", ""),
	"revoke-token":  fixed("/v1/tokens/none", ""),
	"list-audit":    fixed("/v1/audit", ""),
	"get-self":      fixed("/v1/self", ""),
	"watch-events":  fixed("/v1/events?for=1ms", ""),
	"get-livez":     fixed("/livez", ""),
	"get-readyz":    fixed("/readyz", ""),
	"get-metrics":   fixed("/metrics", ""),
	"get-openapi":   fixed("/openapi.json", ""),
	"get-openapi-3": fixed("/openapi-3.0.json", ""),
}

func fixed(path, body string) func(*guarded, string) (string, string) {
	return func(*guarded, string) (string, string) { return path, body }
}

func onTask(verb string) func(*guarded, string) (string, string) {
	return func(g *guarded, queue string) (string, string) { return "/v1/tasks/" + g.pending(queue) + verb, "" }
}

func onOperation(verb string) func(*guarded, string) (string, string) {
	return func(g *guarded, queue string) (string, string) {
		return "/v1/operations/" + g.operation(queue) + verb, ""
	}
}

func onLetters(path string) func(*guarded, string) (string, string) {
	return func(_ *guarded, queue string) (string, string) {
		return path, `{"filter":{"queue":"` + queue + `","type":"none"}}`
	}
}

// sample is a call of the rule's route about a queue.
func (g *guarded) sample(rule server.Rule, queue string) (method, path, body string) {
	g.t.Helper()
	make, known := samples[rule.ID]
	if !known {
		g.t.Fatalf("no sample of %s %s (%s): add one", rule.Method, rule.Path, rule.ID)
	}
	path, body = make(g, queue)
	if strings.HasSuffix(rule.Path, "?verbose") {
		path += "?verbose"
	}
	return rule.Method, path, body
}

// TestEveryRouteAsksWhoCalls tries each route without a token, with one that is
// not known, and with one of each role, for all queues and for one.
func TestEveryRouteAsksWhoCalls(t *testing.T) {
	g := startGuarded(t)
	type holder struct {
		role   inspect.Role
		queues bool
		bearer string
	}
	var holders []holder
	for _, role := range token.Roles {
		holders = append(holders, holder{role, false, g.token(role)})
		if role != inspect.Admin {
			holders = append(holders, holder{role, true, g.token(role, "red")})
		}
	}
	calls := 0
	for _, rule := range g.server.Rules() {
		method, path, body := g.sample(rule, "red")
		nobody := g.call(method, path, body)
		if open := rule.Permission == inspect.PermissionOpen || rule.Permission == inspect.PermissionPeer; open == (nobody.status == http.StatusUnauthorized) {
			t.Errorf("%s %s without a token: %d, permission %s", method, rule.Path, nobody.status, rule.Permission)
			continue
		} else if open {
			continue
		}
		if header := nobody.header.Get("Www-Authenticate"); !strings.HasPrefix(header, "Bearer") {
			t.Errorf("%s %s: Www-Authenticate %q", method, rule.Path, header)
		}
		g.as("Bearer olt_aaaaaaaa_"+strings.Repeat("a", 52), method, path, body).refusedToken(rule)
		for _, h := range holders {
			calls++
			name := fmt.Sprintf("%s %s as %s, for one queue: %v", method, rule.Path, h.role, h.queues)
			method, path, body = g.sample(rule, "red")
			got := g.as(h.bearer, method, path, body)
			switch denied := got.status == http.StatusForbidden; {
			case got.status == http.StatusUnauthorized:
				t.Errorf("%s: %s", name, got.body)
			case !token.May(h.role, rule.Permission) || h.queues && strings.HasPrefix(rule.Queues, "refused"):
				if !denied {
					t.Errorf("%s: status %d: %s", name, got.status, got.body)
				}
			case denied:
				t.Errorf("%s: %s", name, got.body)
			case h.queues:
				g.checkScope(rule, h.bearer, name, got)
			}
		}
	}
	if len(samples) < len(g.server.Rules())-1 { // /readyz has two
		t.Errorf("%d samples of %d routes", len(samples), len(g.server.Rules()))
	}
	t.Logf("%d calls of %d routes", calls, len(g.server.Rules()))
}

// bound are routes that refuse a queue that the token is not for, since what they
// tell cannot be sorted out afterwards.
var bound = map[string]bool{"list-keys": true, "group-dead": true, "get-dead-group": true, "get-series": true}

// checkScope compares what a token for the queue red gets of that with what it
// gets of the queue blue.
func (g *guarded) checkScope(rule server.Rule, bearer, name string, red *answer) {
	g.t.Helper()
	if strings.HasPrefix(rule.Queues, "everything but who made it") && strings.Contains(string(red.body), `"actor"`) {
		g.t.Errorf("%s: %s", name, red.body)
	}
	if strings.HasPrefix(rule.Queues, "everything") {
		return
	}
	method, path, body := g.sample(rule, "blue")
	blue := g.as(bearer, method, path, body)
	text := string(blue.body)
	switch kind, _, _ := strings.Cut(rule.Queues, ";"); kind {
	case "tasks of its queues", "its queues":
		if red.status >= 400 && red.status != http.StatusConflict || blue.status != http.StatusNotFound {
			g.t.Errorf("%s: %d of its queue, %d of another: %s", name, red.status, blue.status, text)
		}
	case "what belongs to its queues":
		if strings.Contains(text, `"blue"`) || blue.status < 300 == bound[rule.ID] || red.status != http.StatusOK {
			g.t.Errorf("%s: %d: %s", name, blue.status, text)
		}
	case "what its queues are for":
		hidden := strings.Contains(text, `"stale_claim"`) || strings.Contains(text, `"not_found"`)
		if blue.status != http.StatusForbidden && blue.status != http.StatusNotFound && !hidden {
			g.t.Errorf("%s: %d: %s", name, blue.status, text)
		}
	default:
		g.t.Errorf("%s: no check of %q", name, rule.Queues)
	}
}

// refusedToken checks the answer to a token that is not known.
func (a *answer) refusedToken(rule server.Rule) {
	a.t.Helper()
	if a.status != http.StatusUnauthorized && a.status != http.StatusTooManyRequests {
		a.t.Errorf("%s %s with an unknown token: %d", rule.Method, rule.Path, a.status)
	}
}

func TestScopesByIDAndInBatches(t *testing.T) {
	g := startGuarded(t)
	enqueuer, operator, worker := g.token(inspect.Enqueuer, "red"), g.token(inspect.Operator, "red", "blue"), g.token(inspect.Worker, "red")
	g.call("PUT", "/v1/queues/green", `{"lanes":2}`, "Authorization", g.admin).is(201)

	var results client.BatchResults
	g.as(enqueuer, "POST", "/v1/tasks/batch", `{"tasks":[{"type":"waits","queue":"red","delay":"1h"},{"type":"waits","queue":"blue"},
		{"type":"waits","queue":"red","on_dead":{"type":"x","queue":"blue"}},{"type":"waits"}]}`).is(200).into(&results)
	for i, want := range []int{201, 403, 403, 403} {
		if results.Results[i].Status != want {
			t.Errorf("task %d: %+v, want %d", i, results.Results[i], want)
		}
	}
	g.as(enqueuer, "POST", "/v1/tasks", `{"type":"waits","queue":"red","fallback":{"type":"x","queue":"blue"}}`).problem(403, "denied", "fallback.queue")

	// Of two queues: reads are of both, actions by filter must name one.
	green, red := g.letter("green"), g.letter("red")
	if text := string(g.as(operator, "GET", "/v1/dead", "").is(200).body); strings.Contains(text, green) || !strings.Contains(text, red) {
		t.Errorf("dead letters: %s", text)
	}
	if text := string(g.as(operator, "GET", "/v1/dead/export", "").is(200).body); strings.Contains(text, green) || !strings.Contains(text, red) {
		t.Errorf("export: %s", text)
	}
	var groups client.DeadGroups
	g.as(operator, "GET", "/v1/dead/groups?trend", "").is(200).into(&groups)
	if len(groups.Groups) != 1 || groups.Groups[0].Count != 3 || groups.Groups[0].Example.String() != red || groups.Groups[0].Trend.Counted != 3 ||
		groups.Groups[0].Trend.ByReason["rejected"] != 3 || !groups.Groups[0].FirstSeen.Before(groups.Groups[0].LastSeen.Time) {
		t.Errorf("groups of two queues: %+v", groups)
	}
	var group client.DeadGroup
	g.as(operator, "GET", "/v1/dead/groups/"+groups.Groups[0].Fingerprint, "").is(200).into(&group)
	if group.Count != 3 || group.Trend.Counted != 3 || group.Error == nil {
		t.Errorf("a group of two queues: %+v", group)
	}
	g.as(operator, "GET", "/v1/dead/groups?queue=blue", "").is(200).into(&groups)
	if len(groups.Groups) != 1 || groups.Groups[0].Count != 1 {
		t.Errorf("groups of one of them: %+v", groups)
	}
	g.as(operator, "GET", "/v1/dead/groups?queue=green", "").problem(403, "denied", "queue")
	g.as(operator, "GET", "/v1/dead/groups/"+group.Fingerprint+"?queue=green", "").problem(403, "denied", "queue")
	g.as(operator, "POST", "/v1/dead/purge", `{"filter":{}}`).problem(403, "denied", "filter.queue")
	g.as(operator, "POST", "/v1/dead/redrive", `{"filter":{}}`).problem(403, "denied", "filter.queue")
	redriven := g.as(operator, "POST", "/v1/dead/redrive", `{"ids":["`+green+`","`+red+`"]}`).is(202)
	if redriven.get("missing") != `["`+green+`"]` || redriven.get("matched") != "1" {
		t.Errorf("redrive: %s", redriven.body)
	}
	g.as(operator, "POST", "/v1/dead/purge", `{"ids":["`+green+`"]}`).is(200)
	g.as(g.admin, "GET", "/v1/dead/"+green, "").is(200) // still there

	g.as(worker, "POST", "/v1/workers/poll", `{"worker":"w","types":["never"],"wait":"0s"}`).problem(403, "denied", "queues")
	g.as(g.token(inspect.Operator, "red"), "POST", "/v1/dead/purge", `{"filter":{}}`).is(200)
	g.as(g.admin, "GET", "/v1/dead/"+green, "").is(200) // not of the token's queue
}

// A redrive of letters of several queues is one operation: a token for all of them
// sees it, and one for some of them does not, since it could stop the others.
func TestRedriveOfTwoQueues(t *testing.T) {
	g := startGuarded(t)
	both, one := g.token(inspect.Operator, "red", "blue"), g.token(inspect.Operator, "red")
	redriven := g.as(both, "POST", "/v1/dead/redrive", `{"ids":["`+g.letter("red")+`","`+g.letter("blue")+`"],"canary":2}`).is(202)
	id := strings.Trim(redriven.get("operation"), `"`)
	path := "/v1/operations/" + id
	for _, part := range []string{"", "/items"} {
		g.as(both, "GET", path+part, "").is(200)
		g.as(one, "GET", path+part, "").problem(404, "not_found")
	}
	g.as(one, "POST", path+"/cancel", "").problem(404, "not_found")
	for bearer, seen := range map[string]bool{both: true, one: false} {
		if list := g.as(bearer, "GET", "/v1/operations", "").is(200); strings.Contains(string(list.body), id) != seen {
			t.Errorf("seen %v: %s", !seen, list.body)
		}
	}
}

func TestActionsLeaveARowEach(t *testing.T) {
	g := startGuarded(t)
	id, other := g.pending("red"), g.pending("red")
	operator := g.token(inspect.Operator)
	for _, call := range [][2]string{
		{"/v1/tasks/" + id + "/reschedule", `{"delay":"2h"}`}, {"/v1/tasks/" + id + "/cancel", ""}, {"/v1/tasks/" + other + "/retry", ""},
		{"/v1/queues/red/pause", ""}, {"/v1/queues/red/pause", ""}, {"/v1/queues/red/resume", ""}, {"/v1/targets/elsewhere/open", ""},
		{"/v1/schedules/nightly/pause", ""},
	} {
		g.call("POST", call[0], call[1], "Authorization", operator, "X-Request-Id", "req-7").is(200)
	}
	g.as(operator, "POST", "/v1/tasks/"+id+"/cancel", "").is(409)
	var log client.AuditLog
	g.as(operator, "GET", "/v1/audit?limit=7", "").is(200).into(&log)
	want := []string{"schedule.pause", "target.open", "queue.resume", "queue.pause", "task.retry", "task.cancel", "task.reschedule"}
	for i, row := range log.Rows {
		if row.Action != want[i] || !strings.HasPrefix(row.Actor, "token ") || !strings.HasSuffix(row.Actor, " (test)") || row.Address != "127.0.0.1" || row.Request != "req-7" || row.At.IsZero() {
			t.Errorf("row %d: %+v, want %s", i, row, want[i])
		}
	}
	if len(log.Rows) != len(want) || log.NextCursor == "" {
		t.Fatalf("%d rows: %+v", len(log.Rows), log)
	}
	if canceled := log.Rows[5]; canceled.Subject != "task/"+id || !strings.Contains(string(canceled.Before), `"pending"`) || !strings.Contains(string(canceled.After), `"canceled"`) {
		t.Errorf("cancel: %+v, %s, %s", canceled, canceled.Before, canceled.After)
	}
	g.as(g.admin, "PUT", "/v1/queues/red", `{"weight":4}`).is(200)
	g.as(g.admin, "PUT", "/v1/policies/p", `{"max_attempts":3}`).is(201)
	g.as(g.admin, "PUT", "/v1/alerts/rules/r", `{"on":"dead"}`).is(200)
	g.as(operator, "GET", "/v1/audit?limit=3", "").is(200).into(&log)
	for i, action := range []string{"rule.put", "policy.put", "queue.put"} {
		if row := log.Rows[i]; !strings.HasSuffix(row.Action, ".put") || i > 0 && row.Action != action || !strings.HasPrefix(row.Actor, "token ") {
			t.Errorf("row %+v, want %s", row, action)
		}
	}
	g.as(operator, "GET", "/v1/audit?action=queue.&subject=queue/red", "").is(200).into(&log)
	for _, row := range log.Rows {
		if !strings.HasPrefix(row.Action, "queue.") || row.Subject != "queue/red" {
			t.Errorf("row %+v", row)
		}
	}
	g.as(operator, "GET", "/v1/audit?limit=0", "").problem(400, "invalid", "limit")
	g.as(operator, "GET", "/v1/audit?cursor=x", "").problem(400, "invalid", "cursor")
	if len(log.Rows) != 4 { // made, paused, resumed, weighed
		t.Errorf("%d rows of the queue", len(log.Rows))
	}
}
