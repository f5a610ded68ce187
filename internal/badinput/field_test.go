package badinput

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/task"
)

// with is a body with one more field.
func with(name, value string) string {
	quoted, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return `{"type":"t","` + name + `":` + string(quoted) + `}`
}

// nameRows: types, queues, policies, ids.
var nameRows = []refusal{
	{name: "empty type", body: `{"type":""}`, at: "type"},
	{name: "type with a space", body: `{"type":"mail send"}`, at: "type"},
	{name: "type with a slash", body: `{"type":"../../etc/passwd"}`, at: "type"},
	{name: "type with a percent sign", body: `{"type":"%2e%2e"}`, at: "type"},
	{name: "type with a backslash", body: `{"type":"a\\b"}`, at: "type"},
	{name: "type with NUL", body: `{"type":"a\u0000b"}`, at: "type"},
	{name: "type with a line end", body: `{"type":"a\r\nlevel=INFO msg=forged"}`, at: "type"},
	{name: "type with an escape sequence", body: `{"type":"\u001b]0;title\u0007"}`, at: "type"},
	{name: "type with a C1 control", body: `{"type":"a\u009b2J"}`, at: "type"},
	{name: "type with a bidi override", body: `{"type":"a` + "\u202e" + `gpj.exe"}`, at: "type"},
	{name: "type with a zero-width space", body: `{"type":"a` + "\u200b" + `b"}`, at: "type"},
	{name: "type with SQL", body: `{"type":"t'; DROP TABLE tasks; --"}`, at: "type"},
	{name: "type with HTML", body: `{"type":"<img src=x onerror=alert(1)>"}`, at: "type"},
	{name: "type outside ASCII", body: `{"type":"邮件"}`, at: "type"},
	{name: "type in full-width letters", body: `{"type":"ｔ"}`, at: "type"},
	{name: "type of a capability", body: `{"type":"@http"}`, at: "type"},
	{name: "type of 129 characters", body: `{"type":"` + strings.Repeat("a", 129) + `"}`, at: "type"},
	{name: "type of a megabyte", body: `{"type":"` + strings.Repeat("a", 1<<20) + `"}`, at: "type"},
	{name: "queue with a slash", body: with("queue", "../default"), at: "queue"},
	{name: "queue with a line end", body: with("queue", "a\nb"), at: "queue"},
	{name: "queue outside ASCII", body: with("queue", "dеfault"), at: "queue"},
	{name: "queue in another case", body: with("queue", "Default"), at: "queue"},
	{name: "queue that is not there", body: with("queue", "nowhere"), at: "queue"},
	{name: "queue of 129 characters", body: with("queue", strings.Repeat("q", 129)), at: "queue"},
	{name: "policy that is not there", body: with("policy", "paymnt"), at: "policy"},
	{name: "policy with a control character", body: with("policy", "a\x1b[2J"), at: "policy"},
	{name: "policy of a kilobyte", body: with("policy", strings.Repeat("p", 1024)), at: "policy"},
	{name: "preset that overflows", body: with("policy", "easyjob(999999999999h, 2, 5)"), at: "policy"},

	{name: "id of version 4", body: with("id", "3f2504e0-4f89-41d3-9a0c-0305e82c3301"), at: "id"},
	{name: "id of version 1", body: with("id", "019a9f2e-5c00-1abc-8def-0123456789ab"), at: "id"},
	{name: "id of zeros", body: with("id", "00000000-0000-0000-0000-000000000000"), at: "id"},
	{name: "id of ones", body: with("id", "ffffffff-ffff-ffff-ffff-ffffffffffff"), at: "id"},
	{name: "id of another variant", body: with("id", "019a9f2e-5c00-7abc-cdef-0123456789ab"), at: "id"},
	{name: "id of variant 0", body: with("id", "019a9f2e-5c00-7abc-0def-0123456789ab"), at: "id"},
	{name: "id of 37 characters", body: with("id", "019a9f2e-5c00-7abc-8def-0123456789abc"), at: "id"},
	{name: "id of 35 characters", body: with("id", "019a9f2e-5c00-7abc-8def-0123456789a"), at: "id"},
	{name: "id without dashes", body: with("id", "019a9f2e5c007abc8def0123456789ab"), at: "id"},
	{name: "id in braces", body: with("id", "{019a9f2e-5c00-7abc-8def-0123456789ab}"), at: "id"},
	{name: "id as a URN", body: with("id", "urn:uuid:019a9f2e-5c00-7abc-8def-0123456789ab"), at: "id"},
	{name: "id with letters beyond f", body: with("id", "019a9f2e-5c00-7abc-8def-0123456789ag"), at: "id"},
	{name: "id with full-width digits", body: with("id", "０19a9f2e-5c00-7abc-8def-0123456789"), at: "id"},
	{name: "id with a line end", body: with("id", "019a9f2e-5c00-7abc-8def-0123456789a\n"), at: "id"},
	{name: "id of a path", body: with("id", "../../../../../../../etc/passwd/....."), at: "id"},
	{name: "id of a number", body: with("id", "7"), at: "id"},
}

