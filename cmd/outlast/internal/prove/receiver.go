package prove

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"strconv"
	"time"
)

// receiver is the endpoint that all tasks call. It writes down what was called when, in
// this process: it knows what was done without asking a database.
type receiver struct {
	*history
	url    string
	server *http.Server
	ended  chan error
}

func startReceiver(ctx context.Context, h *history) (*receiver, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &receiver{history: h, url: "http://" + listener.Addr().String() + "/run", ended: make(chan error, 1)}
	r.server = &http.Server{Handler: r, ReadHeaderTimeout: time.Minute}
	go func() { r.ended <- r.server.Serve(listener) }()
	return r, nil
}

func (r *receiver) stop() error {
	err := r.server.Close()
	<-r.ended
	return err
}

// payload tells the receiver which order a call is of.
type payload struct {
	N int `json:"n"`
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	c := &call{start: time.Now()}
	var what payload
	if err := json.NewDecoder(http.MaxBytesReader(w, req.Body, 1<<10)).Decode(&what); err != nil {
		http.Error(w, "this is no order", http.StatusBadRequest)
		return
	}
	c.n = what.N
	c.claim, _ = strconv.ParseInt(req.Header.Get("Outlast-Claim"), 10, 64)
	c.attempt, _ = strconv.Atoi(req.Header.Get("Outlast-Attempt"))
	r.mu.Lock()
	r.calls = append(r.calls, c)
	o := r.order(c.n)
	r.mu.Unlock()
	if o == nil {
		http.Error(w, "nobody handed it in", http.StatusBadRequest)
		return
	}
	if !lasted(req.Context(), o.lasts) {
		return
	}
	status := http.StatusOK
	if c.attempt <= o.fail {
		status = http.StatusInternalServerError
	}
	r.mu.Lock()
	c.end, c.status = time.Now(), status // before the caller can know of it
	r.mu.Unlock()
	w.WriteHeader(status)
}

// lasted waits. It returns false when the context ends first.
func lasted(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
