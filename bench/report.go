package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// writeReport writes the tables and pictures of a document from kept figures, so that
// nobody copies numbers by hand.
func writeReport(args []string, messages io.Writer) error {
	flags := flag.NewFlagSet("report", flag.ContinueOnError)
	flags.SetOutput(messages)
	from := flags.String("results", "results", "directory of files *.jsonl with figures; of one that is in several, the last counts")
	root := flags.String("readmes", "..", "directory of README.md and README.zh-CN.md: a short table goes between the marks <!-- speed --> and <!-- /speed -->")
	doc := flags.String("doc", "../docs/explanation/benchmarks.md", "the document: tables go between marks such as <!-- B11 --> and <!-- /B11 -->")
	pictures := flags.String("pictures", "../docs/pictures", "directory of the pictures")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return fmt.Errorf("%w: %w", errUsage, err)
	}
	known, err := readResults(*from)
	if err != nil {
		return err
	}
	page, err := filled(*doc, tables(), known)
	if err != nil {
		return err
	}
	for _, r := range readmes() {
		path := filepath.Join(*root, r.file)
		text, err := filled(path, r.tables(), known)
		if err == nil {
			err = os.WriteFile(path, []byte(text), 0o644)
		}
		if err != nil {
			return err
		}
	}
	for name, picture := range drawAll(known) {
		if err := os.WriteFile(filepath.Join(*pictures, name), picture, 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(*doc, []byte(page), 0o644)
}

// results are figures in the order of their benches.
type results []*figure

// readResults reads all files of a directory by name. A bench that is in several
// of them counts as it is in the last.
func readResults(dir string) (known results, err error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		figures, err := readFigures(bytes.NewReader(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		known = slices.DeleteFunc(known, func(f *figure) bool { return figures.has(benchOf(f)) })
		known = append(known, figures...)
	}
	return known, nil
}

func readFigures(from io.Reader) (known results, err error) {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		f := &figure{}
		if err := json.Unmarshal(lines.Bytes(), f); err != nil {
			return nil, err
		}
		known = append(known, f)
	}
	return known, lines.Err()
}

func (r results) has(bench string) bool {
	return slices.ContainsFunc(r, func(f *figure) bool { return benchOf(f) == bench })
}

// of finds a figure of a system, nil when it was not measured.
func (r results) of(bench, system string) *figure {
	at := slices.IndexFunc(r, func(f *figure) bool { return f.Bench == bench && f.System == system })
	if at < 0 {
		return nil
	}
	return r[at]
}

func benchOf(f *figure) string {
	id, _, _ := strings.Cut(f.Bench, "/")
	return id
}

// filled is a document in which each table between its marks is what the figures
// say. Where there are none, what stands there stays.
func filled(path string, tables []table, known results) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	page := string(text)
	for _, t := range tables {
		table := t.text(known)
		if table == "" {
			continue
		}
		if page, err = between(page, t.mark, table); err != nil {
			return "", fmt.Errorf("%s: %w", path, err)
		}
	}
	return page, nil
}

// between replaces what stands between the marks of a table.
func between(page, mark, table string) (string, error) {
	open, end := "<!-- "+mark+" -->\n", "<!-- /"+mark+" -->"
	head, rest, found := strings.Cut(page, open)
	_, tail, closed := strings.Cut(rest, end)
	if !found || !closed {
		return "", fmt.Errorf("the marks %s and %s are missing", strings.TrimSpace(open), end)
	}
	return head + open + table + end + tail, nil
}
