package pages

import (
	"bytes"
	"encoding/base64"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/cursor"
	"github.com/outlast-dev/outlast/task"
)

// crowd is a table in which every tenth task, or none, is of the queue that is asked for:
// a window of it takes in 40 rows.
type crowd struct {
	ids    []task.ID // the newest first
	own    map[task.ID]bool
	reads  int
	failed bool // the list is by the time of failure, here that of the id
}

// byFailure makes a list by the time of failure of it.
func (c *crowd) byFailure() *crowd {
	c.failed = true
	slices.SortFunc(c.ids, func(a, b task.ID) int { return c.place(b).Compare(c.place(a)) })
	return c
}

func (c *crowd) place(id task.ID) cursor.Place {
	if c.failed {
		return cursor.Place{At: id.Time().UnixMicro(), ID: id}
	}
	return cursor.Place{ID: id}
}

func newCrowd(n, own int, apart time.Duration) *crowd {
	c := &crowd{own: map[task.ID]bool{}}
	random := rand.New(rand.NewPCG(1, 2))
	at := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range n {
		id := task.NewID(at.Add(-time.Duration(i)*apart), random)
		c.ids = append(c.ids, id)
		if c.own[id] = own > 0 && i%own == own-1; !c.own[id] {
			delete(c.own, id)
		}
	}
	return c
}

func (c *crowd) read(before cursor.Place, limit int) (found []*task.Task, floor cursor.Place, err error) {
	c.reads++
	seen := 0
	for _, id := range c.ids {
		if !before.IsZero() && c.place(id).Compare(before) >= 0 {
			continue
		}
		if c.own[id] {
			found = append(found, &task.Task{ID: id, LastFailedAt: id.Time()})
		}
		if seen++; seen == 40 || len(found) == limit {
			return found, c.place(id), nil
		}
	}
	return found, cursor.Place{}, nil
}

func (c *crowd) asked(t *testing.T, limit int, cursor string) Request {
	t.Helper()
	r, err := Asked(store.Filter{Queues: []string{"a"}, Failed: c.failed}, store.Page{Limit: limit, Cursor: cursor})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestBoundPagesAreFull(t *testing.T) {
	c := newCrowd(1000, 100, time.Millisecond)
	r := c.asked(t, 6, "")
	found, next, err := r.Read(c.read)
	if err != nil || len(found) != 6 || next == "" {
		t.Fatalf("%d tasks, %q, %v", len(found), next, err)
	}
	r = c.asked(t, 6, next)
	if found, next, err = r.Read(c.read); err != nil || len(found) != 4 || next != "" {
		t.Errorf("then %d tasks, %q, %v", len(found), next, err)
	}
}

// No cursor has the id of a task that was not shown, and all pages together have each
// task once, also where many more of others lie in between, and in one second.
func TestBoundCursorsTellOfNoOtherTask(t *testing.T) {
	for name, c := range map[string]*crowd{
		"a few in a second": newCrowd(5000, 2501, 100*time.Millisecond),
		"all in one second": newCrowd(5000, 2501, 50*time.Microsecond),
		"nothing":           newCrowd(5000, 0, 100*time.Millisecond),
		"failures":          newCrowd(5000, 2501, 100*time.Millisecond).byFailure(),
		"failures at once":  newCrowd(5000, 2501, 50*time.Microsecond).byFailure(),
	} {
		got, cursor, pages := map[task.ID]bool{}, "", 0
		for {
			r := c.asked(t, 3, cursor)
			found, next, err := r.Read(c.read)
			if err != nil {
				t.Fatal(err)
			}
			for _, one := range found {
				if got[one.ID] {
					t.Errorf("%s: %s comes twice", name, one.ID)
				}
				got[one.ID] = true
			}
			if pages++; next == "" {
				break
			}
			raw, err := base64.RawURLEncoding.DecodeString(next)
			if err != nil {
				t.Fatal(err)
			}
			for _, id := range c.ids {
				if !c.own[id] && bytes.Contains(raw, id[:]) {
					t.Fatalf("%s: the cursor has the id of a task that is not to be seen", name)
				}
			}
			if next == cursor {
				t.Fatalf("%s: the cursor does not move", name)
			}
			cursor = next
		}
		if len(got) != len(c.own) || pages > 10 {
			t.Errorf("%s: %d of %d tasks on %d pages", name, len(got), len(c.own), pages)
		}
	}
}
