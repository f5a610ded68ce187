package mysql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/check"
	"github.com/outlast-dev/outlast/store/internal/ending"
	"github.com/outlast-dev/outlast/store/internal/grouped"
	"github.com/outlast-dev/outlast/store/internal/literal"
	"github.com/outlast-dev/outlast/store/internal/signals"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

const (
	// fence locks running rows by their ids, the wide row first as everyone
	// does, and reads what settlements need to know of them. Rows that do not
	// run are absent. A claim number compared after this holds until the
	// commit.
	fence = `SELECT ` + entryColumns + `, r.claim, r.cancel, r.node, r.started_at, ` + clock + `, t.priority, t.unstarted, t.queue` + fenced

	fenced = ` FROM outlast_task t FORCE INDEX (PRIMARY) STRAIGHT_JOIN outlast_run r ON r.id = t.id WHERE t.id IN (@ids) FOR UPDATE`

	// fenceOnly is what fence does where all settlements are successes, which
	// need to know less.
	fenceOnly = `SELECT t.id, t.attempt, t.line, r.claim, r.cancel, r.node, r.started_at, ` + clock + fenced

	// endTasks ends rows that fence has locked.
	endTasks = `UPDATE outlast_task FORCE INDEX (PRIMARY) SET state = ?, park = 0, line = NULL, turn = NULL WHERE id IN (@ids)`

	// endRuns deletes what says that rows run, endLines what says so of keys,
	// endCancels what was asked of them, endLeases until when workers had them.
	endRuns  = `DELETE r FROM outlast_run r FORCE INDEX (PRIMARY) WHERE r.id IN (@ids)`
	endLines = `DELETE k FROM outlast_task t FORCE INDEX (PRIMARY) STRAIGHT_JOIN outlast_line k ON k.lane = t.lane AND k.line = t.line AND k.id = t.id
WHERE t.id IN (@ids)`
	endCancels = `DELETE c FROM outlast_cancel c FORCE INDEX (PRIMARY) WHERE c.id IN (@ids)`
	endLeases  = `DELETE l FROM outlast_lease l FORCE INDEX (PRIMARY) WHERE l.id IN (@ids)`

	insertDone = `INSERT INTO outlast_done (id, claim, attempt, node, started_at, finished_at, cancel, outcome, category, last_error, result, label) VALUES `

	// insertPlain is insertDone without the columns that are null for most.
	insertPlain = `INSERT INTO outlast_done (id, claim, attempt, node, started_at, finished_at, cancel, outcome) VALUES `

	insertAttempts = `INSERT INTO outlast_attempt (id, claim, number, node, started_at, ended_at, outcome, failure, next_delay, label) VALUES `

	// putBack changes rows that are locked, and so exist, each to values of
	// its own: they wait for their next run. Errors that are null leave those
	// that the rows have.
	putBack = `INSERT INTO outlast_task (id, lane, run_rank, run_at, claim, attempt, crashes, last_error, category, unstarted, updated_at, started_at, turn, failed_at) VALUES `

	putBackOver = ` ON DUPLICATE KEY UPDATE run_rank = VALUES(run_rank), run_at = VALUES(run_at), claim = VALUES(claim), attempt = VALUES(attempt),
 crashes = VALUES(crashes), last_error = COALESCE(VALUES(last_error), last_error), category = COALESCE(VALUES(category), category),
 unstarted = VALUES(unstarted), updated_at = VALUES(updated_at), started_at = VALUES(started_at), turn = VALUES(turn),
 failed_at = COALESCE(VALUES(failed_at), failed_at)`

	// putFailed puts tasks in the list of failures, or ahead in it.
	putFailed = `INSERT INTO outlast_failed (id, failed_at) VALUES `

	putFailedOver = ` ON DUPLICATE KEY UPDATE failed_at = VALUES(failed_at)`
)

// settleItem is one settlement and where its answer goes.
type settleItem struct {
	*store.Settlement
	result *store.Settled
}

// forgetRuns keeps the newest of the runs of live tasks that cost no attempt.
var forgetRuns = `DELETE a FROM outlast_attempt a JOIN (SELECT id, claim, ROW_NUMBER() OVER (PARTITION BY id ORDER BY claim DESC) AS place
FROM outlast_attempt WHERE outcome IN ('snoozed', 'released') AND id IN (@ids)) r ON r.id = a.id AND r.claim = a.claim WHERE r.place > ` + strconv.Itoa(store.KeptRuns)

