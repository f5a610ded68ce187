package examples

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// limitRows are the rows of docs/reference/limits.md by section. What stands in braces is an
// expression over the constants that enforce the limits, of the packages in limitFolders; of
// bytes with a "B" before it.
var limitRows = []struct {
	section string
	rows    [][2]string
}{
	{"Tasks", [][2]string{
		{"payload", "{B task.MaxPayload}; as much for its fallback and callbacks together"},
		{"type, queue, policy", "1 to {task.MaxName} of `A-Z a-z 0-9 . _ : -`"},
		{"ordering key, dedupe key, share key", "{task.MaxKey} bytes of UTF-8 without control characters"},
		{"dedupe window", "{drafts.maxDedupeWindow}"},
		{"metadata", "{drafts.maxMetadata} pairs, {B drafts.maxMetadataBytes}; names {task.MaxName} bytes"},
		{"inline policy, alert", "{B drafts.maxRetrySpec}, {B accept.maxAlert}"},
		{"condition in CEL", "{B expr.MaxText}"},
		{"priority", "{task.MinPriority} to {task.MaxPriority}"},
		{"attempts", "1 to {drafts.maxAttempts}"},
		{"`delay`, `run_at`", "{accept.MaxAhead} ahead"},
		{"`ttl`, `deadline`", "{2*accept.MaxAhead} ahead"},
		{"timeout of an attempt", "{drafts.MinTimeout} to {drafts.MaxTimeout}; of an HTTP task no more than `push.max_timeout`, {options.usualPushMost} unless configured"},
		{"URL of an HTTP task", "{safehttp.MaxURL} bytes"},
		{"its headers", "{safehttp.MaxHeaders}, {B safehttp.MaxHeadersBytes}; a name {safehttp.MaxHeaderName} bytes, a value {B safehttp.MaxHeaderValue}"},
		{"result", "{B task.MaxResult} of JSON; what is more fails the attempt, as `bad_result`"},
		{"progress of a running task", "{B handlers.MaxProgress} of JSON"},
		{"error text kept", "{B task.MaxErrorText}"},
		{"attempts kept of a dead letter", "the last {stored.MostAttempts}"},
		{"fallbacks of fallbacks", "{task.MaxFallbackDepth} in a row"},
	}},
	{"Steps and groups of tasks", [][2]string{
		{"steps and signals of a task", "{task.MaxSteps}; {B task.MaxStepBytes} for all of them"},
		{"a result, the payload of a signal, the payload of a compensation", "{B task.MaxResult} of JSON each"},
		{"wait for a signal", "{steps.longestAwait}"},
		{"members of a group of tasks", "{task.MaxGroup}"},
		{"its label", "{task.MaxLabel} bytes"},
	}},
	{"Requests to the API", [][2]string{
		{"headers of a request", "{B server.maxHeaders}"},
		{"body, body of a batch", "{B body.Max}, {B body.MaxBatch}; JSON of {body.maxDepth} levels"},
		{"tasks per batch", "{tasks.batchLimit} by HTTP, {drafts.Most} from Go"},
		{"page", "{query.mostRows} rows"},
		{"`q` of a search", "{inspector.maxSearch} bytes"},
		{"`wait` for the end of a task", "{tasks.waitLimit}"},
		{"upcoming tasks, next ticks", "{inspector.mostUpcoming}, {inspector.mostTicks}"},
		{"points of a series", "{stats.MostPoints}"},
		{"streams of events", "{events.mostStreams} of a node, {events.mostTokenStreams} of a token; {events.mostEventTasks} changes of tasks in a message, {feed.mostPage} looked at"},
		{"ids of a redrive, of a change of many tasks", "{dead.MaxIDs}, {bulk.MaxIDs}"},
		{"rate of a redrive, its canary", "{dead.MaxRate} letters a second, {dead.MaxCanary} letters"},
		{"reason of a change of many tasks", "{bulk.MaxReason} bytes"},
		{"tokens", "{token.MostTokens}"},
		{"name of a token, its queues, its `ttl`", "{task.MaxName} characters, {token.MaxQueues}, {token.Longest}"},
	}},
	{"Workers", [][2]string{
		{"tasks of a poll", "{outlast.mostPolled}"},
		{"`wait` of a poll", "{outlast.mostPollWait}"},
		{"its queues, its types", "{outlast.mostSubscribed} each"},
		{"polls that wait", "{lease.mostPolls} of a node"},
		{"lease", "{outlast.leastLease} to {outlast.mostLease}"},
		{"release of an application", "{task.MaxRelease} bytes without control characters"},
		{"remote workers that others are told of, leases of one", "{roster.mostTold} of a node, {roster.mostLeases}"},
		{"worker groups, members of one", "{group.mostGroups}, {group.mostMembers}"},
		{"capacity of a member, its `ttl`", "{outlast.mostCapacity}, {time.Second} to {outlast.mostTTL}"},
	}},
	{"Schedules and alerts", [][2]string{
		{"cron expression", "{schedules.maxCron} bytes"},
		{"`window` of `fire_all`", "{schedules.MaxWindow}"},
		{"ticks that wait for the last task", "{schedules.MostWaiting}"},
		{"name of a rule or channel", "1 to {alerts.maxName} of `A-Z a-z 0-9 . _ -`"},
		{"channels of a rule", "{alerts.mostChannels}"},
		{"its `cooldown`, its `for`, its `digest`", "{alerts.maxCooldown}, {alerts.maxHold}, {alerts.maxHold}"},
		{"silence, its patterns, its reason", "{alert.LongestSilence}, {alerts.maxPattern} bytes each, {alerts.maxReason} bytes"},
		{"`rate` of a channel", "{channel.mostPerMinute} messages a minute"},
		{"its `timeout`", "{100*time.Millisecond} to {channel.maxTimeout}"},
		{"its mentions, its receivers of mail", "{channel.mostMentions}, {channel.mostReceivers}"},
	}},
	{"Settings", [][2]string{
		{"configuration file", "{B config.MaxFile}; {config.mostDeep} levels, {config.mostNamed} named things"},
		{"a stored policy, schedule, rule, channel", "{B store.MaxObject}; {store.MostVersions} versions are kept"},
		{"lanes", "{inspector.maxLanes} of a queue, {sqlstore.allLanes} in all"},
		{"`concurrency` of a queue, its `weight`", "{inspector.maxConcurrency}, {inspector.maxWeight}"},
		{"rate of a share key", "{store.MostShareRate} in its unit"},
	}},
	{"A node, unless configured", [][2]string{
		{"running attempts", "{engine.usualSlots} (`concurrency`, `WithSlots`)"},
		{"tasks in memory", "{engine.usualNearFuture} (`near_future`)"},
		{"payloads of running tasks", "{B engine.usualInFlight}"},
		{"connections", "{server.DefaultConnections}, half of them from one address (`limits.connections`)"},
		{"request bodies in memory", "{B server.DefaultBodies}, half of them of one token (`limits.body_mib`)"},
	}},
}

