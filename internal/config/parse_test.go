package config

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

// example is the one of the contract, as far as it goes.
const example = `
listen: 127.0.0.1:7070
store: {url: "sqlite:outlast.db"}
push: {allow: ["10.0.0.0/8"]}
queues:
  default: {lanes: 8, policy: default, unknown_type: park}   # or dead
  billing: {lanes: 16, policy: payment, concurrency: 200}
types:
  mail.send: {policy: notification, queue: mail}
policies:
  payment:
    max_attempts: 5                  # the first one included
    backoff: {kind: exponential, initial: 1s, multiplier: 2, max: 30s, jitter: full}
    timeout: 10s
    ttl: 15m
    rules:
      - {when: [network, timeout], backoff: {kind: exponential, initial: 100ms, multiplier: 2, max: 400ms}, max_attempts: 4}
      - {when: [conflict], backoff: {kind: exponential, initial: 1s, multiplier: 2, max: 16s}}
      - {when: 'status == 409 && attempt < 3'}
      - {when: [permanent], then: dead}
    budget: {ratio: 0.1}
    breaker: {failure_rate: 0.5, min_calls: 20, window: 30s, open_for: 5s}
    max_crashes: 3
    order_on_dead: block
    fallback: {type: payment.refund}
  habits: {preset: snailjob-26, max_attempts: 4}
groups:
  mailers: {dispatch: {steps: [1s, 5s, 10s, 60s], max: 300s}, member_ttl: 15s, secret_env: MAILERS_SECRET}
alerts:
  channels: {ops: {kind: dingtalk, url_env: DING_URL, secret_env: DING_SECRET}}
  rules:
    - {name: exhausted, on: dead, when: 'reason == "exhausted"', channels: [ops], cooldown: 5m}
schedules:
  nightly: {cron: "0 0 3 * * *", zone: Asia/Shanghai, task: {type: report.build}, misfire: fire_once, overlap: skip}
targets:
  api.example.com: {secret_env: EXAMPLE_SECRET}
dead: {retention: 720h, cleanup: "0 3 * * *", stats_every: 5m}
log: {level: debug, levels: {engine: warn}}
engine: {concurrency: 0x10, horizon: 2m}
`

func TestParse(t *testing.T) {
	f, err := Parse("outlast.yaml", []byte(example))
	if err != nil {
		t.Fatal(err)
	}
	payment := f.Policies["payment"]
	if payment.Policy.MaxAttempts() != 5 || len(payment.Policy.Rules()) != 4 || payment.Fallback.Type != "payment.refund" || payment.Policy.TTL() != 15*time.Minute {
		t.Errorf("%+v", payment)
	}
	if habits := f.Policies["habits"].Policy; habits.MaxAttempts() != 4 || habits.Plan(3)[2] != 30*time.Second {
		t.Errorf("%v", habits.Plan(3))
	}
	if *f.Queues["billing"].Lanes != 16 || *f.Queues["billing"].Policy != "payment" || f.Queues["billing"].Weight != nil || f.Types["mail.send"].Queue != "mail" {
		t.Errorf("%+v, %+v", f.Queues, f.Types["mail.send"])
	}
	if f.Engine.Concurrency != 16 || time.Duration(f.Engine.Horizon) != 2*time.Minute || f.Engine.Batch != 1000 || !f.Retries || time.Duration(f.Grace) != 25*time.Second || f.Log.Levels["engine"] != "warn" {
		t.Errorf("%+v, %+v", f.Engine, f.Config)
	}
	if f.Groups["mailers"].SecretEnv != "MAILERS_SECRET" { // which stands in no row
		t.Errorf("%+v", f.Groups["mailers"])
	}
	bodies := map[string]string{}
	for _, o := range f.Objects() {
		bodies[o.Kind+"/"+o.Name] = string(o.Body)
	}
	for id, want := range map[string]string{
		"schedule/nightly": `{"cron":"0 0 3 * * *","zone":"Asia/Shanghai","misfire":"fire_once","overlap":"skip","task":{"type":"report.build"}}`,
		"group/mailers":    `{"dispatch":{"steps":["1s","5s","10s","1m0s"],"max":"5m0s"},"member_ttl":"15s"}`,
		"channel/ops":      `{"name":"ops","kind":"dingtalk","url_env":"DING_URL","secret_env":"DING_SECRET"}`,
		"rule/exhausted":   `{"name":"exhausted","on":"dead","when":"reason == \"exhausted\"","channels":["ops"],"cooldown":"5m0s"}`,
	} {
		if bodies[id] != want {
			t.Errorf("%s: %s, want %s", id, bodies[id], want)
		}
	}
	empty, err := Parse("", nil)
	if err != nil || empty.Listen != "127.0.0.1:7070" || empty.Store.URL != "sqlite:outlast.db" || len(empty.Objects()) != 0 {
		t.Errorf("%+v, %v", empty, err)
	}
	for _, nothing := range []string{"# only a comment\n", "---\n", "policies:\nqueues:\n"} {
		if _, err := Parse("", []byte(nothing)); err != nil {
			t.Errorf("%q: %v", nothing, err)
		}
	}
}

