//go:build unix

package mysql_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// mutants are defects that can be planted in the store (build tag mutant), each with
// the rules that must find it.
var mutants = []struct{ name, rules string }{
	{"claim_ignores_epoch", "TestConformance$/(claim|take|free|fence)/"},
	{"claim_ignores_run_at", "TestConformance$/claim/"},
	{"claim_ignores_order", "TestConformance$/key/"},
	{"claim_ignores_hold", "TestConformance$/(key|dead)/"},
	{"handout_before_commit", "TestConformance$/(claim|race)/"},
	{"settle_without_claim_check", "TestConformance$/fence/"},
	{"claim_without_lane_lock", "TestConformance$/race/"},
	{"recover_keeps_claim", "TestConformance$/recover/"},
	{"crash_spends_attempt", "TestConformance$/recover/"},
	{"dedupe_not_kept", "TestConformance$/dedupe/"},
}

// A suite is only believed if it finds defects: every planted one is found by the
// rules that aim at it, which all hold without it.
func TestMutants(t *testing.T) {
	t.Parallel()
	binary := filepath.Join(t.TempDir(), "mutants")
	if out, err := exec.Command("go", "test", "-c", "-tags", "mutant", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	server := newDatabase(t, options) // so that there is one
	run := func(t *testing.T, name, rules string) (string, error) {
		cmd := exec.CommandContext(t.Context(), binary, "-test.run", rules, "-test.v", "-test.timeout", "2m")
		cmd.Env = append(os.Environ(), "OUTLAST_MUTANT="+name, "OUTLAST_TEST_MARIADB="+server.dsn[:len(server.dsn)-len(server.name)-len(options)])
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	failed := regexp.MustCompile(`--- FAIL: TestConformance/(\S+/\S+)`)
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			out, err := run(t, m.name, m.rules)
			for tries := 1; err == nil && tries < 3; tries++ { // a race that was not lost
				out, err = run(t, m.name, m.rules)
			}
			found := failed.FindStringSubmatch(out)
			if err == nil || found == nil {
				t.Fatalf("the defect was planted, and %s did not find it: %v\n%s", m.rules, err, out)
			}
			t.Logf("found by %s", found[1])
		})
	}
	t.Run("none", func(t *testing.T) {
		t.Parallel()
		if out, err := run(t, "", "TestConformance$/(fence|recover|dedupe)/"); err != nil {
			t.Fatalf("without a defect: %v\n%s", err, out)
		}
	})
}
