package badinput

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

// keptPayloads are values of JSON that readers like to alter. They are kept
// byte for byte.
var keptPayloads = map[string]string{
	"2^53+1":                       `9007199254740993`,
	"2^63":                         `9223372036854775808`,
	"2^64+1":                       `18446744073709551617`,
	"100 digits":                   `1` + strings.Repeat("0", 99),
	"10 000 digits":                strings.Repeat("9", 10_000),
	"1e400":                        `1e400`,
	"1E+400":                       `1E+400`,
	"1e-400":                       `-1e-400`,
	"minus zero":                   `-0`,
	"minus zero with a point":      `-0.0`,
	"1.0":                          `1.0`,
	"0.1 in 30 digits":             `0.100000000000000005551115123126`,
	"1e15":                         `1e15`,
	"exponents":                    `[1E5,1e+5,1e-5,0e0]`,
	"null":                         `null`,
	"true":                         `true`,
	"empty object":                 `{}`,
	"empty list":                   `[]`,
	"empty text":                   `""`,
	"order of names":               `{"z":1,"a":2,"m":3}`,
	"names twice":                  `{"a":1,"a":2}`,
	"names twice by escape":        `{"a":1,"\u0061":2}`,
	"names in two cases":           `{"a":1,"A":2}`,
	"empty name":                   `{"":1}`,
	"__proto__":                    `{"__proto__":{"x":1},"constructor":1}`,
	"white space":                  "{ \"a\" :\t1 ,\r\n  \"b\" : [ 1 , 2 ] }",
	"escapes":                      `"\u0041\u00e9\/\b\f\n\r\t\"\\"`,
	"escapes in both cases":        `"\u00E9\u00e9"`,
	"slash":                        `"a/b\/c"`,
	"NUL":                          `"a\u0000b"`,
	"NUL in a name":                `{"\u0000":1}`,
	"control characters":           `"\u0001\u001b[2J\u007f"`,
	"raw DEL":                      "\"\x7f\"",
	"raw C1 control":               "\"\u009b31m\"",
	"bidi override":                "\"\u202egpj.exe\"",
	"bidi isolates":                "\"\u2066a\u2069\"",
	"zero width":                   "\"a\u200bb\u200d\ufeff\"",
	"line separators":              "\"\u2028\u2029\"",
	"replacement character":        "\"\ufffd\"",
	"replacement character, as \\": `"\ufffd"`,
	"noncharacters":                "\"\ufffe\uffff\"",
	"lone surrogate":               `"\ud800"`,
	"lone surrogates":              `["\udc00\ud800","\ud83d","x\udfffy"]`,
	"emoji":                        `"😀👩‍👩‍👧‍👦"`,
	"emoji as a pair":              `"\ud83d\ude00"`,
	"composed and decomposed":      "[\"\u00e9\",\"e\u0301\"]",
	"1000 accents":                 "\"a" + strings.Repeat("\u0301", 1000) + "\"",
	"HTML":                         `"<script>alert(1)</script>&<!--"`,
	"SQL":                          `"'; DROP TABLE tasks; --"`,
	"template":                     `"{{.}} ${jndi:ldap://x} %s %n"`,
	"log line":                     `"\n{\"level\":\"error\"}"`,
	"62 levels":                    nested(62, "0"),
	"wide list":                    "[" + strings.Repeat("1,", 50_000) + "1]",
	"1 MiB":                        `"` + strings.Repeat("p", 1<<20-2) + `"`,
}

// payloadOf is the payload of an answer as it stands there.
func payloadOf(t testing.TB, body []byte) string {
	t.Helper()
	var fields map[string]json.RawMessage
	must(t, json.Unmarshal(body, &fields))
	return string(fields["payload"])
}

// What is odd but allowed is kept byte for byte, whichever door it comes in
// by and whichever it is looked at through.
func TestKeptPayloads(t *testing.T) {
	for name, payload := range keptPayloads {
		t.Run(name, func(t *testing.T) {
			body := `{"type":"t","delay":"1h","payload":` + payload + `}`
			created := shared.post(t, "/v1/tasks", body)
			if created.status != http.StatusCreated {
				t.Fatalf("http: %d %.300s", created.status, created.body)
			}
			sameEverywhere(t, "http", created.body, payload)

			p := shared.cli(t, body, "task", "enqueue", "--file=-", "--output=json")
			if p.exit != 0 {
				t.Fatalf("cli: %d %.300s", p.exit, p.messages)
			}
			sameEverywhere(t, "cli", []byte(p.stdout), payload)
			if len(payload) < 32<<10 {
				p = shared.cli(t, "", "task", "enqueue", "--type=t", "--delay=1h", "--payload="+payload, "--output=json")
				if p.exit != 0 {
					t.Fatalf("cli by flags: %d %.300s", p.exit, p.messages)
				}
				sameEverywhere(t, "cli by flags", []byte(p.stdout), payload)
			}
			receipt, err := shared.node.Enqueue(t.Context(), outlast.Draft{Type: "t", Delay: time.Hour, Payload: []byte(payload)})
			must(t, err)
			sameEverywhere(t, "go", []byte(`{"id":"`+receipt.Task.ID.String()+`"}`), payload)
		})
	}
}

