//go:build unix

package mysql_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/outlast-dev/outlast/internal/planttest"
)

// mutants are the defects that can be switched on, each with the rules that must find it.
var mutants = []struct{ name, rules string }{
	{"claim_ignores_epoch", "TestConformance$/(claim|take|free|fence)/"},
	{"claim_ignores_run_at", "TestConformance$/claim/"},
	{"claim_ignores_order", "TestConformance$/key/"},
	{"claim_ignores_hold", "TestConformance$/(key|dead)/"},
	{"handout_before_commit", "TestConformance$/(claim|race)/"},
	{"settle_without_claim_check", "TestConformance$/fence/"},
	{"settle_without_count", "TestConformance$/fence/"},
	{"settle_forgets_cancel", "TestConformance$/(settle|admin|fence)/"},
	{"claim_without_lane_lock", "TestConformance$/race/"},
	{"recover_keeps_claim", "TestConformance$/recover/"},
	{"crash_spends_attempt", "TestConformance$/recover/"},
	{"dedupe_not_kept", "TestConformance$/dedupe/"},
	{"steps_without_claim_check", "TestConformance$/step/"},
	{"steps_without_lock", "TestConformance$/race/steps"},
}

// defects of the store, which are planted in its source.
var defects = []planttest.Defect{
	{
		File: "settle.go",
		Was:  `if row == nil || row.Claim != item.Task.Claim {`,
		Is:   `if row == nil || row.Claim != item.Task.Claim && !mutant("settle_without_claim_check") {`,
	},
	{
		File: "settle.go",
		Was:  `if ended != wanted {`,
		Is:   `if ended != wanted && !mutant("settle_without_count") {`,
	},
	{
		File: "settle.go",
		Was:  `strings.Replace(endClaims,`,
		Is:   `strings.Replace(uncanceled("settle_forgets_cancel", endClaims),`,
	},
	{
		File: "recover.go",
		Was:  "back, result := r.node.HandBack(&o, string(trace), r.tx.now)\n",
		Is:   "back, result := r.node.HandBack(&o, string(trace), r.tx.now)\n\t\t\tif mutant(\"recover_keeps_claim\") {\n\t\t\t\tresult.Claim = o.Claim\n\t\t\t}\n",
	},
	{
		File: "recover.go",
		Was:  "o, entry, result := &r.rows[i], &r.back[i], &r.result[i]\n",
		Is:   "o, entry, result := &r.rows[i], &r.back[i], &r.result[i]\n\t\tif mutant(\"crash_spends_attempt\") {\n\t\t\tentry.Attempt++\n\t\t}\n",
	},
	{
		File: "claim.go",
		Was:  `Owned: c.owned[t.ID.Lane()],`,
		Is:   `Owned: c.owned[t.ID.Lane()] || mutant("claim_ignores_epoch"),`,
	},
	{
		File: "claim.go",
		Was:  `Later: t.RunAt.UnixMicro() > c.tx.now,`,
		Is:   `Later: t.RunAt.UnixMicro() > c.tx.now && !mutant("claim_ignores_run_at"),`,
	},
	{
		File: "claim.go",
		Was:  `Held: line.held,`,
		Is:   `Held: line.held && !mutant("claim_ignores_hold"),`,
	},
	{
		File: "claim.go",
		Was:  "standing.Entry.Size = t.size\n",
		Is:   "standing.Entry.Size = t.size\n\t\tif mutant(\"claim_ignores_order\") {\n\t\t\tstanding.Head.ID = t.ID\n\t\t}\n",
	},
	{
		File: "claim.go",
		Was:  `list(lockOwned, "@lanes"`,
		Is:   `list(unlocked("claim_without_lane_lock", lockOwned), "@lanes"`,
	},
	{
		File: "dedupe.go",
		Was:  `if row.item.Dedupe != nil {`,
		Is:   `if row.item.Dedupe != nil && !mutant("dedupe_not_kept") {`,
	},
	{
		File: "steps.go",
		Was:  `if !runs || claim != row.Claim {`,
		Is:   `if !runs || claim != row.Claim && !mutant("steps_without_claim_check") {`,
	},
	{
		File: "steps.go",
		Was:  `ids(slices.Compact(wanted), lockRuns,`,
		Is:   `ids(slices.Compact(wanted), unlocked("steps_without_lock", lockRuns),`,
	},
	{
		File: "transaction.go",
		Was:  `func (s *Store) transact(ctx context.Context, kind string, fn func(tx *tx) error) error {`,
		Is: `func (s *Store) transact(ctx context.Context, kind string, fn func(tx *tx) error) error {
	if early, err := s.answerEarly(ctx, kind, fn); early {
		return err
	}
	return s.commit(ctx, kind, fn)
}

func (s *Store) commit(ctx context.Context, kind string, fn func(tx *tx) error) error {`,
	},
}

// helpers of defects: one takes the locks out of a statement, one what it asks of cancel
// requests, one answers before the commit, which it delays.
const helpers = `
func unlocked(name, query string) string {
	if mutant(name) {
		return strings.NewReplacer(" LOCK IN SHARE MODE", "", " FOR UPDATE", "").Replace(query)
	}
	return query
}

func uncanceled(name, query string) string {
	if mutant(name) {
		return strings.Replace(query, "r.cancel = 0", "r.cancel < 2", 1)
	}
	return query
}

func (s *Store) answerEarly(ctx context.Context, kind string, fn func(*tx) error) (early bool, err error) {
	if kind != "claim" || !mutant("handout_before_commit") {
		return false, nil
	}
	answered := make(chan error, 1)
	go func() {
		answered <- s.commit(context.WithoutCancel(ctx), kind, func(tx *tx) error {
			err := fn(tx)
			select {
			case answered <- err:
			default:
			}
			time.Sleep(50 * time.Millisecond)
			return err
		})
	}()
	return true, <-answered
}
`

// A suite is only believed if it finds defects: every planted one is found by the
// rules that aim at it, which all hold without it.
func TestMutants(t *testing.T) {
	t.Parallel()
	binary := filepath.Join(t.TempDir(), "mutants")
	overlay := planttest.Overlay(t, ".", defects, []string{"context", "strings", "time"}, helpers)
	if out, err := exec.Command("go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-overlay", overlay, "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := func(t *testing.T, name, rules string) (string, error) {
		cmd := exec.CommandContext(t.Context(), binary, "-test.run", rules, "-test.failfast", "-test.v", "-test.timeout", "2m")
		cmd.Env = append(os.Environ(), planttest.Switch+"="+name, given+"="+shelf.MariaDB(t))
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	failed := regexp.MustCompile(`--- FAIL: TestConformance/(\S+/\S+)`)
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
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
		if out, err := run(t, "", "TestConformance$/(fence|recover|dedupe|step)/"); err != nil {
			t.Fatalf("without a defect: %v\n%s", err, out)
		}
	})
}