// Settle implements [store.Store].
func (s *Store) Settle(ctx context.Context, settlements []store.Settlement) ([]store.Settled, error) {
	results := make([]store.Settled, len(settlements))
	items := make([]settleItem, 0, len(settlements))
	numbers := int64(0)
	for i := range settlements {
		if err := check.Settlement(&settlements[i]); err != nil {
			results[i] = store.Settled{Status: store.StatusRefused, Err: err}
			continue
		}
		items = append(items, settleItem{&settlements[i], &results[i]})
		numbers += keyed(follows(&settlements[i]))
	}
	seq, err := s.reserve(ctx, numbers)
	if err != nil {
		return nil, err
	}
	for len(items) > 0 {
		var later []settleItem
		items, later = eachOnce(items)
		if err := s.settleGroup(ctx, items, seq); err != nil {
			return nil, err
		}
		items = later
	}
	return results, ctx.Err()
}

// eachOnce takes those out that settle a task that one before settles.
func eachOnce(items []settleItem) (once, later []settleItem) {
	seen := make(map[task.ID]bool, len(items))
	for _, item := range items {
		if seen[item.Task.ID] {
			later = append(later, item)
			continue
		}
		seen[item.Task.ID] = true
		once = append(once, item)
	}
	return once, later
}

// settleGroup settles items in one transaction. Data that the database refuses
// is searched for by halves, so that it costs the others nothing.
func (s *Store) settleGroup(ctx context.Context, items []settleItem, seq int64) error {
	trusts := true
	err := s.transact(ctx, "settle", func(tx *tx) error {
		next := seq
		b := &settling{tx: tx, seq: &next, trusts: trusts}
		err := b.run(items)
		if b.otherwise(err) {
			trusts, err = false, errAgain
		}
		return err
	})
	if err == nil || !refusal(err) {
		return err
	}
	if len(items) == 1 {
		*items[0].result = store.Settled{Status: store.StatusRefused, Err: err}
		return nil
	}
	half := len(items) / 2
	before := int64(0)
	for _, item := range items[:half] {
		before += keyed(follows(item.Settlement))
	}
	return errors.Join(s.settleGroup(ctx, items[:half], seq), s.settleGroup(ctx, items[half:], seq+before))
}

// follows are the tasks that follow if the settlement is accepted.
func follows(s *store.Settlement) []*store.Insert {
	list := make([]*store.Insert, len(s.Follow))
	for i := range s.Follow {
		list[i] = &s.Follow[i]
	}
	return list
}

// settling settles items inside one transaction.
type settling struct {
	tx  *tx
	seq *int64 // before that of the next keyed task that follows
	// trusts says that rows are taken to be as they were claimed.
	trusts bool

	ended   [5][]task.ID        // by state
	runs    []task.ID           // ended or put back
	claims  map[int64][]task.ID // the same of rows that were not read, by their claims
	lines   []task.ID           // of these, with a key
	cancels []task.ID           // of these, with a cancel request
	leases  []task.ID           // of these, with a lease
	free    []task.ID           // put back after a run that cost no attempt
	deaths  []*death
	done    insertion
	plain   insertion // the same, with less to say
	past    insertion // history
	waits   insertion
	failed  insertion
	counts  grouped.Tally // of members of groups that ended
}

// begin makes room for about so many items.
func (b *settling) begin(items int) {
	b.done = insertion{on: b.tx.session, head: insertDone, most: items}
	b.plain = insertion{on: b.tx.session, head: insertPlain, most: items}
	b.past = insertion{on: b.tx.session, head: insertAttempts, most: items}
	b.waits = insertion{on: b.tx.session, head: putBack, tail: putBackOver, most: items}
	b.failed = insertion{on: b.tx.session, head: putFailed, tail: putFailedOver, most: items}
}

// run settles items, each of another task.
func (b *settling) run(items []settleItem) error {
	b.begin(len(items))
	var asClaimed, strangers []settleItem
	if b.trusts {
		asClaimed, items = parted(items)
	}
	rows, err := b.fence(items)
	if err != nil {
		return err
	}
	for _, item := range items {
		row := rows[item.Task.ID]
		if row == nil || row.Claim != item.Task.Claim {
			strangers = append(strangers, item)
			continue
		}
		b.runs = append(b.runs, item.Task.ID)
		if err := b.settle(item, row); err != nil {
			return err
		}
	}
	if err := b.settleAsClaimed(asClaimed); err != nil {
		return err
	}
	if err := b.write(); err != nil {
		return err
	}
	return b.repeats(strangers)
}

