package mysql_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/mysql"
	"github.com/outlast-dev/outlast/store/storetest"
	"github.com/outlast-dev/outlast/task"
)

// killAll ends all connections to the database but those of the killer.
func (d *database) killAll(t testing.TB, killer *database) {
	rows, err := killer.Query("SELECT id FROM information_schema.processlist WHERE db = ? AND id <> CONNECTION_ID()", d.name)
	if err != nil {
		t.Error(err)
		return
	}
	defer func() {
		if err := rows.Close(); err != nil {
			t.Error(err)
		}
	}()
	var ids []int64
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			t.Error(err)
			return
		}
		ids = append(ids, id)
	}
	if rows.Err() != nil {
		t.Error(rows.Err())
	}
	for _, id := range ids {
		_, _ = killer.Exec("KILL ?", id) // it may have ended by itself
	}
}

// TestKilledConnections has two nodes work through tasks, keyed ones too,
// while all connections are killed again and again. Every call is repeated as
// the contract says, and each task succeeds once.
func TestKilledConnections(t *testing.T) {
	d, killer := newDatabase(t, options), newDatabase(t, options)
	f := newFixtureOn(t, d, 2)
	other := d.store(t)
	tasks := make([]*task.Task, 120)
	for i := range tasks {
		if tasks[i] = f.task(i); i%3 == 0 {
			tasks[i].Key = "k"
			tasks[i].ID = tasks[i].ID.WithLane(f.lanes[0].Lane)
		}
	}
	f.insert(tasks...)
	until := func(call func() error) {
		for t.Context().Err() == nil && call() != nil {
		}
	}
	var left atomic.Int64
	left.Store(int64(len(tasks)))
	// Claims that somebody was told of settle themselves. Nobody asks for them while an
	// answer is on its way.
	var answers sync.RWMutex
	var told sync.Map // claim of a task → true
	type claimOf struct {
		id    task.ID
		claim int64
	}
	var group sync.WaitGroup
	for i, s := range []*mysql.Store{f.s, other, f.s, other} {
		group.Go(func() {
			random := rand.New(rand.NewPCG(uint64(i), 3))
			for left.Load() > 0 {
				var claim store.Claim
				claim.Node, claim.Lanes = "n1", f.lanes
				for range 5 {
					claim.Items = append(claim.Items, store.ClaimItem{ID: tasks[random.IntN(len(tasks))].ID})
				}
				answers.RLock()
				claimed, err := s.Claim(t.Context(), claim)
				for _, t1 := range claimed.Tasks {
					told.Store(claimOf{t1.ID, t1.Claim}, true)
				}
				answers.RUnlock()
				if err != nil { // what it claimed, if anything, is read back below
					continue
				}
				for _, t1 := range claimed.Tasks {
					until(func() error {
						settled, err := s.Settle(t.Context(), []store.Settlement{{Task: t1, Outcome: task.OutcomeSucceeded, Result: []byte("1")}})
						if err == nil && settled[0].Status != store.StatusOK {
							t.Errorf("settling %s: %+v", t1.ID, settled[0])
						}
						return err
					})
					left.Add(-1)
				}
			}
		})
	}
	// Claims of unknown outcome: nobody knows of them but the database.
	group.Go(func() {
		for left.Load() > 0 {
			running, err := other.Running(t.Context(), "n1", nil)
			if err != nil {
				continue
			}
			answers.Lock() // whoever has claimed one of them has his answer by now
			running = slices.DeleteFunc(running, func(t1 *task.Task) bool { _, is := told.Load(claimOf{t1.ID, t1.Claim}); return is })
			answers.Unlock()
			for _, t1 := range running {
				until(func() error {
					_, err := other.Settle(t.Context(), []store.Settlement{{Task: t1, Outcome: task.OutcomeReleased}})
					return err
				})
			}
		}
	})
	ended := make(chan struct{})
	go func() { group.Wait(); close(ended) }()
	kills := 0
	for range 20 {
		select {
		case <-ended:
		case <-time.After(20 * time.Millisecond):
			d.killAll(t, killer)
			kills++
		}
	}
	<-ended
	if kills < 3 {
		t.Errorf("only %d kills: too few to show anything", kills)
	}
	for _, t1 := range tasks {
		got, err := f.s.Get(t.Context(), t1.ID)
		f.ok(err)
		if got.State != task.Succeeded {
			t.Errorf("%s is %s", t1.ID, got.State)
		}
	}
	storetest.CheckInvariants(t, f.s)
}

