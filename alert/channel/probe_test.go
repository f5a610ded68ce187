package channel

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/outlast-dev/outlast/alert"
)

// A channel is tried without anything that a person could see: a robot gets no request
// at all, a mail server a login and no mail.
func TestProbe(t *testing.T) {
	t.Parallel()
	asked := 0
	robot := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	spec := &Spec{Name: "hook", Kind: Webhook, URLEnv: "U"}
	probe := func(url string) error {
		return mustOpen(t, spec, "", map[string]string{"U": url}).(alert.Prober).Probe(t.Context())
	}
	if err := probe(robot.URL + "/SECcanary"); err != nil || asked != 0 {
		t.Errorf("%d requests, %v", asked, err)
	}
	if err := probe(strings.Replace(robot.URL, "http", "https", 1) + "/SECcanary"); err == nil || strings.Contains(err.Error(), "SECcanary") {
		t.Errorf("a server without TLS: %v", err)
	}
	robot.Close()
	if err := probe(robot.URL + "/SECcanary"); err == nil || strings.Contains(err.Error(), "SECcanary") {
		t.Errorf("nobody is there: %v", err)
	}
}

func TestProbeOfMail(t *testing.T) {
	t.Parallel()
	office, roots := newPostOffice(t)
	sender := newMailer(t, office, roots, nil)
	if err := sender.Probe(t.Context()); err != nil {
		t.Fatal(err)
	}
	office.mu.Lock()
	mails, auth, wrong := len(office.mails), office.auth, office.wrong
	office.mu.Unlock()
	if mails != 0 || auth == "" || len(wrong) > 0 {
		t.Errorf("%d mails, auth %q, wrong %q", mails, auth, wrong)
	}
	office.set("AUTH", "535 5.7.8 bad credentials", false)
	if err := sender.Probe(t.Context()); err == nil || !strings.Contains(err.Error(), "535") || strings.Contains(err.Error(), "SECcanary") {
		t.Errorf("bad credentials: %v", err)
	}
}
