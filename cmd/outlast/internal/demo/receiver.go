package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// exportTime is how long an export takes.
const exportTime = 4 * time.Second

// receiver is what tasks call, four hosts that fail in the ways endpoints do, and what
// alerts are sent to.
type receiver struct {
	mail, office, shop, books string // URLs

	server   *http.Server
	serving  sync.WaitGroup
	calls    atomic.Int64
	repaired atomic.Bool // /reports is up
	mended   atomic.Bool // so is everything else

	mu     sync.Mutex
	seen   map[string]int // calls by task
	alerts []string       // their titles
}

func startReceiver(ctx context.Context) (*receiver, error) {
	r := &receiver{seen: map[string]int{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /mail", r.takeMail)
	mux.HandleFunc("POST /reports", r.until(&r.repaired, http.StatusServiceUnavailable, "database is down for maintenance"))
	mux.HandleFunc("POST /orders", r.until(&r.mended, http.StatusServiceUnavailable, "the shop is being deployed"))
	mux.HandleFunc("POST /books", r.until(&r.mended, http.StatusServiceUnavailable, "the books are closed for the night run"))
	mux.HandleFunc("POST /addresses", r.until(&r.mended, http.StatusUnprocessableEntity, "unknown country code XK"))
	mux.HandleFunc("POST /hooks/", r.takeHook)
	mux.HandleFunc("POST /exports", r.takeExport)
	mux.HandleFunc("POST /alerts", r.takeAlert)
	mux.HandleFunc("POST /repair", r.repair)
	r.server = &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	for _, url := range []*string{&r.mail, &r.office, &r.shop, &r.books} {
		listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			return nil, errors.Join(err, r.stop())
		}
		*url = "http://" + listener.Addr().String()
		r.serving.Go(func() { _ = r.server.Serve(listener) }) // it ends when it is closed
	}
	return r, nil
}

func (r *receiver) stop() error {
	err := r.server.Close()
	r.serving.Wait()
	return err
}

// count returns which call of its task a request is.
func (r *receiver) count(req *http.Request) int {
	r.calls.Add(1)
	r.mu.Lock()
	defer r.mu.Unlock()
	id := req.Header.Get("Idempotency-Key")
	r.seen[id]++
	return r.seen[id]
}

// takeMail fails for about three tasks in ten, once or twice, then accepts.
func (r *receiver) takeMail(w http.ResponseWriter, req *http.Request) {
	call := r.count(req)
	kind := uint64(9)
	if id := req.Header.Get("Idempotency-Key"); len(id) > 20 {
		// Random digits of the id, the same for all calls of a task.
		if random, err := strconv.ParseUint(id[len(id)-12:len(id)-4], 16, 64); err == nil {
			kind = random % 10
		}
	}
	switch {
	case kind == 0 && call == 1:
		http.Error(w, "the connection pool is exhausted", http.StatusServiceUnavailable)
	case kind == 1 && call <= 2:
		http.Error(w, "deadlock detected", http.StatusInternalServerError)
	case kind == 2 && call == 1:
		w.Header().Set("Retry-After", "1")
		http.Error(w, "slow down", http.StatusTooManyRequests)
	default:
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"sent":true,"call":%d}`, call) // the caller is gone
	}
}

func (r *receiver) repair(w http.ResponseWriter, _ *http.Request) {
	r.mended.Store(true)
	_, _ = fmt.Fprintln(w, "repaired: orders, books and addresses are accepted now") // the caller is gone
}

// until refuses until something is repaired.
func (r *receiver) until(repaired *atomic.Bool, status int, message string) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		call := r.count(req)
		if !repaired.Load() {
			http.Error(w, message, status)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"sent":true,"call":%d}`, call) // the caller is gone
	}
}

// takeHook accepts what goes to customers, but for one who has gone.
func (r *receiver) takeHook(w http.ResponseWriter, req *http.Request) {
	r.count(req)
	if req.URL.Path == "/hooks/initech" {
		http.Error(w, "this customer has closed the account", http.StatusGone)
	}
}

// takeExport takes its time.
func (r *receiver) takeExport(_ http.ResponseWriter, req *http.Request) {
	r.count(req)
	select {
	case <-req.Context().Done():
	case <-time.After(exportTime):
	}
}

// takeAlert is where a channel of alerts leads.
func (r *receiver) takeAlert(w http.ResponseWriter, req *http.Request) {
	var message struct {
		Title string `json:"title"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, req.Body, 1<<20)).Decode(&message); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.alerts = append(r.alerts, message.Title)
}

// told are the titles of the alerts from number n on.
func (r *receiver) told(n int) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.alerts[n:])
}