// TestCommitThatWasNotAnswered kills the connection just before the COMMIT:
// the store does not repeat what may be done, and the caller's repeat finds
// out.
func TestCommitThatWasNotAnswered(t *testing.T) {
	d, killer := newDatabase(t, options), newDatabase(t, options)
	var armed atomic.Bool
	f := newFixtureOn(t, d, 1, mysql.WithHook(func(point string) {
		if point == "settle.before_commit" && armed.CompareAndSwap(true, false) {
			d.killAll(t, killer)
		}
	}))
	one := f.claim(f.fill(1, 0)...)[0]
	armed.Store(true)
	settlement := []store.Settlement{{Task: one, Outcome: task.OutcomeSucceeded}}
	if _, err := f.s.Settle(t.Context(), settlement); err == nil {
		t.Fatal("the settle succeeded although its commit was not answered")
	}
	settled, err := f.s.Settle(t.Context(), settlement)
	f.ok(err)
	if settled[0].Status != store.StatusOK {
		t.Errorf("the repeat: %+v", settled[0])
	}
	storetest.CheckInvariants(t, f.s)
}

// TestDeadlock makes one: a heavier transaction locks two rows against the
// order of the store, so the server ends the store's. The claim starts again
// and succeeds.
func TestDeadlock(t *testing.T) {
	d := newDatabase(t, options)
	f := newFixtureOn(t, d, 1)
	for range 10 {
		if deadlocked := f.meetInDeadlock(d); deadlocked {
			return
		}
	}
	t.Error("there was no deadlock: the test shows nothing")
}

// status is a number that the server counts.
func (d *database) status(t testing.TB, name string) (n int) {
	if err := d.QueryRow("SHOW GLOBAL STATUS LIKE '"+name+"'").Scan(&name, &n); err != nil {
		t.Error(err)
	}
	return n
}

// meetInDeadlock reports whether the store's transaction was ended. It may have
// given up its wait for the lock just before.
func (f *fixture) meetInDeadlock(d *database) bool {
	ids := f.fill(2, 0)
	slices.SortFunc(ids, task.ID.Compare)
	before := d.status(f, "Innodb_deadlocks")
	tx, err := d.Begin()
	f.ok(err)
	for i := range 50 { // so that it weighs more
		_, err = tx.Exec("INSERT INTO outlast_counter VALUES (?, 0)", strconv.Itoa(i))
		f.ok(err)
	}
	lock := "SELECT id FROM outlast_task WHERE id = ? FOR UPDATE"
	_, err = tx.Exec(lock, ids[1][:])
	f.ok(err)
	claimed := make(chan []*task.Task, 1)
	go func() { claimed <- f.claim(ids...) }()
	until(f, func() bool { return d.status(f, "Innodb_row_lock_current_waits") > 0 }) // it holds the first row
	_, err = tx.Exec(lock, ids[0][:])
	f.ok(errors.Join(err, tx.Rollback()))
	f.settle(task.OutcomeSucceeded, <-claimed...)
	return d.status(f, "Innodb_deadlocks") > before
}

// until waits until a condition of the server holds.
func until(t testing.TB, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !holds(); {
		if time.Now().After(deadline) {
			t.Fatal("it does not come to hold within 20 s")
		}
		time.Sleep(time.Millisecond) // sleep: a real server tells nobody
	}
}

