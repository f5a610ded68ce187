package retry

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// keyDoc is a line of the table of keys: a value that is refused, whose error
// names the range, or the range in words where every value of the form is taken;
// and the default where the default policy does not write one.
type keyDoc struct{ key, refused, values, usual, meaning string }

const (
	anyDuration = "0s or more"
	noLimit     = "0s, none"
)

var keyDocs = []keyDoc{
	{"preset", "", "a name, or `easyjob(30s, 2, 5)`", "`default`", "what is left out is taken from it, below `backoff` key by key"},
	{"max_attempts", "0", "", "", "attempts, the first one included; 1 turns retries off"},
	{"unlimited", "", "true, false", "false", "no limit on attempts; excludes `max_attempts`"},
	{"backoff.kind", `"x"`, "", "", "how waits grow"},
	{"backoff.initial", "", "above 0s; of `fixed` also 0s", "", "the first wait; not of `steps`"},
	{"backoff.multiplier", "0", "", "", "growth of `exponential`"},
	{"backoff.max", "", "`initial` or more; 0s is none", "none; 5m without `backoff`", "cap of the nominal wait; not of `fixed`"},
	{"backoff.step", "", anyDuration, "`initial`", "growth of `linear`"},
	{"backoff.steps", "", "1 to 1000 durations", "", "the waits of `steps`; the last one goes on"},
	{"backoff.jitter", `"x"`, "", "`full`; of `fixed` `{kind: additive, x: 0.1}`", "how waits are spread; `{kind, x}` with x in (0, 1] for proportional and additive, `{kind, from, to}` within 0 to 10 for bounded and beta"},
	{"timeout", "", anyDuration, noLimit, "limit of one attempt"},
	{"ttl", "", anyDuration, noLimit, "limit of all attempts and waits together"},
	{"first_run_after", "", anyDuration, "0s", "delay of the first attempt"},
	{"rules[].when", "", "a list of categories, or an expression", "", "for which failures the rule is; the first that matches decides"},
	{"rules[].backoff", "", "keys as in `backoff`", "the policy's", "waits after these failures"},
	{"rules[].max_attempts", "-1", "", "the policy's", "attempts when these failures occur; the lower limit holds"},
	{"rules[].then", `"x"`, "", "`retry`", "`retry` repeats also what is never repeated else; `dead` and `never` mean the same: no repeat; `snooze` repeats without counting the attempt, after a second at the least"},
	{"retry_on", "", "categories, error types, codes", "none", "retried beyond the usual"},
	{"never_on", "", "categories, error types, codes", "none", "never retried; wins"},
	{"max_crashes", "0", "", "", "deaths of the process that runs the task"},
	{"order_on_dead", `"x"`, "", "", "what a dead task does to its ordering key"},
	{"budget", "", "an object, or `none`", "as below", "bounds the retries to the target"},
	{"budget.ratio", "1e9", "", "", "retries that each first attempt pays for, times the share that succeeds"},
	{"budget.floor", "1e9", "", "", "retries a second whatever the load, over all nodes; scaled like `ratio`, at least one in 5 s"},
	{"budget.burst", "1e9", "", "", "tokens that can be saved up, on each node"},
	{"budget.pressure", "1e9", "", "", "success share below which the budget binds; 0 always binds"},
	{"breaker", "", "an object, or `none`", "as below", "stops calls of the target while it is down"},
	{"breaker.failure_rate", "1e9", "", "", "opens at this share of failures"},
	{"breaker.slow_call", `"9999h"`, "", noLimit, "from this length on a call is slow"},
	{"breaker.slow_rate", "1e9", "", "", "opens at this share of slow calls"},
	{"breaker.consecutive", "1000000000", "", "", "opens after so many failures in a row; 0 is none. 20 in a row (`min_calls` if more) over a second open anyway"},
	{"breaker.min_calls", "1000000000", "", "", "calls that the window must hold for a rate to open; `count` where that is less"},
	{"breaker.window", `"1ns"`, "", "", "time that the rates look at"},
	{"breaker.count", "1000000000", "", "", "the rates look at so many last calls instead; 0 is none"},
	{"breaker.open_for", `"9999h"`, "", "", "time until the first probe, ± 25 %; half as much again after each failed one"},
	{"breaker.open_max", `"9999h"`, "", "", "the longest time between probes"},
	{"breaker.probes", "1000000000", "", "", "probes at once, and how many must succeed in a row"},
	{"breaker.probe_timeout", `"9999h"`, "", "", "a probe that takes longer has failed"},
	{"breaker.ramp", `"9999h"`, "", "", "time from a tenth of the calls to all after closing, at most half of the outage; 0s is none"},
	{"fallback", "", "`type`, `queue`, `policy`, `payload`, `target`", "none", "the task that follows a dead one"},
	{"alert", "", "`when`, `channels`, `cooldown`", "none", "whom to tell of failures and deaths of its tasks; docs/how-to/alerts.md has the keys"},
	{"canary", "", "above 0% to 100%, such as `10%`", "none", "only of policies with a name: this version holds for that share of the tasks, the one before for the rest"},
}

//go:generate go test -count=1 -run "^(TestClassificationDocs|TestPolicyKeys)$" . ./internal/classify -args -update