// textRows: keys, metadata, trace context.
var textRows = []refusal{
	{name: "key of 513 bytes", body: with("key", strings.Repeat("k", 513)), at: "key"},
	{name: "key of 171 letters of 3 bytes", body: with("key", strings.Repeat("键", 171)), at: "key"},
	{name: "key with NUL", body: with("key", "a\x00b"), at: "key"},
	{name: "key with a line end", body: with("key", "a\nb"), at: "key"},
	{name: "key with CR LF", body: with("key", "a\r\nSet-Cookie: x"), at: "key"},
	{name: "key with a tab", body: with("key", "a\tb"), at: "key"},
	{name: "key with DEL", body: with("key", "a\x7f"), at: "key"},
	{name: "key with ESC", body: with("key", "\x1b[31m"), at: "key"},
	{name: "key with a C1 control", body: with("key", "a\u0085b"), at: "key"},
	{name: "key of a megabyte", body: with("key", strings.Repeat("k", 1<<20)), at: "key"},
	{name: "dedupe_key of 513 bytes", body: with("dedupe_key", strings.Repeat("k", 513)), at: "dedupe_key"},
	{name: "dedupe_key with NUL", body: with("dedupe_key", "a\x00b"), at: "dedupe_key"},
	{name: "dedupe_key with a C1 control", body: with("dedupe_key", "a\u009b"), at: "dedupe_key"},
	{name: "metadata with NUL", body: `{"type":"t","metadata":{"a":"\u0000"}}`, at: "metadata.a"},
	{name: "metadata with ESC", body: `{"type":"t","metadata":{"a":"\u001b[2J"}}`, at: "metadata.a"},
	{name: "metadata with a line end", body: `{"type":"t","metadata":{"a":"b\nc"}}`, at: "metadata.a"},
	{name: "metadata with a nameless pair", body: `{"type":"t","metadata":{"":"a"}}`, at: "metadata"},
	{name: "metadata with a control character in a name", body: `{"type":"t","metadata":{"\u001b":"a"}}`, at: "metadata"},
	{name: "metadata with a name of 129 bytes", body: `{"type":"t","metadata":{"` + strings.Repeat("a", 129) + `":"a"}}`, at: "metadata"},
	{name: "65 pairs of metadata", body: `{"type":"t","metadata":{` + pairs(65) + `}}`, at: "metadata"},
	{name: "10 000 pairs of metadata", body: `{"type":"t","metadata":{` + pairs(10_000) + `}}`, at: "metadata"},
	{name: "17 KiB of metadata", body: `{"type":"t","metadata":{"a":"` + strings.Repeat("a", 17<<10) + `"}}`, at: "metadata"},
	{name: "short trace_parent", body: with("trace_parent", "00-abc"), at: "trace_parent"},
	{name: "trace_parent in upper case", body: with("trace_parent", strings.ToUpper(traceParent)), at: "trace_parent"},
	{name: "trace_parent of zeros", body: with("trace_parent", "00-"+strings.Repeat("0", 32)+"-00f067aa0ba902b7-01"), at: "trace_parent"},
	{name: "trace_parent of version ff", body: with("trace_parent", "ff"+traceParent[2:]), at: "trace_parent"},
	{name: "trace_parent with a tail", body: with("trace_parent", traceParent+"-00"), at: "trace_parent"},
	{name: "trace_parent with CR LF", body: with("trace_parent", traceParent+"\r\nX: y"), at: "trace_parent"},

	{name: "key that is not UTF-8", body: "{\"type\":\"t\",\"key\":\"\xff\"}", at: "body", form: true},
	{name: "key that is not UTF-8, in Go", body: "{\"type\":\"t\",\"key\":\"\xc3\x28\"}", at: "body", form: true},
}

