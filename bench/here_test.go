package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	own "github.com/outlast-dev/outlast/internal/servers"
)

// What somebody measures on a machine of his own ends as a page of figures and settings.
func TestHere(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts servers")
	}
	t.Parallel()
	dir := t.TempDir()
	var messages notes
	args := []string{
		"here", "B1", "B7", "--runs", "1", "--n", "2000", "--search=false", "--dir", t.TempDir(), "--out", dir, "--fast",
	}
	if code := run(t.Context(), args, &messages, &messages); code != 0 {
		t.Fatal(messages.String())
	}
	page, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\n- PostgreSQL ", "\n- beside river " + peerVersion(riverName) + "\n", "\n- beside asynq ", "\n| B1 | burn-down of pre-inserted no-op tasks | ", "\n| B7 | burn-down",
		"\n| B1 | river | `", "\n- postgres: `",
	} {
		if !strings.Contains(string(page), want) {
			t.Errorf("there is no %q in\n%s", want, page)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "figures.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if known, err := readFigures(bytes.NewReader(text)); err != nil || known.of("B1", asynqName) == nil || known.of("B7", outlastName) == nil {
		t.Errorf("%v in %s", err, text)
	}
}

// What a reader does not have is left out, and the page says so.
func TestWhatIsNotInstalledIsLeftOut(t *testing.T) {
	noPostgres, noRedis := &own.Missing{Server: "PostgreSQL", Program: "initdb"}, &own.Missing{Server: "Redis", Program: "redis-server"}
	wanted, err := choose(benchesHere)
	if err != nil {
		t.Fatal(err)
	}
	all, peers, left := possible(wanted, peerNames(), nil)
	if len(all) != len(wanted) || !slices.Equal(peers, peerNames()) || left != nil {
		t.Error(len(all), peers, left)
	}
	all, peers, left = possible(wanted, peerNames(), []*own.Missing{noRedis})
	if len(all) != len(wanted) || !slices.Equal(peers, []string{riverName}) || len(left) != 1 || !strings.HasPrefix(left[0], "asynq, since Redis is not installed") {
		t.Error(len(all), peers, left)
	}
	all, peers, left = possible(wanted, []string{asynqName}, []*own.Missing{noPostgres, noRedis})
	if len(all) != 1 || all[0].id != "B7" || !slices.Equal(peers, []string{"none"}) || len(left) != 2 || !strings.HasPrefix(left[0], "B1, B2, B2g, B3, B4, B5, B6, B8, B9, B9x, B10, since PostgreSQL is not installed") {
		t.Error(len(all), peers, left)
	}
	page := (&pageHere{leftOut: left, peers: peers, about: "environment: 2 cores\n"}).text()
	if !strings.Contains(page, "\n- 2 cores\n") || !strings.Contains(page, "\nLeft out:\n\n- B1, ") || strings.Contains(page, "beside ") {
		t.Error(page)
	}
}

func TestVersionsThatAreNotMeant(t *testing.T) {
	for version, noted := range map[string]bool{"14.2": true, "15.18 (Debian 15.18-0+deb12u1)": false, "18beta1": false, "18.1": false, "19.0": true} {
		v := &servers{postgres: &postgresServer{about: settings{"server_version": version}}}
		if said := v.version(); !strings.Contains(said, version) || strings.Contains(said, "15 to 18") != noted {
			t.Errorf("%s: %q", version, said)
		}
	}
}
