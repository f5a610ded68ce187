package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The documents are what their figures make of them, and every table has its place
// there.
func TestDocumentsAreCurrent(t *testing.T) {
	known, err := readResults("results")
	if err != nil {
		t.Fatal(err)
	}
	documents := map[string][]table{"../docs/explanation/benchmarks.md": tables()}
	for _, r := range readmes() {
		documents["../"+r.file] = r.tables()
	}
	for path, tables := range documents {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		page, err := filled(path, tables, known)
		if err != nil {
			t.Fatal(err)
		}
		if page != string(text) {
			t.Errorf("%s differs from what results/*.jsonl say: go run . report", path)
		}
		for _, table := range tables {
			if _, err := between(page, table.mark, ""); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
	for name, drawn := range drawAll(known) {
		if kept, err := os.ReadFile(filepath.Join("../docs/pictures", name)); err != nil || !bytes.Equal(kept, drawn) {
			t.Errorf("%s is not what results/*.jsonl say (%v): go run . report", name, err)
		}
	}
}

// The README compares with the versions that are measured.
func TestPeersVersions(t *testing.T) {
	for _, r := range readmes() {
		text, err := os.ReadFile("../" + r.file)
		if err != nil {
			t.Fatal(err)
		}
		for system := range peerModules {
			name := system + " " + peerVersion(system)
			if peerVersion(system) == "" || !strings.Contains(strings.ToLower(string(text)), name) {
				t.Errorf("%s does not name %q", r.file, name)
			}
		}
	}
}

// Every row of a table is a figure of a bench that there is.
func TestRowsAreOfBenches(t *testing.T) {
	all := slices.Concat(race, overMinutes, manyNodes, besides, inMariaDB, inFiles, temporalRows)
	for _, r := range readmes() {
		all = append(all, r.rows...)
	}
	for _, p := range barPictures() {
		all = append(all, p.rows...)
	}
	for _, r := range all {
		if _, err := choose([]string{strings.Split(r.bench, "/")[0]}); err != nil {
			t.Error(err)
		}
	}
}

const twoSystems = `{"bench":"B1","system":"outlast","store":"postgres","value":100000,"unit":"tasks/s","n":5,"settings":{"slots":10},"low":90000,"high":110000,"runs":[1,2,3],"others":0.02,"day":"2026-11-20","machine":"m","server":{"fsync":"on"}}
{"bench":"B1","system":"river","store":"postgres","value":20000,"unit":"tasks/s","n":5,"settings":{"workers":"10"},"low":20000,"high":20000,"runs":[1,2,3],"others":0.02,"day":"2026-11-20","machine":"m","server":{"fsync":"on"}}
{"bench":"B1/times-river","system":"outlast","store":"postgres","value":4.9,"unit":"×","n":5,"settings":null,"low":4.5,"high":6,"runs":[1,2,3],"target":">= 5","reached":false,"others":0,"day":"2026-11-20","machine":"m"}
{"bench":"B1t","system":"outlast","store":"postgres","value":90000,"unit":"tasks/s","n":5,"settings":null,"low":90000,"high":90000,"runs":[1,2,3],"others":0,"day":"2026-11-20","machine":"m"}
{"bench":"B1t","system":"temporal","store":"postgres","value":300,"unit":"tasks/s","n":5,"settings":null,"low":300,"high":300,"runs":[1,2,3],"others":0,"day":"2026-11-20","machine":"m"}
{"bench":"B1t/times-temporal","system":"outlast","store":"postgres","value":300,"unit":"×","n":5,"settings":null,"low":300,"high":300,"runs":[1,2,3],"others":0,"day":"2026-11-20","machine":"m"}
{"bench":"B9x/over-time","system":"river","store":"postgres","value":3,"unit":"tasks/s","n":2,"settings":{"snapshot from":"1s","snapshot to":"2s"},"low":3,"high":3,"runs":[3],"others":0,"day":"2026-11-20","machine":"m","series":[[1,2],[2,3]]}
`

// Tables say what was lost as plainly as what was won.
func TestReportOfResults(t *testing.T) {
	dir := t.TempDir()
	var page strings.Builder
	for _, table := range tables() {
		page.WriteString("<!-- " + table.mark + " -->\nold\n<!-- /" + table.mark + " -->\n")
	}
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("a.jsonl", strings.ReplaceAll(twoSystems, "100000", "1"))
	write("b.jsonl", twoSystems) // counts, since it is later
	doc := write("page.md", page.String())
	for _, r := range readmes() {
		write(r.file, "<!-- speed -->\n<!-- /speed -->\n")
	}
	var out, messages bytes.Buffer
	if code := run(t.Context(), []string{"report", "--results", dir, "--doc", doc, "--pictures", dir, "--readmes", dir}, &out, &messages); code != 0 {
		t.Fatal(messages.String())
	}
	text, err := os.ReadFile(doc)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| B1 | burn-down of pre-inserted no-op tasks | 100 000 tasks/s (90 000 to 110 000) | 20 000 tasks/s | 4.90 × (4.50 to 6) | ≥ 5 × river: **not reached** |",
		"These miss their aim:\n\n|  |  | outlast | to reach |\n|---|---|---|---|\n| B1 | burn-down of pre-inserted no-op tasks, against river | 4.90 × (4.50 to 6) | ≥ 5 × river |\n<!-- /missed -->",
		"|  |  | outlast | temporal | × temporal | to reach |\n|---|---|---|---|---|---|\n| B1t | burn-down of pre-inserted no-op tasks | 90 000 tasks/s | 300 tasks/s | 300 × |  |",
		"| B1 | river | `workers=10` |", "- postgres: `fsync=on`", "at most 2 % of the cores", "<!-- file -->\nold\n",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
	readme, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if want := "| median | Outlast | River " + peerVersion(riverName) + " | × River |\n|---|---|---|---|\n| burn-down of ready tasks | 100 000 tasks/s | 20 000 tasks/s | 4.90 × |\n<!-- /speed -->"; err != nil || !strings.Contains(string(readme), want) {
		t.Errorf("%v: there is no %q in %s", err, want, readme)
	}
	bars, err := os.ReadFile(filepath.Join(dir, "bench-rates.svg"))
	if err != nil || !strings.Contains(string(bars), "outlast 100 000 tasks/s (90 000 to 110 000), river 20 000 tasks/s.") || !strings.Contains(string(text), "](../pictures/bench-rates.svg)") {
		t.Errorf("%v: %s", err, bars)
	}
	drawn, err := os.ReadFile(filepath.Join(dir, "bench-snapshot.svg"))
	if err != nil || !bytes.Contains(drawn, []byte("old snapshot held")) {
		t.Errorf("%v: %s", err, drawn)
	}
}
