package incidenttest

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/internal/binarytest"
	"github.com/outlast-dev/outlast/task"
)

// The incident: a service was restarted in the middle of a mail-sending task. No
// retry was configured, nothing noticed, and the business stopped until somebody sent
// the mail by hand.
//
// Here nothing is configured either. The task runs again as soon as the next server
// is there, its attempt is not spent, and what happened is in its history, in the
// log, and told to who asked to be told.
func TestDeployKillsTheProcess(t *testing.T) {
	t.Parallel()
	disk, mails := onDisk(t), newMailer(t)
	before := binarytest.Serve(t, "--store", disk)
	told := newPager(t, before)
	once := 1 // even a task that may be tried only once
	ids := []task.ID{accepted(t, before, mails.draft()), accepted(t, before, client.Draft{Target: mails.draft().Target, MaxAttempts: &once})}
	mails.await(t, 2)
	before.Stop(syscall.SIGKILL)
	mails.recover()

	after := binarytest.Serve(t, "--store", disk, "--log-level", "info")
	for _, id := range ids {
		sent := ended(t, after, id)
		if sent.State != task.Succeeded || sent.Attempt != 1 || sent.Crashes != 1 {
			t.Errorf("the mail: %s after %d attempts and %d crashes", sent.State, sent.Attempt, sent.Crashes)
		}
		story, err := after.API.Attempts(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if history := story.Attempts; len(history) != 2 || history[0].Outcome != "crashed" || history[1].Outcome != "succeeded" ||
			history[0].Number != 1 || history[1].Number != 1 || history[1].Claim <= history[0].Claim {
			t.Errorf("the history: %+v", history)
		}
	}
	if attempts := mails.attempts(); attempts != "1 1 1 1" {
		t.Errorf("the mail service saw the attempts %s", attempts)
	}
	if !strings.Contains(after.Said(), "tasks.recovered") {
		t.Errorf("the log does not tell: %s", after.Said())
	}
	eventually(t, "the crash is told", func() bool { return len(told.of("process_died")) > 0 })
	if text := told.of("process_died")[0].Text; !strings.HasPrefix(text, "2 running tasks lost with the process: ") || !strings.Contains(text, "1 × mail.send in node ") || !strings.Contains(text, "1 × http in node ") {
		t.Errorf("told: %s", text)
	}
}

// A deploy that stops its server properly costs nothing at all: what runs gets its
// time (25 s by default), and what needs more is handed back.
func TestDeployStopsTheProcess(t *testing.T) {
	t.Parallel()
	t.Run("in time", func(t *testing.T) {
		t.Parallel()
		disk, mails := onDisk(t), newMailer(t)
		before := binarytest.Serve(t, "--store", disk)
		id := accepted(t, before, mails.draft())
		mails.await(t, 1)
		before.Signal(syscall.SIGTERM)
		time.AfterFunc(300*time.Millisecond, mails.recover)
		if code := before.Wait(); code != 0 {
			t.Errorf("exit code %d: %s", code, before.Said())
		}
		if sent := found(t, binarytest.Serve(t, "--store", disk), id); sent.State != task.Succeeded || mails.attempts() != "1" {
			t.Errorf("the mail: %s; the mail service saw the attempts %s", sent.State, mails.attempts())
		}
	})
	t.Run("handed back", func(t *testing.T) {
		t.Parallel()
		disk, mails := onDisk(t), newMailer(t)
		before := binarytest.Serve(t, "--store", disk, "--grace", "200ms")
		id := accepted(t, before, mails.draft())
		mails.await(t, 1)
		if code := before.Stop(syscall.SIGTERM); code != 0 {
			t.Errorf("exit code %d: %s", code, before.Said())
		}
		mails.recover()
		sent := ended(t, binarytest.Serve(t, "--store", disk), id)
		if sent.State != task.Succeeded || sent.Attempt != 1 || sent.Crashes != 0 {
			t.Errorf("the mail: %s after %d attempts and %d crashes", sent.State, sent.Attempt, sent.Crashes)
		}
	})
}

// mailer is a mail service: until it recovers it takes mails and does not answer.
type mailer struct {
	url  string
	well chan struct{}

	mu   sync.Mutex
	seen []string // Outlast-Attempt of each call
}

func newMailer(t *testing.T) *mailer {
	m := &mailer{well: make(chan struct{})}
	m.url = endpoint(t, func(_ http.ResponseWriter, r *http.Request) {
		m.mu.Lock()
		m.seen = append(m.seen, r.Header.Get("Outlast-Attempt"))
		m.mu.Unlock()
		<-m.well
	})
	t.Cleanup(m.recover)
	return m
}

// draft says no more than where the mail goes.
func (m *mailer) draft() client.Draft {
	return client.Draft{Type: "mail.send", Target: &client.Target{URL: m.url}, Payload: json.RawMessage(`{"to": "ann@example.com"}`)}
}

// await waits until so many mails are being sent.
func (m *mailer) await(t *testing.T, n int) {
	t.Helper()
	eventually(t, "the mails are being sent", func() bool {
		m.mu.Lock()
		defer m.mu.Unlock()
		return len(m.seen) == n
	})
}

func (m *mailer) recover() {
	m.mu.Lock()
	defer m.mu.Unlock()
	select {
	case <-m.well:
	default:
		close(m.well)
	}
}

func (m *mailer) attempts() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return strings.Join(m.seen, " ")
}
