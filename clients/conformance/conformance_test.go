package main

import (
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// The tests are the worker program of the Go client too.
func TestMain(m *testing.M) {
	if os.Getenv("OUTLAST_KIT_LEASE") == "" {
		os.Exit(m.Run())
	}
	if err := goWorker(); err != nil {
		slog.Error("worker ended", "error", err)
		os.Exit(1)
	}
}

// The patience with workers: a good one uses up none of it, a wrong one all.
const (
	withGood  = 2 * time.Minute
	withWrong = 20 * time.Second
)

// judge returns the rules that a program breaks, and those that were not tried.
func judge(t *testing.T, patience time.Duration, program ...string) (violated, untried []string) {
	t.Helper()
	k := &kit{program: program, parallel: 16, patience: patience}
	found, err := k.play(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found.list(nil) {
		switch f.Verdict {
		case broken:
			violated = append(violated, f.ID)
			t.Logf("%s: %s", f.ID, strings.Join(f.Seen, "; "))
		case notTried:
			untried = append(untried, f.ID)
		}
	}
	if found.output != "" {
		t.Logf("the program wrote: %s", found.output)
	}
	return violated, untried
}

// Workers in Python without a package. The right one breaks no rule, each of the others
// exactly those that it is made to break.
func TestWorkersWithoutPackage(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Fatal(err)
	}
	steps := []string{"steps-done", "steps-kept", "steps-lost"}
	for program, want := range map[string]struct{ broken, untried []string }{
		"threads.py nothing": {nil, steps},
		"threads.py deaf":    {[]string{"new-claim", "lost-lease", "silent-lease", "cancel"}, steps},
		"threads.py hasty":   {[]string{"late-task", "server-clock", "attempt-ends", "stop-task", "stop-work", "stop-grace"}, steps},
		"simple.py": {[]string{
			"valid-calls", "free-slots", "retry-after", "denied", "late-task", "server-clock", "attempt-ends", "new-claim",
			"bad-result", "settle-again", "refused-batch", "extend", "extend-busy", "lost-lease", "silent-lease", "cancel",
			"stop-exit", "stop-task", "stop-work", "stop-grace",
		}, append([]string{"extend-untold"}, steps...)},
	} {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			patience := withWrong
			if want.broken == nil {
				patience = withGood
			}
			violated, untried := judge(t, patience, append([]string{"python3"}, strings.Fields("testdata/"+program)...)...)
			if !slices.Equal(violated, want.broken) || !slices.Equal(untried, want.untried) {
				t.Errorf("broken: %v, not tried: %v\nwant %v and %v", violated, untried, want.broken, want.untried)
			}
		})
	}
}

func TestGoWorker(t *testing.T) {
	violated, untried := judge(t, withGood, os.Args[0])
	if len(violated) > 0 || len(untried) > 0 {
		t.Errorf("broken: %v, not tried: %v", violated, untried)
	}
}

// Each rule is judged by a scenario, and each scenario judges rules that there are.
func TestScenariosJudgeAllRules(t *testing.T) {
	judged := slices.Clone(always)
	for _, sc := range scenarios {
		judged = append(judged, sc.rules...)
	}
	for _, rule := range rules {
		if !slices.Contains(judged, rule.ID) {
			t.Errorf("no scenario judges %s", rule.ID)
		}
	}
	for _, id := range judged {
		if _, known := ruleOf(id); !known {
			t.Errorf("there is no rule %s", id)
		}
	}
}

func TestUsage(t *testing.T) {
	for args, want := range map[string]string{
		"":                      "usage: conformance",
		"--rule nothing -- x":   `there is no rule "nothing"`,
		"--patience 0s -- true": "usage: conformance",
		"-- /no/such/program":   "no such file",
	} {
		var out, log strings.Builder
		code := run(t.Context(), strings.Fields(args), &out, &log)
		if code != exitUsage || !strings.Contains(log.String(), want) {
			t.Errorf("%q: exit code %d, %s", args, code, log.String())
		}
	}
	var out, log strings.Builder
	if code := run(t.Context(), []string{"--list", "--json", "--rule", "token"}, &out, &log); code != 0 || !strings.Contains(out.String(), `"must": true`) {
		t.Error(code, out.String(), log.String())
	}
}