// TestBeatsWithAnExhaustedPool: whoever uses up the pool, and whatever keeps
// the store's own connections busy, a node's heartbeats go on.
func TestBeatsWithAnExhaustedPool(t *testing.T) {
	d := newDatabase(t, options)
	d.SetMaxOpenConns(4) // two for work, one for beats, one for callers
	var stands atomic.Bool
	stuck, goOn := make(chan struct{}), make(chan struct{})
	f := newFixtureOn(t, d, 2, mysql.WithHook(func(point string) {
		if point == "claim.before_commit" && stands.Load() {
			stuck <- struct{}{}
			<-goOn
		}
	}))
	_, err := f.s.Beat(t.Context(), "n1", store.Report{})
	f.ok(err)
	tx, err := d.Begin()
	f.ok(err)
	stands.Store(true)
	var group sync.WaitGroup
	for lane := range 2 { // not one of them ends before the beats have
		ids := f.fill(1, lane)
		group.Go(func() {
			claim := store.Claim{Node: "n1", Lanes: f.lanes[lane : lane+1], Items: []store.ClaimItem{{ID: ids[0]}}}
			_, _ = f.s.Claim(t.Context(), claim) // the server may have lost patience with it
		})
		<-stuck
	}
	if used := d.Stats().InUse; used != 4 {
		t.Errorf("%d of 4 connections are in use", used)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // a beat that waits for a connection waits for ever
	defer cancel()
	for range 10 {
		if _, err := f.s.Beat(ctx, "n1", store.Report{}); err != nil {
			t.Errorf("a beat: %v", err)
		}
	}
	stands.Store(false)
	close(goOn)
	group.Wait()
	f.ok(tx.Rollback())
	f.claim(f.fill(2, 0)...) // the store works as before
}

// TestSmallPoolsAreRefused: a node needs a connection for its beats, one for
// its work, and one for a caller's transaction.
func TestSmallPoolsAreRefused(t *testing.T) {
	d := newDatabase(t, options)
	for most, ok := range map[int]bool{1: false, 2: false, 3: true} {
		d.SetMaxOpenConns(most)
		s, err := mysql.Open(t.Context(), d.DB)
		if ok != (err == nil) {
			t.Errorf("a pool of %d: %v", most, err)
		}
		if err == nil {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	if _, err := mysql.Open(t.Context(), d.DB, mysql.WithConnections(0)); !errors.Is(err, &task.Error{Code: task.CodeInvalid}) {
		t.Errorf("no connections: %v", err)
	}
}

// TestStatementsStaySmall: neither many tasks nor large ones, all of whose
// bytes need an escape in a statement, make a statement that a server with a
// usual max_allowed_packet refuses. The driver refuses larger ones here.
func TestStatementsStaySmall(t *testing.T) {
	d := newDatabase(t, options+"&maxAllowedPacket=4500000")
	f := newFixtureOn(t, d, 1)
	batch := store.Batch{}
	var ids []task.ID
	for range 12 {
		large := f.task(0)
		large.Payload = bytes.Repeat([]byte{'\''}, task.MaxPayload)
		batch.Items = append(batch.Items, store.Insert{Task: large})
		ids = append(ids, large.ID)
	}
	results, err := f.s.Enqueue(t.Context(), []store.Batch{batch})
	f.ok(err)
	f.ok(results[0].Err)
	var tasks []*task.Task
	for len(tasks) < len(ids) { // 8 MiB at a time
		claim := store.Claim{Node: "n1", Lanes: f.lanes}
		for _, id := range ids[len(tasks):] {
			claim.Items = append(claim.Items, store.ClaimItem{ID: id})
		}
		claimed, err := f.s.Claim(t.Context(), claim)
		f.ok(err)
		if len(claimed.Tasks) != min(8, len(ids)-len(tasks)) {
			t.Fatalf("claimed %d after %d", len(claimed.Tasks), len(tasks))
		}
		tasks = append(tasks, claimed.Tasks...)
	}
	for _, one := range tasks {
		if !bytes.Equal(one.Payload, batch.Items[0].Task.Payload) {
			t.Fatal("a payload has changed")
		}
	}
	tasks = append(tasks, f.claim(f.fill(100, 0)...)...)
	settlements := make([]store.Settlement, len(tasks))
	for i, one := range tasks {
		settlements[i] = store.Settlement{Task: one, Outcome: task.OutcomeSucceeded, Result: bytes.Repeat([]byte{'\\'}, task.MaxResult)}
		if i%2 == 0 {
			settlements[i].Outcome, settlements[i].Result = task.OutcomeDead, nil
			settlements[i].Failure = &task.Failure{Category: "down", Message: string(make([]byte, task.MaxErrorText))}
		}
	}
	settled, err := f.s.Settle(t.Context(), settlements)
	for tries := 1; err != nil && tries < 5; tries++ { // on a slow machine the server may lose patience with so much
		settled, err = f.s.Settle(t.Context(), settlements)
	}
	f.ok(err)
	for i := range settled {
		if settled[i].Status != store.StatusOK {
			t.Fatalf("%+v", settled[i])
		}
	}
	storetest.CheckInvariants(t, f.s)
}

// TestABadItemCostsTheOthersNothing: data that only the server refuses, here
// an error's category that is too long for its column, is found by halves.
func TestABadItemCostsTheOthersNothing(t *testing.T) {
	f := newFixture(t, 1)
	tasks := f.claim(f.fill(20, 0)...)
	settlements := make([]store.Settlement, len(tasks))
	for i, one := range tasks {
		settlements[i] = store.Settlement{Task: one, Outcome: task.OutcomeFailed, Failure: &task.Failure{Category: "down"}}
	}
	settlements[7].Failure = &task.Failure{Category: string(bytes.Repeat([]byte("x"), 300))}
	settled, err := f.s.Settle(t.Context(), settlements)
	f.ok(err)
	for i := range settled {
		want := store.StatusOK
		if i == 7 {
			want = store.StatusRefused
		}
		if settled[i].Status != want || (settled[i].Err != nil) != (i == 7) {
			t.Errorf("%d: %+v", i, settled[i])
		}
	}
	storetest.CheckInvariants(t, f.s)
}

// TestAStoppedProcessHoldsNothingForLong: a process that is stopped inside a
// claim has locked its lane. The server ends the transaction soon, and the
// lane can be taken; the claim of the process fails when it goes on.
func TestAStoppedProcessHoldsNothingForLong(t *testing.T) {
	t.Parallel()
	d := newDatabase(t, options)
	stopped, goOn := make(chan struct{}), make(chan struct{})
	var once sync.Once
	f := newFixtureOn(t, d, 1, mysql.WithHook(func(point string) {
		if point == "claim.before_commit" {
			once.Do(func() {
				close(stopped)
				<-goOn
			})
		}
	}))
	ids := f.fill(1, 0)
	claimed := make(chan store.Claimed, 1)
	go func() {
		result, _ := f.s.Claim(t.Context(), store.Claim{Node: "n1", Lanes: f.lanes, Items: []store.ClaimItem{{ID: ids[0]}}})
		claimed <- result
	}()
	<-stopped
	other := d.store(t)
	f.ok(other.Join(t.Context(), store.Node{ID: "n2"}))
	buried, err := other.Bury(t.Context(), "n1", 0)
	f.ok(err)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // until the server ends it, there is no way to the lane
	defer cancel()
	taken, err := other.TakeLanes(ctx, "n2", f.lanes)
	f.ok(err)
	if !buried || len(taken) != 1 {
		t.Errorf("buried %v, took %v", buried, taken)
	}
	close(goOn)
	if result := <-claimed; len(result.Tasks) != 0 {
		t.Errorf("the stopped process has claimed %v", result.Tasks)
	}
	got, err := other.Get(t.Context(), ids[0])
	f.ok(err)
	if got.State != task.Pending {
		t.Errorf("the task is %s", got.State)
	}
}
