package examples

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

var (
	indexed  = regexp.MustCompile(`(?m)^- \[[^\n]*?\]\(([^)]+)\)[^:\n]*: (.+)$`)
	comments = regexp.MustCompile(`(?s)<!--.*?-->`)
)

// docs/README.md has a line for each page: its title, how long it takes to read, and what it is
// about. The last, and the order of the lines, are kept by hand.
func TestIndex(t *testing.T) {
	const index = "../docs/README.md"
	text := read(t, index)
	want, rest, _ := strings.Cut(text, "\n## ")
	for section := range strings.SplitSeq(rest, "\n## ") {
		name, body, _ := strings.Cut(section, "\n")
		intro, _, _ := strings.Cut(strings.TrimSpace(body), "\n\n")
		want += "\n## " + name + "\n\n" + intro + "\n"
		lines, minutes := indexOf(t, strings.ToLower(name), body)
		if len(lines) > 0 {
			pages := fmt.Sprintf("%d pages", len(lines))
			if len(lines) == 1 {
				pages = "1 page"
			}
			want += fmt.Sprintf("\n%s\n\n%s, %d minutes.\n", strings.Join(lines, "\n"), pages, minutes)
		}
	}
	switch {
	case text == want:
	case *update:
		if err := os.WriteFile(index, []byte(want), 0o644); err != nil {
			t.Error(err)
		}
	default:
		t.Errorf("%s is stale: run go generate ./examples", index)
	}
}

// indexOf is a line for each English page of a part, in the order of body with new ones at the
// end, and how many minutes all of them take.
func indexOf(t *testing.T, part, body string) (lines []string, minutes int) {
	found, err := filepath.Glob("../docs/" + part + "/*.md")
	if err != nil {
		t.Fatal(err)
	}
	about, pages := map[string]string{}, []string{}
	for _, line := range indexed.FindAllStringSubmatch(body, -1) {
		about[line[1]] = line[2]
		pages = append(pages, line[1])
	}
	for _, file := range found {
		if page := part + "/" + filepath.Base(file); !slices.Contains(pages, page) && !strings.HasSuffix(page, ".zh-CN.md") {
			pages = append(pages, page)
		}
	}
	pages = slices.DeleteFunc(pages, func(page string) bool { return !slices.Contains(found, "../docs/"+page) })
	for _, page := range pages {
		text := comments.ReplaceAllString(read(t, "../docs/"+page), "")
		title, text, _ := strings.Cut(strings.TrimSpace(text), "\n")
		also := ""
		if other := strings.Replace(page, ".md", ".zh-CN.md", 1); slices.Contains(found, "../docs/"+other) {
			also = " · [中文](" + other + ")"
		}
		if about[page] == "" {
			t.Errorf("docs/README.md does not say what %s is about", page)
		}
		takes := reading(text)
		minutes += takes
		lines = append(lines, fmt.Sprintf("- [%s](%s)%s, %d min: %s", strings.TrimPrefix(title, "# "), page, also, takes, about[page]))
	}
	return lines, minutes
}

// reading is how many minutes a text takes at 200 words of a Latin script, or 400 letters of Chinese,
// in each.
func reading(text string) int {
	words := 0
	for _, word := range strings.Fields(text) {
		if strings.ContainsFunc(word, unicode.IsLetter) {
			words++
		}
	}
	return 1 + words/200
}
