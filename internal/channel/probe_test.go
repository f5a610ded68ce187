package channel

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/alerts"
)

// A channel is tried without anything that a person could see: a robot gets no request
// at all, a mail server a login and no mail.
func TestProbe(t *testing.T) {
	t.Parallel()
	asked := 0
	robot := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	spec := &alert.ChannelSpec{Name: "hook", Kind: alert.ToWebhook, URLEnv: "U"}
	probe := func(url string) error {
		return mustOpen(t, spec, "", map[string]string{"U": url}).(alerts.Prober).Probe(t.Context())
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
