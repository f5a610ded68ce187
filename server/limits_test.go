package server_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/racetest"
	"github.com/outlast-dev/outlast/server"
	"github.com/outlast-dev/outlast/store/memory"
)

// pipes is a listener without a network, for tests in virtual time.
type pipes struct {
	made  chan net.Conn
	ended chan struct{}
}

func (p pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.made:
		return c, nil
	case <-p.ended:
		return nil, net.ErrClosed
	}
}
func (p pipes) Close() error   { return nil }
func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }

func (p pipes) dial() net.Conn {
	here, there := net.Pipe()
	_ = here.SetReadDeadline(time.Now().Add(10 * time.Minute)) // for a server that never answers
	p.made <- there
	return here
}

// inBubble runs a server in virtual time.
func inBubble(t *testing.T, limits server.Limits, tokens bool, do func(t *testing.T, p pipes, s *server.Server)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		backend := memory.New()
		ctx := context.Background()
		node, err := outlast.Open(ctx, backend, outlast.WithAllQueues())
		must(t, err)
		must(t, node.Start(ctx))
		if tokens {
			_, _, err := node.Inspector().Tokens.Create(ctx, inspect.TokenSpec{Name: "n", Role: inspect.Admin})
			must(t, err)
		}
		s, err := server.New(server.Config{Client: node, Limits: limits, Console: http.NotFoundHandler()})
		must(t, err)
		p := pipes{make(chan net.Conn), make(chan struct{})}
		web := s.HTTP()
		ended := make(chan error, 1)
		go func() { ended <- web.Serve(p) }()
		defer func() {
			close(p.ended)
			<-ended
			_ = web.Close()
			time.Sleep(time.Minute) // virtual: net/http waits a little before it closes
			must(t, node.Stop(ctx))
			must(t, backend.Close())
		}()
		do(t, p, s)
	})
}

// heard reads what is sent until the connection ends, and says whether it did.
func heard(c net.Conn, within time.Duration) (text string, ended bool) {
	_ = c.SetReadDeadline(time.Now().Add(within))
	data, err := io.ReadAll(c)
	return string(data), !errors.Is(err, os.ErrDeadlineExceeded)
}

// Who announces a body and does not send it gets the answer at once where the body is
// not wanted, and loses the connection in any case.
func TestUnsentBodiesEndTheirConnections(t *testing.T) {
	racetest.WithoutDetector(t)
	for _, one := range []struct {
		name, line, host string
		tokens           bool
		status           int
	}{
		{"refused", "POST /v1/tasks", "localhost", true, 401},
		{"no route", "POST /v1/nothing", "localhost", false, 404},
		{"method", "DELETE /v1/tasks", "localhost", false, 405},
		{"foreign host", "POST /v1/tasks", "example.com", false, 403},
		{"read without a body", "GET /livez", "localhost", false, 200},
		{"a file", "GET /", "localhost", false, 404},
		{"metrics", "GET /metrics", "localhost", false, 200},
		{"wanted", "POST /v1/tasks", "localhost", false, 408},
		{"options", "OPTIONS *", "localhost", false, 404},
	} {
		t.Run(one.name, func(t *testing.T) {
			inBubble(t, server.Limits{}, one.tokens, func(t *testing.T, p pipes, _ *server.Server) {
				c := p.dial()
				defer c.Close()
				began := time.Now()
				go fmt.Fprintf(c, "%s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n{", one.line, one.host)
				answer, err := http.ReadResponse(bufio.NewReader(c), nil)
				must(t, err)
				defer answer.Body.Close()
				if took := time.Since(began); answer.StatusCode != one.status || took > 0 && one.status != 408 {
					t.Errorf("status %d after %s, want %d at once", answer.StatusCode, took, one.status)
				}
				if _, ended := heard(c, time.Minute); !ended {
					t.Error("the connection is open after a minute")
				}
			})
		})
	}
}

// Who does not read an answer loses the connection too.
func TestUnreadAnswersEndTheirConnections(t *testing.T) {
	racetest.WithoutDetector(t)
	for _, line := range []string{"GET /v1/queues", "GET /", "GET /metrics", "GET /openapi.json", "GET /v1/nothing", "GET /livez", "GET /v1/events", "GET /v1/dead/export"} {
		inBubble(t, server.Limits{}, false, func(t *testing.T, p pipes, _ *server.Server) {
			c := p.dial()
			defer c.Close()
			_, err := fmt.Fprintf(c, "%s HTTP/1.1\r\nHost: localhost\r\n\r\n", line)
			must(t, err)
			time.Sleep(2 * time.Minute) // virtual
			_ = c.SetWriteDeadline(time.Now().Add(time.Second))
			if _, err := c.Write([]byte("GET")); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("%s: the connection is open after two minutes: %v", line, err)
			}
		})
	}
}

// A body that comes too slowly is given up, one at the least rate is read.
func TestBodiesHaveALeastRate(t *testing.T) {
	for piece, status := range map[int]int{16 << 10: 408, 300 << 10: 201} {
		inBubble(t, server.Limits{}, false, func(t *testing.T, p pipes, _ *server.Server) {
			c := p.dial()
			defer c.Close()
			body := `{"type":"x","delay":"1h","payload":"` + strings.Repeat("a", 600<<10) + `"}`
			go func() {
				_, _ = fmt.Fprintf(c, "POST /v1/tasks HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", len(body))
				for rest := body; rest != ""; time.Sleep(time.Second) {
					n := min(piece, len(rest))
					if _, err := io.WriteString(c, rest[:n]); err != nil {
						return
					}
					rest = rest[n:]
				}
			}()
			answer, err := http.ReadResponse(bufio.NewReader(c), nil)
			must(t, err)
			if answer.StatusCode != status {
				t.Errorf("%d bytes a second: %s", piece, answer.Status)
			}
			_ = answer.Body.Close()
		})
	}
}

