package main

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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
		{[]string{"--encryption-key", text, "--encryption-key-file", "k1=" + good}, 2, "is the name of a key"},
		{[]string{"--encryption-key", "k2", "--encryption-key-file", "k1=" + good}, 2, "there is no key"},
		{[]string{"--encryption-key-file", "k1=" + good + ",k2=" + good}, 2, "is not said"},
	} {
		got := c.run(append([]string{"serve", "--listen", "127.0.0.1:0", "--store", "memory:"}, one.args...)...)
		if got.code != one.code || !strings.Contains(got.stderr, one.says) || strings.Contains(got.stderr, text[:20]) {
			t.Errorf("%v: exit code %d, says %q", one.args, got.code, got.stderr)
		}
	}
}
