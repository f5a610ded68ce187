package cel

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/internal/expr"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

func language() *expr.Language {
	return &expr.Language{
		Variables: []expr.Variable{
			{Name: "type", Type: "string"}, {Name: "message", Type: "string"}, {Name: "attempt", Type: "int"}, {Name: "rate", Type: "double"},
			{Name: "age", Type: "duration"}, {Name: "headers", Type: "map"}, {Name: "body", Type: "any"},
		},
		Hint: "write CEL", Where: "on tests",
	}
}

func TestConditions(t *testing.T) {
	t.Parallel()
	values := expr.In(map[string]any{
		"type": "mail", "attempt": int64(2), "rate": 0.5, "age": time.Minute, "headers": map[string]any{"x-ok": "1"},
		"body": map[string]any{"error": map[string]any{"code": 7.0}, "ok": true, "items": []any{1.0, 2.0}},
	})
	l := language()
	for text, want := range map[string]bool{
		`type == "mail" && attempt > 1`:             true,
		`attempt >= 2.0 && rate < 1`:                true,
		`age > duration("30s")`:                     true,
		`has(headers.ok) || headers["x-ok"] != "1"`: false,
		`has(body.error) && body.error.code == 7`:   true,
		`body.ok`: true,
		`size(body.items) == 2 && 1 in body.items`:               true,
		`message == "never asked for"`:                           false, // it is not set
		`body.missing == 1`:                                      false, // no such key
		`attempt / (attempt - 2) > 0`:                            false,
		`body.error`:                                             false, // no truth value
		`attempt > 1 || message == "what it does not come to"`:   true,
		`attempt == 2 ? body.error.code > 6.5 : body.items == 3`: true,
	} {
		c, err := l.Compile(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		holds, err := c.Holds(values)
		told := !strings.Contains(`message == "never asked for" body.missing == 1 attempt / (attempt - 2) > 0 body.error`, text)
		if holds != want || (err == nil) != told || c.String() != text {
			t.Errorf("%s: %v, %v", c, holds, err)
		}
	}
}

func TestMistakes(t *testing.T) {
	t.Parallel()
	l := language()
	for text, says := range map[string]string{
		"":                                 "is not a condition",
		"attempt":                          "it yields int",
		"attempt > 1 && atempt < 3":        "at column 16 (did you mean attempt?)",
		"attempt > 1 &&\n  payload < 3":    "at line 2, column 3 (on tests there are type, message, ",
		"attempt > 1 && payload < 3":       "at column 16",
		`attempt == "x"`:                   "no matching overload",
		"attempt >":                        "(write CEL)",
		"[1,2].all(x, x > attempt)":        "is not a condition",
		"attempt\n==\n\x1b[31m":            "is not a condition",
		strings.Repeat("attempt>1||", 300): "the limit is 2048",
		strings.Repeat("(", 100) + "true" + strings.Repeat(")", 100):                                 "is not a condition",
		"message.contains(message + message + message) || message.contains(message+message+message)": "too long",
		`message.matches(type)`:                                     "no literal",
		`matches(message, "a" + type)`:                              "no literal",
		`message.matches("(")`:                                      "no regular expression",
		`message.matches("` + strings.Repeat("x{1000}", 280) + `")`: "1000 steps",
		`message.matches("(a|b{30}){30}")`:                          "1000 steps",
		`message.matches("x{600}") || type.matches("y{600}")`:       "1000 steps",
		`message.matches("[\\pL]{200}")`:                            "1000 steps",
		strings.Repeat("body == headers || ", 90) + "true":          "too long",
		strings.Repeat("attempt in body || ", 90) + "true":          "too long",
	} {
		_, err := l.Compile(text)
		wrong := &retry.FieldError{}
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), says) || strings.ContainsAny(err.Error(), "\n\x1b") {
			t.Errorf("%.60q: %v", text, err)
		}
	}
}

// What passes the check ends soon, whatever the texts are.
func TestConditionsAreBounded(t *testing.T) {
	t.Parallel()
	l := language()
	l.Size = 64 << 10
	c, err := l.Compile(`message.matches("(a+)+$")` + strings.Repeat(` && message.matches("(a+)+$")`, 20))
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Holds(expr.In(map[string]any{"message": strings.Repeat("a", 64<<10)}))
	if err == nil || !strings.Contains(err.Error(), "cost limit exceeded") {
		t.Errorf("it is not ended: %v", err)
	}
	l = language()
	l.Size = 64 * task.MaxErrorText
	if _, err := l.Compile(c.String()); err == nil {
		t.Error("texts of any size pass")
	}
}

// Equality of lists and maps costs what is in them.
func TestNestedEqualityIsBounded(t *testing.T) {
	t.Parallel()
	l := language()
	l.Size = 64 << 10
	list, fields := make([]any, 21000), map[string]any{}
	for i := range list {
		list[i] = []any{}
	}
	for i := range 6000 {
		fields[fmt.Sprint(i)] = 1.0
	}
	flat, wide := expr.In(map[string]any{"body": []any{[]any{list}}}), expr.In(map[string]any{"body": []any{fields}})
	for _, text := range []string{`body == body`, `!(body != body)`, `[] in body || body == body`, `!(body in body) && body == body`} {
		if text = text + strings.Repeat(" && body == body", 10); !holds(t, l, text, expr.In(map[string]any{"body": []any{[]any{1.0}}})) {
			t.Errorf("%s does not hold", text)
		}
		if c, err := l.Compile(text); err != nil {
			t.Errorf("%s: %v", text, err)
		} else if _, err := c.Holds(flat); err == nil {
			t.Errorf("%s: lists cost nothing", text)
		}
	}
	if !holds(t, l, "body == body && body != [1]", wide) {
		t.Error("a look at all fields costs too much")
	}
	if _, err := l.Compile("body == body" + strings.Repeat(" && body == body", 15)); err == nil {
		t.Error("as many as there is room for pass")
	}
	joined := "[" + strings.Repeat("body,", 200) + "0]"
	if _, err := l.Compile(joined + " == " + joined); err == nil {
		t.Error("lists of lists pass")
	}
}

func holds(t *testing.T, l *expr.Language, text string, values expr.Values) bool {
	t.Helper()
	c, err := l.Compile(text)
	if err != nil {
		t.Fatal(err)
	}
	holds, err := c.Holds(values)
	if err != nil {
		t.Errorf("%s: %v", text, err)
	}
	return holds
}

func BenchmarkCompile(b *testing.B) {
	compile, err := compiler(language())
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := compile(`type == "permanent" && attempt < 3`); err != nil {
			b.Fatal(err)
		}
	}
}
