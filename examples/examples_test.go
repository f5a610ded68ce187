package examples

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// build makes the examples once, into a folder for all tests.
var build = sync.OnceValues(func() (string, error) {
	bin, err := filepath.Abs("../.cache/examples")
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return "", err
	}
	if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", bin, "./...", "./testdata/odd").CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return bin, nil
})

// programs is where the examples are.
func programs(t *testing.T) string {
	t.Helper()
	bin, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return bin
}

// Each example is built and run as a reader would, and tells its story.
func TestExamples(t *testing.T) {
	t.Parallel()
	bin := programs(t)
	for name, story := range map[string][]string{
		"mail": {
			`release 1: sending "Welcome" to ada@example.com, attempt 1`,
			"deploy: kill -9 of release 1, in the middle of sending",
			"release 2: accepted before: true",
			"release 2: the task succeeded with 2 attempts and 1 crash",
			"release 2: history: attempt 1 crashed",
			"release 2: history: attempt 1 failed",
			"release 2: history: attempt 2 succeeded",
		},
		"lights": {
			"calls: 16 for 8 commands",
			"hall-1: on, off, on, off",
			"hall-2: on, off, on, off",
		},
		"signup": {
			"welcome, ada",
			"ada: 1 account, task succeeded",
			"bob: the card was refused, the transaction is rolled back",
			"bob: 0 account, no task",
		},
		"stock": {
			"naive: 100 tasks that look first, deducted 100×",
			"dedupe key: 100 calls, 1 task, deducted 1×",
			"unique index: 1 request, arrived 100×, deducted 1×",
			"transaction: 100 runs at once, 1 committed, task succeeded, deducted 1×",
		},
		"remote": {
			"enqueued, there before: false true",
			"batch: 200 <nil>",
			`run: succeeded {"charge":"paid by charge","number":8}`,
			"wait: dead an order has no number",
			"refused: 400 invalid policy",
			"there is no such task",
		},
		"hello": {"sent to ada@example.com"},
		"batch": {"invoices of March: 9990 of 10000 succeeded, 10 died"},
		"order": {
			"lamp: reserved\nlamp: charged 4900 cents\nlamp: the carrier does not answer\nlamp: shipped to Ada in attempt 2",
			"sofa: reserved\nsofa: the card has expired\nreleased the sofa",
			"desk: reserved\ndesk: charged 25000 cents\ndesk: the carrier does not answer\ndesk: there is no such address\nrefunded 25000 cents\nreleased the desk",
		},
		"approval": {"may the carpenter have 25000 cents?\nit waits for 168h0m0s at most\npaid, approved by Ada"},
		"pager": {
			"task: mail.send, 0 more",
			"exhausted: mail.send, 2 more",
		},
		"prices": {
			"plan: exponential 50ms × 2, cap 1s, full jitter, 3 retries",
			"plan: at most 350ms of waits, success 99.84 %",
			"anything: asked 3 times",
			"stock: 12 pieces, asked 2 times",
			"reserve: asked once, not repeated: true",
			"rate: EUR 1.08, instead of an answer: false",
			"rate: EUR 1.08, instead of an answer: false",
			"rate: CHF 1.00, instead of an answer: true",
			"rate: the bank has called back",
			"price: 4.20 after 2 attempts",
			"price: 4.20 in attempt 2 of the loop",
			"order: 503 Service Unavailable after 1 attempt: a POST without a key is not repeated",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			program := exec.CommandContext(ctx, filepath.Join(bin, name), filepath.Join(t.TempDir(), "example.db"))
			program.Dir = t.TempDir()
			out, err := program.CombinedOutput()
			if err != nil {
				t.Fatalf("%s: %v\n%s", name, err, out)
			}
			for _, line := range story {
				if !strings.Contains(string(out), line+"\n") {
					t.Errorf("the line %q is missing in:\n%s", line, out)
				}
			}
		})
	}
}

// Without a file an example takes a temporary one; with one it can be run again.
func TestExamplesRunAgain(t *testing.T) {
	bin, file := programs(t), filepath.Join(t.TempDir(), "again.db")
	for _, args := range [][]string{{"mail"}, {"lights"}, {"signup"}, {"stock"}, {"order"}, {"approval"}, {"batch"}, {"pager"}, {"prices"}, {"mail", file}, {"mail", file}} {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		program := exec.CommandContext(ctx, filepath.Join(bin, args[0]), args[1:]...)
		program.Env = append(os.Environ(), "TMPDIR="+t.TempDir())
		if out, err := program.CombinedOutput(); err != nil {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
		cancel()
	}
}

// Every example is listed above, but for the sender, which TestTutorials runs beside a server.
func TestEveryExampleIsRun(t *testing.T) {
	source, err := os.ReadFile("examples_test.go")
	if err != nil {
		t.Fatal(err)
	}
	programs, err := filepath.Glob("*/main.go")
	if err != nil || len(programs) == 0 {
		t.Fatal("no examples found", err)
	}
	for _, program := range programs {
		if name := filepath.Dir(program); name != "sender" && !strings.Contains(string(source), "\""+name+"\": {") {
			t.Errorf("TestExamples does not run %s", name)
		}
	}
}
