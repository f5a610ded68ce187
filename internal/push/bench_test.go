package push

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"testing"

	"github.com/outlast-dev/outlast/internal/safehttp"
)

// BenchmarkDo pushes to a receiver of net/http in the same process; its work and
// allocations count too.
func BenchmarkDo(b *testing.B) {
	url := receiver(b, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)      //nolint:errcheck // test
		io.WriteString(w, `{"ok":true}`) //nolint:errcheck // test
	})
	benchmark(b, url)
}

// BenchmarkDoBare pushes to a receiver that costs next to nothing, so that what
// remains is ours.
func BenchmarkDoBare(b *testing.B) {
	benchmark(b, rawReceiver(b, func(conn net.Conn) {
		in := bufio.NewReader(conn)
		out := []byte("HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n{\"ok\":true}")
		for {
			line, err := in.ReadSlice('\n')
			if err != nil {
				return
			}
			if len(line) == 2 {
				in.Discard(len(benchPayload)) //nolint:errcheck // test
				conn.Write(out)               //nolint:errcheck // test
			}
		}
	}))
}

const benchPayload = `{"order":12345,"amount":"19.90"}`

func benchmark(b *testing.B, url string) {
	sender := newSender(b, safehttp.Options{})
	call := Call{Task: newTask(url, benchPayload), MaxAttempts: 5}
	b.ReportAllocs()
	b.SetParallelism(32)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := sender.Do(b.Context(), call); err != nil {
				b.Error(err)
				return
			}
		}
	})
}

// BenchmarkRequest is the building of the request alone.
func BenchmarkRequest(b *testing.B) {
	sender := newSender(b, safehttp.Options{})
	call := Call{Task: newTask("http://example.com/hook?a=b", benchPayload), MaxAttempts: 5, Secret: make([]byte, 32)}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := sender.request(b.Context(), call); err != nil {
			b.Fatal(err)
		}
	}
}
