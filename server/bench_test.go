package server_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	_ "github.com/ncruces/go-sqlite3/driver"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/store/sqlite"
)

const benchBody = `{"type":"bench.noop","payload":{"customer":"c-1234567","amount":4200},"delay":"1h"}`

// BenchmarkEnqueue is POST /v1/tasks from 16 and 64 connections that know no
// more HTTP than they must, so that the server is measured.
func BenchmarkEnqueue(b *testing.B) {
	for name, open := range map[string]func(b *testing.B) store.Backend{
		"memory": func(*testing.B) store.Backend { return memory.New() },
		"sqlite": func(b *testing.B) store.Backend {
			s, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "bench.db"))
			must(b, err)
			return s
		},
	} {
		for _, connections := range []int{16, 64} {
			b.Run(fmt.Sprintf("%s/%d", name, connections), func(b *testing.B) { benchEnqueue(b, open(b), connections) })
		}
	}
}

func benchEnqueue(b *testing.B, backend store.Backend, connections int) {
	a := startOn(b, backend)
	address := strings.TrimPrefix(a.url, "http://")
	request := fmt.Sprintf("POST /v1/tasks HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", address, len(benchBody), benchBody)
	var left atomic.Int64
	left.Store(int64(b.N))
	done := make(chan error, connections)
	b.ReportAllocs()
	b.ResetTimer()
	for range connections {
		go func() { done <- benchConnection(address, request, &left) }()
	}
	for range connections {
		must(b, <-done)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "tasks/s")
}

func benchConnection(address, request string, left *atomic.Int64) error {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	defer conn.Close()
	reader := bufio.NewReader(conn)
	for left.Add(-1) >= 0 {
		if _, err := io.WriteString(conn, request); err != nil {
			return err
		}
		size := 0
		for first := true; ; first = false {
			line, err := reader.ReadSlice('\n')
			if err != nil {
				return err
			}
			if first && !strings.HasPrefix(string(line), "HTTP/1.1 201") {
				return fmt.Errorf("answer %q", line)
			}
			if strings.HasPrefix(string(line), "Content-Length: ") {
				_, _ = fmt.Sscanf(string(line), "Content-Length: %d", &size)
			}
			if len(line) == 2 {
				break
			}
		}
		if _, err := reader.Discard(size); err != nil {
			return err
		}
	}
	return nil
}

// BenchmarkHandler is the cost of the handler itself, without a network.
func BenchmarkHandler(b *testing.B) {
	a := start(b)
	b.ReportAllocs()
	for b.Loop() {
		req := httptest.NewRequest(http.MethodPost, a.url+"/v1/tasks", strings.NewReader(benchBody))
		req.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		if a.server.ServeHTTP(w, req); w.Code != http.StatusCreated {
			b.Fatal(w.Code, w.Body)
		}
	}
}
