package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/task"
)

// fault is what happens to a call instead of its answer.
type fault struct {
	play    func(*call)
	of      func(body any) bool // which calls, all if nil
	always  bool                // not once only
	refuses bool                // the server does not take what was sent
}

// plan makes the next calls of a path go wrong, in this order.
func (s *server) plan(path string, faults ...fault) {
	s.happens(func() { s.faults[path] = append(s.faults[path], faults...) })
}

// next is the fault of a call, if there is one.
func (s *server) next(c *call) fault {
	path := c.r.URL.Path
	for i, f := range s.faults[path] {
		if f.of != nil && !f.of(c.body) {
			continue
		}
		if !f.always {
			s.faults[path] = slices.Delete(s.faults[path], i, i+1)
		}
		return f
	}
	return fault{}
}

// lost is a call that is worked on, and whose answer is lost.
func lost() fault { return fault{play: func(c *call) { c.work(); c.reset() }} }

// unheard is a call of which the server hears nothing.
func unheard() fault { return fault{play: (*call).reset} }

// cutOff is an answer that ends in the middle.
func cutOff() fault {
	return fault{play: func(c *call) {
		text := encoded(c.work())
		conn := c.hijack()
		fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(text), text[:len(text)/2])
		_ = conn.Close() // it is to end
	}}
}

// refused is a call that is answered with a problem.
func refused(status int, code task.Code, retryAfter int) fault {
	return fault{refuses: status == http.StatusBadRequest, play: func(c *call) { c.problem(status, code, retryAfter) }}
}

// foreign is the answer of a proxy that finds no server.
func foreign() fault {
	return fault{play: func(c *call) { http.Error(c.w, "404 page not found", http.StatusNotFound) }}
}

// busy is a node that is not there now.
func busy() fault { return refused(http.StatusServiceUnavailable, task.CodeUnavailable, 0) }

// held is a call that waits for a gate before it is worked on.
func held(gate <-chan struct{}) fault {
	return fault{play: func(c *call) {
		select {
		case <-gate:
			c.send(c.work())
		case <-c.r.Context().Done(): // the worker waits no more
		}
	}}
}

// unknown are the fields that no worker knows yet.
var unknown = map[string]any{"of_a_later_version": map[string]any{"list": []int{1, 2}}}

// decorated is an answer with fields that nobody knows, if the scenario wants them.
func (s *server) decorated(answer any) any {
	if !s.extra {
		return answer
	}
	var fields map[string]any
	if err := json.Unmarshal(encoded(answer), &fields); err != nil {
		panic(err) // it is an object
	}
	for _, list := range fields {
		for _, item := range list.([]any) {
			item.(map[string]any)["of_a_later_version"] = unknown
		}
	}
	fields["of_a_later_version"] = unknown
	return fields
}

func encoded(answer any) []byte {
	text, err := json.Marshal(answer)
	if err != nil {
		panic(err) // it is made here
	}
	return text
}

func (c *call) send(answer any) {
	c.w.Header().Set("Content-Type", "application/json")
	_, _ = c.w.Write(encoded(answer)) // the worker may have gone
}

func (c *call) problem(status int, code task.Code, retryAfter int) {
	c.w.Header().Set("Content-Type", "application/problem+json")
	if retryAfter > 0 {
		c.w.Header().Set("Retry-After", strconv.Itoa(retryAfter))
	}
	c.w.WriteHeader(status)
	_, _ = c.w.Write(encoded(client.Error{Status: status, Title: http.StatusText(status), Code: code, Detail: "the conformance kit wants it so"}))
}

// reset breaks the connection.
func (c *call) reset() {
	conn := c.hijack()
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close() // it is to end
}

func (c *call) hijack() net.Conn {
	conn, _, err := http.NewResponseController(c.w).Hijack()
	if err != nil {
		panic(err) // the server speaks HTTP/1
	}
	return conn
}