// sameEverywhere reads the payload of a task through every door.
func sameEverywhere(t *testing.T, door string, created []byte, payload string) {
	t.Helper()
	var named struct{ ID outlast.ID }
	must(t, json.Unmarshal(created, &named))
	view, err := shared.node.Inspector().Tasks.Get(t.Context(), named.ID)
	must(t, err)
	if string(view.Payload) != payload {
		t.Errorf("from %s, in Go: %.200q, want %.200q", door, view.Payload, payload)
	}
	if got := payloadOf(t, shared.call(t, "GET", "/v1/tasks/"+named.ID.String(), "").body); got != payload {
		t.Errorf("from %s, over HTTP: %.200q, want %.200q", door, got, payload)
	}
	flat := strings.NewReplacer("\r", " ", "\n", " ").Replace(payload) // one line per value, by contract
	if got := payloadOf(t, []byte(shared.cli(t, "", "task", "get", named.ID.String(), "--output=json").stdout)); got != flat {
		t.Errorf("from %s, by the cli: %.200q, want %.200q", door, got, flat)
	}
}

// Bytes that are no JSON are for Go programs; others see them as base64.
func TestPayloadsOfBytes(t *testing.T) {
	for _, payload := range []string{"\x00\x01", "\xff", "\"\xff\"", "{", "NaN", "1 2", "\ufeff{}", nested(20_000, "")} {
		receipt, err := shared.node.Enqueue(t.Context(), outlast.Draft{Type: "t", Delay: time.Hour, Payload: []byte(payload)})
		must(t, err)
		answer := shared.call(t, "GET", "/v1/tasks/"+receipt.Task.ID.String(), "")
		var got struct {
			Payload       json.RawMessage
			PayloadBase64 []byte `json:"payload_base64"`
		}
		must(t, json.Unmarshal(answer.body, &got))
		if got.Payload != nil || string(got.PayloadBase64) != payload {
			t.Errorf("%.40q came back as %.80s", payload, answer.body)
		}
	}
}

// keptFields are odd values of other fields, with what they are shown as.
var keptFields = []struct{ name, field, value, shown string }{
	{"key with a bidi override", "key", `"a` + "\u202e" + `b"`, ""},
	{"key with zero widths", "key", `"a` + "\u200b\u200d" + `b"`, ""},
	{"key in many scripts", "key", `"ключ 🔑 鍵"`, ""},
	{"key with quotes", "key", `"'\"` + "`" + `;--"`, ""},
	{"key of 512 bytes", "key", `"` + strings.Repeat("k", 512) + `"`, ""},
	{"key with a replacement character", "key", `"` + "\ufffd" + `"`, ""},
	{"key with blanks around", "key", `"  a  "`, ""},
	{"key of a percent sign", "key", `"%00%n%s"`, ""},
	{"type of 128 characters", "type", `"` + strings.Repeat("a", 128) + `"`, ""},
	{"type of dots", "type", `"..-:_.."`, ""},
	{"delay in parts", "delay", `"1s1s1s"`, ""},
	{"delay of a fraction", "delay", `"0.5h"`, ""},
	{"delay of nothing", "delay", `"0"`, ""},
	{"delay of minus nothing", "delay", `"-0s"`, ""},
	{"delay with a plus", "delay", `"+1h"`, ""},
	{"delay of ten years", "delay", `"87600h"`, ""},
	{"time with an offset", "run_at", `"2030-01-01T12:00:00+08:00"`, `"2030-01-01T04:00:00.000000Z"`},
	{"time with nanoseconds", "run_at", `"2030-01-01T00:00:00.123456789Z"`, `"2030-01-01T00:00:00.123457Z"`},
	{"time at minus zero", "run_at", `"2030-01-01T00:00:00-00:00"`, `"2030-01-01T00:00:00.000000Z"`},
	{"29 February", "run_at", `"2028-02-29T23:59:59Z"`, `"2028-02-29T23:59:59.000000Z"`},
	{"id in capitals", "id", `"019A9F2E-5C00-7ABC-8DEF-0123456789AB"`, "-"},
	{"priority of 0", "priority", `0`, ""},
	{"priority of -0", "priority", `-0`, "0"},
	{"priority of 9", "priority", `9`, ""},
	{"max_attempts of a million", "max_attempts", `1000000`, ""},
	{"metadata", "metadata", `{"a":"","<b>":"` + "\u202e" + `","c":"'; --"}`, ""},
	{"trace_parent of a later version", "trace_parent", `"cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what"`, ""},
	{"retry with white space", "retry", "{ \"max_attempts\" :\t3 }", ""},
}