// limitFolders are where packages are that are not in internal.
var limitFolders = map[string]string{
	"task": "task", "store": "store", "alert": "alert", "outlast": ".", "server": "server", "stored": "store/internal/stored", "sqlstore": "store/internal/sqlstore",
	"body": "server/internal/body", "tasks": "server/internal/tasks", "query": "server/internal/query", "events": "server/internal/events",
}

var limitIn = regexp.MustCompile(`\{(B )?([^}]+)\}`)

func limitTables(t *testing.T) string {
	var out strings.Builder
	known := limits{t: t, folders: map[string]map[string]ast.Expr{}}
	for i, section := range limitRows {
		out.WriteString(strings.Repeat("\n", min(i, 1)) + "## " + section.section + "\n\n| what | at most |\n|---|---|\n")
		for _, row := range section.rows {
			limit := limitIn.ReplaceAllStringFunc(row[1], func(found string) string {
				parts := limitIn.FindStringSubmatch(found)
				expression, err := parser.ParseExpr(parts[2])
				if err != nil {
					t.Fatalf("%s: %v", found, err)
				}
				known.time = false
				value := known.value("", expression)
				n, whole := constant.Int64Val(constant.ToInt(value))
				switch {
				case !whole:
					t.Fatalf("%s is %s", found, value)
				case parts[1] != "":
					return sizeText(n)
				case known.time:
					return spanText(time.Duration(n))
				}
				return numberText(n)
			})
			fmt.Fprintf(&out, "| %s | %s |\n", row[0], limit)
		}
	}
	return out.String()
}