// Every mistake is told, with its line, its path and what to do about it.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string // lines of the error, in part
	}{
		{"unknown key", "listen: 127.0.0.1:1\npolcies: {}\n", []string{"f.yaml:2: polcies: unknown key (did you mean policies?)"}},
		{"unknown key of a policy", "policies:\n  p:\n    ttl: 1m\n    max_atempts: 3\n", []string{"f.yaml:4: policies.p.max_atempts: unknown key (did you mean max_attempts?)"}},
		{"unknown key of a queue", "queues: {a: {lane: 3}}", []string{"f.yaml:1: queues.a.lane: unknown key (did you mean lanes?)"}},
		{"unknown key of a type", "types: {a: {quee: x}}", []string{"f.yaml:1: types.a.quee: unknown key (did you mean queue?)"}},
		{"all at once", "listen: 7070\nengine:\n  batch: 5000\npolicies:\n  p: {max_attempts: 0, backoff: {multiplier: 200}}\n  q:\n    rules:\n      - when: statu == 3\n",
			[]string{"f.yaml:1: listen: a text is wanted, not 7070", "f.yaml:3: engine.batch: is outside 1 to 1000", "f.yaml:5: policies.p.max_attempts: 0 is outside", "f.yaml:5: policies.p.backoff.multiplier", "f.yaml:8: policies.q.rules[0].when: is not a condition", "did you mean status?"}},
		{"key twice", "listen: 127.0.0.1:1\npolicies: {}\nlisten: 127.0.0.1:2\n", []string{"f.yaml:3: listen: is given twice, also in line 1"}},
		{"key of a policy twice", "policies:\n  p:\n    ttl: 1s\n    ttl: 2s\n", []string{"f.yaml:4: policies.p.ttl: is given twice"}},
		{"no unit", "grace: 25\n", []string{"f.yaml:1: grace: a duration is wanted, not 25 (write it with units, such as 1.5s)"}},
		{"negative", "grace: -1s\n", []string{"f.yaml:1: grace: \"-1s\" is negative"}},
		{"schedule", "schedules:\n  a:\n    cron: 0 25 * * *\n    task: {type: x}\n  b:\n    crom: x\n  c: {cron: 0 3 * * *}\n", []string{"f.yaml:3: schedules.a.cron", "f.yaml:6: schedules.b.crom: unknown key (did you mean cron?)", "f.yaml:7: schedules.c.task.type: is required"}},
		{"keys below a schedule", "schedules:\n  a:\n    every: 5\n    task:\n      type: x\n      max_atempts: 3\n      retry: {max_atempts: 3}\n      target:\n        metod: y\n        headers: [a]\n      priority: high\n  b: {at: tomorrow, task: x}\n",
			[]string{"f.yaml:3: schedules.a.every: a duration is wanted, not 5", "f.yaml:6: schedules.a.task.max_atempts: unknown key (did you mean max_attempts?)", "f.yaml:9: schedules.a.task.target.metod: unknown key (did you mean method?)",
				"f.yaml:10: schedules.a.task.target.headers: an object is wanted, not a list", "f.yaml:11: schedules.a.task.priority: a whole number is wanted, not \"high\"", "f.yaml:12: schedules.b.at: is not a time (write it as 2026-11-20T03:00:00Z)", "f.yaml:12: schedules.b.task: an object is wanted, not a text"}},
		{"rules of a schedule", "schedules:\n  a: {cron: 0 3 * * *, zone: Asia/Shangai, misfire: fire_onc, overlap: skp, task: {type: x}}\n  b: {every: 1h, misfire: never, overlap: wait, task: {type: x}}\n  c: {cron: 0 3 * * *, zone: Mars/Olympus, task: {type: x}}\n",
			[]string{`"Asia/Shangai" is not an IANA time zone; did you mean Asia/Shanghai?`, `"fire_onc" is not a misfire rule (did you mean fire_once?)`, `"skp" is not an overlap rule (did you mean skip?)`,
				`"never" is not a misfire rule (skip, fire_once or fire_all; leave it out for fire_once)`, `"wait" is not an overlap rule (allow, skip, replace or queue; leave it out for allow)`, `"Mars/Olympus" is not an IANA time zone, such as Asia/Shanghai`}},
		{"retry of a schedule", "schedules:\n  a:\n    every: 5m\n    task: {type: x, retry: {max_atempts: 3}}\n", []string{"f.yaml:4: schedules.a.task.retry.max_atempts: unknown key (did you mean max_attempts?)"}},
		{"group", "groups:\n  mailers: {dispatch: {steps: [1s, 5], max: 0s}, member_tll: 1s}\n", []string{"f.yaml:2: groups.mailers.dispatch.steps[1]: a duration is wanted", "groups.mailers.dispatch.max: is outside 1ms to 24h", "did you mean member_ttl?"}},
		{"secret of a group", "groups:\n  mailers: {secret_env: whsec_abc}\n", []string{"f.yaml:2: groups.mailers.secret_env: is not the name of an environment variable (put the secret into a variable and give the name of that)"}},
		{"channel", "alerts:\n  channels:\n    ops: {kind: dingtak, url_env: X}\n", []string{"f.yaml:3: alerts.channels.ops.kind"}},
		{"rule", "alerts:\n  rules:\n    - {on: dead}\n    - {name: a, on: dead, when: 'reson == \"x\"'}\n    - {name: a, on: retry}\n", []string{"f.yaml:3: alerts.rules[0]: has no name", "f.yaml:4: alerts.rules[1].when", "did you mean reason?", "f.yaml:5: alerts.rules[2].name: \"a\" is given twice"}},
		{"no timeout", "push:\n  timeout: 0s\n", []string{"f.yaml:2: push.timeout: is outside 1ms to 24h"}},
		{"limit of a target", "targets: {a.example: {concurrency: -3}}\n", []string{"f.yaml:1: targets.a.example.concurrency: is outside 0 to 1000000"}},
		{"anchor", "policies:\n  a: &x {ttl: 1m}\n  b: *x\n", []string{"f.yaml:2: policies.a: anchors and aliases are not supported", "f.yaml:3: policies.b: anchors"}},
		{"merge", "policies:\n  b:\n    <<: {ttl: 1m}\n", []string{"f.yaml:3: policies.b: has a key that is not plain text"}},
		{"two documents", "listen: 127.0.0.1:1\n---\nlisten: 127.0.0.1:2\n", []string{"has 2 documents"}},
		{"no YAML", "listen: [\npolicies\n", []string{"f.yaml:1: is not YAML"}},
		{"no YAML in the first line", "a: b: c", []string{"f.yaml:1: is not YAML: mapping values"}},
		{"open bracket", "retries: true\npolicies:\n  a: {ttl: 1m\nrelease: x\n", []string{"f.yaml:3: is not YAML"}},
		{"open quote", "retries: true\nrelease: \"x\n\n\nstore: {}\n", []string{"f.yaml:2: is not YAML"}},
		{"indentation", "policies:\n  a:\n    ttl: 1m\n   timeout: 1s\nrelease: x\n", []string{"f.yaml:4: is not YAML"}},
		{"unknown anchor", "retries: true\nrelease: *x\nstore: {}\n", []string{"f.yaml:2: is not YAML: unknown anchor"}},
		{"raw control character", "retries: true\n\x01release: x\n", []string{"f.yaml:2: is not YAML: control characters"}},
		{"list after keys", "retries: true\n- b\n", []string{"f.yaml:2: is not YAML"}},
		{"tab", "policies:\n\tp: {}\n", []string{"f.yaml:2: is not YAML"}},
		{"no UTF-8", "listen: a\nstore: \xff\n", []string{"f.yaml:2: is not valid UTF-8"}},
		{"tag", "listen: !!binary aGk=\n", []string{"f.yaml:1: listen: the tag"}},
		{"list", "- listen\n", []string{"an object is wanted, not a list"}},
		{"text", "hello\n", []string{"an object is wanted, not a text"}},
		{"infinite", "engine: {batch: .inf}\n", []string{"f.yaml:1: engine.batch: \".inf\" is not a number in range"}},
		{"huge", "engine: {batch: 99999999999999999999999}\n", []string{"f.yaml:1: engine.batch"}},
		{"name", "policies: {'a b': {}}\nqueues: {'x/y': {}}\ntypes: {'': {}}\n", []string{"f.yaml:1: policies.a b: \"a b\" has a character", "f.yaml:2: queues.x/y", "f.yaml:3: types.: is required"}},
		{"none of", "log: {level: debgu}\nqueues: {q: {unknown_type: drop}}\n", []string{"f.yaml:1: log.level: \"debgu\" is none of debug, info, warn, error (did you mean debug?)", "f.yaml:2: queues.q.unknown_type: \"drop\" is none of park, dead"}},
		{"cron", "dead:\n  cleanup: 0 25 * * *\n", []string{"f.yaml:2: dead.cleanup"}},
		{"zone", "dead:\n  zone: Mars/Olympus\n", []string{"f.yaml:2: dead.zone"}},
		{"nearly a zone", "dead:\n  zone: Europ/Berlin\n", []string{"f.yaml:2: dead.zone", "did you mean Europe/Berlin?"}},
		{"retention", "dead:\n  retention: 1s\n", []string{"f.yaml:2: dead.retention: 1s is less than 1m0s"}},
		{"range", "push: {allow: [10.0.0.0/8, nonsense]}\n", []string{"f.yaml:1: push.allow[1]: \"nonsense\" is not an address range"}},
		{"secret", "targets:\n  a.example: {secret_env: whsec_c2VjcmV0}\n", []string{"f.yaml:2: targets.a.example.secret_env: is not the name of an environment variable"}},
		{"profiler", "debug_listen: 0.0.0.0:6060\n", []string{"f.yaml:1: debug_listen: \"0.0.0.0:6060\" is not a loopback address"}},
		{"collector", "telemetry: {endpoint: \"http://me:secret@a\", sample: 101}\n", []string{"f.yaml:1: telemetry.endpoint: has a user or password in it", "f.yaml:1: telemetry.sample: is outside 0 to 100"}},
		{"collector by gRPC", "telemetry:\n  endpoint: a.example:4317\n", []string{"f.yaml:2: telemetry.endpoint: is not a URL with http or https and a host"}},
		{"alert of a policy", "policies: {p: {alert: {when: \"attempt >\"}}}\n", []string{"f.yaml:1: policies.p.alert.when: is not a condition"}},
		{"control character", "\"a\\e[31m\": 1\n", []string{`a\x1b[31m: unknown key`}},
		{"deep", strings.Repeat("[", 40) + strings.Repeat("]", 40), []string{"is nested deeper than 32 levels"}},
		{"null in a policy", "policies: {p: {ttl: null}}\n", []string{"f.yaml:1: policies.p.ttl: a duration is wanted, not null"}},
	} {
		_, err := Parse("f.yaml", []byte(c.text))
		var wrong *Error
		if !errors.As(err, &wrong) {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: no %q in\n%v", c.name, want, err)
			}
		}
		if strings.ContainsAny(strings.ReplaceAll(err.Error(), "\n", ""), "\x1b\x00") || strings.Contains(err.Error(), "c2VjcmV0") {
			t.Errorf("%s: raw text or a secret in %q", c.name, err)
		}
	}
	if _, err := Parse("f.yaml", []byte("alerts:\n  rules: [{on: dead}]\n")); strings.Count(err.Error(), "alerts.rules[0]") != 1 {
		t.Errorf("a rule without a name: %v", err)
	}
	if _, err := Parse("f.yaml", make([]byte, MaxFile+1)); err == nil {
		t.Error("a file of any size is read")
	}
}

