package badinput

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"
)

// nested is a value of depth n around an inner one.
func nested(n int, inner string) string {
	return strings.Repeat("[", n) + inner + strings.Repeat("]", n)
}

func utf16LE(text string) string {
	out := "\xff\xfe"
	for _, unit := range utf16.Encode([]rune(text)) {
		out += string([]byte{byte(unit), byte(unit >> 8)})
	}
	return out
}

// formRows are bodies whose form is wrong: what two readers of JSON could
// read in two ways is refused.
var formRows = []refusal{
	{name: "not JSON", body: `hello`, at: "body"},
	{name: "cut off", body: `{"type":"t"`, at: "body"},
	{name: "cut off in a string", body: `{"type":"t`, at: "body"},
	{name: "cut off in an escape", body: `{"type":"\u00`, at: "body"},
	{name: "single quotes", body: `{'type':'t'}`, at: "body"},
	{name: "name without quotes", body: `{type:"t"}`, at: "body"},
	{name: "comment", body: `{"type":"t"/* why */}`, at: "body"},
	{name: "line comment", body: "{\"type\":\"t\"} // why", at: "body"},
	{name: "comma at the end", body: `{"type":"t",}`, at: "body"},
	{name: "comma at the end of a list", body: `{"type":"t","payload":[1,]}`, at: "body"},
	{name: "two commas", body: `{"type":"t",,"key":"k"}`, at: "body"},
	{name: "no colon", body: `{"type" "t"}`, at: "body"},
	{name: "NaN", body: `{"type":"t","payload":NaN}`, at: "body"},
	{name: "Infinity", body: `{"type":"t","payload":-Infinity}`, at: "body"},
	{name: "leading zero", body: `{"type":"t","payload":012}`, at: "body"},
	{name: "leading plus", body: `{"type":"t","payload":+1}`, at: "body"},
	{name: "point without digits", body: `{"type":"t","payload":1.}`, at: "body"},
	{name: "digits after a point only", body: `{"type":"t","payload":.5}`, at: "body"},
	{name: "hexadecimal", body: `{"type":"t","payload":0x10}`, at: "body"},
	{name: "exponent without digits", body: `{"type":"t","payload":1e}`, at: "body"},
	{name: "undefined", body: `{"type":"t","payload":undefined}`, at: "body"},
	{name: "True", body: `{"type":"t","payload":True}`, at: "body"},
	{name: "raw line end in a string", body: "{\"type\":\"t\",\"payload\":\"a\nb\"}", at: "body"},
	{name: "raw NUL in a string", body: "{\"type\":\"t\",\"payload\":\"a\x00b\"}", at: "body"},
	{name: "raw tab in a string", body: "{\"type\":\"t\",\"payload\":\"a\tb\"}", at: "body"},
	{name: "bad escape", body: `{"type":"t","payload":"\x41"}`, at: "body"},
	{name: "escape of three digits", body: `{"type":"t","payload":"\u004"}`, at: "body"},
	{name: "escape with a sign", body: `{"type":"t","payload":"\u+041"}`, at: "body"},
	{name: "byte order mark", body: "\ufeff{\"type\":\"t\"}", at: "body"},
	{name: "UTF-16", body: utf16LE(`{"type":"t"}`), at: "body"},
	{name: "Latin-1", body: "{\"type\":\"t\",\"payload\":\"\xe9\"}", at: "body"},
	{name: "overlong UTF-8", body: "{\"type\":\"t\",\"payload\":\"\xc0\xaf\"}", at: "body"},
	{name: "surrogate in UTF-8", body: "{\"type\":\"t\",\"payload\":\"\xed\xa0\x80\"}", at: "body"},
	{name: "invalid UTF-8 in a name", body: "{\"type\":\"t\",\"\xff\":1}", at: "body"},
	{name: "invalid UTF-8 in a name of the payload", body: "{\"type\":\"t\",\"payload\":{\"\xff\":1}}", at: "body"},
	{name: "form feed between tokens", body: "{\f\"type\":\"t\"}", at: "body"},
	{name: "no-break space between tokens", body: "{\u00a0\"type\":\"t\"}", at: "body"},
	{name: "65 levels", body: `{"type":"t","payload":` + nested(64, "") + `}`, at: "body"},
	{name: "10 000 levels", body: `{"type":"t","payload":` + nested(10_000, "") + `}`, at: "body"},
	{name: "a megabyte of brackets", body: strings.Repeat("[", 1<<20), at: "body"},
	{name: "a megabyte of objects", body: strings.Repeat(`{"a":`, 1<<18), at: "body"},
	{name: "65 levels in a text field", body: `{"type":` + nested(65, "") + `}`, at: "body"},
	{name: "65 levels in an unknown field", body: `{"type":"t","x":` + nested(64, "") + `}`, at: "body"},
	{name: "closing only", body: `]`, at: "body"},
	{name: "name twice", body: `{"type":"t","type":"u"}`, at: "type"},
	{name: "name twice, once escaped", body: `{"type":"t","\u0074ype":"u"}`, at: "type"},
	{name: "payload twice", body: `{"type":"t","payload":1,"payload":2}`, at: "payload"},
	{name: "metadata name twice", body: `{"type":"t","metadata":{"a":"1","a":"2"}}`, at: "metadata.a"},
	{name: "header twice", body: `{"target":{"url":"https://example.com","headers":{"A":"1","A":"2"}}}`, at: "target.headers.A"},
	{name: "target.url twice", body: `{"target":{"url":"https://example.com","url":"http://10.0.0.1/"}}`, at: "target.url"},
	{name: "list", body: `[{"type":"t"}]`, at: "body"},
	{name: "text", body: `"t"`, at: "body"},
	{name: "number", body: `1`, at: "body"},
	{name: "lone high surrogate", body: `{"type":"t","key":"\ud800"}`, at: "key"},
	{name: "lone low surrogate", body: `{"type":"t","key":"a\udc00b"}`, at: "key"},
	{name: "surrogates the wrong way round", body: `{"type":"t","key":"\udc00\ud800"}`, at: "key"},
	{name: "high surrogate and a letter", body: `{"type":"t","key":"\ud800\u0041"}`, at: "key"},
	{name: "lone surrogate in metadata", body: `{"type":"t","metadata":{"a":"\udfff"}}`, at: "metadata.a"},
	{name: "lone surrogate in a name of metadata", body: `{"type":"t","metadata":{"\udfff":"a"}}`, at: "metadata"},
	{name: "lone surrogate in a policy", body: `{"type":"t","retry":{"preset":"\ud800"}}`, at: "retry.preset"},
	{name: "NUL in a policy", body: `{"type":"t","retry":{"preset":"\u0000"}}`, at: "retry.preset"},
}

