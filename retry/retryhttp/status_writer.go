package retryhttp

import (
	"bufio"
	"io"
	"net"
	"net/http"
)

// statusWriter notes the status of an answer. Like the writer that it wraps it
// can be flushed and taken over, also by handlers that do not use
// [http.ResponseController]; where that one cannot, the error says so.
type statusWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader notes the status, unless it is an informational one.
func (w *statusWriter) WriteHeader(status int) {
	if w.status == 0 && (status >= http.StatusOK || status == http.StatusSwitchingProtocols) {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Write(p []byte) (int, error) {
	w.begin()
	return w.ResponseWriter.Write(p)
}

// ReadFrom keeps the fast way of files to sockets.
func (w *statusWriter) ReadFrom(from io.Reader) (int64, error) {
	w.begin()
	return io.Copy(w.ResponseWriter, from)
}

// begin notes the status of an answer that did not say one.
func (w *statusWriter) begin() {
	if w.status == 0 {
		w.status = http.StatusOK
	}
}

// Unwrap is for [http.ResponseController].
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Flush implements [http.Flusher].
func (w *statusWriter) Flush() {
	w.begin()
	_ = http.NewResponseController(w.ResponseWriter).Flush() // Flush has no error
}

// Hijack implements [http.Hijacker].
func (w *statusWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err == nil && w.status == 0 {
		w.status = hijacked
	}
	return conn, buffered, err
}

// hijacked is the status of a connection that was taken over.
const hijacked = -1

// final is the status of the whole answer, as in [RequestEvent].
func (w *statusWriter) final(panicked bool) int {
	switch {
	case w.status == hijacked:
		return 0
	case w.status == 0 && !panicked:
		return http.StatusOK // net/http says so for a handler that wrote nothing
	}
	return w.status
}
