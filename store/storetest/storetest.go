// Package storetest is the conformance suite of the store contract: one
// subtest per rule, and the rule's sentence printed when it fails. It
// assumes nothing about the database below.
//
// Every rule begins with a node that joins and takes the two lanes of a queue, and ends with
// [CheckInvariants]. A store that is being written passes its first rule with Join,
// TakeLanes, PutQueue, Topology, Find, Count, Attempts, Key, Running, Scan, Marks, Check,
// DeadStats and DeadGroups; a method that is not there yet ends the run with its panic.
//
// [Run] checks the rules one by one, [RunModel] compares a store with a
// reference under random operations, [CheckInvariants] checks what must
// hold of any store at rest.
//
// Stability: for authors of stores. Interfaces may gain methods in a minor version; package
// storetest says what is missing.
package storetest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/store"
)

// Abilities is what a store can do beyond the contract, for the rules that
// need it. Rules whose ability is nil are skipped.
type Abilities struct {
	// Reopen opens the data of s as another process would. The suite
	// closes what it returns.
	Reopen func(t *testing.T, s store.Backend) store.Backend

	// Advance moves the clock of s forward, and of no other store that the suite has
	// opened. Without it the suite waits for short times and leaves rules about long ones
	// out.
	Advance func(t *testing.T, s store.Backend, d time.Duration)

	// Tx begins a transaction of the kind that EnqueueTx takes and returns
	// functions that end it. After each rule the suite rolls back what it began, also
	// what has ended: that may be an error, and does nothing else.
	Tx func(t *testing.T, s store.Backend) (tx any, commit, rollback func() error)

	// TxAlone says that an open transaction shuts out every other writer, as
	// on SQLite. Rules about those who go on meanwhile are skipped.
	TxAlone bool

	// Deaf says that Watch hears nothing, as behind a pooler. The rule about it
	// is skipped.
	Deaf bool

	// Again says that the rules are checked of the same store over other
	// connections too. What holds at rest is then checked after those of calls at
	// once and of transactions: after the others the rows are the same.
	Again bool

	// Ahead says that lanes are scanned before each claim, for stores whose claims take
	// rows as scans have read them.
	Ahead bool

	// Longer is by how many bytes payloads are longer in the store than they
	// are for those who use it, as where they are encrypted.
	Longer int

	// Kill ends the process behind a store that Reopen returned, so that
	// its nodes show as Gone. It needs Reopen.
	Kill func(t *testing.T, s store.Backend)
}

// rule is one sentence of the contract and its check.
type rule struct {
	name     string
	sentence string
	check    func(h *harness)
}

// Run checks every rule, each on a fresh empty store from open, which also
// registers its clean-up. After each rule the invariants are checked; see
// [Abilities.Again]. What it does not check is left to the store's own tests: that what was
// committed is there after all who had it open have ended, and what calls cost.
func Run(t *testing.T, open func(t *testing.T) store.Backend, abilities ...Abilities) {
	t.Helper()
	able := Abilities{}
	if len(abilities) > 0 {
		able = abilities[0]
	}
	for _, rule := range allRules() {
		if strings.HasPrefix(rule.name, "tx/") && able.Tx == nil {
			continue
		}
		t.Run(rule.name, func(t *testing.T) {
			t.Cleanup(func() {
				if t.Failed() {
					t.Logf("the rule: %s", rule.sentence)
				}
			})
			h := newHarness(t, open(t), able)
			rule.check(h)
			if !able.Again || strings.HasPrefix(rule.name, "race/") || strings.HasPrefix(rule.name, "tx/") {
				CheckInvariants(t, h.s)
			}
		})
	}
}

func allRules() []rule {
	return slices.Concat(
		livenessRules(), ownershipRules(), enqueueRules(), shareRules(), givenRules(), dedupeRules(), bytesRules(), scanRules(), markRules(),
		claimRules(), keyRules(), settleRules(), settleMoreRules(), deadRules(), fenceRules(), recoverRules(), suspectRules(), runningRules(), leaseRules(), stepRules(), stepLifeRules(), signalRules(), groupRules(), groupLifeRules(), groupTxRules(),
		adminRules(), steerRules(), redriveRules(), redriveOperationRules(), purgeRules(), cleanupRules(), queryRules(), tenantRules(), pageRules(), failureRules(), deadQueryRules(),
		queueRules(), targetRules(), operationRules(), objectRules(), changeRules(), auditRules(), auditActionRules(), processRules(), batchRules(), batchProcessRules(), batchTxRules(), txRules(), openTxRules(), raceRules(), closedRules(), restartRules(),
	)
}
