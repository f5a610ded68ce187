package doctor

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/report"
)

func TestWideRanges(t *testing.T) {
	for text, want := range map[string]bool{
		"0.0.0.0/0": true, "::/0": true, "128.0.0.0/1": true, "169.254.0.0/16": true, "169.254.169.254/32": true, "fc00::/6": true,
		"10.0.0.0/8": false, "192.168.0.0/16": false, "fc00::/7": false, "127.0.0.0/8": false, "": false,
	} {
		if got := wide(text); got != want {
			t.Errorf("%s is wide: %t", text, got)
		}
	}
}

func TestDoctorOfAttemptsAndClocks(t *testing.T) {
	ago := func(d time.Duration) client.Time { return client.Time{Time: time.Now().Add(-d)} }
	for name, c := range map[string]struct {
		tasks  []client.Task
		status string
		says   string
	}{
		"none":              {nil, report.Fine, "none is running"},
		"short":             {[]client.Task{{Type: "a", StartedAt: ago(time.Second)}, {Type: "b", StartedAt: ago(time.Minute)}}, report.Fine, "of type b has run for 1m"},
		"long":              {[]client.Task{{Type: "a", StartedAt: ago(25 * time.Hour)}}, report.Warns, "no timeout of its own"},
		"beyond its time":   {[]client.Task{{Type: "a", StartedAt: ago(5 * time.Minute), Timeout: client.Duration(time.Minute)}}, report.Warns, "its timeout is 1m"},
		"begins next":       {[]client.Task{{Type: "a"}}, report.Fine, "none is running"},
		"within its time":   {[]client.Task{{Type: "a", StartedAt: ago(25 * time.Hour), Timeout: client.Duration(48 * time.Hour)}}, report.Fine, "has run for 1 day 1h"},
		"started in future": {[]client.Task{{Type: "a", StartedAt: ago(-time.Hour)}}, report.Fine, "has run for 0s"},
	} {
		r := exam{report.New()}
		r.examineRunning(t.Context(), patient{running: func(context.Context) ([]client.Task, error) { return c.tasks, nil }})
		if status, detail := r.Verdict("oldest attempt"); status != c.status || !strings.Contains(detail, c.says) {
			t.Errorf("%s: %s: %s", name, status, detail)
		}
	}
	for apart, want := range map[time.Duration]string{0: report.Fine, 4 * time.Second: report.Fine, time.Minute: report.Warns, -time.Minute: report.Warns} {
		r := exam{report.New()}
		r.examineServerClock(&client.Nodes{AsOf: ago(apart)})
		if status, detail := r.Verdict("server clock"); status != want {
			t.Errorf("%s apart: %s: %s", apart, status, detail)
		}
	}
}
