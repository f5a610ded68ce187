package demo

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// receiver is an HTTP endpoint that fails in the ways endpoints do.
type receiver struct {
	url      string
	server   *http.Server
	ended    chan error
	calls    atomic.Int64
	repaired atomic.Bool // /down is up
	mended   atomic.Bool // /books and /addresses accept everything

	mu   sync.Mutex
	seen map[string]int // calls by task
}

func startReceiver(ctx context.Context) (*receiver, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &receiver{url: "http://" + listener.Addr().String(), ended: make(chan error, 1), seen: map[string]int{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /mail", r.mail)
	mux.HandleFunc("POST /down", r.down)
	mux.HandleFunc("POST /books", r.books)
	mux.HandleFunc("POST /addresses", r.addresses)
	mux.HandleFunc("POST /repair", r.repair)
	r.server = &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go func() { r.ended <- r.server.Serve(listener) }()
	return r, nil
}

func (r *receiver) stop() error {
	err := r.server.Close()
	<-r.ended
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

// mail fails for about three tasks in ten, once or twice, then accepts.
func (r *receiver) mail(w http.ResponseWriter, req *http.Request) {
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

// down is an outage until the story repairs it.
func (r *receiver) down(w http.ResponseWriter, req *http.Request) {
	r.until(&r.repaired, w, req, http.StatusServiceUnavailable, "database is down for maintenance")
}

// books are out of reach, and addresses are refused, until somebody calls repair.
func (r *receiver) books(w http.ResponseWriter, req *http.Request) {
	r.until(&r.mended, w, req, http.StatusServiceUnavailable, "the books are closed for the night run")
}

func (r *receiver) addresses(w http.ResponseWriter, req *http.Request) {
	r.until(&r.mended, w, req, http.StatusUnprocessableEntity, "unknown country code XK")
}

func (r *receiver) repair(w http.ResponseWriter, _ *http.Request) {
	r.mended.Store(true)
	_, _ = fmt.Fprintln(w, "repaired: /books and /addresses accept everything now") // the caller is gone
}

// until refuses until something is repaired.
func (r *receiver) until(repaired *atomic.Bool, w http.ResponseWriter, req *http.Request, status int, message string) {
	call := r.count(req)
	if !repaired.Load() {
		http.Error(w, message, status)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"sent":true,"call":%d}`, call) // the caller is gone
}