// kindRows have well-formed values of the wrong kind, and names that are
// none.
var kindRows = []refusal{
	{name: "unknown field", body: `{"type":"t","x":1}`, at: "x"},
	{name: "misspelt field", body: `{"type":"t","dealy":"1s"}`, at: "dealy"},
	{name: "other case", body: `{"Type":"t"}`, at: "Type"},
	{name: "upper case", body: `{"type":"t","PAYLOAD":1}`, at: "PAYLOAD"},
	{name: "camel case", body: `{"type":"t","runAt":"2026-11-20T10:00:00Z"}`, at: "runAt"},
	{name: "Kelvin sign in a name", body: `{"type":"t","` + "\u212a" + `ey":"k"}`, at: "\u212aey"},
	{name: "state", body: `{"type":"t","state":"succeeded"}`, at: "state"},
	{name: "attempt", body: `{"type":"t","attempt":7}`, at: "attempt"},
	{name: "claim", body: `{"type":"t","claim":7}`, at: "claim"},
	{name: "created_at", body: `{"type":"t","created_at":"2026-11-20T10:00:00Z"}`, at: "created_at"},
	{name: "result", body: `{"type":"t","result":{}}`, at: "result"},
	{name: "parent", body: `{"type":"t","parent":"019a9f2e-5c00-7abc-8def-0123456789ab"}`, at: "parent"},
	{name: "__proto__", body: `{"type":"t","__proto__":{"type":"u"}}`, at: "__proto__"},
	{name: "tenant", body: `{"type":"t","tenant_id":"1"}`, at: "tenant_id"},
	{name: "unknown field of a target", body: `{"target":{"url":"https://example.com","body":"x"}}`, at: "target.body"},
	{name: "unknown field of a follow-up", body: `{"type":"t","fallback":{"type":"u","retry":{}}}`, at: "fallback.retry"},
	{name: "name with a control character", body: `{"type":"t","\u001b[2J":1}`, at: `\x1b[2J`},
	{name: "type of a number", body: `{"type":1}`, at: "type"},
	{name: "type of a list", body: `{"type":["t"]}`, at: "type"},
	{name: "type of an object", body: `{"type":{"$ne":""}}`, at: "type"},
	{name: "type of true", body: `{"type":true}`, at: "type"},
	{name: "priority as a text", body: `{"type":"t","priority":"5"}`, at: "priority"},
	{name: "priority with a fraction", body: `{"type":"t","priority":1.5}`, at: "priority"},
	{name: "priority with a point", body: `{"type":"t","priority":5.0}`, at: "priority"},
	{name: "priority with an exponent", body: `{"type":"t","priority":5e0}`, at: "priority"},
	{name: "priority of 2^64", body: `{"type":"t","priority":18446744073709551616}`, at: "priority"},
	{name: "priority of true", body: `{"type":"t","priority":true}`, at: "priority"},
	{name: "priority of a long number", body: `{"type":"t","priority":` + strings.Repeat("9", 300) + `}`, at: "priority"},
	{name: "max_attempts as a text", body: `{"type":"t","max_attempts":"3"}`, at: "max_attempts"},
	{name: "max_attempts of 1e3", body: `{"type":"t","max_attempts":1e3}`, at: "max_attempts"},
	{name: "max_attempts of 2^63", body: `{"type":"t","max_attempts":9223372036854775808}`, at: "max_attempts"},
	{name: "metadata of a list", body: `{"type":"t","metadata":["a"]}`, at: "metadata"},
	{name: "metadata of numbers", body: `{"type":"t","metadata":{"a":1}}`, at: "metadata.a"},
	{name: "metadata of null", body: `{"type":"t","metadata":{"a":null}}`, at: "metadata.a"},
	{name: "target of a text", body: `{"type":"t","target":"https://example.com"}`, at: "target"},
	{name: "headers of lists", body: `{"target":{"url":"https://example.com","headers":{"A":["1"]}}}`, at: "target.headers.A"},
	{name: "key of a number", body: `{"type":"t","key":7}`, at: "key"},
	{name: "id of a number", body: `{"type":"t","id":7}`, at: "id"},
	{name: "retry of a text", body: `{"type":"t","retry":"payment"}`, at: "retry"},
	{name: "fallback of a list", body: `{"type":"t","fallback":[]}`, at: "fallback"},
	{name: "empty object", body: `{}`, at: "type"},
	{name: "null", body: `null`, at: "type"},
	{name: "type of null", body: `{"type":null}`, at: "type"},
}

