package outlast_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// badDrafts are drafts with the path of what is wrong with each.
var badDrafts = []struct {
	name   string
	path   string
	change func(d *outlast.Draft)
}{
	{"no type", "type", func(d *outlast.Draft) { d.Type = "" }},
	{"type with a space", "type", func(d *outlast.Draft) { d.Type = "mail send" }},
	{"type with a slash", "type", func(d *outlast.Draft) { d.Type = "../etc" }},
	{"type with a line break", "type", func(d *outlast.Draft) { d.Type = "a\nb" }},
	{"type outside ASCII", "type", func(d *outlast.Draft) { d.Type = "邮件" }},
	{"type of a capability", "type", func(d *outlast.Draft) { d.Type = "@http" }},
	{"long type", "type", func(d *outlast.Draft) { d.Type = strings.Repeat("a", 129) }},
	{"queue with a space", "queue", func(d *outlast.Draft) { d.Queue = "a b" }},
	{"long queue", "queue", func(d *outlast.Draft) { d.Queue = strings.Repeat("q", 129) }},
	{"unknown queue", "queue", func(d *outlast.Draft) { d.Queue = "nowhere" }},
	{"id of another version", "id", func(d *outlast.Draft) { d.ID = outlast.ID{1} }},
	{"priority below", "priority", func(d *outlast.Draft) { d.Priority = ptr(-1) }},
	{"priority above", "priority", func(d *outlast.Draft) { d.Priority = ptr(10) }},
	{"long key", "key", func(d *outlast.Draft) { d.Key = strings.Repeat("k", 513) }},
	{"key that is not UTF-8", "key", func(d *outlast.Draft) { d.Key = "\xff" }},
	{"key with NUL", "key", func(d *outlast.Draft) { d.Key = "a\x00" }},
	{"key with a C1 control", "key", func(d *outlast.Draft) { d.Key = "a\u009b" }},
	{"key with DEL", "key", func(d *outlast.Draft) { d.Key = "a\x7f" }},
	{"long dedupe key", "dedupe_key", func(d *outlast.Draft) { d.DedupeKey = strings.Repeat("k", 513) }},
	{"dedupe key with a line break", "dedupe_key", func(d *outlast.Draft) { d.DedupeKey = "a\r\n" }},
	{"window without a key", "dedupe_window", func(d *outlast.Draft) { d.DedupeWindow = time.Hour }},
	{"negative window", "dedupe_window", func(d *outlast.Draft) { d.DedupeKey, d.DedupeWindow = "k", -1 }},
	{"endless window", "dedupe_window", func(d *outlast.Draft) { d.DedupeKey, d.DedupeWindow = "k", 366*24*time.Hour }},
	{"negative delay", "delay", func(d *outlast.Draft) { d.Delay = -time.Second }},
	{"delay of eleven years", "delay", func(d *outlast.Draft) { d.Delay = 11 * 365 * 24 * time.Hour }},
	{"delay and time", "run_at", func(d *outlast.Draft) { d.Delay, d.RunAt = time.Second, time.Now() }},
	{"time before the epoch of slips", "run_at", func(d *outlast.Draft) { d.RunAt = time.UnixMilli(1_700_000_000) }},
	{"time in eleven years", "run_at", func(d *outlast.Draft) { d.RunAt = time.Now().AddDate(11, 0, 0) }},
	{"far time", "run_at", func(d *outlast.Draft) { d.RunAt = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC) }},
	{"deadline and ttl", "ttl", func(d *outlast.Draft) { d.Deadline, d.TTL = time.Now().Add(time.Hour), time.Hour }},
	{"deadline that has passed", "deadline", func(d *outlast.Draft) { d.Deadline = time.Now().Add(-time.Second) }},
	{"deadline before the first run", "deadline", func(d *outlast.Draft) { d.Delay, d.Deadline = time.Hour, time.Now().Add(time.Minute) }},
	{"deadline at the first run", "deadline", func(d *outlast.Draft) { d.RunAt = time.Now().Add(time.Hour); d.Deadline = d.RunAt }},
	{"far deadline", "deadline", func(d *outlast.Draft) { d.Deadline = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC) }},
	{"negative ttl", "ttl", func(d *outlast.Draft) { d.TTL = -1 }},
	{"ttl before the first run", "ttl", func(d *outlast.Draft) { d.Delay, d.TTL = time.Hour, time.Minute }},
	{"long ttl", "ttl", func(d *outlast.Draft) { d.TTL = 21 * 365 * 24 * time.Hour }},
	{"negative timeout", "timeout", func(d *outlast.Draft) { d.Timeout = -1 }},
	{"timeout under a millisecond", "timeout", func(d *outlast.Draft) { d.Timeout = time.Microsecond }},
	{"timeout over a day", "timeout", func(d *outlast.Draft) { d.Timeout = 25 * time.Hour }},
	{"no attempts", "max_attempts", func(d *outlast.Draft) { d.MaxAttempts = ptr(0) }},
	{"negative attempts", "max_attempts", func(d *outlast.Draft) { d.MaxAttempts = ptr(-1) }},
	{"too many attempts", "max_attempts", func(d *outlast.Draft) { d.MaxAttempts = ptr(1 << 31) }},
	{"unknown policy", "policy", func(d *outlast.Draft) { d.Policy = "paymnt" }},
	{"policy with a control character", "policy", func(d *outlast.Draft) { d.Policy = "a\x1b[2J" }},
	{"retry that is not JSON", "retry", func(d *outlast.Draft) { *d = sent(*d, "{") }},
	{"retry that is a list", "retry", func(d *outlast.Draft) { *d = sent(*d, "[]") }},
	{"retry with an unknown key", "retry.max_atempts", func(d *outlast.Draft) { *d = sent(*d, `{"max_atempts": 3}`) }},
	{"retry without attempts", "retry.max_attempts", func(d *outlast.Draft) { *d = sent(*d, `{"max_attempts": 0}`) }},
	{"retry with a negative wait", "retry.backoff.initial", func(d *outlast.Draft) { *d = sent(*d, `{"backoff": {"initial": "-1s"}}`) }},
	{"retry with a shrinking factor", "retry.backoff.multiplier", func(d *outlast.Draft) { *d = sent(*d, `{"backoff": {"multiplier": 0.5}}`) }},
	{"retry with too large a budget", "retry.budget.ratio", func(d *outlast.Draft) { *d = sent(*d, `{"budget": {"ratio": 1.5}}`) }},
	{"retry with an unknown key of the budget", "retry.budget.rate", func(d *outlast.Draft) { *d = sent(*d, `{"budget": {"rate": 1}}`) }},
	{"retry with a breaker that never opens", "retry.breaker.failure_rate", func(d *outlast.Draft) { *d = sent(*d, `{"breaker": {"failure_rate": 0}}`) }},
	{"retry with a breaker of another kind", "retry.breaker", func(d *outlast.Draft) { *d = sent(*d, `{"breaker": "off"}`) }},
	{"retry with a bad alert", "retry.alert.when", func(d *outlast.Draft) { *d = sent(*d, `{"alert": {"when": "attempt >"}}`) }},
	{"retry with an unreadable fallback", "retry.fallback", func(d *outlast.Draft) { *d = sent(*d, `{"fallback": {"typ": "x"}}`) }},
	{"retry with a bad fallback", "fallback.type", func(d *outlast.Draft) { *d = sent(*d, `{"fallback": {"type": "x y"}}`) }},
	{"large retry", "retry", func(d *outlast.Draft) { *d = sent(*d, `{"preset": "`+strings.Repeat("a", 65536)+`"}`) }},
	{"too much metadata", "metadata", func(d *outlast.Draft) {
		d.Metadata = map[string]string{}
		for i := range 65 {
			d.Metadata[strings.Repeat("a", i+1)] = ""
		}
	}},
	{"large metadata", "metadata", func(d *outlast.Draft) { d.Metadata = map[string]string{"a": strings.Repeat("a", 16<<10)} }},
	{"nameless metadata", "metadata", func(d *outlast.Draft) { d.Metadata = map[string]string{"": "a"} }},
	{"metadata that is not UTF-8", "metadata.a", func(d *outlast.Draft) { d.Metadata = map[string]string{"a": "\xff"} }},
	{"metadata with NUL in a name", "metadata", func(d *outlast.Draft) { d.Metadata = map[string]string{"\x00": "a"} }},
	{"target without a URL", "target.url", func(d *outlast.Draft) { d.Target = &task.Request{Method: "POST"} }},
	{"target of a file", "target.url", func(d *outlast.Draft) { d.Target = &task.Request{URL: "file:///etc/passwd"} }},
	{"target with a password", "target.url", func(d *outlast.Draft) { d.Target = &task.Request{URL: "https://a:b@example.com/"} }},
	{"target in octal", "target.url", func(d *outlast.Draft) { d.Target = &task.Request{URL: "http://0177.0.0.1/"} }},
	{"target of port zero", "target.url", func(d *outlast.Draft) { d.Target = &task.Request{URL: "http://example.com:0/"} }},
	{"long target", "target.url", func(d *outlast.Draft) {
		d.Target = &task.Request{URL: "https://example.com/" + strings.Repeat("a", 2048)}
	}},
	{"lower-case method", "target.method", func(d *outlast.Draft) { d.Target = &task.Request{URL: "https://example.com/", Method: "post"} }},
	{"strange method", "target.method", func(d *outlast.Draft) { d.Target = &task.Request{URL: "https://example.com/", Method: "TRACE"} }},
	{"header with a line break", "target.headers", func(d *outlast.Draft) {
		d.Target = &task.Request{URL: "https://example.com/", Headers: map[string]string{"A": "b\r\nC: d"}}
	}},
	{"reserved header", "target.headers", func(d *outlast.Draft) {
		d.Target = &task.Request{URL: "https://example.com/", Headers: map[string]string{"host": "b"}}
	}},
	{"follow-up of nothing", "fallback.type", func(d *outlast.Draft) { d.Fallback = &task.Follow{} }},
	{"follow-up of a bad type", "on_dead.type", func(d *outlast.Draft) { d.OnDead = &task.Follow{Type: "a b"} }},
	{"follow-up in an unknown queue", "on_success.queue", func(d *outlast.Draft) { d.OnSuccess = &task.Follow{Type: "a", Queue: "nowhere"} }},
	{"follow-up with an unknown policy", "on_success.policy", func(d *outlast.Draft) { d.OnSuccess = &task.Follow{Type: "a", Policy: "x"} }},
	{"follow-up with a bad target", "on_dead.target.url", func(d *outlast.Draft) { d.OnDead = &task.Follow{HTTP: &task.Request{URL: "ftp://example.com/"}} }},
	{"follow-up with a bad payload", "fallback.payload", func(d *outlast.Draft) { d.Fallback = &task.Follow{Type: "a", Payload: json.RawMessage("{")} }},
	{"short traceparent", "trace_parent", func(d *outlast.Draft) { d.TraceParent = "00-abc" }},
	{"traceparent in upper case", "trace_parent", func(d *outlast.Draft) { d.TraceParent = strings.ToUpper(traceParent) }},
	{"traceparent of zeros", "trace_parent", func(d *outlast.Draft) { d.TraceParent = "00-" + strings.Repeat("0", 32) + "-00f067aa0ba902b7-01" }},
	{"traceparent of version ff", "trace_parent", func(d *outlast.Draft) { d.TraceParent = "ff" + traceParent[2:] }},
	{"traceparent with a tail", "trace_parent", func(d *outlast.Draft) { d.TraceParent = traceParent + "-00" }},
}

