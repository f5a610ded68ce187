package inspect

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/store"
)

// Targets shows what tasks call, and what holds it back; operators order it.
type Targets interface {
	// List returns all targets, those with something to tell first, then by
	// name.
	List(ctx context.Context) ([]*TargetView, error)
	// Troubled are the targets of this node that are held back, or were within a minute, 256
	// at most.
	Troubled() []store.Target
	// Get returns one target. Code "not_found" where no living node knows it and
	// no operator has spoken of it.
	Get(ctx context.Context, name string) (*TargetView, error)
	// Order tells every node what to do about a target: [store.TargetOpen]
	// stops all calls until another order comes, also of a target that nobody has
	// called yet; [store.TargetClose] ends an outage or an order to open, and calls
	// begin again, ever more of them; [store.TargetReset] forgets what was learned.
	// It is kept over restarts, and obeyed within about a second.
	Order(ctx context.Context, name string, action store.TargetAction) (*TargetView, error)
	// History returns what happened to a target's breaker and budget on all nodes,
	// the newest first: the last 500 changes, written about two seconds after they
	// happened. A target to which nothing has happened has none; code "not_found" where
	// nobody knows it either.
	History(ctx context.Context, name string) ([]TargetChange, error)
}

// TargetView is a target as people look at it: what the living nodes know of
// it, put together. Healthy targets are known to the node that is asked; of the
// others', only those with something to tell.
type TargetView struct {
	// Target sums up: the breaker is the most restrictive of the nodes', counts
	// and tokens are sums, the share of successes is weighed by attempts.
	store.Target
	// Order is what an operator said last: one to open holds until another
	// comes, others are shown for an hour, of targets that a node knows.
	Order *store.TargetOrder
	// Nodes is what each node knows. Empty of a target that is ordered open while
	// no node knows a task of it, perhaps because of a typing error.
	Nodes map[string]store.Target
}

// Troubled reports whether the target's breaker is not closed, or the target wants no
// calls for a while.
func (v *TargetView) Troubled() bool {
	return v.Breaker.State != "closed" || !v.HeldUntil.IsZero()
}

// TargetChange is one change of a target's breaker, or of its budget.
type TargetChange struct {
	At     time.Time `json:"at"`
	Node   string    `json:"node"`
	Part   string    `json:"part"`  // breaker or budget
	State  string    `json:"state"` // of a breaker; of a budget exhausted or refilled
	Was    string    `json:"was,omitempty"`
	Reason string    `json:"reason,omitempty"`
	Until  time.Time `json:"until,omitzero"` // when an open breaker probes, or the budget has its next token
}
