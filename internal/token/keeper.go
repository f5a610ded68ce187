package token

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// How old the tokens may be that a request is judged by.
const (
	readEvery   = 500 * time.Millisecond  // one request reads them again
	freshFor    = 1500 * time.Millisecond // from then on all wait for that: a revocation is known everywhere within 2 s
	heldFor     = 30 * time.Second        // while the store does not answer; after that nobody is let in
	readTimeout = 2 * time.Second
)

// Backend is what a [Keeper] needs of a store.
type Backend interface {
	Change(ctx context.Context, change store.Change) (*store.Changed, error)
	Objects(ctx context.Context, kind string) ([]store.Object, error)
	Object(ctx context.Context, kind, name string) (*store.Object, error)
}

// Keeper makes, lists, revokes and checks tokens. Make it with [NewKeeper]; it
// is safe for concurrent use and owns no goroutines.
type Keeper struct {
	objects Backend
	now     func() time.Time
	random  io.Reader

	turn    chan struct{} // held by who reads the store
	failed  time.Time     // of the last try, zero when it went well
	failure error
	last    atomic.Pointer[snapshot]
	needed  atomic.Bool // there were tokens once
}

// snapshot is the tokens at a time.
type snapshot struct {
	at   time.Time
	rows map[string]*row // by id
}

// NewKeeper makes a keeper of the tokens in a store.
func NewKeeper(objects Backend) *Keeper {
	return &Keeper{objects: objects, now: time.Now, random: rand.Reader, turn: make(chan struct{}, 1)}
}

// Required reports whether requests need a token: as soon as one was ever made,
// also when it has expired or was revoked, or the rows of all are gone since: somebody
// has taken them out of the database. Code "unavailable" when that cannot be known.
func (k *Keeper) Required(ctx context.Context) (bool, error) {
	tokens, err := k.read(ctx)
	if err != nil {
		return true, err
	}
	if len(tokens.rows) > 0 {
		k.needed.Store(true)
	}
	return k.needed.Load(), nil
}

// Check returns the live token of a text. Code "unauthenticated" when there is
// none, "unavailable" when that cannot be known: the store has not answered for
// 30 seconds. Up to then what it said last holds.
func (k *Keeper) Check(ctx context.Context, text string) (*inspect.Token, error) {
	tokens, err := k.read(ctx)
	if err != nil {
		return nil, err
	}
	id, ok := idOf(text)
	if !ok {
		return nil, refused("the token has not the form of one", "it begins with "+prefix)
	}
	r := tokens.rows[id]
	if r == nil {
		(&row{Hash: strings.Repeat("00", 32)}).is(text) // takes as long as with one
		return nil, refused("the token is not known", "outlast token list shows which there are")
	}
	if !r.is(text) {
		return nil, refused("the token is not known", "outlast token list shows which there are")
	}
	if state := r.State(k.now()); state != inspect.TokenLive {
		return nil, refused("the token "+id+" is "+string(state), "ask for a new one: outlast token create")
	}
	return &r.Token, nil
}

func refused(message, hint string) error {
	return &task.Error{Code: task.CodeUnauthenticated, Message: message, Hint: hint}
}

// List returns all tokens by name and id, those that expired or were revoked
// included.
func (k *Keeper) List(ctx context.Context) ([]inspect.Token, error) {
	rows, err := k.load(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]inspect.Token, 0, len(rows))
	for _, r := range rows {
		list = append(list, r.Token)
	}
	slices.SortFunc(list, func(a, b inspect.Token) int {
		if c := strings.Compare(a.Name, b.Name); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return list, nil
}

// Live reports whether the store has a live token, so that somebody can get in.
func (k *Keeper) Live(ctx context.Context) (bool, error) {
	rows, err := k.load(ctx)
	if err != nil {
		return false, err
	}
	for _, r := range rows {
		if r.State(k.now()) == inspect.TokenLive {
			return true, nil
		}
	}
	return false, nil
}

// load reads the store. A row that cannot be read lets nobody in.
func (k *Keeper) load(ctx context.Context) (map[string]*row, error) {
	objects, err := k.objects.Objects(ctx, Kind)
	if err != nil {
		return nil, err
	}
	rows := make(map[string]*row, len(objects))
	for _, o := range objects {
		r, err := readRow(o.Body)
		if err != nil {
			r = &row{} // whose hash is nothing's
		}
		r.ID = o.Name
		rows[o.Name] = r
	}
	return rows, nil
}

// read returns tokens that are not too old: what is in memory, or, for one
// caller at a time, what the store has.
func (k *Keeper) read(ctx context.Context) (*snapshot, error) {
	last := k.last.Load()
	age := k.age(last)
	if age < readEvery {
		return last, nil
	}
	select {
	case k.turn <- struct{}{}:
	default:
		if age < freshFor {
			return last, nil
		}
		k.turn <- struct{}{} // which takes as long as a reading at most
	}
	defer func() { <-k.turn }()
	if last = k.last.Load(); k.age(last) < readEvery {
		return last, nil
	}
	now := k.now()
	if k.failure == nil || now.Sub(k.failed) >= readEvery {
		// Not ended with the request: others wait for it as well.
		reading, cancel := context.WithTimeout(context.WithoutCancel(ctx), readTimeout)
		defer cancel()
		rows, err := k.load(reading)
		if k.failed, k.failure = k.now(), err; err == nil {
			fresh := &snapshot{now, rows}
			k.last.Store(fresh)
			return fresh, nil
		}
	}
	if k.age(last) < heldFor {
		return last, nil
	}
	return nil, &task.Error{Code: task.CodeUnavailable, Message: "tokens cannot be checked: the store does not answer", RetryAfter: time.Second,
		Hint: "try again after Retry-After", Err: fmt.Errorf("token: %w", k.failure)}
}

// age is that of a snapshot, longer than all bounds for none.
func (k *Keeper) age(s *snapshot) time.Duration {
	if s == nil {
		return heldFor
	}
	return k.now().Sub(s.at)
}

// forget makes the next request read the store.
func (k *Keeper) forget() {
	if last := k.last.Load(); last != nil {
		k.last.CompareAndSwap(last, &snapshot{last.at.Add(-freshFor), last.rows})
	}
}
