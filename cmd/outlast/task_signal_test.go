package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/client"
)

// A signal is sent once, is shown with the task, and another of its name is refused.
func TestSignalsByCommandLine(t *testing.T) {
	t.Parallel()
	c := command{t: t, server: startServer(t, "--store", "sqlite:"+filepath.Join(t.TempDir(), "signals.db")).url}
	api, err := client.New(c.server)
	if err != nil {
		t.Fatal(err)
	}
	defer api.Close()
	made, _, err := api.Enqueue(t.Context(), client.Draft{Type: "order", Delay: client.Duration(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	id := made.ID.String()
	c.run("task", "signal", id, "approval", "{").exits(2).says("the payload is not JSON")
	if done := c.run("task", "signal", id, "approval", `{"by": "ada"}`).exits(0); !strings.Contains(done.out, "approval") || strings.Contains(done.out, "before") {
		t.Errorf("answered:\n%s", done.out)
	}
	if again := c.run("task", "signal", id, "approval", `{"by": "ada"}`).exits(0); !strings.Contains(again.out, "it had this signal already") {
		t.Errorf("answered:\n%s", again.out)
	}
	c.run("task", "signal", id, "approval").exits(6).says("another signal")
	if shown := c.run("task", "get", id).exits(0); !strings.Contains(shown.out, "approval (signal)") || !strings.Contains(shown.out, `{"by":"ada"}`) {
		t.Errorf("shown as:\n%s", shown.out)
	}
}