// Long polls and streams outlast all deadlines, on one connection after another request.
func TestWaitsOutlastTheDeadlines(t *testing.T) {
	inBubble(t, server.Limits{}, false, func(t *testing.T, p pipes, _ *server.Server) {
		c := p.dial()
		defer c.Close()
		in := bufio.NewReader(c)
		for _, body := range []string{`{"worker":"w","queues":["default"],"types":["x"],"max":1,"wait":"50s","lease":"30s"}`, `{"worker":"w","queues":["default"],"types":["x"],"max":1,"wait":"1m","lease":"30s"}`} {
			_, err := fmt.Fprintf(c, "POST /v1/workers/poll HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
			must(t, err)
			answer, err := http.ReadResponse(in, nil)
			must(t, err)
			defer answer.Body.Close()
			if data, err := io.ReadAll(answer.Body); err != nil || answer.StatusCode != 200 {
				t.Fatalf("%s: %s %v", answer.Status, data, err)
			}
		}
		_, err := fmt.Fprintf(c, "GET /v1/events?for=5m HTTP/1.1\r\nHost: localhost\r\n\r\n")
		must(t, err)
		answer, err := http.ReadResponse(in, nil)
		must(t, err)
		defer answer.Body.Close()
		began := time.Now()
		if data, err := io.ReadAll(answer.Body); err != nil || time.Since(began) < 5*time.Minute || strings.Count(string(data), ": beat") < 25 {
			t.Errorf("the stream ended after %s with %v", time.Since(began), err)
		}
	})
}

// What is held in bodies is bounded by what is announced, whoever sends it; others get
// 503 and when to come back, and all is given back.
func TestBodiesShareABound(t *testing.T) {
	const body = 15 << 20
	inBubble(t, server.Limits{Bodies: 64 << 20}, false, func(t *testing.T, p pipes, s *server.Server) {
		statuses := make(chan string, 60)
		for range 60 {
			c := p.dial()
			defer c.Close()
			go func() {
				_, _ = fmt.Fprintf(c, "POST /v1/tasks/batch HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n{", body)
			}()
			go func() {
				answer, err := http.ReadResponse(bufio.NewReader(c), nil)
				if err != nil {
					statuses <- err.Error()
					return
				}
				defer answer.Body.Close()
				data, _ := io.ReadAll(answer.Body)
				statuses <- fmt.Sprint(answer.StatusCode, " ", answer.Header.Get("Content-Type"), " ", answer.Header.Get("Retry-After") != "", " ", answer.Close, " ", strings.Contains(string(data), `"unavailable"`))
			}()
		}
		time.Sleep(time.Second)
		if held, refused := metric(t, p, "outlast_http_bodies_bytes"), metric(t, p, "outlast_http_bodies_refused_total"); held != 2*body || refused != 58 {
			t.Errorf("%v bytes are held, %v refused: half of the bound is for one caller", held, refused)
		}
		counts := map[string]int{}
		for range 60 {
			counts[<-statuses]++
		}
		if counts["503 application/problem+json true true true"] != 58 || len(counts) != 2 {
			t.Errorf("answers %v", counts)
		}
		time.Sleep(time.Minute)
		if held := metric(t, p, "outlast_http_bodies_bytes"); held != 0 {
			t.Errorf("%v bytes are held after all", held)
		}
	})
}

// metric is one value of /metrics.
func metric(t *testing.T, p pipes, name string) float64 {
	t.Helper()
	c := p.dial()
	defer c.Close()
	go fmt.Fprintf(c, "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
	text, _ := heard(c, time.Minute)
	for line := range strings.Lines(text) {
		if value, found := strings.CutPrefix(line, name+" "); found {
			number, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			must(t, err)
			return number
		}
	}
	t.Fatalf("no metric %s in %s", name, text)
	return 0
}

// A caller that sends all of a body that is too large before it reads gets its 413.
func TestTooLargeIsAnswered(t *testing.T) {
	a := start(t)
	for name, length := range map[string]string{"announced": fmt.Sprintf("Content-Length: %d", 20<<20), "in pieces": "Transfer-Encoding: chunked"} {
		c, err := net.Dial("tcp", strings.TrimPrefix(a.url, "http://"))
		must(t, err)
		_, err = fmt.Fprintf(c, "POST /v1/tasks HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n%s\r\n\r\n", length)
		must(t, err)
		piece := strings.Repeat(" ", 1<<20)
		for range 20 {
			if name == "in pieces" {
				_, err = fmt.Fprintf(c, "%x\r\n%s\r\n", len(piece), piece)
			} else {
				_, err = io.WriteString(c, piece)
			}
			if err != nil {
				t.Fatalf("%s: the connection was reset while the body was sent: %v", name, err)
			}
		}
		if name == "in pieces" {
			_, err = io.WriteString(c, "0\r\n\r\n")
			must(t, err)
		}
		answer, err := http.ReadResponse(bufio.NewReader(c), nil)
		must(t, err)
		defer answer.Body.Close()
		data, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != 413 || answer.Header.Get("Content-Type") != "application/problem+json" || !answer.Close {
			t.Errorf("%s: %s %v %s", name, answer.Status, err, data)
		}
		_ = c.Close()
	}
}