const traceParent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

// Every refusal names the field, changes nothing, and does not repeat what was
// sent raw.
func TestBadDrafts(t *testing.T) {
	virtually(t, func(k *kit) {
		k.start()
		for _, c := range badDrafts {
			draft := outlast.Draft{Type: "t"}
			c.change(&draft)
			_, err := k.client.Enqueue(k.ctx, draft)
			if err == nil {
				k.Errorf("%s: accepted", c.name)
				continue
			}
			e := wantCode(k.T, err, task.CodeInvalid)
			if !slices.ContainsFunc(e.Fields, func(f task.Field) bool { return f.Path == c.path }) {
				k.Errorf("%s: complaints about %v, want %s", c.name, e.Fields, c.path)
			}
			if text := e.Error(); strings.ContainsAny(text, "\x00\x1b\r\n\u009b") {
				k.Errorf("%s: control characters in %q", c.name, text)
			}
		}
		count, err := k.client.Inspector().Tasks.Count(k.ctx, store.Filter{}, 10)
		if err != nil || count != 0 {
			k.Errorf("%d tasks were accepted, %v", count, err)
		}
	})
}

// All complaints come at once.
func TestBadDraftAllAtOnce(t *testing.T) {
	virtually(t, func(k *kit) {
		k.start()
		_, err := k.client.EnqueueMany(k.ctx, []outlast.Draft{
			{Type: "t"},
			sent(outlast.Draft{Priority: ptr(11), Key: "\xff", Delay: -1}, `{"x": 1}`),
		}, true)
		var paths []string
		wrong := wantCode(k.T, err, task.CodeInvalid)
		for _, field := range wrong.Fields {
			paths = append(paths, field.Path)
		}
		want := []string{"tasks[1].type", "tasks[1].priority", "tasks[1].key", "tasks[1].delay", "tasks[1].retry.x"}
		if hint := "tasks[1].priority: 0 is the lowest, 5 the default; "; !strings.Contains(wrong.Hint, hint) {
			k.Errorf("the hint %q does not say which field it is for", wrong.Hint)
		}
		if !slices.Equal(paths, want) {
			k.Errorf("got %v, want %v", paths, want)
		}
	})
}