// parted are the items of which the row need not be read, and the others.
func parted(items []settleItem) (asClaimed, others []settleItem) {
	for _, item := range items {
		if item.asClaimed() {
			asClaimed = append(asClaimed, item)
		} else {
			others = append(others, item)
		}
	}
	return asClaimed, others
}

// fence locks the running rows of the items.
func (b *settling) fence(items []settleItem) (map[task.ID]*ending.Row, error) {
	wanted := make([]task.ID, len(items))
	for i, item := range items {
		wanted[i] = item.Task.ID
	}
	sortIDs(wanted)
	rows := make(map[task.ID]*ending.Row, len(items))
	query, scan := fence, scanFenced
	if onlySuccesses(items) {
		query, scan = fenceOnly, scanFencedOnly
	}
	err := ids(wanted, query, func(query string) error {
		return b.tx.each(query, func(found *sql.Rows) error {
			row, now, err := scan(found)
			rows[row.Entry.ID] = row
			b.tx.setClock(now)
			return err
		})
	})
	return rows, err
}

func onlySuccesses(items []settleItem) bool {
	for _, item := range items {
		if item.Outcome != task.OutcomeSucceeded {
			return false
		}
	}
	return true
}

func scanFenced(found *sql.Rows) (row *ending.Row, now int64, err error) {
	row = &ending.Row{State: task.Running}
	var startedAt, unstarted number
	row.Entry, err = scanEntry(found, &row.Claim, &row.Cancel, &row.Node, &startedAt, &now, &row.Priority, &unstarted, &row.Queue)
	row.Entry.Attempt++
	row.StartedAt, row.Unstarted = startedAt.time(), int64(unstarted)
	return row, now, err
}

func scanFencedOnly(found *sql.Rows) (row *ending.Row, now int64, err error) {
	row = &ending.Row{State: task.Running}
	var startedAt number
	var key text
	err = found.Scan((*identity)(&row.Entry.ID), &row.Entry.Attempt, &key, &row.Claim, &row.Cancel, &row.Node, &startedAt, &now)
	row.Entry.Attempt++
	row.Entry.Key, row.StartedAt = string(key), startedAt.time()
	return row, now, err
}

// stateOf are the states in which outcomes end a task.
var stateOf = map[task.Outcome]task.State{
	task.OutcomeSucceeded: task.Succeeded, task.OutcomeDead: task.Dead, task.OutcomeCanceled: task.Canceled,
}

// settle decides what becomes of one row. Most of it is written later,
// together with that of others.
func (b *settling) settle(item settleItem, row *ending.Row) error {
	a := ending.Of(item.Settlement, row, b.tx.now)
	b.endRun(row)
	b.counts.Ended(a.Task, stateOf[a.Outcome])
	switch a.Outcome {
	case task.OutcomeDead:
		b.deaths = append(b.deaths, &death{Attempt: a, row: row})
		b.ended[dead] = append(b.ended[dead], a.ID)
		*item.result = store.Settled{Status: store.StatusOK, State: task.Dead}
		return nil
	case task.OutcomeSucceeded:
		*item.result = store.Settled{Status: store.StatusOK, State: task.Succeeded}
		return b.end(a, row, succeeded)
	case task.OutcomeCanceled:
		*item.result = store.Settled{Status: store.StatusOK, State: task.Canceled}
		return b.end(a, row, canceled)
	}
	if err := b.look(a); err != nil {
		return err
	}
	entry := a.Retry(row, b.tx.now)
	*item.result = store.Settled{Status: store.StatusOK, State: task.Pending, Entry: entry}
	return b.retry(a, row, entry)
}

// look lets a task run at once that would wait for a signal that is there. Its row is locked.
func (b *settling) look(a *ending.Attempt) error {
	if len(a.Awaits) == 0 {
		return nil
	}
	steps, err := b.tx.steps([]task.ID{a.ID})
	if err == nil && signals.Ready(a.Task, steps, a.Awaits) {
		a.Due()
	}
	return err
}

