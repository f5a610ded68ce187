package txtest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/task"
)

// changed are tables that the next release of the tests' imagination adds
// columns to, among them all that nodes read and write all the time.
var changed = []string{"queue", "lane", "node", "task", "attempt", "dead", "dedupe"}

// release records that the database has a migration, as the next release
// would, after it has run its statements.
func (s *shop) release(version int, statements ...string) {
	s.Helper()
	for _, statement := range statements {
		s.ok(s.exec(s.ctx, statement))
	}
	columns, values := "version, name, applied_at", "?, 'next', 1"
	if strings.HasPrefix(s.db.kind.name, "mariadb") {
		columns, values = columns+", done", values+", 0"
	}
	s.ok(s.exec(s.ctx, `INSERT INTO outlast_migration (`+columns+`) VALUES (`+values+`)`, version))
}

// Two nodes work on while the next release changes the tables under them, and
// others of the same release join them then; when the release after that has
// come, those that work go on, and no more of theirs can start.
func TestReleasesSideBySide(t *testing.T) {
	everywhere(t, func(s *shop) {
		version, err := s.number(s.ctx, `SELECT max(version) FROM outlast_migration`)
		s.ok(err)
		handle := func(c *outlast.Client) {
			outlast.Handle(c, "n", func(ctx context.Context, _ int) error {
				if info, _ := outlast.Info(ctx); info.Attempt == 1 {
					return errRefused
				}
				return pay(ctx, s)
			}, quick(5))
		}
		nodes := []*outlast.Client{s.node(handle), s.node(handle)}
		load := &load{shop: s, stop: make(chan struct{})}
		load.from(nodes[0])
		load.from(nodes[1])

		load.more(40)
		for _, table := range changed {
			s.ok(s.exec(s.ctx, `ALTER TABLE outlast_`+table+` ADD COLUMN next_note VARCHAR(20)`))
			load.more(10)
		}
		s.release(version+1, `CREATE INDEX outlast_task_next ON outlast_task (next_note)`, `CREATE TABLE outlast_next (id INT PRIMARY KEY)`)
		load.more(40)
		load.from(s.node(handle))
		load.more(40)
		s.release(version+2, `CREATE TABLE outlast_next_but_one (id INT PRIMARY KEY)`)
		load.more(40)
		backend, err := s.db.kind.store(s.ctx, s.db.address)
		if err == nil {
			err = errors.Join(errors.New("it was opened"), backend.Close())
		}
		s.wantCode("a program two releases behind", err, task.CodeUnavailable)
		load.end()
	})
}

// load enqueues until it is told to stop.
type load struct {
	*shop
	stop    chan struct{}
	clients []*outlast.Client
	group   sync.WaitGroup

	mu  sync.Mutex
	ids []outlast.ID
}

// from lets a client enqueue, one task after the other.
func (l *load) from(client *outlast.Client) {
	l.clients = append(l.clients, client)
	name := fmt.Sprint("client ", len(l.clients))
	l.group.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-l.stop:
				return
			case <-time.After(5 * time.Millisecond):
			}
			draft := outlast.Draft{Type: "n", Payload: []byte("1")}
			switch i % 3 {
			case 0:
				draft.Key = fmt.Sprint(name, i%4)
			case 1:
				draft.DedupeKey = fmt.Sprint(name, i)
			}
			receipt, err := client.Enqueue(l.ctx, draft)
			if err != nil {
				l.Errorf("%s: %v", name, err)
				return
			}
			l.mu.Lock()
			l.ids = append(l.ids, receipt.Task.ID)
			l.mu.Unlock()
		}
	})
}

func (l *load) accepted() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.ids)
}

// more waits until n more tasks have been accepted.
func (l *load) more(n int) {
	l.Helper()
	for want := l.accepted() + n; l.accepted() < want; {
		if l.Failed() {
			l.FailNow()
		}
		l.pause(5 * time.Millisecond)
	}
}

// end fails the test unless every task has ended as it should.
func (l *load) end() {
	l.Helper()
	close(l.stop)
	l.group.Wait()
	for i, id := range l.ids {
		done := l.paidOnce(l.clients[i%len(l.clients)], id)
		// MariaDB may refuse a transaction of the handler that began before a
		// table was changed.
		if done.Attempt < 2 || done.Attempt > 3 || done.Crashes != 0 {
			l.Errorf("task %s has %d attempts and %d crashes", id, done.Attempt, done.Crashes)
		}
	}
	l.Logf("%d tasks", len(l.ids))
}