func TestPayloadLimit(t *testing.T) {
	virtually(t, func(k *kit) {
		k.start()
		k.enqueue(outlast.Draft{Type: "t", Payload: make([]byte, task.MaxPayload)})
		_, err := k.client.Enqueue(k.ctx, outlast.Draft{Type: "t", Payload: make([]byte, task.MaxPayload+1)})
		wantCode(k.T, err, task.CodeTooLarge)
		_, err = k.client.EnqueueMany(k.ctx, make([]outlast.Draft, 10_001), false)
		wantCode(k.T, err, task.CodeTooLarge)
	})
}

// What is accepted comes back as it was sent, with its defaults.
func TestGoodDraft(t *testing.T) {
	virtually(t, func(k *kit) {
		k.start()
		draft := outlast.Draft{
			ID: outlast.NewID(), Type: "A.b_c:d-9", Payload: []byte("\x00\xff no JSON"), Priority: ptr(0),
			Delay: time.Hour, TTL: 2 * time.Hour, Key: "ключ 🔑", DedupeKey: "d", Policy: "payment",
			Retry: inline(`{"max_attempts": 2}`), MaxAttempts: ptr(3), Timeout: time.Second,
			Metadata: map[string]string{"a": "ä"}, TraceParent: traceParent,
			Target:   &task.Request{URL: "https://Example.COM/x?y=1", Method: "PUT", Headers: map[string]string{"X-A": "b"}},
			Fallback: &task.Follow{Type: "f", Payload: json.RawMessage("{}")},
		}
		sent := k.enqueue(draft)
		got := k.get(sent.ID)
		if string(got.Payload) != string(draft.Payload) || got.Priority != 0 || got.Key != draft.Key || got.Target != "example.com" {
			k.Errorf("got %+v", got.Task)
		}
		if want := sent.CreatedAt.Add(2 * time.Hour); !got.Spec.Deadline.Equal(want) {
			k.Errorf("deadline %v, want %v", got.Spec.Deadline, want)
		}
		if want := sent.CreatedAt.Add(time.Hour); !got.RunAt.Equal(want) || got.Waiting != task.DueLater {
			k.Errorf("run at %v, want %v; waiting %q", got.RunAt, want, got.Waiting)
		}
		if got.MaxAttempts != 3 || got.PolicyName != "inline" || !maps.Equal(got.Spec.Metadata, draft.Metadata) {
			k.Errorf("got max attempts %d, policy %q, metadata %v", got.MaxAttempts, got.PolicyName, got.Spec.Metadata)
		}
		again, err := k.client.Enqueue(k.ctx, draft)
		if err != nil || !again.Existing || again.Task.ID != sent.ID {
			k.Errorf("a repeat with the id gave %+v, %v", again, err)
		}
		draft.Payload = []byte("other")
		_, err = k.client.Enqueue(k.ctx, draft)
		wantCode(k.T, err, task.CodeIDConflict)
	})
}