// endRun notes what else says that the row runs.
func (b *settling) endRun(row *ending.Row) {
	if row.Entry.Key != "" {
		b.lines = append(b.lines, row.Entry.ID)
	}
	if row.Cancel {
		b.cancels = append(b.cancels, row.Entry.ID)
	}
	if task.Leased(row.Node) {
		b.leases = append(b.leases, row.Entry.ID)
	}
}

// end ends a row for good. That is also the record of the attempt, unless it
// has a failure of its own.
func (b *settling) end(a *ending.Attempt, row *ending.Row, state int) error {
	outcome := string(a.Outcome)
	if a.Unstarted || a.Failure != nil {
		outcome = ""
		if err := b.record(a, 0); err != nil {
			return err
		}
	}
	failure, err := encodedFailure(a.Failure)
	if err != nil {
		return err
	}
	b.ended[state] = append(b.ended[state], a.ID)
	result := []byte(nil)
	if state == succeeded {
		result = a.Result
	}
	if label := labelText(a.Settlement); a.Failure == nil && result == nil && label == nil {
		err = b.plain.add(&a.ID, a.Claim, a.After, a.Node, stored.MicroOrNull(a.Started), a.Ended, row.Cancel, outcome)
	} else {
		err = b.done.add(&a.ID, a.Claim, a.After, a.Node, stored.MicroOrNull(a.Started), a.Ended, row.Cancel, outcome, categoryOf(a.Failure), failure, result, label)
	}
	if err != nil {
		return err
	}
	return b.follow(a)
}

// follow inserts the tasks that follow a settlement. A conflict refuses it.
func (b *settling) follow(a *ending.Attempt) error {
	err := b.tx.insertFollow(follows(a.Settlement), b.seq)
	if typed := new(*task.Error); errors.As(err, typed) {
		return refusedError{err.Error()}
	}
	return err
}

// record notes the history row of an attempt, if it has one.
func (b *settling) record(a *ending.Attempt, delay int64) error {
	if a.Unstarted {
		return nil
	}
	failure, err := encodedFailure(a.Failure)
	if err != nil {
		return err
	}
	return b.past.add(&a.ID, a.Claim, a.Number, a.Node, stored.MicroOrNull(a.Started), a.Ended, string(a.Outcome), failure, delay, labelText(a.Settlement))
}

// retry notes that the row waits for its next run.
func (b *settling) retry(a *ending.Attempt, row *ending.Row, entry store.Entry) error {
	if err := b.record(a, a.Delay(entry.RunAt)); err != nil {
		return err
	}
	if a.Outcome != task.OutcomeFailed && !a.Unstarted {
		b.free = append(b.free, a.ID)
	}
	failure, err := encodedFailure(a.Failure)
	if err != nil {
		return err
	}
	unstarted := any(nil)
	if a.Unstarted {
		unstarted = a.Claim
	}
	err = b.waits.add(&a.ID, a.ID.Lane(), entry.Rank, entry.RunAt, a.ClaimAfter(b.tx.now), entry.Attempt, entry.Crashes, failure,
		categoryOf(a.Failure), unstarted, b.tx.now, stored.MicroOrNull(row.StartedAt), turnOf(&entry), stored.OrNull(a.FailedAt()))
	if at := a.FailedAt(); err == nil && at != 0 {
		err = b.failed.add(a.ID, at)
	}
	if err != nil {
		return err
	}
	return b.follow(a)
}

// turnOf is the place of a row in its line, null without a key.
func turnOf(entry *store.Entry) any {
	switch {
	case entry.Key == "":
		return nil
	case entry.Attempt+entry.Crashes == 0:
		return entry.Seq + notStarted
	}
	return entry.Seq
}

// write writes what was noted. Counters of dead letters, which many wait for,
// come last.
func (b *settling) write() error {
	if err := b.readHistories(); err != nil {
		return err
	}
	sortIDs(b.lines)
	sortIDs(b.runs)
	sortIDs(b.cancels)
	sortIDs(b.leases)
	for _, into := range [...]*insertion{&b.past, &b.plain, &b.done, &b.waits, &b.failed} {
		if err := into.flush(); err != nil {
			return err
		}
	}
	sortIDs(b.free)
	if _, err := b.tx.execIDs(b.free, forgetRuns); err != nil {
		return err
	}
	if _, err := b.tx.execIDs(b.lines, endLines); err != nil {
		return err
	}
	for state, ended := range b.ended {
		sortIDs(ended)
		if _, err := b.tx.execIDs(ended, endTasks, state); err != nil {
			return err
		}
	}
	if _, err := b.tx.execIDs(b.runs, endRuns); err != nil {
		return err
	}
	if err := b.fenceAsClaimed(); err != nil {
		return err
	}
	if _, err := b.tx.execIDs(b.cancels, endCancels); err != nil {
		return err
	}
	if _, err := b.tx.execIDs(b.leases, endLeases); err != nil {
		return err
	}
	if err := b.bury(); err != nil {
		return err
	}
	return sqlstore.AddCounts(coldSession{b.tx.session}, b.counts, b.tx.foreign)
}