const traceParent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

// pairs is the inside of an object with n names.
func pairs(n int) string {
	var out []string
	for i := range n {
		out = append(out, `"a`+strings.Repeat("0", i%3)+time.Duration(i).String()+`":"b"`)
	}
	return strings.Join(out, ",")
}

// timeRows: times, durations, numbers.
var timeRows = []refusal{
	{name: "time without a zone", body: with("run_at", "2026-11-20T10:00:00"), at: "run_at"},
	{name: "time without seconds", body: with("run_at", "2026-11-20T10:00Z"), at: "run_at"},
	{name: "date only", body: with("run_at", "2026-11-20"), at: "run_at"},
	{name: "time with a space", body: with("run_at", "2026-11-20 10:00:00Z"), at: "run_at"},
	{name: "lower-case z", body: with("run_at", "2026-11-20t10:00:00z"), at: "run_at"},
	{name: "seconds since 1970", body: `{"type":"t","run_at":1790000000}`, at: "run_at"},
	{name: "seconds since 1970 as a text", body: with("run_at", "1790000000"), at: "run_at"},
	{name: "year 0", body: with("run_at", "0000-01-01T00:00:00Z"), at: "run_at"},
	{name: "year 1, Go's zero time", body: with("run_at", "0001-01-01T00:00:00Z"), at: "run_at"},
	{name: "Go's zero time in another zone", body: with("run_at", "0001-01-01T08:00:00+08:00"), at: "run_at"},
	{name: "year 1970", body: with("run_at", "1970-01-01T00:00:00Z"), at: "run_at"},
	{name: "year 9999", body: with("run_at", "9999-12-31T23:59:59Z"), at: "run_at"},
	{name: "year 10000", body: with("run_at", "10000-01-01T00:00:00Z"), at: "run_at"},
	{name: "year 10000 in UTC", body: with("deadline", "9999-12-31T23:59:59-14:00"), at: "deadline"},
	{name: "negative year", body: with("run_at", "-2026-11-20T10:00:00Z"), at: "run_at"},
	{name: "leap second", body: with("run_at", "2026-12-31T23:59:60Z"), at: "run_at"},
	{name: "hour 24", body: with("run_at", "2026-12-31T24:00:00Z"), at: "run_at"},
	{name: "30 February", body: with("run_at", "2027-02-30T00:00:00Z"), at: "run_at"},
	{name: "offset of 25 hours", body: with("run_at", "2026-11-20T10:00:00+25:00"), at: "run_at"},
	{name: "zone by name", body: with("run_at", "2026-11-20T10:00:00 Europe/Berlin"), at: "run_at"},
	{name: "zone of letters", body: with("run_at", "2026-11-20T10:00:00CET"), at: "run_at"},
	{name: "comma before the fraction", body: with("run_at", "2026-11-20T10:00:00,5Z"), at: "run_at"},
	{name: "time with an escape sequence", body: with("run_at", "\x1b[2J"), at: "run_at"},
	{name: "time of a megabyte", body: with("run_at", strings.Repeat("2", 1<<20)), at: "run_at"},
	{name: "now", body: with("run_at", "now"), at: "run_at"},
	{name: "no time", body: with("run_at", ""), at: "run_at"},
	{name: "run_at and delay", body: `{"type":"t","delay":"1s","run_at":"2099-01-01T00:00:00Z"}`, at: "run_at"},
	{name: "deadline in the past", body: with("deadline", "2020-01-01T00:00:00Z"), at: "deadline"},
	{name: "deadline of Go's zero time", body: with("deadline", "0001-01-01T00:00:00Z"), at: "deadline"},
	{name: "deadline in the year 9999", body: with("deadline", "9999-12-31T23:59:59Z"), at: "deadline"},
	{name: "deadline and ttl", body: `{"type":"t","ttl":"1h","deadline":"2030-01-01T00:00:00Z"}`, at: "ttl"},
	{name: "deadline before the first run", body: `{"type":"t","delay":"87000h","deadline":"2030-01-01T00:00:00Z"}`, at: "deadline"},
	{name: "ttl before the first run", body: `{"type":"t","ttl":"1m","delay":"1h"}`, at: "ttl"},

	{name: "duration without a unit", body: with("delay", "1"), at: "delay"},
	{name: "duration of a number", body: `{"type":"t","delay":1}`, at: "delay"},
	{name: "duration in days", body: with("delay", "1d"), at: "delay"},
	{name: "duration in years", body: with("delay", "1y"), at: "delay"},
	{name: "ISO 8601 duration", body: with("delay", "PT1M"), at: "delay"},
	{name: "negative duration", body: with("delay", "-1s"), at: "delay"},
	{name: "duration with an exponent", body: with("delay", "9e9h"), at: "delay"},
	{name: "duration of NaN", body: with("delay", "NaN"), at: "delay"},
	{name: "duration of infinity", body: with("delay", "Inf"), at: "delay"},
	{name: "duration that overflows", body: with("delay", "9223372036854775808ns"), at: "delay"},
	{name: "duration of the largest number", body: with("delay", "9223372036854775807ns"), at: "delay"},
	{name: "duration that overflows by its parts", body: with("delay", strings.Repeat("2562047h", 2)), at: "delay"},
	{name: "duration of 1 000 000 hours", body: with("delay", "1000000h"), at: "delay"},
	{name: "duration with a space", body: with("delay", "1 s"), at: "delay"},
	{name: "duration with a space before", body: with("delay", " 1s"), at: "delay"},
	{name: "duration in capitals", body: with("delay", "1S"), at: "delay"},
	{name: "duration with two points", body: with("delay", "1.2.3s"), at: "delay"},
	{name: "duration in full-width digits", body: with("delay", "１s"), at: "delay"},
	{name: "duration of nothing", body: with("delay", ""), at: "delay"},
	{name: "duration of a unit", body: with("delay", "s"), at: "delay"},
	{name: "duration of a hexadecimal number", body: with("delay", "0x10s"), at: "delay"},
	{name: "written ttl of 0", body: with("ttl", "0s"), at: "ttl", form: true},
	{name: "written ttl of -0", body: with("ttl", "-0s"), at: "ttl", form: true},
	{name: "written timeout of 0", body: with("timeout", "0s"), at: "timeout", form: true},
	{name: "written dedupe window of 0", body: `{"type":"t","dedupe_key":"k","dedupe_window":"0s"}`, at: "dedupe_window", form: true},
	{name: "written empty key", body: with("key", ""), at: "key", form: true},
	{name: "written empty dedupe key", body: with("dedupe_key", ""), at: "dedupe_key", form: true},
	{name: "timeout of a day and more", body: with("timeout", "24h1ns"), at: "timeout"},
	{name: "timeout under a millisecond", body: with("timeout", "999us"), at: "timeout"},
	{name: "negative timeout", body: with("timeout", "-1ns"), at: "timeout"},
	{name: "negative ttl", body: with("ttl", "-1h"), at: "ttl"},
	{name: "ttl of 21 years", body: with("ttl", "183960h"), at: "ttl"},
	{name: "window without a dedupe_key", body: with("dedupe_window", "1h"), at: "dedupe_window"},
	{name: "negative window", body: `{"type":"t","dedupe_key":"k","dedupe_window":"-1s"}`, at: "dedupe_window"},
	{name: "window over a year", body: `{"type":"t","dedupe_key":"k","dedupe_window":"8761h"}`, at: "dedupe_window"},

	{name: "priority of -1", body: `{"type":"t","priority":-1}`, at: "priority"},
	{name: "priority of 10", body: `{"type":"t","priority":10}`, at: "priority"},
	{name: "priority of -2^63", body: `{"type":"t","priority":-9223372036854775808}`, at: "priority"},
	{name: "max_attempts of 0", body: `{"type":"t","max_attempts":0}`, at: "max_attempts"},
	{name: "max_attempts of -1", body: `{"type":"t","max_attempts":-1}`, at: "max_attempts"},
	{name: "max_attempts of 2^31", body: `{"type":"t","max_attempts":2147483648}`, at: "max_attempts"},
	{name: "payload over 1 MiB", body: with("payload", strings.Repeat("p", 1<<20)), at: "payload", code: task.CodeTooLarge},
	{name: "follow-ups over 1 MiB together", body: `{"type":"t","fallback":{"type":"f","payload":"` + strings.Repeat("p", 600<<10) +
		`"},"on_dead":{"type":"f","payload":"` + strings.Repeat("p", 600<<10) + `"}}`, at: "on_dead.payload", code: task.CodeTooLarge},
	{name: "follow-up without a type", body: `{"type":"t","fallback":{}}`, at: "fallback.type"},
	{name: "follow-up of a bad type", body: `{"type":"t","on_dead":{"type":"a b"}}`, at: "on_dead.type"},
	{name: "follow-up in an unknown queue", body: `{"type":"t","on_success":{"type":"u","queue":"nowhere"}}`, at: "on_success.queue"},
	{name: "follow-up with an unknown policy", body: `{"type":"t","on_success":{"type":"u","policy":"x"}}`, at: "on_success.policy"},
	{name: "follow-up to a file", body: `{"type":"t","fallback":{"target":{"url":"file:///etc/passwd"}}}`, at: "fallback.target.url"},
}