func TestOptionsAreChecked(t *testing.T) {
	virtually(t, func(k *kit) {
		for name, opt := range map[string]outlast.Option{
			"queue name":   outlast.WithQueues("a b"),
			"cron words":   outlast.WithCleanup("now and then", ""),
			"cron seconds": outlast.WithCleanup("* * * * * *", ""),
			"cron zero":    outlast.WithCleanup("*/0 * * * *", ""),
			"cron range":   outlast.WithCleanup("1--100000000 * * * *", ""),
			"cron long":    outlast.WithCleanup(strings.Repeat("1,", 200)+"1 * * * *", ""),
			"cron never":   outlast.WithCleanup("0 0 31 2 *", ""),
			"zone":         outlast.WithCleanup("0 3 * * *", "../../etc/passwd"),
			"zone local":   outlast.WithCleanup("0 3 * * *", "Local"),
			"retention":    outlast.WithDeadRetention(time.Second),
			"audit":        outlast.WithAuditRetention(time.Hour),
			"done":         outlast.WithDoneRetention(-time.Hour),
			"stats":        outlast.WithStatsEvery(time.Millisecond),
		} {
			if _, err := outlast.Open(k.ctx, k.store, opt); err == nil {
				k.Errorf("%s: accepted", name)
			} else {
				wantCode(k.T, err, task.CodeInvalid)
			}
		}
		_, err := outlast.Open(k.ctx, nil)
		wantCode(k.T, err, task.CodeInvalid)
		k.open(k.store, outlast.WithCleanup("30 15 3 * * MON-FRI", "Asia/Shanghai"))
	})
}
