package retryhttp_test

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/retry/retryhttp"
)

// tracked is a body without GetBody that knows whether it was closed.
type tracked struct {
	io.Reader
	mu     sync.Mutex
	closed int
	read   int
}

func (b *tracked) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed > 0 {
		return 0, errors.New("read after close")
	}
	b.read += n
	return n, err
}

func (b *tracked) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed++
	return nil
}

func (b *tracked) state() (read, closed int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.read, b.closed
}

// TestBodies: every attempt gets the whole body, or there is none.
func TestBodies(t *testing.T) {
	t.Parallel()
	short, long := "hello", strings.Repeat("0123456789abcdef", 8192) // 128 KiB
	for _, row := range []struct {
		name, payload string
		length        int64 // announced; -1 for unknown
		options       []retryhttp.Option
		attempts      int
	}{
		{"short", short, 5, nil, 3},
		{"short of unknown length", short, -1, nil, 3},
		{"long", long, int64(len(long)), nil, 1},
		{"long of unknown length", long, -1, nil, 1},
		{"long with a larger buffer", long, int64(len(long)), []retryhttp.Option{retryhttp.Buffer(1 << 20)}, 3},
		{"exactly the buffer", short, 5, []retryhttp.Option{retryhttp.Buffer(5)}, 3},
		{"one more than the buffer", short, 5, []retryhttp.Option{retryhttp.Buffer(4)}, 1},
		{"no buffer", short, -1, []retryhttp.Option{retryhttp.Buffer(0)}, 1},
		{"empty of unknown length", "", -1, []retryhttp.Option{retryhttp.Buffer(0)}, 3},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			var s *receiver
			s = serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
				s.keepBody(r)
				w.WriteHeader(503)
			})
			body := &tracked{Reader: strings.NewReader(row.payload)}
			req := request(t, t.Context(), "PUT", s.URL, body)
			req.ContentLength = row.length
			resp := get(t, client(t, s, fast(t), row.options...), req)
			want := slices.Repeat([]string{row.payload}, row.attempts)
			if !slices.Equal(s.sent, want) || resp.StatusCode != 503 {
				t.Errorf("%d attempts, %.60q, %s", len(s.sent), s.sent, resp.Status)
			}
			if read, closed := body.state(); read != len(row.payload) || closed != 1 {
				t.Errorf("%d read, closed %d times", read, closed)
			}
			if o := resp.outcome; row.attempts == 1 && (!errors.Is(o.Err, retryhttp.ErrBody) || !strings.Contains(o.Err.Error(), "503 Service Unavailable")) {
				t.Error(o.Err)
			}
		})
	}
}

// TestGetBody: it is asked once for each repeat.
func TestGetBody(t *testing.T) {
	t.Parallel()
	var s *receiver
	s = serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		s.keepBody(r)
		w.WriteHeader(503)
	})
	req := request(t, t.Context(), "PUT", s.URL, strings.NewReader("hello"))
	asked, original := 0, req.GetBody
	req.GetBody = func() (io.ReadCloser, error) { asked++; return original() }
	get(t, client(t, s, fast(t)), req)
	if asked != 2 || !slices.Equal(s.sent, []string{"hello", "hello", "hello"}) {
		t.Error(asked, s.sent)
	}

	lost := errors.New("the file is gone")
	req = request(t, t.Context(), "PUT", s.URL, strings.NewReader("hello"))
	req.GetBody = func() (io.ReadCloser, error) { return nil, lost }
	_, err := client(t, s, fast(t)).Do(req) //nolint:bodyclose // there is none
	if !errors.Is(err, lost) || !errors.Is(err, retry.ErrPermanent) || len(s.sent) != 4 {
		t.Error(err, len(s.sent))
	}
}

// TestBrokenBody: what the caller's own reader refuses is not repeated.
func TestBrokenBody(t *testing.T) {
	t.Parallel()
	s := serve(t, failing(200, 0))
	broken := errors.New("disk on fire")
	req := request(t, t.Context(), "PUT", s.URL, io.MultiReader(strings.NewReader("hel"), brokenReader{broken}))
	_, err := client(t, s, fast(t)).Do(req) //nolint:bodyclose // there is none
	end, ok := errors.AsType[*retry.Error](err)
	if !ok || !errors.Is(err, broken) || end.Attempts != 1 {
		t.Error(err)
	}
}

type brokenReader struct{ err error }

func (b brokenReader) Read([]byte) (int, error) { return 0, b.err }

// TestUnreadBodyIsRepeated: a server that answers before the body leaves it
// whole, however long it is.
func TestUnreadBodyIsRepeated(t *testing.T) {
	t.Parallel()
	var s *receiver
	s = serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
		if n == 1 {
			w.WriteHeader(503) // without having asked for the body
			return
		}
		s.keepBody(r)
	})
	body := &tracked{Reader: strings.NewReader(strings.Repeat("x", 1<<20))}
	req := request(t, t.Context(), "PUT", s.URL, body)
	req.ContentLength = 1 << 20
	req.Header.Set("Expect", "100-continue")
	base := newBase(t)
	base.ExpectContinueTimeout = 1 << 40
	resp := get(t, &http.Client{Transport: retryhttp.New(base, fast(t))}, req)
	if resp.StatusCode != 200 || s.requests() != 2 || len(s.sent) != 1 || len(s.sent[0]) != 1<<20 {
		t.Error(resp.Status, s.requests(), len(s.sent))
	}
}

// TestConversation: neither side of a body is read ahead, so both can be streams
// that wait for each other.
func TestConversation(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		control := http.NewResponseController(w)
		if err := control.EnableFullDuplex(); err != nil {
			t.Error(err)
		}
		buffer := make([]byte, 1)
		for {
			if _, err := io.ReadFull(r.Body, buffer); err != nil {
				return
			}
			w.Write(buffer) //nolint:errcheck // test
			control.Flush() //nolint:errcheck // test
		}
	})
	from, to := io.Pipe()
	go to.Write([]byte("a")) //nolint:errcheck // test
	resp, err := client(t, s, fast(t)).Do(request(t, t.Context(), "PUT", s.URL, from))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer := make([]byte, 1)
	for _, c := range "bcd" {
		if _, err := io.ReadFull(resp.Body, answer); err != nil || rune(answer[0]) != c-1 {
			t.Fatal(string(answer), err)
		}
		to.Write([]byte(string(c))) //nolint:errcheck // test
	}
	to.Close()
	if rest, err := io.ReadAll(resp.Body); err != nil || string(rest) != "d" {
		t.Error(string(rest), err)
	}
}

// TestBlockedBody: a body that waits for ever does not hold up the repeat, and
// what it says at last reaches the attempt that is under way.
func TestBlockedBody(t *testing.T) {
	t.Parallel()
	from, to := io.Pipe()
	var s *receiver
	s = serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
		if n == 1 {
			// Answered while the body is still waited for.
			http.NewResponseController(w).EnableFullDuplex() //nolint:errcheck // test
			w.Header().Set("Connection", "close")
			w.WriteHeader(503)
			return
		}
		go func() { to.Write([]byte("at last")); to.Close() }() //nolint:errcheck // test
		s.keepBody(r)
	})
	resp := get(t, client(t, s, fast(t)), request(t, t.Context(), "PUT", s.URL, from))
	if resp.StatusCode != 200 || !slices.Equal(s.sent, []string{"at last"}) {
		t.Error(resp.Status, s.sent)
	}
}