var update = flag.Bool("update", false, "write the table and the example into ../docs/reference/policies.md")

// The table and the example of docs/reference/policies.md are those of the code.
func TestPolicyKeys(t *testing.T) {
	const file = "../docs/reference/policies.md"
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- keys: generated by go generate ./retry -->\n", "<!-- keys: end -->\n"
	before, rest, found := strings.Cut(string(content), begin)
	old, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s lacks the lines %q and %q", file, begin, end)
	}
	switch table := keyTable(t); {
	case table == old:
	case *update:
		if err := os.WriteFile(file, []byte(before+begin+table+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("the table of keys in %s is stale: run go generate ./retry", file)
	}
	example := regexp.MustCompile("(?s)```json\n(.*?)```").FindSubmatch(content)
	if example == nil {
		t.Fatalf("%s has no example", file)
	}
	spec, err := ParseSpec(example[1])
	if err == nil {
		_, err = spec.Policy()
	}
	if err != nil {
		t.Fatalf("the example in %s: %v", file, err)
	}
	for _, key := range append(keysOf(reflect.TypeFor[BudgetSpec](), "budget."), keysOf(reflect.TypeFor[BreakerSpec](), "breaker.")...) {
		var whole map[string]map[string]any
		_ = json.Unmarshal(example[1], &whole) // other keys are no objects
		if guard, name, _ := strings.Cut(key, "."); whole[guard][name] == nil {
			t.Errorf("the example in %s lacks %s", file, key)
		}
	}
}

func keyTable(t *testing.T) string {
	var out strings.Builder
	out.WriteString("| key | values | default | meaning |\n|---|---|---|---|\n")
	known := map[string]bool{}
	for _, doc := range keyDocs {
		known[doc.key] = true
		if doc.values == "" {
			doc.values = rangeOf(t, doc)
		}
		if doc.usual == "" {
			doc.usual = usualOf(t, doc.key)
		}
		fmt.Fprintf(&out, "| `%s` | %s | %s | %s |\n", doc.key, doc.values, doc.usual, doc.meaning)
	}
	keys := keysOf(reflect.TypeFor[Spec](), "")
	for prefix, nested := range map[string]reflect.Type{
		"backoff.": reflect.TypeFor[BackoffSpec](), "rules[].": reflect.TypeFor[RuleSpec](),
		"budget.": reflect.TypeFor[BudgetSpec](), "breaker.": reflect.TypeFor[BreakerSpec](),
	} {
		keys = append(keys, keysOf(nested, prefix)...)
	}
	for _, key := range keys {
		if !known[key] && key != "backoff" && key != "rules" { // those only hold others
			t.Errorf("the key %s has no line in the table", key)
		}
	}
	return out.String()
}

func keysOf(of reflect.Type, prefix string) (keys []string) {
	for i := range of.NumField() {
		if name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ","); name != "-" {
			keys = append(keys, prefix+name)
		}
	}
	return keys
}

// rangeOf is the range in the error about a value that is refused.
func rangeOf(t *testing.T, doc keyDoc) string {
	text := doc.refused
	path := strings.Split(doc.key, ".")
	for i := len(path) - 1; i >= 0; i-- {
		name, isList := strings.CutSuffix(path[i], "[]")
		if isList {
			text = `[{"when":["bug"],` + text[1:] + `]`
		}
		text = fmt.Sprintf("{%q:%s}", name, text)
	}
	spec, err := ParseSpec([]byte(text))
	if err == nil {
		_, err = spec.Policy()
	}
	wrong, found := find(err, strings.ReplaceAll(doc.key, "[]", "[0]"))
	if !found {
		t.Errorf("%s is not refused: %v", text, err)
		return ""
	}
	if _, names, listed := strings.Cut(wrong.Message, " is none of "); listed {
		return "`" + strings.ReplaceAll(names, ", ", "`, `") + "`"
	}
	if _, least, above := strings.Cut(wrong.Message, " is above "); above {
		return "0s to " + shortest(least)
	}
	_, values, _ := strings.Cut(wrong.Message, " is outside ")
	if values = shortest(values); values == "" {
		t.Errorf("no range in %v", wrong)
	}
	return regexp.MustCompile(`open_for \w+`).ReplaceAllString(values, "`open_for`")
}

// usualOf is what the default policy has under a key.
func usualOf(t *testing.T, key string) string {
	spec, _ := Default().Spec()
	guards := defaultGuards()
	spec.Budget = guards.budget.spec()
	spec.Breaker, _ = guards.breaker.spec()
	written, err := json.Marshal(spec)
	var value any
	if err == nil {
		err = json.Unmarshal(written, &value)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range strings.Split(key, ".") {
		object, _ := value.(map[string]any)
		value = object[part]
	}
	switch value := value.(type) {
	case nil:
		return ""
	case string:
		if regexp.MustCompile(`^\d`).MatchString(value) {
			return shortest(value)
		}
		return "`" + value + "`"
	}
	return fmt.Sprint(value)
}

// shortest writes durations without parts that are 0.
func shortest(text string) string {
	return strings.NewReplacer("h0m0s", "h", "m0s", "m", "1e+06", "1 000 000", "1000000", "1 000 000", "100000", "100 000").Replace(text)
}
