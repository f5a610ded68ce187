package postgres_test

import (
	"os"
	"os/exec"
	"regexp"
	"testing"

	"github.com/outlast-dev/outlast/store/postgres"
)

// mutants are defects that can be planted in statements, each with the tests that must
// find it.
var mutants = []struct{ name, tests string }{
	{"claim_ignores_epoch", "TestConformance$/(claim|take|free)/"},
	{"claim_ignores_run_at", "TestConformance$/claim/"},
	{"claim_ignores_order", "TestConformance$/key/"},
	{"claim_ignores_hold", "TestConformance$/(key|dead)/"},
	{"claim_ignores_log", "TestConformance$/(batch|process)/"},
	{"claim_ignores_number", "TestConformance$/(batch|claim)/"},
	{"claim_ignores_rows_apart", "TestConformance$/(batch|claim)/"},
	{"settle_without_log", "TestLostBatch"},
	{"settle_ignores_past", "TestConformance$/(batch|fence|recover)/"},
	{"past_without_creation", "TestConformance$/batch/"},
	{"apart_without_a_number", "TestConformance$/batch/"},
	{"mark_ignores_log", "TestConformance$/batch/"},
	{"batch_ended_early", "TestConformance$/(batch|tx)/"},
	{"suspect_ignores_log", "TestConformance$/batch/"},
	{"settle_without_claim_check", "TestConformance$/(fence|tx)/"},
	{"settle_ignores_cancel", "TestConformance$/(settle|batch)/"},
	{"claim_ignores_changes", "TestReadAheadIsNotBelieved"},
	{"change_not_counted", "TestReadAheadIsNotBelieved"},
	{"mark_not_counted", "TestReadAheadIsNotBelieved"},
	{"claim_ignores_server", "TestReadAheadOnAnotherServer"},
	{"lease_without_a_number", "TestReadAheadIsNotBelieved"},
	{"recover_ignores_node", "TestConformance$/recover/"},
	{"recover_keeps_claim", "TestConformance$/recover/"},
	{"crash_spends_attempt", "TestConformance$/recover/"},
	{"dedupe_not_kept", "TestConformance$/dedupe/"},
	{"step_without_lock", "TestStepsAreWaitedFor"},
	{"step_with_a_key_lock", "TestStepsAreWaitedFor"},
	{"step_ignores_ends", "TestConformance$/step/"},
	{"step_ignores_rows_set_apart", "TestStepsWaitForAnEnd"},
	{"step_ignores_log", "TestConformance$/step/"},
	{"step_ignores_members", "TestStepsOfAnotherClaim"},
	{"step_ignores_number_apart", "TestStepsOfAnotherClaim"},
	{"step_of_another_task", "TestStepsOfDaysThatArePast"},
	{"signal_without_lock", "TestStepsOfSignals"},
	{"take_ignores_epoch", "TestConformance$/take/"},
}

// A suite is only believed if it finds defects: every planted one is found by the
// tests that aim at it, which all pass without it. They are run by this program again.
func TestMutants(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	run := func(t *testing.T, name, tests string) (string, error) {
		cmd := exec.CommandContext(t.Context(), program, "-test.run", tests, "-test.failfast", "-test.v", "-test.timeout", "2m")
		cmd.Env = append(os.Environ(), postgres.Defect+"="+name, givenDatabase+"="+database(t))
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	failed := regexp.MustCompile(`(?m)^ *--- FAIL: (TestLostBatch|TestReadAhead\S+|TestSteps\S+|Test\S+/\S+/\S+) `)
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			out, err := run(t, m.name, m.tests)
			found := failed.FindAllStringSubmatch(out, -1)
			if err == nil || found == nil {
				t.Fatalf("the defect was planted, and %s did not find it: %v\n%s", m.tests, err, out)
			}
			t.Logf("found by %s", found[len(found)-1][1])
		})
	}
	t.Run("none", func(t *testing.T) {
		if out, err := run(t, "", "(TestConformance$/(fence|recover|dedupe|batch|step)/)|TestLostBatch|TestReadAhead|TestSteps"); err != nil {
			t.Fatalf("without a defect: %v\n%s", err, out)
		}
	})
}
