package badinput

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

// overLimits are one over each limit of docs/reference/limits.md that no other row of this
// package is about.
var overLimits = []struct{ name, method, path, body, at string }{
	{"share key", "POST", "/v1/tasks", with("share_key", long(513)), "share_key"},
	{"metadata", "POST", "/v1/tasks", `{"type":"t","metadata":{"a":"` + long(16<<10) + `"}}`, "metadata"},
	{"alert of a task", "POST", "/v1/tasks", `{"type":"t","alert":{"when":"` + long(4<<10) + `"}}`, "alert"},
	{"condition", "POST", "/v1/tasks", `{"type":"t","target":{"url":"https://example.com/","success":"status == 200 || ` + long(2<<10) + `"}}`, "target.success"},
	{"max_attempts", "POST", "/v1/tasks", `{"type":"t","max_attempts":1000001}`, "max_attempts"},
	{"ttl", "POST", "/v1/tasks", with("ttl", "175200h1ns"), "ttl"},
	{"delay", "POST", "/v1/tasks", with("delay", "87600h1ns"), "delay"},
	{"deadline", "POST", "/v1/tasks", with("deadline", time.Now().Add(175201*time.Hour).Format(time.RFC3339)), "deadline"},
	{"dedupe window", "POST", "/v1/tasks", `{"type":"t","dedupe_key":"k","dedupe_window":"8760h1ns"}`, "dedupe_window"},
	{"URL", "POST", "/v1/tasks", `{"target":{"url":"https://example.com/` + long(2048) + `"}}`, "target.url"},
	{"value of a header", "POST", "/v1/tasks", `{"target":{"url":"https://example.com/","headers":{"A":"` + long(8<<10+1) + `"}}}`, "target.headers"},
	{"signal", "POST", "/v1/tasks/019a9f2e-5c00-7abc-8def-0123456789ab/signals/s", `"` + long(64<<10) + `"`, ""},
	{"wait", "POST", "/v1/tasks?wait=10m0.000000001s", `{"type":"t"}`, "wait"},
	{"label of a group", "POST", "/v1/task-groups", `{"label":"` + long(201) + `","callback":{"type":"t"}}`, "label"},
	{"search", "GET", "/v1/tasks?q=" + long(513), "", "q"},
	{"upcoming", "GET", "/v1/tasks/upcoming?limit=101", "", "limit"},
	{"next ticks", "POST", "/v1/schedules/next?n=101", `{"every":"1h"}`, "n"},
	{"points of a series", "GET", "/v1/stats/series?step=1m&from=2026-01-01T00:00:00Z&to=2026-01-02T01:01:00Z", "", "step"},
	{"ids of a change", "POST", "/v1/tasks/bulk", `{"action":"cancel","ids":[` + strings.Repeat(`"019a9f2e-5c00-7abc-8def-0123456789ab",`, 10_000) + `"019a9f2e-5c00-7abc-8def-0123456789ab"]}`, "ids"},
	{"reason of a change", "POST", "/v1/tasks/bulk", `{"action":"cancel","filter":{},"reason":"` + long(501) + `"}`, "reason"},
	{"rate of a redrive", "POST", "/v1/dead/redrive", `{"filter":{},"rate":100000.1}`, "rate"},
	{"name of a token", "POST", "/v1/tokens", `{"role":"admin","name":"` + long(129) + `"}`, "name"},
	{"life of a token", "POST", "/v1/tokens", `{"role":"admin","name":"n","ttl":"87600h1ns"}`, "ttl"},
	{"poll", "POST", "/v1/workers/poll", `{"worker":"w","lease":"10s","max":1001}`, "max"},
	{"wait of a poll", "POST", "/v1/workers/poll", `{"worker":"w","lease":"10s","wait":"60s1ns"}`, "wait"},
	{"lease", "POST", "/v1/workers/poll", `{"worker":"w","lease":"1h0m0.1s"}`, "lease"},
	{"short lease", "POST", "/v1/workers/poll", `{"worker":"w","lease":"999ms"}`, "lease"},
	{"types of a poll", "POST", "/v1/workers/poll", `{"worker":"w","lease":"10s","types":[` + names(257) + `]}`, "types"},
	{"queues of a poll", "POST", "/v1/workers/poll", `{"worker":"w","lease":"10s","queues":[` + names(257) + `]}`, "queues"},
	{"release", "POST", "/v1/workers/poll", `{"worker":"w","lease":"10s","release":"` + long(65) + `"}`, "release"},
	{"progress", "POST", "/v1/workers/extend", `{"lease":"10s","items":[{"id":"019a9f2e-5c00-7abc-8def-0123456789ab","claim":1,"progress":"` + long(4<<10) + `"}]}`, ""},
	{"capacity", "PUT", "/v1/groups/g/workers/w", `{"url":"http://127.0.0.1:1/","capacity":100001}`, "capacity"},
	{"ttl of a member", "PUT", "/v1/groups/g/workers/w", `{"url":"http://127.0.0.1:1/","ttl":"1h0m0.1s"}`, "ttl"},
	{"short ttl of a member", "PUT", "/v1/groups/g/workers/w", `{"url":"http://127.0.0.1:1/","ttl":"999ms"}`, "ttl"},
	{"cron", "PUT", "/v1/schedules/s", `{"cron":"0 0 1 1 *` + strings.Repeat(" ", 248) + `","task":{"type":"t"}}`, "cron"},
	{"name of a rule", "PUT", "/v1/alerts/rules/" + long(65), `{"on":"dead","channels":["c"]}`, "name"},
	{"channels of a rule", "PUT", "/v1/alerts/rules/r", `{"on":"dead","channels":[` + names(17) + `]}`, "channels"},
	{"cooldown of a rule", "PUT", "/v1/alerts/rules/r", `{"on":"dead","channels":["c"],"cooldown":"168h1ns"}`, "cooldown"},
	{"for of a rule", "PUT", "/v1/alerts/rules/r", `{"on":"letters","when":"count > 1","channels":["c"],"for":"24h1ns"}`, "for"},
	{"digest of a rule", "PUT", "/v1/alerts/rules/r", `{"on":"dead","channels":["c"],"digest":"24h1ns"}`, "digest"},
	{"pattern of a silence", "POST", "/v1/alerts/silences", `{"rule":"` + long(513) + `","reason":"r","until":"` + later(1) + `"}`, "rule"},
	{"reason of a silence", "POST", "/v1/alerts/silences", `{"rule":"r","reason":"` + long(501) + `","until":"` + later(1) + `"}`, "reason"},
	{"length of a silence", "POST", "/v1/alerts/silences", `{"rule":"r","reason":"r","until":"` + later(31) + `"}`, "until"},
	{"rate of a channel", "PUT", "/v1/alerts/channels/c", `{"kind":"webhook","url":"https://example.com/","rate":6001}`, "rate"},
	{"timeout of a channel", "PUT", "/v1/alerts/channels/c", `{"kind":"webhook","url":"https://example.com/","timeout":"60s1ns"}`, "timeout"},
	{"mentions of a channel", "PUT", "/v1/alerts/channels/c", `{"kind":"dingtalk","url":"https://example.com/","mentions":[` + names(51) + `]}`, "mentions"},
	{"receivers of a channel", "PUT", "/v1/alerts/channels/c", `{"kind":"email","address":"a:25","from":"a@example.com","to":[` + strings.Repeat(`"a@example.com",`, 50) + `"a@example.com"]}`, "to"},
	{"concurrency of a queue", "PUT", "/v1/queues/q", `{"concurrency":1000001}`, "concurrency"},
	{"rate of a share key", "PUT", "/v1/queues/q", `{"shares":{"rate":"1000001/s"}}`, "shares.rate"},
}

