package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	own "github.com/outlast-dev/outlast/internal/servers"
)

// singleEnqueuesHTTP: what a client of the server program gets. The load
// generator shares the cores, so it writes requests that are ready and reads
// answers without net/http's client.
var singleEnqueuesHTTP = bench{
	id: "B3h", title: "as B3s through POST /v1/tasks of a real server process, 16 keep-alive connections", n: 50_000, store: inFile,
	setup: needsServer,
	run: func(ctx context.Context, s *session) error {
		at, err := s.place(ctx)
		if err != nil || !at.shared() {
			return err
		}
		server, address, err := s.serve(ctx, at)
		if err != nil {
			return err
		}
		n := s.tasks()
		body := `{"type":"bench","delay":"24h","payload":` + string(noop) + `}`
		took, calls, err := s.post(ctx, address, enqueueRequest(address, "", body), enqueuers, n)
		if err != nil {
			return err
		}
		set := settings{"connections": enqueuers, "history": "on", "delay": "24h, so that nothing runs beside"}
		s.record("", perSecond(n, took), "tasks/s", n, "", set)
		s.record("call-p99", calls.quantile(0.99), "ms", n, "", set)
		return server.interrupt(ctx)
	},
}

// needsServer has the program built, unless there is one already or it could not reach
// the store.
func needsServer(ctx context.Context, s *session) error {
	if *s.server != "" || s.config.store == inMemory {
		return nil
	}
	return s.buildServer(ctx)
}

// buildServer builds the program that belongs to the module in use.
func (s *session) buildServer(ctx context.Context) error {
	list := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/outlast-dev/outlast")
	list.Stderr = s.say
	source, err := list.Output()
	if err != nil {
		return fmt.Errorf("find the source of outlast (run this in the folder bench, or give --server): %w", err)
	}
	file, err := os.CreateTemp("", "outlast-bench-server-")
	if err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", file.Name(), "./cmd/outlast")
	build.Dir, build.Stderr = strings.TrimSpace(string(source)), s.say
	if err := build.Run(); err != nil {
		return errors.Join(fmt.Errorf("build outlast: %w", err), os.Remove(file.Name()))
	}
	*s.server = file.Name()
	return nil
}

// serve starts the program on a free port and waits until it answers.
func (s *session) serve(ctx context.Context, at place, flags ...string) (*process, string, error) {
	port, err := own.FreePort()
	if err != nil {
		return nil, "", err
	}
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	program, err := filepath.Abs(*s.server)
	if err != nil {
		return nil, "", err
	}
	cmd := exec.CommandContext(ctx, program, append([]string{"serve", "--listen", address, "--store", at.url, "--log-level", "warn", "--grace", "0s"}, flags...)...)
	cmd.Dir = at.dir
	var said bytes.Buffer
	cmd.Stderr = &said
	p, err := s.start(cmd)
	if err != nil {
		return nil, "", err
	}
	client := &http.Client{Timeout: time.Second}
	defer client.CloseIdleConnections()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/readyz", nil)
		if err != nil {
			return nil, "", err
		}
		if resp, err := client.Do(req); err == nil {
			_ = resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return p, address, nil
			}
		}
		if wait(ctx, p.ended, 50*time.Millisecond) == nil {
			return nil, "", fmt.Errorf("outlast serve ended: %w: %s", p.err, said.String())
		}
	}
	return nil, "", errors.New("outlast serve is not ready after a minute")
}

func (p *process) interrupt(ctx context.Context) error {
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	return wait(ctx, p.ended, time.Minute)
}

// enqueueRequest is one of an enqueue, with a token unless it is "".
func enqueueRequest(address, token, body string) []byte {
	head := "POST /v1/tasks HTTP/1.1\r\nHost: " + address + "\r\nContent-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n"
	if token != "" {
		head += "Authorization: Bearer " + token + "\r\n"
	}
	return []byte(head + "\r\n" + body)
}

// post sends n requests over so many connections, one at a time on each.
func (s *session) post(ctx context.Context, address string, request []byte, connections, n int) (took time.Duration, all *samples, err error) {
	conns := make([]*connection, connections)
	for i := range conns {
		if conns[i], err = dial(ctx, address); err != nil {
			return 0, nil, err
		}
		defer func() { _ = conns[i].Close() }()
	}
	began := time.Now()
	err = share(connections, n, func(i int) error { return conns[i].exchange(request) })
	took = time.Since(began)
	all = &samples{}
	for _, c := range conns {
		all.all = append(all.all, c.calls...)
	}
	return took, all, err
}

// connection is one keep-alive connection. Not safe for concurrent use.
type connection struct {
	net.Conn
	reader *bufio.Reader
	calls  []time.Duration
}

func dial(ctx context.Context, address string) (*connection, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return &connection{Conn: conn, reader: bufio.NewReader(conn)}, nil
}

// exchange sends a request and reads the whole answer.
func (c *connection) exchange(request []byte) error {
	began := time.Now()
	if _, err := c.Write(request); err != nil {
		return err
	}
	resp, err := http.ReadResponse(c.reader, nil)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return err
	}
	c.calls = append(c.calls, time.Since(began))
	var made struct{ ID string }
	if resp.StatusCode != http.StatusCreated {
		return fmt.Errorf("the server answered %s: %s", resp.Status, text)
	}
	if len(c.calls) == 1 {
		if err := json.Unmarshal(text, &made); err != nil || made.ID == "" {
			return fmt.Errorf("the answer has no id: %s", text)
		}
	}
	return nil
}
