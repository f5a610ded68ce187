package main

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A file with a key that every user of the machine can read is told at the start, by
// doctor and by config check.
func TestKeyFileOfEverybody(t *testing.T) {
	folder := t.TempDir()
	key, file := filepath.Join(folder, "key"), filepath.Join(folder, "outlast.yaml")
	text := base64.StdEncoding.EncodeToString([]byte("canary-canary-canary-canary-1234"))
	for path, content := range map[string]string{key: text, file: "encryption: {keys: {k1: {file: " + key + "}}}\n"} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, one := range []struct {
		mode os.FileMode
		told bool
	}{{0o600, false}, {0o640, false}, {0o644, true}} {
		if err := os.Chmod(key, one.mode); err != nil {
			t.Fatal(err)
		}
		for name, args := range map[string][]string{"file": {"--config", file}, "flag": {"--encryption-key-file", "k1=" + key}} {
			p := startServer(t, append([]string{"--store", "memory:"}, args...)...)
			if told := strings.Contains(p.said(), "file.exposed") && strings.Contains(p.said(), "encryption.keys.k1.file"); told != one.told {
				t.Errorf("%s, mode %o: the log says %q", name, one.mode, p.said())
			}
			doctor := command{t: t}.run("doctor", "--server", p.url, "--output", "json").out
			if told := strings.Contains(doctor, "its mode is 0644"); told != one.told || !strings.Contains(doctor, "secret files") {
				t.Errorf("%s, mode %o: doctor says %s", name, one.mode, doctor)
			}
			p.stop(syscall.SIGTERM)
		}
		checked := command{t: t}.run("config", "check", file)
		if told := strings.Contains(checked.stderr, "encryption.keys.k1.file"); told != one.told || checked.code != 0 {
			t.Errorf("mode %o: config check says %q", one.mode, checked.stderr)
		}
	}
}

// A key that cannot be used ends the start with its name and place, and never with
// the key.
func TestEncryptionKeyFlags(t *testing.T) {
	c := command{t: t}
	text := base64.StdEncoding.EncodeToString([]byte("canary-canary-canary-canary-1234"))
	good, bad := filepath.Join(t.TempDir(), "good"), filepath.Join(t.TempDir(), "bad")
	folder, err := os.MkdirTemp("/tmp", "keys")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	likeKey := filepath.Join(folder, strings.Repeat("k", 42-len(folder))) // 43 letters, as a key has
	for file, content := range map[string]string{good: text + "\n", bad: text[:20], likeKey: text[:20]} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("TEST_SHORT_KEY", text[:30])
	t.Setenv("OUTLAST_SECRET_KEY", text)
	for _, one := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"--encryption-key-file", "k1=" + bad}, 2, "32 are needed"},
		{[]string{"--encryption-key-file", "k1=" + bad + ".gone"}, 2, "no such file"},
		{[]string{"--encryption-key-file", "k1=" + likeKey}, 2, "32 are needed"},
		{[]string{"--encryption-key-env", "k1=TEST_SHORT_KEY"}, 2, "encryption key"},
		{[]string{"--encryption-key-env", "k1=TEST_UNSET_KEY"}, 2, "not set"},
		{[]string{"--encryption-key-env", "TEST_SHORT_KEY"}, 2, "NAME=PLACE"},
		{[]string{"--encryption-key-env", "k1=" + text}, 2, "NAME=PLACE"},
		{[]string{"--encryption-key", text, "--encryption-key-file", "k1=" + good}, 2, "takes the name of a key"},
		{[]string{"--encryption-key-env", "k1=OUTLAST_SECRET_KEY"}, 2, "rename the variable of the key"},
		{[]string{"--encryption-key", "k2", "--encryption-key-file", "k1=" + good}, 2, "there is no key"},
		{[]string{"--encryption-key-file", "k1=" + good + ",k2=" + good}, 2, "is not said"},
	} {
		got := c.run(append([]string{"serve", "--listen", "127.0.0.1:0", "--store", "memory:"}, one.args...)...)
		if got.code != one.code || !strings.Contains(got.stderr, one.says) || strings.Contains(got.stderr, text[:20]) {
			t.Errorf("%v: exit code %d, says %q", one.args, got.code, got.stderr)
		}
	}
}
