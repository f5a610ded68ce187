package sqlstore

import (
	"context"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/backlog"
	"github.com/outlast-dev/outlast/store/internal/cursor"
	"github.com/outlast-dev/outlast/store/internal/pages"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/store/internal/where"
	"github.com/outlast-dev/outlast/task"
)

// Database runs functions on connections of a store. It may call them several times,
// until they have run whole: they begin from nothing each time.
type Database interface {
	// Read runs statements that each see what is committed.
	Read(ctx context.Context, fn func(s Session) error) error
	// Snapshot runs statements that all see the same, and find rows by keys.
	Snapshot(ctx context.Context, fn func(s Session) error) error
	// Survey is Snapshot for statements that may read much.
	Survey(ctx context.Context, fn func(s Session) error) error
	// Write runs fn in a transaction, of which nothing stays if it fails. Kind names
	// it in tests.
	Write(ctx context.Context, kind string, fn func(tx Tx) error) error
	// Change is Write for a transaction that inserts tasks, so many of them with keys.
	Change(ctx context.Context, keyed int64, fn func(tx Tx) error) error
	// Weigh tells how much of dead letters goes back, in bytes.
	Weigh(s Session, ids []task.ID) (map[task.ID]int, error)
	Lists
}

// Lists is how a database lists tasks.
type Lists interface {
	// Tables are what has the tasks of a filter, for those that are looked up by id.
	Tables(filter store.Filter) []*Source
	// Walks are what a list of a filter reads; parted says that it is one for each queue
	// where an index has them apart.
	Walks(s Session, filter store.Filter, parted bool) ([]*Source, error)
	// Dead is what has the dead letters of a filter of these alone, but for its ids, in the
	// order of ids.
	Dead(filter store.Filter) *Source
	// Window reads what matches below a place, newest first, at most limit. End is the
	// lowest place that it has covered, zero if it has covered all.
	Window(s Session, from *Source, asked *pages.Request, before cursor.Place, limit int) (found []*task.Task, end cursor.Place, err error)
}

// Session runs statements, and counts pending tasks.
type Session interface {
	// Run runs calls one after the other, in one round trip where there are any.
	Run(calls ...*Call) error
	backlog.Source
}

// Tx is a transaction.
type Tx struct {
	Session
	Changer
	Now int64 // the store's clock in µs, read once
}

// Changer changes tasks in a transaction.
type Changer interface {
	// Insert inserts tasks, as Enqueue does.
	Insert(items []store.Insert) ([]store.Inserted, error)
	// Steer changes a live task under its lock, and returns it as it was, its payload and
	// spec left out.
	Steer(steering *store.Steering, id task.ID) (before *task.Task, err error)
	// SteerAll changes all that are named; see [SteerEach].
	SteerAll(steering *store.Steering) ([]store.Steered, error)
	// Hold locks a task, in whatever state, against settlements that look for signals, and if
	// it is to be moved against claims. It returns the task as it then stands; CodeNotFound.
	Hold(id task.ID, move bool) (*task.Task, error)
	// Steps are all steps that are stored of a task, as [store.Steps.StepsOf] returns them.
	Steps(id task.ID) ([]task.Step, error)
	// AddSignal adds what ends a wait of a task that is locked, in place of one of its name.
	AddSignal(t *task.Task, step *task.Step) error
	// Letters locks dead letters: the loser of a race waits and finds nothing.
	Letters(ids []task.ID) (map[task.ID]*Letter, error)
	// Revive inserts the tasks of letters again, and puts their histories back. A payload
	// that is not nil replaces theirs.
	Revive(letters []*Letter, payload []byte) error
	// Doom locks dead letters of a source, the oldest first.
	Doom(dead *Source, limit int) ([]*task.Task, []stored.Letter, error)
	// Remove deletes dead letters with the holds on their keys, and their tasks if they do
	// not live, and takes them out of the counters.
	Remove(letters []stored.Letter, whole bool) error
}

// Own are the statements of a database that are in words of its own.
type Own struct {
	Words *where.Dialect
	Lanes bool // tasks are found by their ids and lanes

	Get         *Query // a task, by id
	Attempts    *Query // the attempts of the history of a task, oldest first
	LastAttempt *Query // the attempt that an ended row records
	Key         *Query // of a lane and key: the hold, its mode and time, the task that runs, the one that is next
	Holds       *Query // holds behind a lane and key, at most so many, and whether so many wait behind each: [scanHold]
	Behind      *Query // counts who waits behind a lane and key, to a limit
	PendingOf   *Query // counts the pending tasks of a queue, to a limit; nil for no such statement
	DeadOf      *Query // counts its dead letters; nil for no such statement

	// Groups and Trend are made of the letters that match among the newest, @newest: these
	// are selected by the column Newest, and joined with what Whole is.
	Groups, Trend, Newest, Whole string
	// FirstSeen is when a group was seen first, @first in Groups: NULL if it is to be asked
	// apart. FirstOf is the same of the letters that match.
	FirstSeen, FirstOf string

	// Invariants are what must not be, each with a statement that lists it.
	Invariants [][2]string
}

// Call is one statement with its arguments.
type Call struct {
	Query   *Query
	Args    []any
	Scan    func(Row) error // nil: there are no rows
	Changed int64           // rows, afterwards
}

// Row is one row of a result, valid until the next is read: what its methods return
// is copied. Null is 0, "" or nil.
type Row interface {
	Int(i int) int64
	Bool(i int) bool
	Text(i int) string
	Blob(i int) []byte
	ID(i int) task.ID
	Time(i int) store.Time
}

// exec runs a statement and returns how many rows it changed.
func exec(s Session, q *Query, args ...any) (int64, error) {
	c := &Call{Query: q, Args: args}
	err := s.Run(c)
	return c.Changed, err
}

// all reads the rows of a statement.
func all[T any](s Session, q *Query, scan func(Row) T, args ...any) (list []T, err error) {
	err = s.Run(into(&list, q, scan, args...))
	return list, err
}

// first reads a row of a statement, if there is one.
func first[T any](s Session, q *Query, scan func(Row) T, args ...any) (value T, found bool, err error) {
	list, err := all(s, q, scan, args...)
	if len(list) > 0 {
		value, found = list[0], true
	}
	return value, found, err
}

// into is a call that appends its rows to a list.
func into[T any](list *[]T, q *Query, scan func(Row) T, args ...any) *Call {
	return &Call{Query: q, Args: args, Scan: func(r Row) error {
		*list = append(*list, scan(r))
		return nil
	}}
}

func intOf(r Row) int64 { return r.Int(0) }
