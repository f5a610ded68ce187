package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// receiveChild is an HTTP server that answers 200 to everything and notes
// how old stamped payloads are when they arrive. The word "report" makes it
// tell what it has seen since the last one, "count" how much.
func receiveChild(ctx context.Context, _ childFlags, d *dialogue) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	var seen atomic.Pointer[samples]
	var count, opened atomic.Int64
	seen.Store(&samples{})
	bodies := sync.Pool{New: func() any { b := make([]byte, 4096); return &b }}
	server := &http.Server{
		ReadHeaderTimeout: 10 * time.Second,
		ConnState: func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				opened.Add(1)
			}
		},
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			arrived := time.Now()
			body := bodies.Get().(*[]byte)
			n, _ := io.ReadFull(r.Body, *body)
			if at, _, err := readStamp((*body)[:n]); err == nil {
				seen.Load().add(arrived.Sub(at))
			}
			bodies.Put(body)
			count.Add(1)
			w.WriteHeader(http.StatusOK)
		}),
	}
	go func() { _ = server.Serve(listener) }()
	defer func() { _ = server.Close() }()
	if err := d.tell(event{Kind: "ready", Address: listener.Addr().String()}); err != nil {
		return err
	}
	for word, more := d.asked(); more; word, more = d.asked() {
		seenNow := report{Count: int(count.Load())}
		if word == "report" {
			of := seen.Swap(&samples{})
			seenNow = report{
				Count: int(count.Swap(0)), Opened: int(opened.Swap(0)), P50: of.quantile(0.5), P99: of.quantile(0.99), Max: of.quantile(1),
			}
		}
		if err := d.tell(event{Kind: word, report: seenNow}); err != nil {
			return err
		}
	}
	return nil
}
