package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"
)

// pageHere is what somebody has measured on a machine of his own.
type pageHere struct {
	config  config
	about   string // the machine, as environment tells
	began   time.Time
	peers   []string
	leftOut []string
	known   results
}

// write writes the page and the figures.
func (p *pageHere) write() error {
	var lines bytes.Buffer
	writeJSON(&lines, p.known)
	return errors.Join(
		os.WriteFile(filepath.Join(p.config.out, "figures.jsonl"), lines.Bytes(), 0o644),
		os.WriteFile(filepath.Join(p.config.out, "README.md"), []byte(p.text()), 0o644))
}

const howToRead = `The systems took turns in each run, and another one began each time. Ratios are those of two turns of the same run,
and their median: they say more than rates, which are of this machine. What each bench does, and how the peers' settings
were searched: docs/explanation/benchmarks.md and bench/README.md of the project.
`

// text is the page.
func (p *pageHere) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Outlast on this machine\n\nMeasured from %s on by `make benchmarks-here`, Outlast%s.\n\n",
		p.began.UTC().Format("2006-01-02 15:04 MST"), revision())
	for line := range strings.Lines(p.about) {
		b.WriteString("- " + strings.TrimPrefix(line, "environment: "))
	}
	for _, peer := range p.peers {
		if version := peerVersion(peer); version != "" {
			fmt.Fprintf(&b, "- beside %s %s\n", peer, version)
		}
	}
	if len(p.leftOut) > 0 {
		b.WriteString("\nLeft out:\n\n")
		for _, left := range p.leftOut {
			b.WriteString("- " + strings.ReplaceAll(left, "\n", "\n  ") + "\n")
		}
	}
	b.WriteString("\n" + howToRead)
	for _, part := range []struct {
		title string
		table func(results) string
	}{
		{"What misses its aim", missed},
		{"Side by side", sideBySide(race)},
		{"On a file", sideBySide(inFiles)},
		{"Beside millions of waiting tasks", sideBySide(besides)},
		{"Over minutes", sideBySide(overMinutes)},
		{"More nodes, more machines, and by HTTP", sideBySide(manyNodes)},
		{"On MariaDB", sideBySide(inMariaDB)},
		{"What a task costs", costsOf("B1", "B2", "B3", "B4")},
		{"Settings", peerSettings},
	} {
		if text := part.table(p.known); text != "" {
			b.WriteString("\n## " + part.title + "\n\n" + text)
		}
	}
	return b.String()
}

// revision is the commit from which this program was built, where it is known.
func revision() string {
	info, _ := debug.ReadBuildInfo()
	text := ""
	if info == nil {
		return text
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			text = " at " + s.Value[:min(12, len(s.Value))] + text
		case s.Key == "vcs.modified" && s.Value == "true":
			text += " with changes"
		}
	}
	return text
}