// A settlement brings its task as it was claimed, and nothing changes a running row but
// by its claim number. So its row need not be read: all is written, and last of all what
// says that the rows run is deleted, of each under its claim and without a cancel
// request. That is the fence. Unless as many rows are deleted as there are settlements,
// nothing is kept of it, and the rows are read first after all.

// endClaims deletes what says that rows run under their claims.
const endClaims = `DELETE r FROM outlast_run r FORCE INDEX (PRIMARY) WHERE r.cancel = 0 AND (@claims)`

// claimsAtOnce is how many claim numbers endClaims tells apart: a row is held against
// each of them.
const claimsAtOnce = 64

// errOtherwise says that a row is not as it was claimed.
var errOtherwise = errors.New("mysql: a row is not as it was claimed")

// asClaimed reports whether the settlement needs to know no more of its row than its task
// says.
func (i settleItem) asClaimed() bool {
	t := i.Task
	return (i.Outcome == task.OutcomeSucceeded || ending.GivesBack(i.Outcome)) && len(i.Follow) == 0 && len(i.Awaits) == 0 &&
		t.State == task.Running && t.Attempt > 0 && t.Node != ""
}

// rowAsClaimed is the row of a task that still runs under its claim.
func rowAsClaimed(t *task.Task) ending.Row {
	return ending.Row{Entry: stored.Entry(t), State: task.Running, Claim: t.Claim, Priority: t.Priority, Node: t.Node, Queue: t.Queue, StartedAt: t.StartedAt}
}

// settleAsClaimed settles items whose rows were not read.
func (b *settling) settleAsClaimed(items []settleItem) error {
	if len(items) > 0 && b.tx.now == 0 && needClock(items) {
		if err := b.tx.readClock(); err != nil {
			return err
		}
	}
	b.claims = make(map[int64][]task.ID)
	row := new(ending.Row) // of none of these anything is kept
	for _, item := range items {
		*row = rowAsClaimed(item.Task)
		b.claims[row.Claim] = append(b.claims[row.Claim], row.Entry.ID)
		if err := b.settle(item, row); err != nil {
			return err
		}
	}
	return nil
}

// needClock reports whether what is written of the items depends on the store's now.
func needClock(items []settleItem) bool {
	return slices.ContainsFunc(items, func(i settleItem) bool { return i.Outcome != task.OutcomeSucceeded || i.EndedAt.IsZero() })
}

// fenceAsClaimed ends the runs of items whose rows were not read, all of them or none.
func (b *settling) fenceAsClaimed() error {
	numbers := make([]int64, 0, len(b.claims))
	for number := range b.claims {
		numbers = append(numbers, number)
	}
	slices.Sort(numbers)
	for some := range slices.Chunk(numbers, claimsAtOnce) {
		var wanted int64
		var text []byte
		for i, number := range some {
			ids := b.claims[number]
			sortIDs(ids)
			wanted += int64(len(ids))
			if i > 0 {
				text = append(text, " OR "...)
			}
			text = append(strconv.AppendInt(append(text, "r.claim = "...), number, 10), " AND r.id IN ("...)
			text = append(literal.AppendIDs(text, ids), ')')
		}
		ended, err := b.tx.changed(strings.Replace(endClaims, "@claims", string(text), 1))
		if err != nil {
			return err
		}
		if ended != wanted {
			return fmt.Errorf("%w: %d of %d run under their claims", errOtherwise, ended, wanted)
		}
	}
	return nil
}

// otherwise reports whether an error may be due to rows that are not as they were
// claimed, which those who read them first find out about before they write.
func (b *settling) otherwise(err error) bool {
	return len(b.claims) > 0 && (errors.Is(err, errOtherwise) || refusal(err) || numbered(err) == duplicateKey)
}
