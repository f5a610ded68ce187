package route

import (
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/client"
)

// AnswerTimeout is how long an answer may take to be taken, or the next piece of one
// that is sent in pieces.
const AnswerTimeout = 30 * time.Second

var (
	jsonType = []string{"application/json"}

	// NoStore is the header Cache-Control of all answers of the API.
	NoStore = []string{"no-store"}
)

var buffers = sync.Pool{New: func() any { return new([]byte) }}

// write sends one JSON value.
func write(w http.ResponseWriter, status int, body any) error {
	buffer := buffers.Get().(*[]byte)
	defer func() {
		if cap(*buffer) <= 1<<20 {
			buffers.Put(buffer)
		}
	}()
	data, err := client.Append((*buffer)[:0], body)
	if err != nil {
		return err
	}
	*buffer = append(data, '\n')
	header := w.Header()
	header["Content-Type"] = jsonType
	header["Cache-Control"] = NoStore
	header.Set("Content-Length", strconv.Itoa(len(*buffer)))
	Deadline(w, AnswerTimeout)
	w.WriteHeader(status)
	_, _ = w.Write(*buffer) // the caller is gone; there is no one to tell
	return nil
}

// Deadline bounds the writing of an answer. A writer that knows no deadlines
// is that of a test.
func Deadline(w http.ResponseWriter, d time.Duration) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(d))
}

// Bounded is a handler whose whole answer must be made and taken within two spans of
// [AnswerTimeout].
func Bounded(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		Deadline(w, 2*AnswerTimeout)
		handler.ServeHTTP(w, req)
	})
}
