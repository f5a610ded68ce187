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
	indexed  = regexp.MustCompile(`(?m)^- \[[^\n]*?\]\(([^)]+)\)[^:：\n]*[:：] *(.*)$`)
	comments = regexp.MustCompile(`(?s)<!--.*?-->`)
	anchors  = regexp.MustCompile(`<a id="[^"]+"></a>\n\n`)
)

// index is an index of the documentation in one language.
type index struct {
	file, suffix       string            // its own, and that of pages in its language
	parts              map[string]string // the folders, by heading
	line, foreign, sum string
}

var indexes = []index{
	{"../docs/README.md", ".md", map[string]string{"Tutorial": "tutorial", "How-to": "how-to", "Reference": "reference", "Explanation": "explanation"}, "- [%s](%s)%s, %d min: %s", "", "%d pages, %d minutes."},
	{"../docs/README.zh-CN.md", ".zh-CN.md", map[string]string{"教程": "tutorial", "操作指南": "how-to", "参考": "reference", "原理": "explanation"}, "- [%s](%s)%s，%d 分钟：%s", "，英文", "共 %d 页，%d 分钟。"},
}

// The indexes have a line for each page: its title, how long it takes to read, and what it is
// about. The last is kept by hand, and so is the order of the lines in English. A page stands
// in the language of the index, if there is one.
func TestIndex(t *testing.T) {
	var orders [][]string
	for _, of := range indexes {
		text := read(t, of.file)
		want, rest, _ := strings.Cut(anchors.ReplaceAllString(text, ""), "\n## ")
		for i, section := range strings.Split(rest, "\n## ") {
			name, body, _ := strings.Cut(section, "\n")
			intro, _, _ := strings.Cut(strings.TrimSpace(body), "\n\n")
			about, order := of.read(body)
			orders = append(orders, order) // those in English come first
			lines, minutes := of.lines(t, of.parts[name], orders[i], about)
			sum := fmt.Sprintf(of.sum, len(lines), minutes)
			if len(lines) == 1 {
				sum = strings.Replace(sum, "pages", "page", 1)
			}
			anchor := ""
			if of.suffix != ".md" { // that of English, so that links hold in both
				anchor = `<a id="` + of.parts[name] + "\"></a>\n\n"
			}
			want += fmt.Sprintf("\n%s## %s\n\n%s\n\n%s\n\n%s\n", anchor, name, intro, strings.Join(lines, "\n"), sum)
		}
		switch {
		case text == want:
		case *update:
			if err := os.WriteFile(of.file, []byte(want), 0o644); err != nil {
				t.Error(err)
			}
		default:
			t.Errorf("%s is stale: run go generate ./examples", of.file)
		}
	}
}

// read is what pages are about, and their order.
func (of *index) read(body string) (about map[string]string, order []string) {
	about = map[string]string{}
	for _, line := range indexed.FindAllStringSubmatch(body, -1) {
		page := strings.Replace(line[1], ".zh-CN", "", 1)
		if !slices.Contains(order, page) { // a merge may leave a line twice
			about[page] = line[2]
			order = append(order, page)
		}
	}
	return about, order
}

// lines are those of the pages of a part, new ones at the end, and how many minutes they take.
func (of *index) lines(t *testing.T, part string, order []string, about map[string]string) (lines []string, minutes int) {
	found, err := filepath.Glob("../docs/" + part + "/*.md")
	if err != nil {
		t.Fatal(err)
	}
	pages := slices.Clone(order)
	for _, file := range found {
		if page := part + "/" + filepath.Base(file); !slices.Contains(pages, page) && !strings.HasSuffix(page, ".zh-CN.md") {
			pages = append(pages, page)
		}
	}
	for _, page := range slices.DeleteFunc(pages, func(page string) bool { return !slices.Contains(found, "../docs/"+page) }) {
		chinese := strings.TrimSuffix(page, ".md") + ".zh-CN.md"
		shown, also := page, ""
		switch translated := slices.Contains(found, "../docs/"+chinese); {
		case translated && of.suffix == ".md":
			also = " · [中文](" + chinese + ")"
		case translated:
			shown = chinese
		default:
			also = of.foreign
		}
		if about[page] == "" {
			t.Errorf("%s does not say what %s is about", of.file, page)
		}
		title, text, _ := strings.Cut(strings.TrimSpace(comments.ReplaceAllString(read(t, "../docs/"+shown), "")), "\n")
		takes := reading(text)
		minutes += takes
		lines = append(lines, fmt.Sprintf(of.line, strings.TrimPrefix(title, "# "), shown, also, takes, about[page]))
	}
	return lines, minutes
}

// reading is how many minutes a text takes at 200 words of a Latin script, or 400 letters of Chinese,
// in each.
func reading(text string) int {
	letters := 0
	latin := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Han, r) {
			letters++
			return ' '
		}
		return r
	}, text)
	words := 0
	for _, word := range strings.Fields(latin) {
		if strings.ContainsFunc(word, unicode.IsLetter) {
			words++
		}
	}
	return 1 + (words+letters/2)/200
}
