package badinput

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/task"
)

// TestScheduleVerdicts: what is wrong with a schedule is told alike through the
// API, the command line (by --file and by flags) and the library, and nothing of
// it is kept.
func TestScheduleVerdicts(t *testing.T) {
	const job = `,"task":{"type":"t"}`
	for _, row := range []struct {
		name, body, at string
		args           []string // flags that say the same
	}{
		{"nothing says when", `{"task":{"type":"t"}}`, "cron", []string{"--type", "t"}},
		{"cron and every", `{"cron":"* * * * *","every":"1h"` + job + `}`, "cron", []string{"--cron", "* * * * *", "--every", "1h", "--type", "t"}},
		{"no such day", `{"cron":"0 0 31 2 *"` + job + `}`, "cron", []string{"--cron", "0 0 31 2 *", "--type", "t"}},
		{"one field", `{"cron":"x"` + job + `}`, "cron", []string{"--cron", "x", "--type", "t"}},
		{"seven fields", `{"cron":"* * * * * * *"` + job + `}`, "cron", []string{"--cron", "* * * * * * *", "--type", "t"}},
		{"a step of zero", `{"cron":"*/0 * * * *"` + job + `}`, "cron", []string{"--cron", "*/0 * * * *", "--type", "t"}},
		{"out of range", `{"cron":"61 * * * *"` + job + `}`, "cron", []string{"--cron", "61 * * * *", "--type", "t"}},
		{"a zone in the expression", `{"cron":"TZ=Asia/Shanghai * * * *"` + job + `}`, "cron", []string{"--cron", "TZ=Asia/Shanghai * * * *", "--type", "t"}},
		{"an empty zone in the expression", `{"cron":"TZ= * * * * *"` + job + `}`, "cron", nil},
		{"a long expression", `{"cron":"` + strings.Repeat("1,", 200) + `1 * * * *"` + job + `}`, "cron", nil},
		{"a macro", `{"cron":"@every 1s"` + job + `}`, "cron", []string{"--cron", "@every 1s", "--type", "t"}},
		{"control characters", `{"cron":"\u0007\u202e * * * *"` + job + `}`, "cron", nil},
		{"no zone", `{"cron":"* * * * *","zone":"Mars/Phobos"` + job + `}`, "zone", []string{"--cron", "* * * * *", "--zone", "Mars/Phobos", "--type", "t"}},
		{"the zone of the machine", `{"cron":"* * * * *","zone":"Local"` + job + `}`, "zone", []string{"--cron", "* * * * *", "--zone", "Local", "--type", "t"}},
		{"a path as zone", `{"cron":"* * * * *","zone":"../../etc/passwd"` + job + `}`, "zone", []string{"--cron", "* * * * *", "--zone", "../../etc/passwd", "--type", "t"}},
		{"too frequent", `{"every":"999ms"` + job + `}`, "every", []string{"--every", "999ms", "--type", "t"}},
		{"a negative interval", `{"every":"-1h"` + job + `}`, "every", []string{"--every", "-1h", "--type", "t"}},
		{"a misfire rule", `{"every":"1h","misfire":"later"` + job + `}`, "misfire", []string{"--every", "1h", "--misfire", "later", "--type", "t"}},
		{"an overlap rule", `{"every":"1h","overlap":"later"` + job + `}`, "overlap", []string{"--every", "1h", "--overlap", "later", "--type", "t"}},
		{"a window of nothing", `{"every":"1h","window":"1h"` + job + `}`, "window", []string{"--every", "1h", "--window", "1h", "--type", "t"}},
		{"a window too long", `{"every":"1h","misfire":"fire_all","window":"745h"` + job + `}`, "window", []string{"--every", "1h", "--misfire", "fire_all", "--window", "745h", "--type", "t"}},
		{"a start of nothing", `{"cron":"* * * * *","start":"2026-01-01T00:00:00Z"` + job + `}`, "start", []string{"--cron", "* * * * *", "--start", "2026-01-01T00:00:00Z", "--type", "t"}},
		{"too far away", `{"at":"2999-01-01T00:00:00Z"` + job + `}`, "at", []string{"--at", "2999-01-01T00:00:00Z", "--type", "t"}},
		{"no type", `{"every":"1h","task":{}}`, "task.type", []string{"--every", "1h"}},
		{"no such queue", `{"every":"1h","task":{"type":"t","queue":"absent"}}`, "task.queue", []string{"--every", "1h", "--type", "t", "--queue", "absent"}},
		{"a priority", `{"every":"1h","task":{"type":"t","priority":10}}`, "task.priority", []string{"--every", "1h", "--type", "t", "--priority", "10"}},
		{"a bad policy", `{"every":"1h","task":{"type":"t","retry":{"max_attempts":-1}}}`, "task.retry.max_attempts", []string{"--every", "1h", "--type", "t", "--retry", `{"max_attempts":-1}`}},
		{"a URL", `{"every":"1h","task":{"target":{"url":"ftp://example.com"}}}`, "task.target.url", []string{"--every", "1h", "--url", "ftp://example.com"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			shared.call(t, "PUT", "/v1/schedules/bad", row.body).problem(t, task.CodeInvalid, row.at)
			shared.cli(t, row.body, "schedule", "apply", "bad", "--file", "-").refuses(t, row.at+":")
			if row.args != nil {
				shared.cli(t, "", append([]string{"schedule", "apply", "bad"}, row.args...)...).refuses(t, row.at+":")
			}
			var rule client.ScheduleRule
			if json.Unmarshal([]byte(row.body), &rule) == nil {
				_, err := shared.node.Inspector().Schedules.Put(t.Context(), goSchedule("bad", &rule))
				refusedInGo(t, err, task.CodeInvalid, row.at)
			}
			shared.call(t, "GET", "/v1/schedules/bad", "").problem(t, task.CodeNotFound)
		})
	}
}