func init() {
	for i := range formRows {
		formRows[i].form = true
	}
	kinds := map[string]bool{"other case": true, "upper case": true, "Kelvin sign in a name": true, "metadata of null": true}
	for i := range kindRows {
		if kinds[kindRows[i].name] { // encoding/json, from which the test makes the Go draft, is laxer
			kindRows[i].form = true
		}
	}
	many := ""
	for i := range 2000 {
		many += fmt.Sprintf(`,"x%d":1`, i)
	}
	kindRows = append(kindRows, refusal{name: "2000 unknown fields", body: `{"type":"t"` + many + `}`, at: "x0"})
}

func TestForm(t *testing.T)  { refuse(t, formRows) }
func TestKinds(t *testing.T) { refuse(t, kindRows) }

// Values that follow the first: over HTTP trailing data, in a file a second
// draft if it is one.
func TestTrailing(t *testing.T) {
	before := shared.count(t)
	for _, tail := range []string{`{"type":"t"}`, `x`, `]`, `}`, `null`, `,`, "\x00", "\ufeff"} {
		shared.post(t, "/v1/tasks", `{"type":"t"}`+tail).problem(t, "invalid", "body")
		if tail != `{"type":"t"}` && tail != "null" {
			shared.process(t, `{"type":"t"}`+tail, "task", "enqueue", "--file", "-").refuses(t, "not JSON")
		}
	}
	shared.post(t, "/v1/tasks", " ").problem(t, "invalid", "body")
	shared.process(t, " ", "task", "enqueue", "--file", "-").refuses(t, "no task")
	shared.unchanged(t, before)
}