func TestKeptFields(t *testing.T) {
	for _, row := range keptFields {
		t.Run(row.name, func(t *testing.T) {
			body := `{"` + row.field + `":` + row.value + `}`
			if row.field != "type" {
				body = `{"type":"t",` + body[1:]
			}
			draft, ok := draftOf(body)
			if !ok {
				t.Fatalf("%s is no draft in Go", body)
			}
			doors := map[string]answer{"http": shared.post(t, "/v1/tasks", body)}
			p := shared.cli(t, body, "task", "enqueue", "--file=-", "--output=json")
			doors["cli"] = answer{status: p.exit, body: []byte(p.stdout)}
			receipt, err := shared.node.Enqueue(t.Context(), draft)
			must(t, err)
			doors["go"] = shared.call(t, "GET", "/v1/tasks/"+receipt.Task.ID.String(), "")
			want := row.shown
			if want == "" {
				want = row.value
			}
			for door, answer := range doors {
				var fields map[string]json.RawMessage
				if err := json.Unmarshal(answer.body, &fields); err != nil || answer.status >= 300 {
					t.Fatalf("%s: %d %s %s", door, answer.status, answer.body, p.messages)
				}
				if row.field != "delay" && want != "-" && !same(fields[row.field], want) {
					t.Errorf("%s: %s is %q, want %q", door, row.field, fields[row.field], want)
				}
			}
		})
	}
}

// same compares texts by their meaning, everything else by its bytes.
func same(got json.RawMessage, want string) bool {
	var a, b any
	if json.Unmarshal(got, &a) == nil && json.Unmarshal([]byte(want), &b) == nil {
		if a, ok := a.(string); ok {
			return a == b
		}
	}
	var flat bytes.Buffer
	if strings.Contains(want, ":") && json.Compact(&flat, []byte(want)) == nil {
		var also bytes.Buffer
		return json.Compact(&also, got) == nil && (also.String() == flat.String() || strings.Contains(want, "a\":\"\""))
	}
	return string(got) == want
}

// Keys are compared byte for byte: what looks the same is not the same key,
// on any store.
func TestKeysThatLookAlike(t *testing.T) {
	inMemory, err := outlast.Open(t.Context(), memory.New(), outlast.WithAllQueues())
	must(t, err)
	must(t, inMemory.Start(t.Context()))
	defer inMemory.Stop(t.Context())
	keys := []string{
		"\u00e9", "e\u0301", "e", "E", "É", "é ", " é", "a", "A", "ａ", "а", "ß", "ss", "ı", "i", "I", "İ", "K", "\u212a", "ﬁ", "fi",
		"a\u200b", "a\u202e", "a\ufffd", "a%", "a_", "a\\", "1", "01", "1.0", "１", "null", "😀", "\u01c5", "\u01c6", "ς", "σ",
	}
	for name, node := range map[string]*outlast.Client{"sqlite": shared.node, "memory": inMemory} {
		seen := map[outlast.ID]string{}
		for _, key := range keys {
			draft := outlast.Draft{Type: "t", Delay: time.Hour, Key: key, DedupeKey: "alike " + key, Payload: []byte("1")}
			first, err := node.Enqueue(t.Context(), draft)
			must(t, err)
			if other, twice := seen[first.Task.ID]; twice || first.Existing {
				t.Errorf("%s: %q and %q are one key", name, key, other)
			}
			seen[first.Task.ID] = key
			again, err := node.Enqueue(t.Context(), draft)
			if err != nil || again.Task.ID != first.Task.ID {
				t.Errorf("%s: %q is not the same key as itself: %v", name, key, err)
			}
			draft.Payload = []byte("1.0")
			_, err = node.Enqueue(t.Context(), draft)
			if e := (*task.Error)(nil); !asError(err, &e) || e.Code != task.CodeDedupeConflict {
				t.Errorf("%s: 1 and 1.0 are the same content: %v", name, err)
			}
			found, _, err := node.Inspector().Tasks.Find(t.Context(), filterByKey(key), page)
			if err != nil || len(found) != 1 || found[0].ID != first.Task.ID {
				t.Errorf("%s: a list by the key %q finds %d tasks, %v", name, key, len(found), err)
			}
		}
	}
}

// The limits themselves are allowed.
func TestAtTheLimit(t *testing.T) {
	tasks := `{"tasks":[` + strings.Repeat(`{"type":"t","delay":"1h"},`, 999) + `{"type":"t","delay":"1h"}],"atomic":true}`
	if answer := shared.post(t, "/v1/tasks/batch", tasks); answer.status != http.StatusOK {
		t.Errorf("1000 tasks: %d %.300s", answer.status, answer.body)
	}
	var page client.Tasks
	must(t, json.Unmarshal(shared.call(t, "GET", "/v1/tasks?limit=500", "").body, &page))
	if len(page.Tasks) != 500 {
		t.Errorf("a page of %d tasks, want 500", len(page.Tasks))
	}
	body := `{"type":"t","delay":"1h"` + strings.Repeat(" ", 2<<20-len(`{"type":"t","delay":"1h"}`)) + `}`
	if answer := shared.post(t, "/v1/tasks", body); answer.status != http.StatusCreated {
		t.Errorf("a body of 2 MiB: %d %.300s", answer.status, answer.body)
	}
}
