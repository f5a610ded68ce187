package historytest

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Queue keeps account of a whole run, whatever faults there were: what was
// sent, what was acknowledged and what ran. [Queue.Check] compares that with
// the store. It is safe for concurrent use; the zero value is ready.
type Queue struct {
	mu   sync.Mutex
	sent map[task.ID]bool // true: acknowledged
	runs map[start]int
}

// start is the start of one attempt.
type start struct {
	id    task.ID
	claim int64
}

// name is an id without its lane, which only the store's side knows.
func name(id task.ID) task.ID { return id.WithLane(0) }

// Sending is called before a task is handed in. Without an acknowledgement
// the task may be there or not.
func (q *Queue) Sending(id task.ID) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.sent == nil {
		q.sent = map[task.ID]bool{}
	}
	if _, again := q.sent[name(id)]; !again {
		q.sent[name(id)] = false
	}
}

// Acknowledged is called when the caller was told that the task is there.
func (q *Queue) Acknowledged(id task.ID) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if _, known := q.sent[name(id)]; known {
		q.sent[name(id)] = true
	}
}

// Ran is called when an attempt starts: by its handler, or by the receiver of
// its request.
func (q *Queue) Ran(id task.ID, claim int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.runs == nil {
		q.runs = map[start]int{}
	}
	q.runs[start{id, claim}]++
}

// Sum is what [Queue.Check] saw.
type Sum struct{ Sent, Acknowledged, Stored, Ran, Again int }

// Check reads every task of the store, which must be at rest, and returns
// what is wrong:
//
//   - lost: acknowledged, and not in the store
//   - unexpected: in the store, or run, and sent by nobody
//   - doubled: a claim that was run twice
//   - unfinished: still pending or running, with drained
//   - untold: a run of which the history of its task says nothing, with
//     drained; a run is told of when it ended or was taken back
//
// Tasks of other queues do not count. Retentions must be longer than the run.
func (q *Queue) Check(ctx context.Context, s store.Query, queue string, drained bool) (sum Sum, wrong []string, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	stored := map[task.ID]*task.Task{}
	page := store.Page{Limit: 500}
	for {
		tasks, next, err := s.Find(ctx, store.Filter{Queue: queue}, page)
		if err != nil {
			return sum, nil, err
		}
		for _, t := range tasks {
			if other := stored[name(t.ID)]; other != nil {
				wrong = append(wrong, fmt.Sprintf("doubled: task %s is there twice, %s and %s", t.ID, other.State, t.State))
			}
			stored[name(t.ID)] = t
		}
		if page.Cursor = next; next == "" {
			break
		}
	}
	sum = Sum{Sent: len(q.sent), Stored: len(stored), Ran: len(q.runs)}
	for id, acknowledged := range q.sent {
		if acknowledged {
			sum.Acknowledged++
			if stored[id] == nil {
				wrong = append(wrong, fmt.Sprintf("lost: task %s was acknowledged and is not there", id))
			}
		}
	}
	for id, t := range stored {
		if _, known := q.sent[id]; !known {
			wrong = append(wrong, fmt.Sprintf("unexpected: task %s (%s) was sent by nobody", t.ID, t.State))
		}
		if drained && !t.State.Final() {
			wrong = append(wrong, fmt.Sprintf("unfinished: task %s is %s, attempt %d, crashes %d", t.ID, t.State, t.Attempt, t.Crashes))
		}
	}
	told, err := q.checkRuns(ctx, s, drained)
	sum.Again = told.again
	slices.Sort(wrong)
	return sum, append(wrong, told.wrong...), err
}

type runsTold struct {
	again int // runs beyond the first of their task
	wrong []string
}

func (q *Queue) checkRuns(ctx context.Context, s store.Query, drained bool) (told runsTold, err error) {
	claims := map[task.ID][]int64{}
	for one, times := range q.runs {
		if times > 1 {
			told.wrong = append(told.wrong, fmt.Sprintf("doubled: task %s ran %d times under claim %d", one.id, times, one.claim))
		}
		claims[one.id] = append(claims[one.id], one.claim)
	}
	for id, all := range claims {
		told.again += len(all) - 1
		if _, known := q.sent[name(id)]; !known {
			told.wrong = append(told.wrong, fmt.Sprintf("unexpected: task %s ran and was sent by nobody", id))
			continue
		}
		if !drained {
			continue
		}
		attempts, err := s.Attempts(ctx, id)
		if err != nil {
			told.wrong = append(told.wrong, fmt.Sprintf("lost: task %s ran and has no history: %v", id, err))
			continue
		}
		for _, claim := range all {
			if !slices.ContainsFunc(attempts, func(a task.Attempt) bool { return a.Claim == claim }) {
				told.wrong = append(told.wrong, fmt.Sprintf("untold: task %s ran under claim %d, of which its history says nothing", id, claim))
			}
		}
	}
	slices.Sort(told.wrong)
	return told, nil
}
