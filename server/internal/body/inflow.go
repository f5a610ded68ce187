package body

import (
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"time"

	"github.com/outlast-dev/outlast/internal/intake"
	"github.com/outlast-dev/outlast/server/internal/problem"
	"github.com/outlast-dev/outlast/task"
)

// How fast a body must arrive, and what of one that nobody wants is read all the
// same, so that its sender gets to read the answer.
const (
	bodyGrace   = 10 * time.Second // and besides the time that the rate gives
	bodyRate    = 256 << 10        // bytes per second
	lingerTime  = 10 * time.Second
	lingerBytes = 2 * MaxBatch
)

// Inflow is the body of a request: it has a deadline, its bytes count against the
// node's bound until the request is answered, and what is left of it when it is
// refused is read away.
type Inflow struct {
	io.ReadCloser
	of      *intake.Bytes
	control *http.ResponseController
	caller  string
	held    int64
	size    int64 // as announced, -1 for unknown
	got     int64
	ended   bool // nothing more comes, or is waited for
	linger  bool
	oneCall bool // HTTP/1: an answer before the end of the body ends the connection
}

// Open gives the body of a request its deadline; nil for a request without one.
func Open(w http.ResponseWriter, req *http.Request, of *intake.Bytes) (*Inflow, *http.Request) {
	if _, known := req.Body.(*Inflow); known || req.ContentLength == 0 || req.Body == nil || req.Body == http.NoBody {
		return nil, req
	}
	in := &Inflow{
		ReadCloser: req.Body, of: of, control: http.NewResponseController(w),
		size: req.ContentLength, oneCall: req.ProtoMajor == 1,
	}
	in.wait(bodyGrace)
	if req.Method == http.MethodGet || req.Method == http.MethodHead {
		in.Unwanted(w) // no route reads it
	}
	own := *req // net/http goes on with its own, whose body it knows
	own.Body = in
	return in, &own
}

// Charge says, before the body is read, against whom its bytes count.
func (in *Inflow) Charge(caller string) { in.caller = caller }

// wait is how long the next bytes may take; the writers of tests know no deadlines.
func (in *Inflow) wait(d time.Duration) {
	_ = in.control.SetReadDeadline(time.Now().Add(d))
}

// Unwanted says, before the answer, that the rest of the body is not read. HTTP/2 has
// taken up to 1 MiB of it in already, and would hold that until the answer is taken.
func (in *Inflow) Unwanted(w http.ResponseWriter) {
	if in != nil && !in.oneCall {
		_ = in.ReadCloser.Close() // the answer goes out all the same
	}
	if in == nil || in.ended || !in.oneCall {
		return
	}
	in.linger = true
	_ = in.control.EnableFullDuplex() // the answer goes out before the body has come in
	w.Header()["Connection"] = []string{"close"}
}

// Read implements [io.Reader].
func (in *Inflow) Read(p []byte) (int, error) {
	n, err := in.ReadCloser.Read(p)
	in.got += int64(n)
	if err != nil || in.got == in.size {
		in.ended = true
	}
	return n, err
}

// End gives back what the body held. The sender of one that was not read gets its
// answer and some time to finish, since a connection that is closed on unread bytes
// is reset, and the answer may be lost with it.
func (in *Inflow) End() {
	if in == nil {
		return
	}
	in.of.Give(in.caller, in.held)
	if in.held = 0; !in.linger || in.ended || in.control.Flush() != nil {
		return
	}
	in.wait(lingerTime)
	_, _ = io.CopyN(io.Discard, in, lingerBytes) // whatever comes, the connection ends
}

// take counts bytes against the node's bound.
func (in *Inflow) take(bytes int64) error {
	if !in.of.Take(in.caller, bytes) {
		return &task.Error{Code: task.CodeUnavailable, Message: "the server is receiving too much: there is no room for the request body now", RetryAfter: time.Second + rand.N(time.Second), //nolint:gosec // spreads callers; nothing is secret
			Hint: "try again after Retry-After, with fewer or smaller bodies at once"}
	}
	in.held += bytes
	return nil
}

// readAll reads a body of at most so many bytes. What was announced is counted at
// once; what is not known beforehand, as it comes.
func readAll(req *http.Request, limit int64) ([]byte, error) {
	in, some := req.Body.(*Inflow)
	if !some {
		return nil, nil
	}
	if in.size > limit {
		return nil, tooLarge(limit)
	}
	if in.size > 0 {
		if err := in.take(in.size); err != nil {
			return nil, err
		}
	}
	began := time.Now()
	data, err := in.readAll(began, limit)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		in.ended = true // its time is over
		return nil, &task.Error{Code: problem.CodeTimeout, Message: "the request body did not arrive in time", Hint: "begin within 10 seconds, and send at least 256 KiB a second", Err: err}
	case problem.Named(err):
		return nil, err
	case err != nil:
		early := task.Invalid(whole, "the request body ended too early", "send as much as Content-Length says, or the last chunk")
		early.Err = err
		return nil, early
	}
	_ = in.control.SetReadDeadline(time.Time{}) // unknown to the writers of tests
	return data, nil
}

// Sizes of what is read into: at first, and from when on a body that was announced
// gets all at once.
const (
	firstBuffer = 4 << 10
	smallBuffer = 64 << 10
	largeBuffer = 1 << 20
)

// readAll reads to the end. Memory grows with what has arrived, not with what was
// announced.
func (in *Inflow) readAll(began time.Time, limit int64) ([]byte, error) {
	data := make([]byte, 0, in.room(0, limit))
	if in.size < 0 {
		if err := in.take(int64(cap(data))); err != nil {
			return nil, err
		}
	}
	renewed := int64(0)
	for {
		n, err := in.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch {
		case int64(len(data)) > limit:
			return nil, tooLarge(limit)
		case int64(len(data)) == in.size, errors.Is(err, io.EOF) && in.size < 0:
			return data, nil
		case err != nil:
			return nil, err
		}
		if in.got-renewed >= bodyRate {
			renewed = in.got
			in.wait(time.Until(began.Add(bodyGrace + time.Duration(in.got/bodyRate)*time.Second)))
		}
		if len(data) < cap(data) {
			continue
		}
		grown := in.room(int64(cap(data)), limit)
		if in.size < 0 {
			if err := in.take(grown - int64(cap(data))); err != nil {
				return nil, err
			}
		}
		data = append(make([]byte, 0, grown), data...)
	}
}

// room is how much to read into once there is no more of it.
func (in *Inflow) room(now, limit int64) int64 {
	switch {
	case in.size < 0:
		return min(max(firstBuffer, 2*now), limit+1)
	case in.size <= smallBuffer || now >= largeBuffer:
		return in.size
	case now == 0:
		return smallBuffer
	}
	return min(largeBuffer, in.size)
}
