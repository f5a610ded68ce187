package memory

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/check"
	"github.com/outlast-dev/outlast/task"
)

// ErrTxEnded is returned for a transaction that was committed or rolled back.
var ErrTxEnded = errors.New("memory: the transaction has ended")

// Tx is a caller's transaction, for tests of what EnqueueTx and SettleTx do.
// What it holds is checked when it is said and again at the commit, which
// fails, and changes nothing, if another has changed the rows meanwhile.
// Safe for concurrent use.
type Tx struct {
	store *Store

	mu       sync.Mutex // taken before data.mu
	ended    bool
	inserts  []store.Insert
	made     int // of the inserts, those that are new
	settles  []store.Settlement
	onCommit []func()
}

// Begin begins a transaction. End it with Commit or Rollback.
func (s *Store) Begin() *Tx { return &Tx{store: s} }

// OnCommit has do called by Commit together with the store's changes, so that
// a test has something else that is changed exactly if the transaction commits.
func (tx *Tx) OnCommit(do func()) {
	tx.mu.Lock()
	defer tx.mu.Unlock()
	tx.onCommit = append(tx.onCommit, do)
}

// EnqueueTx implements [store.TxEnqueuer]; tx is a *Tx of this store. Keyed
// tasks get their seq at the commit.
func (s *Store) EnqueueTx(ctx context.Context, tx any, items []store.Insert) ([]store.Inserted, error) {
	t, now, err := s.join(ctx, tx)
	if err != nil {
		return nil, err
	}
	defer t.leave()
	all := append(t.inserts[:len(t.inserts):len(t.inserts)], items...)
	p, err := s.data.plan(all, now)
	if err != nil {
		return nil, err
	}
	inserted := p.preview()[len(t.inserts):]
	t.inserts, t.made = all, p.made()
	return inserted, nil
}

// SettleTx implements [store.TxSettler]; tx is a *Tx of this store.
func (s *Store) SettleTx(ctx context.Context, tx any, settlement store.Settlement) (store.Settled, error) {
	t, now, err := s.join(ctx, tx)
	if err != nil {
		return store.Settled{}, err
	}
	defer t.leave()
	if settlement.Task == nil || settlement.Outcome != task.OutcomeSucceeded {
		return store.Settled{}, task.Invalid("outcome", "a transaction of the caller ends an attempt as succeeded only", "")
	}
	d, id := s.data, settlement.Task.ID
	r := d.live[id]
	switch {
	case d.find(id) == nil:
		return store.Settled{Status: store.StatusNotFound}, nil
	case r == nil || r.State != task.Running || r.Claim != settlement.Task.Claim || d.locked[id] == r.Claim:
		return store.Settled{Status: store.StatusStale}, nil
	}
	if err := check.Settlement(&settlement); err != nil {
		return refused(err), nil
	}
	if _, err := d.plan(settlement.Follow, now); err != nil {
		return refused(err), nil
	}
	d.locked[id] = r.Claim
	t.settles = append(t.settles, settlement)
	return store.Settled{Status: store.StatusOK, State: task.Succeeded}, nil
}

// join locks the transaction and the data. On nil error the caller must
// leave.
func (s *Store) join(ctx context.Context, tx any) (*Tx, time.Time, error) {
	t, ok := tx.(*Tx)
	if !ok || t == nil || t.store.data != s.data {
		return nil, time.Time{}, task.Invalid("tx", fmt.Sprintf("a %T is not a transaction of this store", tx), "pass what Begin returns")
	}
	t.mu.Lock()
	if t.ended {
		t.mu.Unlock()
		return nil, time.Time{}, ErrTxEnded
	}
	now, err := s.begin(ctx)
	if err != nil {
		t.mu.Unlock()
	}
	return t, now, err
}

func (tx *Tx) leave() {
	tx.store.data.mu.Unlock()
	tx.mu.Unlock()
}

// Commit makes all changes, or none and says why.
func (tx *Tx) Commit() error {
	_, now, err := tx.store.join(context.Background(), tx)
	if err != nil {
		return err
	}
	defer tx.leave()
	tx.end()
	d := tx.store.data
	p, err := d.plan(tx.inserts, now)
	if err != nil {
		return err
	}
	if p.made() != tx.made {
		return &task.Error{Code: task.CodeConflict, Message: "another has enqueued the same meanwhile"}
	}
	for _, settlement := range tx.settles {
		r := d.live[settlement.Task.ID]
		if r == nil || r.State != task.Running || r.Claim != settlement.Task.Claim {
			return &task.Error{Code: task.CodeStaleClaim, Message: "the attempt was ended by another"}
		}
	}
	p.apply()
	lanes := laneNumbers(tx.inserts)
	for _, settlement := range tx.settles {
		d.settle(settlement, now)
		lanes = append(append(lanes, settlement.Task.ID.Lane()), laneNumbers(settlement.Follow)...)
	}
	for _, do := range tx.onCommit {
		do()
	}
	if len(lanes) > 0 {
		tx.store.commit(lanes...)
	}
	return nil
}

func laneNumbers(items []store.Insert) (lanes []uint16) {
	for i := range items {
		lanes = append(lanes, items[i].Task.ID.Lane())
	}
	return lanes
}

// Rollback forgets everything.
func (tx *Tx) Rollback() error {
	tx.mu.Lock()
	defer tx.mu.Unlock()
	if tx.ended {
		return ErrTxEnded
	}
	tx.store.data.mu.Lock()
	defer tx.store.data.mu.Unlock()
	tx.end()
	return nil
}

// end releases the rows. The caller holds both locks.
func (tx *Tx) end() {
	tx.ended = true
	for _, settlement := range tx.settles {
		if locked := tx.store.data.locked; locked[settlement.Task.ID] == settlement.Task.Claim {
			delete(locked, settlement.Task.ID)
		}
	}
}
