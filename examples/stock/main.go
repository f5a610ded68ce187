// Command stock takes an order out of stock once, although it comes a hundred
// times at once: as a hundred calls, a hundred deliveries of one HTTP request, a
// hundred runs of one task. A handler that looks first and then writes is the
// control, and deducts a hundred times.
package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// copies is how often the order comes.
const copies = 100

func main() {
	place := ""
	if len(os.Args) > 1 {
		place = os.Args[1]
	}
	if err := example(context.Background(), place); err != nil {
		log.Fatal(err)
	}
}

// example runs on the database of a URL, on the file that is named, or on a
// temporary file.
func example(ctx context.Context, place string) error {
	backend, s, err := open(ctx, place)
	if err != nil {
		return err
	}
	defer s.close()
	return run(ctx, backend, s)
}

// Order is what the front end sends: a piece of an item.
type Order struct {
	Number string `json:"number"`
	Item   string `json:"item"`
}

func (o Order) json() []byte {
	text, _ := json.Marshal(o) // two strings always have a JSON form
	return text
}

func run(ctx context.Context, backend store.Backend, s *shop) error {
	client, err := outlast.Open(ctx, backend, outlast.WithAllowedTargets(netip.MustParsePrefix("127.0.0.0/8")))
	if err != nil {
		return err
	}
	s.handle(client)
	if err := client.Start(ctx); err != nil {
		return err
	}
	defer client.Stop(context.WithoutCancel(ctx)) //nolint:errcheck // the example ends

	ways := []way{{"naive", s.naively}, {"dedupe key", s.byDedupeKey}, {"unique index", s.byUniqueIndex}, {"transaction", s.byTransaction}}
	if s.pgx != nil {
		ways = append(ways, way{"pgx transaction", s.byTransaction})
	}
	for _, way := range ways {
		story, err := way.take(ctx, client, Order{"A-17", way.item})
		if err != nil {
			return err
		}
		deducted, err := s.deducted(ctx, way.item)
		if err != nil {
			return err
		}
		fmt.Printf("%s: %s, deducted %d×\n", way.item, story, deducted)
	}
	return nil
}

// way is one way to handle an order, with an item of its own.
type way struct {
	item string
	take func(ctx context.Context, client *outlast.Client, o Order) (story string, err error)
}

// handle says how the tasks are run.
func (s *shop) handle(client *outlast.Client) {
	control := &crowd{missing: copies, complete: make(chan struct{})}
	outlast.Handle(client, "stock.naive", func(ctx context.Context, o Order) error { return s.naive(ctx, o, control) })
	outlast.Handle(client, "stock.deduct", func(ctx context.Context, o Order) error {
		return s.inTx(ctx, func(tx *sql.Tx) error { return s.deduct(ctx, tx, o) })
	})
	outlast.Handle(client, "stock.complete", func(ctx context.Context, o Order) error {
		complete := s.complete
		if o.Item == "pgx transaction" {
			complete = s.completePgx
		}
		s.committed <- atOnce(func() bool { return complete(ctx, o) == nil })
		return errors.New("the printer is out of paper") // too late to matter
	})
}

// naively is the control: a hundred tasks of one order, each of which looks
// whether the order was handled, and handles it if not.
func (s *shop) naively(ctx context.Context, client *outlast.Client, o Order) (story string, err error) {
	drafts := make([]outlast.Draft, copies)
	for i := range drafts {
		drafts[i] = outlast.Draft{Type: "stock.naive", Payload: o.json()}
	}
	receipts, err := client.EnqueueMany(ctx, drafts, true)
	if err != nil {
		return "", err
	}
	for _, receipt := range receipts {
		if _, err := client.Wait(ctx, receipt.Task.ID); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%d tasks that look first", len(receipts)), nil
}

// byDedupeKey: a hundred calls of the front end, one task.
func (s *shop) byDedupeKey(ctx context.Context, client *outlast.Client, o Order) (story string, err error) {
	var accepted atomic.Pointer[outlast.Task]
	fresh := atOnce(func() bool {
		receipt, err := client.Enqueue(ctx, outlast.Draft{Type: "stock.deduct", DedupeKey: "order/" + o.Number, Payload: o.json()})
		if err != nil {
			return false
		}
		accepted.Store(receipt.Task)
		return !receipt.Existing
	})
	if accepted.Load() == nil {
		return "", errors.New("no call was accepted")
	}
	_, err = client.Wait(ctx, accepted.Load().ID)
	return fmt.Sprintf("%d calls, %d task", copies, fresh), err
}

// byUniqueIndex: one task calls a receiver, and a proxy on the way sends its
// request a hundred times.
func (s *shop) byUniqueIndex(ctx context.Context, client *outlast.Client, o Order) (story string, err error) {
	arrived := new(atomic.Int64)
	receiver, stop, err := listen(func(w http.ResponseWriter, r *http.Request) {
		arrived.Add(1)
		if err := s.receive(r.Context(), r.Header.Get("Idempotency-Key"), o); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
		}
	})
	if err != nil {
		return "", err
	}
	defer stop()
	proxy, stopProxy, err := listen(repeater(receiver))
	if err != nil {
		return "", err
	}
	defer stopProxy()
	_, err = client.Run(ctx, outlast.Draft{Target: &task.Request{URL: proxy}, Payload: o.json()})
	return fmt.Sprintf("1 request, arrived %d×", arrived.Load()), err
}

