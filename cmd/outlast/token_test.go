package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTokens(t *testing.T) {
	folder := t.TempDir()
	store := "sqlite:" + filepath.Join(folder, "outlast.db")
	offline := command{t: t}
	offline.run("token", "list", "--store", store).exits(4)
	offline.run("token", "create", "--store", store, "--name", "x", "--role", "root").exits(2).says("not a role").silent()
	offline.run("serve", "--store", store, "--listen", "0.0.0.0:0").exits(5).says("outlast token create")
	admin := strings.TrimSpace(offline.run("token", "create", "--store", store, "--name", "ops", "--role", "admin").exits(0).says("not shown again").out)
	if !strings.HasPrefix(admin, "olt_") || strings.ContainsAny(admin, " \n") {
		t.Fatalf("standard output is not the token alone: %q", admin)
	}

	server := startServer(t, "--store", store, "--listen", "0.0.0.0:0")
	url := strings.Replace(server.url, "[::]", "127.0.0.1", 1)
	nobody, ops := command{t: t, server: url}, command{t: t, server: url, env: []string{"OUTLAST_TOKEN=" + admin}}
	nobody.run("task", "list").exits(5).says("a token is needed")
	nobody.run("doctor", "--ready").exits(0)
	nobody.run("doctor", "--ready", "--store", store).exits(2)
	ops.run("task", "list").exits(0)
	ops.run("token", "create", "--output", "json", "--name", "bad", "--role", "viewer", "--queue", "a b").exits(2).says("not the name of a queue")
	made := ops.run("token", "create", "--output", "json", "--name", "shop", "--role", "enqueuer", "--queue", "default", "--ttl", "1h").exits(0).json()
	id, secret := made["id"].(string), made["token"].(string)

	file := filepath.Join(folder, "token")
	if err := os.WriteFile(file, []byte(secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	nobody.run("--token-file", file, "task", "enqueue", "--type", "x").exits(0)
	nobody.run("--token-file", file, "task", "list").exits(5).says("enqueuer")
	nobody.run("--token-file", filepath.Join(folder, "none"), "task", "list").exits(2)
	nobody.run("whoami").exits(5)
	if me := nobody.run("--token-file", file, "whoami").exits(0).out; !strings.Contains(me, "known, follow, enqueue") || !strings.Contains(me, "enqueuer") || strings.Contains(me, secret[13:]) {
		t.Errorf("whoami: %s", me)
	}
	ops.run("token", "list").exits(0)
	ops.run("token", "revoke", id).exits(0)
	ops.run("token", "revoke", "none").exits(4)
	nobody.run("--token-file", file, "task", "enqueue", "--type", "x").exits(5).says("revoked")
	if listed := offline.run("token", "list", "--store", store, "--output", "json").exits(0).out; !strings.Contains(listed, `"revoked"`) || strings.Contains(listed, secret) {
		t.Errorf("tokens: %s", listed)
	}
	for _, hidden := range []string{admin[13:], secret[13:]} {
		if strings.Contains(server.said(), hidden) {
			t.Errorf("the log of the server shows a secret")
		}
	}
}

// Who gets no answer is told which token may have been made, and a repeat makes no second.
func TestTokenWhoseAnswerIsLost(t *testing.T) {
	var asked struct{ ID string }
	lossy := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		_ = json.NewDecoder(req.Body).Decode(&asked)
		panic(http.ErrAbortHandler)
	}))
	lost := command{t: t, server: lossy.URL}.run("token", "create", "--name", "shop", "--role", "viewer").exits(7).silent()
	lossy.Close()
	if len(asked.ID) != 8 {
		t.Fatalf("the command line gave the id %q", asked.ID)
	}
	lost.says("outlast token revoke " + asked.ID)
	if said := (command{t: t, server: "http://127.0.0.1:1"}).run("token", "create", "--name", "shop", "--role", "viewer").exits(7).stderr; strings.Contains(said, "revoke") {
		t.Errorf("of a token that nobody was asked for: %s", said)
	}

	store := "sqlite:" + filepath.Join(t.TempDir(), "outlast.db")
	offline := command{t: t}
	create := []string{"token", "create", "--store", store, "--name", "ops", "--role", "admin", "--id", asked.ID}
	if made := offline.run(create...).exits(0).out; !strings.HasPrefix(made, "olt_"+asked.ID+"_") {
		t.Errorf("made %q", made)
	}
	offline.run(create...).exits(6).says("outlast token revoke " + asked.ID).silent()
	for _, id := range []string{"short", "with one", "UPPERCAS", "12345678", "abcdefghi"} {
		offline.run("token", "create", "--store", store, "--name", "ops", "--role", "admin", "--id", id).exits(2).says("not an id of a token").silent()
	}
}
