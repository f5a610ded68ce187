package faulttest

import "github.com/outlast-dev/outlast/internal/planttest"

// defects of package sqlite, which TestMutants plants and demands to find.
var defects = []planttest.Defect{
	{
		File: "settle.go",
		Was:  `if s.Outcome == task.OutcomeSucceeded {`,
		Is:   `if s.Outcome == task.OutcomeSucceeded && !mutant("settle_without_claim_check") {`,
	},
	{
		File: "settle.go",
		Was:  `live.State != task.Running || live.Claim != s.Task.Claim {`,
		Is:   `live.State != task.Running || live.Claim != s.Task.Claim && !mutant("settle_without_claim_check") {`,
	},
	{
		File: "settlemany.go",
		Was:  `if b.tx.careful {`,
		Is:   `if b.tx.careful || mutant("settle_without_claim_check") {`,
	},
	{
		File: "recover.go",
		Was:  "case store.NodeAlive:\n\t\t\treturn nil\n",
		Is:   "case store.NodeAlive:\n\t\t\tif !mutant(\"recover_ignores_node\") {\n\t\t\t\treturn nil\n\t\t\t}\n",
	},
	{
		File: "recover.go",
		Was:  "\tentry.Attempt = max(0, entry.Attempt-1)\n",
		Is:   "\tentry.Attempt = max(0, entry.Attempt-1)\n\tif mutant(\"recover_keeps_claim\") {\n\t\tclaim = o.claim\n\t}\n",
	},
	{
		File: "claim.go",
		Was:  `case t.RunAt.UnixMicro() > c.tx.now:`,
		Is:   `case t.RunAt.UnixMicro() > c.tx.now && !mutant("claim_ignores_run_at"):`,
	},
	{
		File: "claim.go",
		Was:  `if reason == "" && t.Key != "" {`,
		Is:   `if reason == "" && t.Key != "" && !mutant("claim_without_head_of_key") {`,
	},
	{
		File: "group.go",
		Was:  `	_, err := w.conn.exec(commit)`,
		Is:   "\tanswerEarly(taken)\n\t_, err := w.conn.exec(commit)",
	},
	{
		File: "group.go",
		Was:  "func (op *operation) answer(err error) {\n",
		Is:   "func (op *operation) answer(err error) {\n\tselect {\n\tcase <-op.done:\n\t\treturn // early\n\tdefault:\n\t}\n",
	},
}

// answerEarly answers operations before their commit, which it delays.
const answerEarly = `
func answerEarly(ops []*operation) {
	delay := time.Duration(0)
	for _, op := range ops {
		switch {
		case op.kind == "enqueue" && mutant("ack_before_commit"):
			delay = 50 * time.Millisecond
			close(op.done)
		case op.kind == "claim" && mutant("handout_before_commit"):
			delay = max(delay, 5*time.Millisecond)
			close(op.done)
		}
	}
	time.Sleep(delay)
}
`