// byTransaction: one task whose work is done a hundred times at once, as by
// nodes that take one another for dead; then its handler fails.
func (s *shop) byTransaction(ctx context.Context, client *outlast.Client, o Order) (story string, err error) {
	done, err := client.Run(ctx, outlast.Draft{Type: "stock.complete", Payload: o.json()})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d runs at once, %d committed, task %s", copies, <-s.committed, done.State), nil
}

// naive looks whether the order was handled, and handles it if not. That all
// copies have looked before the first one writes is made sure here, and happens
// by itself on a busy day.
func (s *shop) naive(ctx context.Context, o Order, all *crowd) error {
	handled, err := s.deducted(ctx, o.Item)
	if err != nil || handled > 0 {
		return err
	}
	if err := all.wait(ctx); err != nil {
		return err
	}
	return s.inTx(ctx, func(tx *sql.Tx) error { return s.deduct(ctx, tx, o) })
}

// receive is the receiver's side of a push: the unique index on the key lets
// one request through, and what that does is in the same transaction.
func (s *shop) receive(ctx context.Context, key string, o Order) error {
	return s.inTx(ctx, func(tx *sql.Tx) error {
		fresh, err := s.remember(ctx, tx, key)
		if err != nil || !fresh {
			return err
		}
		return s.deduct(ctx, tx, o)
	})
}

// complete deducts and ends the task in one transaction.
func (s *shop) complete(ctx context.Context, o Order) error {
	return s.inTx(ctx, func(tx *sql.Tx) error {
		if err := s.deduct(ctx, tx, o); err != nil {
			return err
		}
		return outlast.CompleteTx(ctx, tx, o)
	})
}

// completePgx is complete in a transaction of pgx.
func (s *shop) completePgx(ctx context.Context, o Order) error {
	return pgx.BeginFunc(ctx, s.pgx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, s.words.deduct, o.Item); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, s.words.record, o.Item, o.Number); err != nil {
			return err
		}
		return outlast.CompleteIn(ctx, tx, o)
	})
}

// atOnce calls do so often at once, and counts what is true.
func atOnce(do func() bool) int64 {
	var count atomic.Int64
	var group sync.WaitGroup
	for range copies {
		group.Go(func() {
			if do() {
				count.Add(1)
			}
		})
	}
	group.Wait()
	return count.Load()
}

// crowd lets nobody go on until all are there.
type crowd struct {
	mu       sync.Mutex
	missing  int
	complete chan struct{}
}

func (c *crowd) wait(ctx context.Context) error {
	c.mu.Lock()
	if c.missing--; c.missing == 0 {
		close(c.complete)
	}
	c.mu.Unlock()
	select {
	case <-c.complete:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Minute):
		return errors.New("the others did not come")
	}
}

// repeater sends each request on a hundred times at once, with the same headers
// and body, and answers with the worst answer.
func repeater(to string) http.HandlerFunc {
	client := &http.Client{Timeout: time.Minute}
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		good := atOnce(func() bool {
			request, err := http.NewRequestWithContext(r.Context(), r.Method, to, bytes.NewReader(body))
			if err != nil {
				return false
			}
			request.Header = r.Header.Clone()
			response, err := client.Do(request)
			if err != nil {
				return false
			}
			return response.Body.Close() == nil && response.StatusCode == http.StatusOK
		})
		if good < copies {
			http.Error(w, "a copy was refused", http.StatusServiceUnavailable)
		}
	}
}
