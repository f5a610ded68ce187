package retryhttp

import (
	"errors"
	"io"
	"sync"
)

// errClosed is what a view gets after its end.
var errClosed = errors.New("retryhttp: the attempt that read this body is over")

// recording makes a body that can be read once readable by several attempts.
// Each has a view of its own; what is read from the source is kept up to a limit.
// An attempt that is over may still be reading: net/http sends bodies from a
// goroutine that may outlive its RoundTrip. What such a late read takes from the
// source is kept too, so nothing is lost to the next view.
type recording struct {
	source io.ReadCloser
	limit  int64

	turn sync.Mutex // held while the source is read

	mu    sync.Mutex // guards what follows; never held while the source is read
	kept  []byte     // everything read so far, unless gone
	total int64      // bytes read so far
	gone  bool       // more was read than is kept
	err   error      // of the source, io.EOF included
	views int        // open ones
	ended bool       // there will be no more views
}

// open returns a view from the beginning.
func (r *recording) open() (io.ReadCloser, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gone {
		return nil, ErrBody
	}
	if r.ended {
		return nil, errClosed
	}
	r.views++
	return &view{recording: r}, nil
}

// isWhole reports whether a view from the beginning can be had, and would be
// read without an error so far.
func (r *recording) isWhole() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.gone && (r.err == nil || errors.Is(r.err, io.EOF))
}

// end closes the source as soon as no view is open.
func (r *recording) end() {
	r.mu.Lock()
	first := !r.ended
	r.ended = true
	last := first && r.views == 0
	r.mu.Unlock()
	if last {
		r.source.Close()
	}
}

// view is the body of one attempt.
type view struct {
	*recording
	at     int64 // guarded by mu
	closed bool  // guarded by mu
}

// Read gives what was kept, then what the source has.
func (v *view) Read(p []byte) (int, error) {
	if n, err, ok := v.replay(p); ok {
		return n, err
	}
	v.turn.Lock()
	defer v.turn.Unlock()
	// Another view may have read on in the meantime.
	if n, err, ok := v.replay(p); ok {
		return n, err
	}
	n, err := v.source.Read(p)
	v.keep(p[:n], err)
	return n, err
}

// keep records what this view read from the source. Data is kept as long as
// another view may ask for it.
func (v *view) keep(data []byte, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.err = err
	if len(data) == 0 {
		return
	}
	v.total += int64(len(data))
	v.at = v.total
	if v.gone = v.gone || v.total > v.limit || v.ended && v.views <= 1; v.gone {
		v.kept = nil
	} else {
		v.kept = append(v.kept, data...)
	}
}

// replay gives what is known without reading the source; false if nothing is.
func (v *view) replay(p []byte) (int, error, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case v.closed:
		return 0, errClosed, true
	case v.at < v.total && v.gone:
		return 0, ErrBody, true
	case v.at < v.total:
		n := copy(p, v.kept[v.at:])
		v.at += int64(n)
		return n, nil, true
	case v.err != nil:
		return 0, v.err, true
	}
	return 0, nil, false
}

// Close ends the view. The last one after the end closes the source, also under
// a read that is waiting for it.
func (v *view) Close() error {
	v.mu.Lock()
	if v.closed {
		v.mu.Unlock()
		return nil
	}
	v.closed = true
	v.views--
	last := v.ended && v.views == 0
	v.mu.Unlock()
	if last {
		return v.source.Close()
	}
	return nil
}
