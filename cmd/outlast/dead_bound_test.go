package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
)

// Letters that die while somebody reads what a redrive or a purge would do are left
// alone when it is confirmed.
func TestWhatDiesBeforeTheConfirmationStays(t *testing.T) {
	gone := endpoint(t, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "gone", http.StatusGone) })
	direct := command{t: t, server: startServer(t, "--store", "memory:").url}
	kill := func() string {
		return direct.run("task", "enqueue", "--type", "push", "--url", gone, "--wait", "20s", "--output", "json").exits(1).json()["id"].(string)
	}
	total := func() any { return direct.run("dead", "stats", "--output", "json").exits(0).json()["total"] }
	var late string
	behind := command{t: t, server: afterDryRuns(t, direct.server, func() { late = kill() })}

	kill()
	kill()
	redriven := behind.run("dead", "redrive", "--type", "push", "--yes", "--wait", "--output", "json").exits(0).says("2 dead letters match").json()
	if redriven["matched"] != 2.0 {
		t.Errorf("redriven %v", redriven)
	}
	if items := direct.run("operation", "items", redriven["operation"].(string)).exits(0).out; late == "" || strings.Contains(items, late) {
		t.Errorf("the letter %q died after the dry run: %s", late, items)
	}
	await(t, "two letters that die again", func() bool { return total() == 3.0 })
	if purged := behind.run("dead", "purge", "--type", "push", "--yes", "--output", "json").exits(0).says("3 dead letters match").json(); purged["matched"] != 3.0 || total() != 1.0 {
		t.Errorf("purged %v, %v are left", purged, total())
	}
	direct.run("dead", "get", late).exits(0)
	if old := direct.run("dead", "list", "--died-before", "1h", "--output", "json").exits(0).out; strings.Contains(old, late) {
		t.Errorf("dead for an hour: %s", old)
	}
	direct.run("dead", "purge", "--died-before", "soon", "--yes").exits(2).says("--died-before")
}

// afterDryRuns is a server in front of another that does something after each dry
// run, before it is answered.
func afterDryRuns(t *testing.T, behind string, do func()) string {
	target, err := url.Parse(behind)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.ModifyResponse = func(resp *http.Response) error {
		if resp.Request.Context().Value(isDryRun{}) != nil {
			do()
		}
		return nil
	}
	return endpoint(t, func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			t.Error(err)
		}
		if bytes.Contains(body, []byte(`"dry_run":true`)) {
			req = req.WithContext(context.WithValue(req.Context(), isDryRun{}, true))
		}
		req.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(w, req)
	})
}

type isDryRun struct{}
