package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A receiver that knows the secret can tell that a request is ours, by the
// rules of Standard Webhooks.
func TestServeSigns(t *testing.T) {
	key := []byte("0123456789abcdef0123456789abcdef")
	t.Setenv("HOOK_SECRET", "whsec_"+base64.StdEncoding.EncodeToString(key))
	url := endpoint(t, func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(req.Header.Get("Webhook-Id") + "." + req.Header.Get("Webhook-Timestamp") + "."))
		mac.Write(body)
		if want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)); req.Header.Get("Webhook-Signature") != want {
			http.Error(w, "no signature of ours", http.StatusForbidden)
		}
	})
	server := startServer(t, "--store", "memory:", "--target-secret-env", "127.0.0.1=HOOK_SECRET")
	command{t: t, server: server.url}.run("task", "enqueue", "--url", url, "--payload", `{"a":1}`, "--wait", "20s").exits(0)

	c := command{t: t, env: []string{"WEAK=whsec_c2VjcmV0", "OUTLAST_SECRET_A=whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3"}}
	for _, value := range []string{"127.0.0.1", "127.0.0.1=", "=X", "a=NOT_SET_ANYWHERE", "a=WEAK", "a=OUTLAST_SECRET_A", "http://a=HOOK_SECRET", "a:80:80=HOOK_SECRET", "a:0=HOOK_SECRET", "a:99999=HOOK_SECRET", "a/b=HOOK_SECRET", "a?=HOOK_SECRET", "a=whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3"} {
		got := c.run("serve", "--store", "memory:", "--target-secret-env", value).exits(2).silent().says("--target-secret-env")
		if strings.Contains(got.stderr, "whsec_MDEy") || strings.Contains(got.stderr, "c2VjcmV0") {
			t.Errorf("%s: the message shows a secret: %s", value, got.stderr)
		}
	}
}

func TestWrittenZerosOnTheCommandLine(t *testing.T) {
	server := startServer(t, "--store", "memory:")
	c := command{t: t, server: server.url}
	for flag, path := range map[string]string{"--ttl=0s": "ttl", "--timeout=0s": "timeout", "--dedupe-window=0": "dedupe_window", "--key=": "key", "--dedupe-key=": "dedupe_key"} {
		c.run("task", "enqueue", "--type", "a", "--delay", "1h", flag).exits(2).silent().says(path + ": ").says("leave it out")
	}
	made := c.run("task", "enqueue", "--type", "a", "--delay", "0s", "--url", "https://example.invalid/x", "--output", "json").exits(0).json()
	if got := c.run("task", "get", made["id"].(string)).exits(0); !strings.Contains(got.out, "POST https://example.invalid/x") || strings.Contains(got.out, "   https://") {
		t.Errorf("got %s", got.out)
	}
	later := c.run("task", "enqueue", "--type", "a", "--delay", "1h", "--output", "json").exits(0).json()["id"].(string)
	c.run("task", "reschedule", later, "--delay", "0s").exits(0)
}

func TestWhatComesLater(t *testing.T) {
	c := command{t: t}
	c.run("serve", "--confg", "outlast.yaml").exits(2).silent().says("unknown flag")
	for _, args := range [][]string{{"completion"}, {"completion", "tcsh"}} {
		c.run(args...).exits(2).silent().says("bash")
	}
	c.run("completion", "tcsh").says(`"tcsh"`)
}

// A second server on the same address leaves no file behind.
func TestBusyPortTouchesNoStore(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	path := filepath.Join(t.TempDir(), "never.db")
	if got := (command{t: t}).run("serve", "--listen", listener.Addr().String(), "--store", "sqlite:"+path).silent(); got.code == 0 {
		t.Errorf("it started: %s", got.stderr)
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) > 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func TestDoctorKnowsWhatIsNoDatabase(t *testing.T) {
	folder := t.TempDir()
	for name, content := range map[string]string{"bad.db": "this is no database, it is a letter\n", "short.db": "SQLite", "torn.db": "SQLite format 3\x00" + strings.Repeat("\xff", 4096)} {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		report := command{t: t}.run("doctor", "--store", "sqlite:"+path, "--output", "json").exits(1).json()
		findings := report["findings"].([]any)
		if first := findings[0].(map[string]any); report["status"] != "fail" || first["status"] != "fail" || first["fix"] == "" || !strings.Contains(first["detail"].(string), path) {
			t.Errorf("%s: %v", name, report)
		}
	}
	command{t: t}.run("doctor", "--store", "sqlite:"+folder).exits(7)
}