// A file that is too long to look for its mistake again and again is refused in time,
// with the line of which the library tells.
func TestLongFileThatIsNoYAML(t *testing.T) {
	text := strings.Repeat("# 0123456789012345678901234567890123456789\n", 20_000) + "a: b: c\n"
	_, err := Parse("f.yaml", []byte(text))
	if err == nil || !strings.Contains(err.Error(), "f.yaml:20001: is not YAML") {
		t.Errorf("%v", err)
	}
	_, err = Parse("f.yaml", []byte("a: b: c\n"+text[:len(text)-8]))
	if err == nil || !strings.Contains(err.Error(), "f.yaml:1: is not YAML") {
		t.Errorf("%v", err)
	}
}

// What holds on all nodes has one hash, however it is written; a revision makes
// another one, what is for the node alone does not.
func TestHash(t *testing.T) {
	hash := func(text string) string {
		t.Helper()
		f, err := Parse("", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return f.Hash()
	}
	base := hash("policies: {a: {ttl: 60s, max_attempts: 3}, b: {}}")
	if hash("listen: 127.0.0.1:1\npolicies:\n  b:\n  a:\n    max_attempts: 3 # three\n    ttl: 1m\n") != base {
		t.Error("the same policies have another hash")
	}
	for _, other := range []string{
		"policies: {a: {ttl: 61s, max_attempts: 3}, b: {}}", "policies: {a: {ttl: 60s, max_attempts: 3}}", "revision: 2\npolicies: {a: {ttl: 60s, max_attempts: 3}, b: {}}",
		"retries: false\npolicies: {a: {ttl: 60s, max_attempts: 3}, b: {}}", "queues: {b: {}}\npolicies: {a: {ttl: 60s, max_attempts: 3}}",
	} {
		if strings.HasPrefix(other, "revision") {
			other = strings.Replace(other, "2", `"2"`, 1)
		}
		if hash(other) == base {
			t.Errorf("%s has the same hash", other)
		}
	}
}

func TestValues(t *testing.T) {
	f, err := Parse("f.yaml", []byte("store:\n  url: postgres://ann:se:cr@et@db/x?sslpassword=p&a=b\nlog: {level: warn}\npolicies:\n  p:\n    ttl: 1m\n    fallback: {type: undo, target: {url: https://a.example/, headers: {X-Token: abc, X-Region: eu}}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	f.Listen = "127.0.0.1:9"
	got := map[string]string{}
	for _, v := range f.Values(map[string]string{"listen": "env OUTLAST_LISTEN"}) {
		got[v.Path] = v.Text() + " from " + v.Source
	}
	for path, want := range map[string]string{
		"listen": "127.0.0.1:9 from env OUTLAST_LISTEN", "store.url": "postgres://ann:***@db/x?a=b&sslpassword=%2A%2A%2A from f.yaml:2",
		"log.level": "warn from f.yaml:3", "log.format": "text from default", "engine.batch": "1000 from default", "grace": "25s from default",
		"policies.p.ttl": "1m from f.yaml:6", "policies.p.fallback.target.headers.X-Token": "[hidden] from f.yaml:7", "policies.p.fallback.target.headers.X-Region": "eu from f.yaml:7", "push.allow": "[] from default", "retries": "true from default",
	} {
		if got[path] != want {
			t.Errorf("%s: %s, want %s", path, got[path], want)
		}
	}
	next, err := Parse("f.yaml", []byte("log: {level: info}\ntargets: {a.example: {secret_env: X}}\npolicies: {q: {}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if got := next.Restart(f); !slices.Equal(got, []string{"listen", "log.level", "store.url", "targets.a.example.secret_env"}) {
		t.Errorf("a restart is needed for %v", got)
	}
}

func TestParsePolicies(t *testing.T) {
	all, err := ParsePolicies("f", "", []byte("policies: {b: {ttl: 1m}, a: {preset: payment}}"))
	if err != nil || len(all.All) != 2 || all.All[0].Name != "a" {
		t.Errorf("%v, %v", all, err)
	}
	one, err := ParsePolicies("f", "p", []byte(`{"max_attempts": 3}`))
	if err != nil || len(one.All) != 1 || one.All[0].Name != "p" || one.All[0].Policy.MaxAttempts() != 3 {
		t.Errorf("%v, %v", one, err)
	}
	for text, says := range map[string]string{
		"queues: {}\npolicies: {a: {}}": "f:1: queues: unknown key", "": "an object is wanted", "policies: {}": "there are none", "policies: {a: {ttl: 1}}": "f:1: policies.a.ttl",
		"max_attempts: 3": "policies belong under the key policies",
		"listen: ':1'\npolicies: {a: {}}\nstore: {url: 'memory:'}": "f:1: listen: unknown key, and so are store (this is the configuration of a server: use outlast config check;",
	} {
		if _, err := ParsePolicies("f", "", []byte(text)); err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := ParsePolicies("f", "p q", []byte("ttl: 1\nmax_atempts: 3\n")); err == nil || !strings.Contains(err.Error(), "f:1: ttl") || !strings.Contains(err.Error(), "f:2: max_atempts") || !strings.Contains(err.Error(), "p q") {
		t.Errorf("%v", err)
	}
}

// FuzzParse: whatever a file contains, it is read or refused with printable text,
// and what is read says the same when it is read from what it puts.
func FuzzParse(f *testing.F) {
	f.Add(example)
	f.Add("policies: {p: {rules: [{when: 'attempt > 1'}]}}")
	f.Add("a: &b [*b]\n<<: x\n? {}\n: y")
	f.Add("--- !!binary\n%YAML 1.1\n")
	f.Add("queues:\n - 1\n - ~\ntypes: 2026-01-01\n")
	f.Fuzz(func(t *testing.T, text string) {
		file, err := Parse("f", []byte(text))
		if err != nil {
			var wrong *Error
			if !errors.As(err, &wrong) || len(wrong.Problems) == 0 {
				t.Fatalf("%T %v", err, err)
			}
			for _, p := range wrong.Problems {
				if strings.ContainsFunc(p.String(), func(r rune) bool { return r < ' ' || r == 0x7f }) {
					t.Errorf("raw text in %q", p)
				}
			}
			return
		}
		if file.Hash() == "" || len(file.Values(nil)) == 0 {
			t.Error("there is nothing in it")
		}
		for name, p := range file.Policies {
			again, err := ParsePolicies("f", name, p.Body)
			if err != nil || string(again.All[0].Body) != string(p.Body) {
				t.Errorf("policy %q: %v", name, err)
			}
		}
	})
}
