package stormtest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// receiverEnv makes this binary a receiver.
const receiverEnv = "OUTLAST_STORM_RECEIVER"

const (
	// serviceTime is how long a request holds one of the slots.
	serviceTime = 20 * time.Millisecond
	slots       = 12
	// coldTime is that after an outage, when caches are empty and pools are to be
	// filled. It falls to serviceTime within warmUp.
	coldTime = 10 * serviceTime
	warmUp   = 5 * time.Second
)

// mode is what the receiver does to requests.
type mode string

const (
	works  mode = "works"
	fails  mode = "fails"  // answers 503 at once
	hangs  mode = "hangs"  // never answers
	closed mode = "closed" // refuses connections
)

// receiver is the server.
type receiver struct {
	listensAt string
	counted   *series
	slots     chan struct{}

	mu     sync.Mutex
	mode   mode
	since  time.Time     // when it worked again; zero before the first outage
	ended  chan struct{} // closed with the present mode
	server *http.Server
}

func newReceiver() *receiver {
	return &receiver{listensAt: "127.0.0.1:0", counted: newSeries(time.Now()), slots: make(chan struct{}, slots), mode: works, ended: make(chan struct{})}
}

// runReceiver is the process: it says where it listens and then does what its
// input says, a word a line, until the input ends.
func runReceiver(in io.Reader, out io.Writer) error {
	r := newReceiver()
	if err := r.listen(); err != nil {
		return err
	}
	fmt.Fprintln(out, "http://"+r.listensAt, r.counted.start.UnixNano())
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		if lines.Text() == "report" {
			if err := json.NewEncoder(out).Encode(r.counted.all()); err != nil {
				return err
			}
			continue
		}
		at, err := r.become(mode(lines.Text()))
		if err != nil {
			return err
		}
		fmt.Fprintln(out, at.Nanoseconds())
	}
	return lines.Err()
}

// listen begins to serve; after the first time at the same address.
func (r *receiver) listen() error {
	listener, err := net.Listen("tcp", r.listensAt)
	if err != nil {
		return err
	}
	r.listensAt = listener.Addr().String()
	r.server = &http.Server{Handler: r}
	go r.server.Serve(listener) //nolint:errcheck // it ends with Close
	return nil
}

// become changes the mode and says when that was.
func (r *receiver) become(m mode) (time.Duration, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	was := r.mode
	r.mode = m
	if m == works {
		r.since = time.Now()
	}
	close(r.ended)
	r.ended = make(chan struct{})
	var err error
	switch closed { // of one in its own process
	case m:
		err = r.server.Close()
	case was:
		err = r.listen()
	}
	return time.Since(r.counted.start), err
}

// ServeHTTP counts the request and treats it as the mode says.
func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.counted.attempt(time.Now(), req.Header.Get("Outlast-Attempt") == "1")
	io.Copy(io.Discard, req.Body) //nolint:errcheck // an end of the client shows below
	r.mu.Lock()
	m, ended, since := r.mode, r.ended, r.since
	r.mu.Unlock()
	switch m {
	case works:
		r.serve(req, since)
	case fails:
		http.Error(w, "out of order", http.StatusServiceUnavailable)
	default:
		<-ended
		panic(http.ErrAbortHandler) // a server that is started again says nothing
	}
}

// serve takes its turn, whether or not the client still waits.
func (r *receiver) serve(req *http.Request, since time.Time) {
	r.slots <- struct{}{}
	time.Sleep(takes(time.Since(since))) // sleep: this is the work
	<-r.slots
	left := req.Context().Err() != nil
	r.counted.count(time.Now(), func(b *bucket) {
		if left {
			b.Wasted++
		} else {
			b.Served++
		}
	})
}

// takes is the service time so long after an outage.
func takes(after time.Duration) time.Duration {
	cold := 1 - min(1, after.Seconds()/warmUp.Seconds())
	return serviceTime + time.Duration(cold*float64(coldTime-serviceTime))
}

// remote is the receiver as the test sees it.
type remote struct {
	testing.TB
	url   string
	start time.Time
	in    io.WriteCloser
	out   *bufio.Reader
	stop  func()
}

// startReceiver starts the process. It ends with the test, and with this process
// however that one ends, since its input ends then.
func startReceiver(t testing.TB) *remote {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), receiverEnv+"=1")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r := &remote{TB: t, in: in, out: bufio.NewReader(out)}
	r.stop = sync.OnceFunc(func() { in.Close(); cmd.Process.Kill(); cmd.Wait() }) //nolint:errcheck // how it ended is no finding
	t.Cleanup(r.stop)
	var nanoseconds int64
	if _, err := fmt.Sscan(r.line(), &r.url, &nanoseconds); err != nil {
		t.Fatal(err)
	}
	r.start = time.Unix(0, nanoseconds)
	return r
}

func (r *remote) address() (string, time.Time) { return r.url, r.start }

func (r *remote) line() string {
	r.Helper()
	line, err := r.out.ReadString('\n')
	if err != nil {
		r.Fatalf("the receiver says nothing: %v", err)
	}
	return strings.TrimSpace(line)
}

func (r *remote) say(word string) string {
	r.Helper()
	if _, err := fmt.Fprintln(r.in, word); err != nil {
		r.Fatal(err)
	}
	return r.line()
}

// become changes the mode and says when that was, by the receiver's clock.
func (r *remote) become(m mode) time.Duration {
	r.Helper()
	var nanoseconds int64
	if _, err := fmt.Sscan(r.say(string(m)), &nanoseconds); err != nil {
		r.Fatal(err)
	}
	return time.Duration(nanoseconds)
}

// history is what has arrived so far.
func (r *remote) history() history {
	r.Helper()
	var steps history
	if err := json.Unmarshal([]byte(r.say("report")), &steps); err != nil {
		r.Fatal(err)
	}
	return steps
}