// limits reads constants from the source of their packages.
type limits struct {
	t       *testing.T
	folders map[string]map[string]ast.Expr
	time    bool // the last value is a length of time
}

// value is that of an expression over constants of a folder.
func (l *limits) value(folder string, expression ast.Expr) constant.Value {
	switch e := expression.(type) {
	case *ast.BasicLit:
		return constant.MakeFromLiteral(e.Value, e.Kind, 0)
	case *ast.Ident:
		return l.value(folder, l.constants(folder)[e.Name])
	case *ast.BinaryExpr:
		x, y := l.value(folder, e.X), l.value(folder, e.Y)
		switch by, _ := constant.Uint64Val(y); e.Op {
		case token.SHL:
			return constant.Shift(x, e.Op, uint(by))
		case token.QUO:
			return constant.BinaryOp(x, token.QUO_ASSIGN, y) // of whole numbers
		}
		return constant.BinaryOp(x, e.Op, y)
	case *ast.SelectorExpr:
		from := written(e.X)
		if from == "time" {
			l.time = true
			unit := map[string]time.Duration{"Millisecond": time.Millisecond, "Second": time.Second, "Minute": time.Minute, "Hour": time.Hour}[e.Sel.Name]
			return constant.MakeInt64(int64(unit))
		}
		return l.value(cmp.Or(limitFolders[from], "internal/"+from), e.Sel)
	}
	l.t.Fatalf("%s lacks a constant, or has %T in one", folder, expression)
	return nil
}

// constants are those of a package.
func (l *limits) constants(folder string) map[string]ast.Expr {
	if l.folders[folder] == nil {
		found := map[string]ast.Expr{}
		files, _ := filepath.Glob("../" + folder + "/*.go")
		for _, file := range files {
			for _, declaration := range parse(l.t, file).Decls {
				group, ok := declaration.(*ast.GenDecl)
				if !ok || group.Tok != token.CONST {
					continue
				}
				for _, spec := range group.Specs {
					for i, value := range spec.(*ast.ValueSpec).Values {
						found[spec.(*ast.ValueSpec).Names[i].Name] = value
					}
				}
			}
		}
		l.folders[folder] = found
	}
	return l.folders[folder]
}

func sizeText(n int64) string {
	for unit, name := range map[int64]string{1 << 20: "MiB", 1 << 10: "KiB"} {
		if of := n / unit; n%unit == 0 && of > 0 && of < 1024 {
			return fmt.Sprintf("%d %s", of, name)
		}
	}
	return numberText(n) + " bytes"
}

// numberText sets digits apart from five on.
func numberText(n int64) string {
	text := fmt.Sprint(n)
	if len(text) < 5 {
		return text
	}
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + " " + text[at:]
	}
	return text
}

func spanText(d time.Duration) string {
	const day = 24 * time.Hour
	for _, unit := range []struct {
		of   time.Duration
		name string
	}{{365 * day, "years"}, {day, "days"}, {time.Hour, "h"}, {time.Minute, "min"}, {time.Second, "s"}} {
		if d%unit.of == 0 && (d > unit.of || unit.of < day) {
			return fmt.Sprintf("%d %s", d/unit.of, unit.name)
		}
	}
	return fmt.Sprintf("%d ms", d/time.Millisecond)
}
