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
		Was:  `if state == store.NodeAlive {`,
		Is:   `if state == store.NodeAlive && !mutant("recover_ignores_node") {`,
	},
	{
		File: "recover.go",
		Was:  "_, result := node.HandBack(&o.Row, o.trace, tx.now)\n",
		Is:   "_, result := node.HandBack(&o.Row, o.trace, tx.now)\n\tif mutant(\"recover_keeps_claim\") {\n\t\tresult.Claim = o.Claim\n\t}\n",
	},
	{
		File: "claim.go",
		Was:  `Later: t.RunAt.UnixMicro() > c.tx.now}`,
		Is:   `Later: t.RunAt.UnixMicro() > c.tx.now && !mutant("claim_ignores_run_at")}`,
	},
	{
		File: "claim.go",
		Was:  "if standing.AsksKey(item) {\n",
		Is:   "if mutant(\"claim_without_head_of_key\") {\n\t\tstanding.Entry.Key = \"\"\n\t}\n\tif standing.AsksKey(item) {\n",
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