func goSchedule(name string, r *client.ScheduleRule) inspect.Schedule {
	d := goDraft(&client.Draft{Target: r.Task.Target})
	return inspect.Schedule{
		Name: name, Cron: r.Cron, Zone: r.Zone, Every: time.Duration(r.Every), Start: r.Start.Time, At: r.At.Time,
		Misfire: inspect.Misfire(r.Misfire), Window: time.Duration(r.Window), Overlap: inspect.Overlap(r.Overlap),
		Task: inspect.ScheduledTask{Type: r.Task.Type, Queue: r.Task.Queue, Priority: r.Task.Priority, Retry: r.Task.Retry, Target: d.Target},
	}
}

// TestScheduleDoors: names, parameters and states that only some doors have.
func TestScheduleDoors(t *testing.T) {
	good := `{"every":"1h","task":{"type":"t"}}`
	shared.call(t, "PUT", "/v1/schedules/a%20b", good).problem(t, task.CodeInvalid, "name")
	shared.call(t, "PUT", "/v1/schedules/"+strings.Repeat("a", 129), good).problem(t, task.CodeInvalid, "name")
	shared.cli(t, good, "schedule", "apply", "a b", "--file", "-").refuses(t, "name:")
	for _, path := range []string{"", "/pause", "/resume", "/trigger"} {
		method := "POST"
		if path == "" {
			method = "DELETE"
		}
		shared.call(t, method, "/v1/schedules/absent"+path, "").problem(t, task.CodeNotFound)
	}
	shared.call(t, "GET", "/v1/schedules/absent/next", "").problem(t, task.CodeNotFound)
	for _, n := range []string{"0", "-1", "101", "x"} {
		shared.call(t, "GET", "/v1/schedules/absent/next?n="+n, "").problem(t, task.CodeInvalid, "n")
	}
	for _, body := range []string{
		`{"every":"1h","task":{"type":"t","delay":"1s"}}`, `{"every":"1h","task":{"type":"t","dedupe_key":"a"}}`, `{"every":"0s","task":{"type":"t"}}`,
		`{"evry":"1h","task":{"type":"t"}}`, `{"every":1,"task":{"type":"t"}}`,
	} {
		shared.call(t, "PUT", "/v1/schedules/bad", body).problem(t, task.CodeInvalid)
		shared.cli(t, body, "schedule", "apply", "bad", "--file", "-").refuses(t, ":")
	}
	shared.call(t, "POST", "/v1/schedules/absent/trigger", `{"id":"x"}`).problem(t, task.CodeInvalid, "id")
}