func TestNames(t *testing.T) { refuse(t, nameRows) }
func TestTexts(t *testing.T) { refuse(t, textRows) }
func TestTimes(t *testing.T) { refuse(t, timeRows) }

// What only Go can say: bytes that are no UTF-8, ids that are no UUID of
// version 7, numbers outside their ranges by overflow.
func TestGoOnly(t *testing.T) {
	for _, row := range []struct {
		name, at string
		draft    outlast.Draft
	}{
		{"key", "key", outlast.Draft{Key: "\xff"}},
		{"dedupe key", "dedupe_key", outlast.Draft{DedupeKey: "\xed\xa0\x80"}},
		{"metadata", "metadata.a", outlast.Draft{Metadata: map[string]string{"a": "\xff"}}},
		{"metadata name", "metadata", outlast.Draft{Metadata: map[string]string{"\xff": "a"}}},
		{"id", "id", outlast.Draft{ID: outlast.ID{1}}},
		{"delay", "delay", outlast.Draft{Delay: 1 << 62}},
		{"delay below", "delay", outlast.Draft{Delay: -1 << 63}},
		{"ttl", "ttl", outlast.Draft{TTL: -1 << 63}},
		{"run_at", "run_at", outlast.Draft{RunAt: time.Unix(1<<60, 0)}},
		{"run_at before", "run_at", outlast.Draft{RunAt: time.Unix(-1<<60, 0)}},
		{"deadline", "deadline", outlast.Draft{Deadline: time.Unix(1<<60, 0)}},
		{"retry", "retry", goDraft(&client.Draft{Retry: json.RawMessage("{")})},
		{"retry after the end", "retry", goDraft(&client.Draft{Retry: json.RawMessage(`{} {}`)})},
		{"retry that is not UTF-8", "retry", goDraft(&client.Draft{Retry: json.RawMessage("{\"preset\":\"\xff\"}")})},
		{"retry with a name twice", "retry.max_attempts", goDraft(&client.Draft{Retry: json.RawMessage(`{"max_attempts":2,"max_attempts":3}`)})},
		{"retry with a name twice below", "retry.backoff.max", goDraft(&client.Draft{Retry: json.RawMessage(`{"backoff":{"max":"1m","max":"1h"}}`)})},
		{"retry nested too deeply", "retry", goDraft(&client.Draft{Retry: json.RawMessage(`{"alert":` + nested(9000, "") + `}`)})},
		{"payload of a follow-up", "fallback.payload", outlast.Draft{Fallback: &task.Follow{Type: "f", Payload: json.RawMessage("{")}}},
		{"payload of a follow-up, not UTF-8", "on_dead.payload", outlast.Draft{OnDead: &task.Follow{Type: "f", Payload: json.RawMessage("\"\xff\"")}}},
	} {
		t.Run(row.name, func(t *testing.T) {
			before := shared.count(t)
			row.draft.Type = "t"
			_, err := shared.node.Enqueue(t.Context(), row.draft)
			refusedInGo(t, err, task.CodeInvalid, row.at)
			shared.unchanged(t, before)
		})
	}
}

// Arguments of a command line are bytes; a key that is not UTF-8 must not
// become the key of another by way of U+FFFD.
func TestFlagsThatAreNotUTF8(t *testing.T) {
	before := shared.count(t)
	for flag, at := range map[string]string{"key": "key", "dedupe-key": "dedupe_key", "metadata": "metadata", "type": "type", "url": "target.url"} {
		args := []string{"task", "enqueue", "--type=t", "--" + flag + "=a=\xff"}
		shared.process(t, "", args...).refuses(t, at+":", at+".a:")
	}
	shared.process(t, "", "task", "list", "--key=\xff").refuses(t, "key:")
	shared.unchanged(t, before)
}
