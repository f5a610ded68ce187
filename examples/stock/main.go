// Command stock takes an order out of stock once, although it comes a hundred
// times at once: as a hundred calls, a hundred deliveries of one HTTP request, a
// hundred runs of one task. A handler that looks first and then writes is the
// control, and deducts a hundred times.
package main

import (
	"bytes"
	"context"
	"database/sql"
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

// Order is what the front end sends: pieces of an item.
type Order struct {
	Number string `json:"number"`
	Item   string `json:"item"`
}

func run(ctx context.Context, backend store.Backend, s *shop) error {
	client, err := outlast.Open(ctx, backend, outlast.AllowTargets(netip.MustParsePrefix("127.0.0.0/8")))
	if err != nil {
		return err
	}
	control := &crowd{missing: copies, complete: make(chan struct{})}
	outlast.Handle(client, "stock.naive", func(ctx context.Context, o Order) error { return s.naive(ctx, o, control) })
	outlast.Handle(client, "stock.deduct", func(ctx context.Context, o Order) error {
		return s.inTx(ctx, func(tx *sql.Tx) error { return s.deduct(ctx, tx, o) })
	})
	committed := new(atomic.Int64)
	outlast.Handle(client, "stock.complete", func(ctx context.Context, o Order) error {
		committed.Add(atOnce(func(int) bool { return s.complete(ctx, o) == nil }))
		return errors.New("the printer is out of paper") // too late to matter
	})
	if err := client.Start(ctx); err != nil {
		return err
	}
	defer client.Stop(context.WithoutCancel(ctx)) //nolint:errcheck // the example ends

	for _, way := range []func(context.Context, *outlast.Client, *shop) (string, string, error){
		naively, byDedupeKey, byUniqueIndex,
		func(ctx context.Context, client *outlast.Client, s *shop) (string, string, error) {
			return byTransaction(ctx, client, s, committed)
		},
	} {
		item, story, err := way(ctx, client, s)
		if err != nil {
			return err
		}
		deducted, err := s.deducted(ctx, item)
		if err != nil {
			return err
		}
		fmt.Printf("%s: %s, deducted %d×\n", item, story, deducted)
	}
	return nil
}

// naively is the control: a hundred tasks of one order, each of which looks
// whether the order was handled, and handles it if not.
func naively(ctx context.Context, client *outlast.Client, _ *shop) (item, story string, err error) {
	drafts := make([]outlast.Draft, copies)
	for i := range drafts {
		drafts[i] = outlast.Draft{Type: "stock.naive", Payload: []byte(`{"number":"A-17","item":"naive"}`)}
	}
	receipts, err := client.EnqueueMany(ctx, drafts, true)
	if err != nil {
		return "", "", err
	}
	for _, receipt := range receipts {
		if _, err := client.Wait(ctx, receipt.Task.ID); err != nil {
			return "", "", err
		}
	}
	return "naive", fmt.Sprintf("%d tasks that look first", len(receipts)), nil
}

// byDedupeKey: a hundred calls of the front end, one task.
func byDedupeKey(ctx context.Context, client *outlast.Client, _ *shop) (item, story string, err error) {
	var last atomic.Pointer[outlast.Task]
	fresh := atOnce(func(int) bool {
		receipt, err := client.Enqueue(ctx, outlast.Draft{
			Type: "stock.deduct", DedupeKey: "order/A-17", Payload: []byte(`{"number":"A-17","item":"dedupe key"}`),
		})
		if err != nil {
			return false
		}
		last.Store(receipt.Task)
		return !receipt.Existing
	})
	if last.Load() == nil {
		return "", "", errors.New("no call was accepted")
	}
	_, err = client.Wait(ctx, last.Load().ID)
	return "dedupe key", fmt.Sprintf("%d calls, %d task", copies, fresh), err
}

// byUniqueIndex: one task calls a receiver, and a proxy on the way sends its
// request a hundred times.
func byUniqueIndex(ctx context.Context, client *outlast.Client, s *shop) (item, story string, err error) {
	arrived := new(atomic.Int64)
	receiver, stop, err := listen(func(w http.ResponseWriter, r *http.Request) {
		arrived.Add(1)
		if err := s.receive(r.Context(), r.Header.Get("Idempotency-Key"), Order{"A-17", "unique index"}); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
		}
	})
	if err != nil {
		return "", "", err
	}
	defer stop()
	proxy, stopProxy, err := listen(repeater(receiver))
	if err != nil {
		return "", "", err
	}
	defer stopProxy()
	_, err = client.Run(ctx, outlast.Draft{Target: &task.Request{URL: proxy}, Payload: []byte(`{"number":"A-17"}`)})
	return "unique index", fmt.Sprintf("1 request, arrived %d×", arrived.Load()), err
}

// byTransaction: one task whose work is done a hundred times at once, as by
// nodes that take one another for dead; then its handler fails.
func byTransaction(ctx context.Context, client *outlast.Client, _ *shop, committed *atomic.Int64) (item, story string, err error) {
	done, err := client.Run(ctx, outlast.Draft{Type: "stock.complete", Payload: []byte(`{"number":"A-17","item":"transaction"}`)})
	if err != nil {
		return "", "", err
	}
	return "transaction", fmt.Sprintf("%d runs at once, %d committed, task %s", copies, committed.Load(), done.State), nil
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

// atOnce calls do so often at once, and counts what is true.
func atOnce(do func(i int) bool) int64 {
	var count atomic.Int64
	var group sync.WaitGroup
	for i := range copies {
		group.Go(func() {
			if do(i) {
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
		good := atOnce(func(int) bool {
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