func long(n int) string { return strings.Repeat("a", n) }

func later(days int) string {
	return time.Now().Add(time.Duration(days)*24*time.Hour + time.Minute).UTC().Format(time.RFC3339)
}

// names are n names, as the inside of a list.
func names(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(`"n%d"`, i)
	}
	return strings.Join(list, ",")
}

func TestOverLimits(t *testing.T) {
	for _, row := range overLimits {
		t.Run(row.name, func(t *testing.T) {
			before := shared.count(t)
			if answer := shared.call(t, row.method, row.path, row.body); row.at == "" {
				answer.problem(t, task.CodeTooLarge)
			} else {
				answer.problem(t, task.CodeInvalid, row.at)
			}
			shared.unchanged(t, before)
		})
	}
}

// There is room for a number of worker groups and of members of one, and for no more.
func TestRoom(t *testing.T) {
	node, err := outlast.Open(t.Context(), memory.New())
	must(t, err)
	must(t, node.Start(t.Context()))
	defer node.Stop(t.Context())
	join := func(group, id int) error {
		return node.Workers().PutMember(t.Context(), inspect.Member{Group: fmt.Sprint(group), ID: fmt.Sprint(id), URL: "https://example.com/"})
	}
	for i := range 1000 {
		must(t, join(0, i))
		must(t, join(i, 0))
	}
	refusedInGo(t, join(0, 1000), task.CodeConflict, "id")
	refusedInGo(t, join(1000, 0), task.CodeConflict, "group")
}
