package retryhttp

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// source gives its bytes in pieces as drawn, and is closed once.
type source struct {
	*bytes.Reader
	pieces *rapid.Generator[int]
	t      *rapid.T
	closed int
}

func (s *source) Read(p []byte) (int, error) {
	return s.Reader.Read(p[:min(len(p), s.pieces.Draw(s.t, "piece"))])
}

func (s *source) Close() error { s.closed++; return nil }

// TestRecordingIsFaithful: whatever the order of reads, every view gives the
// source from its beginning or says that it cannot, no more is kept than is
// allowed, and the source is closed once, with the last view after the end.
func TestRecordingIsFaithful(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(t, "data")
		s := &source{Reader: bytes.NewReader(data), pieces: rapid.IntRange(1, 20), t: t}
		r := &recording{source: s, limit: int64(rapid.IntRange(0, 250).Draw(t, "limit"))}
		type reading struct {
			body io.ReadCloser
			got  []byte
		}
		var open []*reading
		ended := false
		t.Repeat(map[string]func(*rapid.T){
			"open": func(t *rapid.T) {
				whole := r.isWhole()
				body, err := r.open()
				if (err == nil) != (whole && !ended) {
					t.Fatalf("whole %v, ended %v: %v", whole, ended, err)
				}
				if err == nil {
					open = append(open, &reading{body: body})
				}
			},
			"read": func(t *rapid.T) {
				if len(open) == 0 {
					t.Skip("none open")
				}
				v := open[rapid.IntRange(0, len(open)-1).Draw(t, "view")]
				p := make([]byte, rapid.IntRange(1, 30).Draw(t, "size"))
				n, err := v.body.Read(p)
				v.got = append(v.got, p[:n]...)
				switch {
				case !bytes.HasPrefix(data, v.got):
					t.Fatalf("read %q of %q", v.got, data)
				case errors.Is(err, io.EOF) && len(v.got) != len(data):
					t.Fatalf("ended after %d of %d", len(v.got), len(data))
				case err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, ErrBody):
					t.Fatal(err)
				}
			},
			"close": func(t *rapid.T) {
				if len(open) == 0 {
					t.Skip("none open")
				}
				i := rapid.IntRange(0, len(open)-1).Draw(t, "view")
				open[i].body.Close()
				open[i].body.Close()
				if _, err := open[i].body.Read(make([]byte, 1)); !errors.Is(err, errClosed) {
					t.Fatal("a closed view reads on:", err)
				}
				open = append(open[:i], open[i+1:]...)
			},
			"end": func(*rapid.T) { r.end(); ended = true },
			"": func(t *rapid.T) {
				if int64(len(r.kept)) > r.limit {
					t.Fatalf("%d kept of %d allowed", len(r.kept), r.limit)
				}
				if want := ended && len(open) == 0; (s.closed == 1) != want || s.closed > 1 {
					t.Fatalf("closed %d times, ended %v, %d open", s.closed, ended, len(open))
				}
			},
		})
	})
}

// TestRecordingAtOnce: views that read at the same time each get everything.
func TestRecordingAtOnce(t *testing.T) {
	t.Parallel()
	data := make([]byte, 1<<20)
	for i := range data {
		data[i] = byte(rand.Uint32())
	}
	r := &recording{source: io.NopCloser(bytes.NewReader(data)), limit: 1 << 20}
	var group sync.WaitGroup
	for range 16 {
		body, err := r.open()
		if err != nil {
			t.Fatal(err)
		}
		group.Go(func() {
			if got, err := io.ReadAll(body); err != nil || !bytes.Equal(got, data) {
				t.Error(len(got), err)
			}
			body.Close()
		})
	}
	group.Wait()
}
