package sqlite_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/outlast-dev/outlast/internal/planttest"
	"github.com/outlast-dev/outlast/internal/racetest"
)

// mutants are the defects that can be switched on, each with the rules that must find it.
var mutants = []struct{ name, rules string }{
	{"steps_without_claim_check", "TestConformance$/step/"},
	{"steps_of_what_does_not_run", "TestConformance$/step/"},
	{"steps_outlive_their_letter", "TestConformance$/(step|purge)/"},
	{"steps_outlive_their_task", "TestConformance$/(step|cleanup)/"},
}

// defects of the store, which are planted in its source.
var defects = []planttest.Defect{
	{
		File: "steps.go",
		Was:  `added, err := tx.exec(addStep, row...)`,
		Is:   `added, err := tx.exec(unfenced(addStep), row...)`,
	},
	{
		File: "redrive.go",
		Was:  `if whole {`,
		Is:   `if whole && !mutant("steps_outlive_their_letter") {`,
	},
	{
		File: "cleanup.go",
		Was:  `n, err := q.exec(tx, ids)`,
		Is:   "if q == deleteSteps && mutant(\"steps_outlive_their_task\") {\n\t\t\tcontinue\n\t\t}\n\t\tn, err := q.exec(tx, ids)",
	},
}

// helpers of defects: one takes the fence out of the statement that adds a step.
const helpers = `
var (
	ofAnyClaim = &query{sql: strings.Replace(addStep.sql, " AND r.claim = ?2", " AND ?2 <> 0", 1)}
	ofAnyState = &query{sql: strings.NewReplacer("CROSS JOIN", "LEFT JOIN", "r.claim, ?3", "?2, ?3", "r.claim = ?2", "ifnull(r.claim, ?2) = ?2").Replace(addStep.sql)}
)

func unfenced(q *query) *query {
	switch {
	case mutant("steps_without_claim_check"):
		return ofAnyClaim
	case mutant("steps_of_what_does_not_run"):
		return ofAnyState
	}
	return q
}
`

// A suite is only believed if it finds defects: every planted one is found by the
// rules that aim at it, which all hold without it.
func TestMutants(t *testing.T) {
	racetest.WithoutDetector(t)
	binary := filepath.Join(t.TempDir(), "mutants")
	overlay := planttest.Overlay(t, ".", defects, []string{"strings"}, helpers)
	if out, err := exec.CommandContext(t.Context(), "go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-overlay", overlay, "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := func(t *testing.T, name, rules string) (string, error) {
		cmd := exec.CommandContext(t.Context(), binary, "-test.run", rules, "-test.failfast", "-test.v", "-test.timeout", "2m")
		cmd.Env = append(os.Environ(), planttest.Switch+"="+name)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	failed := regexp.MustCompile(`--- FAIL: TestConformance/(\S+/\S+)`)
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			out, err := run(t, m.name, m.rules)
			found := failed.FindStringSubmatch(out)
			if err == nil || found == nil {
				t.Fatalf("the defect was planted, and %s did not find it: %v\n%s", m.rules, err, out)
			}
			t.Logf("found by %s", found[1])
		})
	}
	t.Run("none", func(t *testing.T) {
		if out, err := run(t, "", "TestConformance$/(step|purge|cleanup)/"); err != nil {
			t.Fatalf("without a defect: %v\n%s", err, out)
		}
	})
}
